// Making graphs and asking about them. They are described under the session's lock, and nothing of
// them is done before their launch.
#include <algorithm>
#include <cstring>

#include "host/api_call.h"
#include "host/graph.h"
#include "host/graph_call.h"
#include "host/registry.h"

using namespace raddle::host;

namespace {

const void* host_function(Session& session, const KernelNode& kernel) {
  if (kernel.function != nullptr) return kernel.function;
  for (const auto& [host, name] : Registry::get().functions()) {
    const auto found = session.device().function(name);
    if (found && found->module == kernel.kernel.module && found->function == kernel.kernel.function)
      return host;
  }
  return nullptr;
}

cudaError_t set_event(CUgraphNode_st& node, Session& session, cudaEvent_t event, bool record) {
  if (!session.device().owns(event)) return cudaErrorInvalidResourceHandle;
  node.work = [=](Session& later, cudaStream_t stream) -> cudaError_t {
    if (!later.device().owns(event)) return cudaErrorInvalidResourceHandle;
    if (record) return later.record_event(event, stream);
    later.wait_for_event(stream, event);
    return cudaSuccess;
  };
  return cudaSuccess;
}

cudaError_t set_conditional(CUgraphNode_st& node, cudaConditionalNodeParams& parameters) {
  const bool known = std::ranges::any_of(node.owner->conditions, [&](const Condition& condition) {
    return condition.address == parameters.handle;
  });
  if (!known || parameters.size == 0) return cudaErrorInvalidValue;
  if (parameters.type == cudaGraphCondTypeWhile && parameters.size != 1)
    return cudaErrorInvalidValue;
  node.condition = parameters.handle;
  node.condition_type = parameters.type;
  for (unsigned int i = 0; i < parameters.size; ++i) {
    node.inner.push_back(std::make_unique<CUgraph_st>());
    node.inner_handles.push_back(node.inner.back().get());
  }
  parameters.phGraph_out = node.inner_handles.data();
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned int flags) {
  if (graph == nullptr || flags != 0) return Session::record(cudaErrorInvalidValue);
  *graph = new CUgraph_st;
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return api_call([=](Session&) -> cudaError_t {
    if (graph == nullptr) return cudaErrorInvalidValue;
    delete graph;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphClone(cudaGraph_t* copy, cudaGraph_t original) {
  return queueing_call([=](Session&) -> cudaError_t {
    if (copy == nullptr || original == nullptr) return cudaErrorInvalidValue;
    *copy = clone(*original).release();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* found, cudaGraphNode_t original,
                                     cudaGraph_t copy) {
  return queueing_call([=](Session&) -> cudaError_t {
    if (found == nullptr || original == nullptr || copy == nullptr) return cudaErrorInvalidValue;
    *found = find_copy(*copy, *original);
    return *found != nullptr ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, size_t count,
                                   const cudaKernelNodeParams* parameters) {
  if (parameters == nullptr) return Session::record(cudaErrorInvalidValue);
  return make_node(node, graph, dependencies, count, cudaGraphNodeTypeKernel,
                   [&](Session& session, CUgraphNode_st& made) {
                     return set_kernel(session, made, *parameters);
                   });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, size_t count,
                                   const cudaMemcpy3DParms* parameters) {
  if (parameters == nullptr) return Session::record(cudaErrorInvalidValue);
  return make_node(node, graph, dependencies, count, cudaGraphNodeTypeMemcpy,
                   [&](Session&, CUgraphNode_st& made) -> cudaError_t {
                     set_copy(made, *parameters);
                     return cudaSuccess;
                   });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, size_t count,
                                     void* destination, const void* source, size_t bytes,
                                     cudaMemcpyKind kind) {
  return make_node(node, graph, dependencies, count, cudaGraphNodeTypeMemcpy,
                   [&](Session&, CUgraphNode_st& made) -> cudaError_t {
                     set_copy(made, destination, source, bytes, kind);
                     return cudaSuccess;
                   });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, size_t count,
                                   const cudaMemsetParams* parameters) {
  if (parameters == nullptr) return Session::record(cudaErrorInvalidValue);
  return make_node(node, graph, dependencies, count, cudaGraphNodeTypeMemset,
                   [&](Session&, CUgraphNode_st& made) { return set_fill(made, *parameters); });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* dependencies, size_t count,
                                 const cudaHostNodeParams* parameters) {
  if (parameters == nullptr || parameters->fn == nullptr)
    return Session::record(cudaErrorInvalidValue);
  return make_node(node, graph, dependencies, count, cudaGraphNodeTypeHost,
                   [&](Session&, CUgraphNode_st& made) -> cudaError_t {
                     made.host = *parameters;
                     return cudaSuccess;
                   });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* dependencies, size_t count,
                                       cudaGraph_t child) {
  if (child == nullptr) return Session::record(cudaErrorInvalidValue);
  return make_node(node, graph, dependencies, count, cudaGraphNodeTypeGraph,
                   [&](Session&, CUgraphNode_st& made) -> cudaError_t {
                     made.inner.push_back(clone(*child));
                     return cudaSuccess;
                   });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* dependencies, size_t count) {
  return make_node(node, graph, dependencies, count, cudaGraphNodeTypeEmpty,
                   [](Session&, CUgraphNode_st&) -> cudaError_t { return cudaSuccess; });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* dependencies, size_t count,
                                        cudaEvent_t event) {
  return make_node(node, graph, dependencies, count, cudaGraphNodeTypeEventRecord,
                   [&](Session& session, CUgraphNode_st& made) {
                     return set_event(made, session, event, true);
                   });
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                      const cudaGraphNode_t* dependencies, size_t count,
                                      cudaEvent_t event) {
  return make_node(node, graph, dependencies, count, cudaGraphNodeTypeWaitEvent,
                   [&](Session& session, CUgraphNode_st& made) {
                     return set_event(made, session, event, false);
                   });
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph,
                             const cudaGraphNode_t* dependencies, size_t count,
                             cudaGraphNodeParams* parameters) {
  if (parameters == nullptr) return Session::record(cudaErrorInvalidValue);
  switch (parameters->type) {
    case cudaGraphNodeTypeKernel: {
      const cudaKernelNodeParams kernel{
          parameters->kernel.func,         parameters->kernel.gridDim,
          parameters->kernel.blockDim,     parameters->kernel.sharedMemBytes,
          parameters->kernel.kernelParams, parameters->kernel.extra};
      return cudaGraphAddKernelNode(node, graph, dependencies, count, &kernel);
    }
    case cudaGraphNodeTypeMemcpy:
      return cudaGraphAddMemcpyNode(node, graph, dependencies, count,
                                    &parameters->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
      return cudaGraphAddMemsetNode(node, graph, dependencies, count, &parameters->memset);
    case cudaGraphNodeTypeHost:
      return cudaGraphAddHostNode(node, graph, dependencies, count, &parameters->host);
    case cudaGraphNodeTypeGraph:
      return cudaGraphAddChildGraphNode(node, graph, dependencies, count, parameters->graph.graph);
    case cudaGraphNodeTypeEmpty: return cudaGraphAddEmptyNode(node, graph, dependencies, count);
    case cudaGraphNodeTypeWaitEvent:
      return cudaGraphAddEventWaitNode(node, graph, dependencies, count,
                                       parameters->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
      return cudaGraphAddEventRecordNode(node, graph, dependencies, count,
                                         parameters->eventRecord.event);
    case cudaGraphNodeTypeMemAlloc:
      return cudaGraphAddMemAllocNode(node, graph, dependencies, count, &parameters->alloc);
    case cudaGraphNodeTypeMemFree:
      return cudaGraphAddMemFreeNode(node, graph, dependencies, count, parameters->free.dptr);
    case cudaGraphNodeTypeConditional:
      return make_node(node, graph, dependencies, count, cudaGraphNodeTypeConditional,
                       [&](Session&, CUgraphNode_st& made) {
                         return set_conditional(made, parameters->conditional);
                       });
    default: break;
  }
  return Session::record(cudaErrorNotSupported);
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph,
                                             unsigned int default_value, unsigned int flags) {
  return api_call([=](Session& session) -> cudaError_t {
    if (handle == nullptr || graph == nullptr) return cudaErrorInvalidValue;
    const auto address = session.device().memory().allocate(sizeof(unsigned int));
    if (!address) return cudaErrorMemoryAllocation;
    std::memset(session.device().memory().view(*address), 0, sizeof(unsigned int));
    graph->conditions.push_back({*address, default_value, flags == cudaGraphCondAssignDefault});
    *handle = *address;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, size_t count) {
  return queueing_call([=](Session&) -> cudaError_t {
    if (graph == nullptr || (count != 0 && (from == nullptr || to == nullptr)))
      return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; ++i) {
      if (from[i] == nullptr || to[i] == nullptr) return cudaErrorInvalidValue;
      if (from[i]->owner != graph || to[i]->owner != graph) return cudaErrorInvalidValue;
      to[i]->dependencies.push_back(from[i]);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, size_t count) {
  return queueing_call([=](Session&) -> cudaError_t {
    if (graph == nullptr || (count != 0 && (from == nullptr || to == nullptr)))
      return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; ++i) {
      if (to[i] == nullptr || std::erase(to[i]->dependencies, from[i]) == 0)
        return cudaErrorInvalidValue;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  return api_call([=](Session&) -> cudaError_t {
    if (node == nullptr) return cudaErrorInvalidValue;
    CUgraph_st& graph = *node->owner;
    for (const auto& other : graph.nodes) std::erase(other->dependencies, node);
    std::erase_if(graph.nodes, [=](const auto& other) { return other.get() == node; });
    return cudaSuccess;
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return queueing_call([=](Session&) -> cudaError_t {
    if (graph == nullptr) return cudaErrorInvalidValue;
    std::vector<cudaGraphNode_t> all;
    for (const auto& node : graph->nodes) all.push_back(node.get());
    return give_list(all, nodes, count);
  });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return queueing_call([=](Session&) -> cudaError_t {
    if (graph == nullptr) return cudaErrorInvalidValue;
    std::vector<cudaGraphNode_t> roots;
    for (const auto& node : graph->nodes) {
      if (node->dependencies.empty()) roots.push_back(node.get());
    }
    return give_list(roots, nodes, count);
  });
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              size_t* count) {
  return queueing_call([=](Session&) -> cudaError_t {
    if (graph == nullptr || count == nullptr) return cudaErrorInvalidValue;
    std::vector<cudaGraphNode_t> sources;
    std::vector<cudaGraphNode_t> ends;
    for (const auto& node : graph->nodes) {
      for (const cudaGraphNode_t before : node->dependencies) {
        sources.push_back(before);
        ends.push_back(node.get());
      }
    }
    size_t room = *count;
    const cudaError_t status = give_list(sources, from, &room);
    return status != cudaSuccess ? status : give_list(ends, to, count);
  });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return queueing_call([=](Session&) -> cudaError_t {
    if (node == nullptr || type == nullptr) return cudaErrorInvalidValue;
    *type = node->type;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* dependencies,
                                         size_t* count) {
  return queueing_call([=](Session&) -> cudaError_t {
    if (node == nullptr) return cudaErrorInvalidValue;
    return give_list(node->dependencies, dependencies, count);
  });
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
  return node_call(node, cudaGraphNodeTypeGraph, [=](Session&) -> cudaError_t {
    if (graph == nullptr) return cudaErrorInvalidValue;
    *graph = node->inner.front().get();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* parameters) {
  return node_call(node, cudaGraphNodeTypeKernel, [=](Session& session) -> cudaError_t {
    if (parameters == nullptr) return cudaErrorInvalidValue;
    KernelNode& kernel = node->kernel;
    node->arguments.clear();
    for (const auto& slot : session.device().program().function(kernel.kernel).parameters)
      node->arguments.push_back(kernel.frame.data() + slot.offset);
    *parameters = {const_cast<void*>(host_function(session, kernel)),
                   kernel.configuration.grid,
                   kernel.configuration.block,
                   static_cast<unsigned int>(kernel.configuration.shared_bytes),
                   node->arguments.data(),
                   nullptr};
    return cudaSuccess;
  });
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const cudaKernelNodeParams* parameters) {
  return node_call(node, cudaGraphNodeTypeKernel, [=](Session& session) -> cudaError_t {
    if (parameters == nullptr) return cudaErrorInvalidValue;
    return set_kernel(session, *node, *parameters);
  });
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                         const cudaMemcpy3DParms* parameters) {
  return node_call(node, cudaGraphNodeTypeMemcpy, [=](Session&) -> cudaError_t {
    if (parameters == nullptr) return cudaErrorInvalidValue;
    set_copy(*node, *parameters);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* parameters) {
  return node_call(node, cudaGraphNodeTypeMemset, [=](Session&) -> cudaError_t {
    return parameters == nullptr ? cudaErrorInvalidValue : set_fill(*node, *parameters);
  });
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* parameters) {
  return node_call(node, cudaGraphNodeTypeHost, [=](Session&) -> cudaError_t {
    if (parameters == nullptr || parameters->fn == nullptr) return cudaErrorInvalidValue;
    node->host = *parameters;
    return cudaSuccess;
  });
}
