// Graphs that run: made from a graph, changed without making them anew, launched.
#include "host/api_call.h"
#include "host/graph.h"
#include "host/stream_capture.h"

using namespace raddle::host;

namespace {

// The node's copy in the executable graph, to be changed.
template <class Body>
cudaError_t copy_call(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraphNodeType type,
                      const void* parameters, Body&& body) {
  return api_call([&](Session& session) -> cudaError_t {
    if (exec == nullptr || node == nullptr || parameters == nullptr) return cudaErrorInvalidValue;
    CUgraphNode_st* copy = find_copy(*exec->graph, *node);
    if (copy == nullptr || copy->type != type) return cudaErrorInvalidValue;
    return body(session, *copy);
  });
}

bool same_dependencies(const CUgraph_st& graph, const CUgraph_st& other, std::size_t index) {
  const auto positions = [index](const CUgraph_st& of) {
    std::vector<std::size_t> result;
    for (const CUgraphNode_st* before : of.nodes[index]->dependencies) {
      for (std::size_t i = 0; i < of.nodes.size(); ++i) {
        if (of.nodes[i].get() == before) result.push_back(i);
      }
    }
    return result;
  };
  return positions(graph) == positions(other);
}

// Why the graph cannot take the place of one that was instantiated.
cudaGraphExecUpdateResultInfo compare(const CUgraph_st& old, const CUgraph_st& fresh) {
  if (old.nodes.size() != fresh.nodes.size())
    return {cudaGraphExecUpdateErrorTopologyChanged, nullptr, nullptr};
  for (std::size_t i = 0; i < old.nodes.size(); ++i) {
    CUgraphNode_st* node = fresh.nodes[i].get();
    if (old.nodes[i]->type != node->type)
      return {cudaGraphExecUpdateErrorNodeTypeChanged, node, nullptr};
    if (!same_dependencies(old, fresh, i))
      return {cudaGraphExecUpdateErrorTopologyChanged, node, nullptr};
    if (node->type == cudaGraphNodeTypeConditional)
      return {cudaGraphExecUpdateErrorNotSupported, node, nullptr};
    for (std::size_t inner = 0; inner < node->inner.size(); ++inner) {
      const auto result = compare(*old.nodes[i]->inner[inner], *node->inner[inner]);
      if (result.result != cudaGraphExecUpdateSuccess) return result;
    }
  }
  return {cudaGraphExecUpdateSuccess, nullptr, nullptr};
}

bool can_be_disabled(const CUgraphNode_st& node) {
  return node.type == cudaGraphNodeTypeKernel || node.type == cudaGraphNodeTypeMemcpy ||
         node.type == cudaGraphNodeTypeMemset;
}

}  // namespace

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  return queueing_call([=](Session&) -> cudaError_t {
    if (exec == nullptr || graph == nullptr) return cudaErrorInvalidValue;
    auto made = std::make_unique<CUgraphExec_st>();
    made->graph = clone(*graph);
    if (!sort_nodes(*made->graph)) return cudaErrorInvalidValue;
    *exec = made.release();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                          unsigned long long flags) {
  return cudaGraphInstantiate(exec, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* parameters) {
  if (parameters == nullptr) return Session::record(cudaErrorInvalidValue);
  const cudaError_t status = cudaGraphInstantiate(exec, graph, parameters->flags);
  parameters->errNode_out = nullptr;
  parameters->result_out =
      status == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateInvalidStructure;
  return status;
}

// Kernels, copies and fills can be left out of the next launches.
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned int enabled) {
  if (node == nullptr || !can_be_disabled(*node)) return Session::record(cudaErrorInvalidValue);
  return copy_call(exec, node, node->type, node, [=](Session&, CUgraphNode_st& copy) {
    copy.enabled = enabled != 0;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned int* enabled) {
  if (node == nullptr || !can_be_disabled(*node)) return Session::record(cudaErrorInvalidValue);
  return copy_call(exec, node, node->type, enabled, [=](Session&, CUgraphNode_st& copy) {
    *enabled = copy.enabled ? 1 : 0;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaGraph_t child) {
  return copy_call(exec, node, cudaGraphNodeTypeGraph, child,
                   [=](Session&, CUgraphNode_st& copy) -> cudaError_t {
                     std::unique_ptr<CUgraph_st> fresh = clone(*child);
                     if (!sort_nodes(*fresh)) return cudaErrorInvalidValue;
                     const auto result = compare(*copy.inner.front(), *fresh).result;
                     if (result != cudaGraphExecUpdateSuccess)
                       return cudaErrorGraphExecUpdateFailure;
                     copy.inner.front() = std::move(fresh);
                     return cudaSuccess;
                   });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
  return queueing_call([=](Session& session) -> cudaError_t {
    if (exec == nullptr) return cudaErrorInvalidValue;
    return session.device().owns(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  if (exec == nullptr) return Session::record(cudaErrorInvalidValue);
  bool captured = false;
  const cudaError_t status = queueing_call([&](Session& session) -> cudaError_t {
    if (!session.device().owns(stream)) return cudaErrorInvalidResourceHandle;
    captured = is_capturing(stream);
    if (!captured) return cudaSuccess;
    CUgraphNode_st* node = capture_node(stream, cudaGraphNodeTypeGraph);
    if (node == nullptr) return cudaErrorStreamCaptureInvalidated;
    node->inner.push_back(clone(*exec->graph));
    return cudaSuccess;
  });
  return captured || status != cudaSuccess ? status : run_graph(*exec->graph, stream);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return api_call([=](Session&) -> cudaError_t {
    if (exec == nullptr) return cudaErrorInvalidValue;
    delete exec;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* result) {
  return api_call([=](Session&) -> cudaError_t {
    if (exec == nullptr || graph == nullptr) return cudaErrorInvalidValue;
    std::unique_ptr<CUgraph_st> fresh = clone(*graph);
    cudaGraphExecUpdateResultInfo info{cudaGraphExecUpdateError, nullptr, nullptr};
    if (sort_nodes(*fresh)) info = compare(*exec->graph, *fresh);
    // The program knows the nodes of its own graph.
    if (info.errorNode != nullptr) info.errorNode = find_copy(*graph, *info.errorNode);
    if (result != nullptr) *result = info;
    if (info.result != cudaGraphExecUpdateSuccess) return cudaErrorGraphExecUpdateFailure;
    // Nodes of the graph that it was made from still name these.
    for (std::size_t i = 0; i < fresh->nodes.size(); ++i)
      fresh->nodes[i]->number = exec->graph->nodes[i]->number;
    exec->graph = std::move(fresh);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* parameters) {
  return copy_call(exec, node, cudaGraphNodeTypeKernel, parameters,
                   [=](Session& session, CUgraphNode_st& copy) {
                     return set_kernel(session, copy, *parameters);
                   });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* parameters) {
  return copy_call(exec, node, cudaGraphNodeTypeMemcpy, parameters,
                   [=](Session&, CUgraphNode_st& copy) -> cudaError_t {
                     set_copy(copy, *parameters);
                     return cudaSuccess;
                   });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               void* destination, const void* source, size_t bytes,
                                               cudaMemcpyKind kind) {
  return copy_call(exec, node, cudaGraphNodeTypeMemcpy, destination,
                   [=](Session&, CUgraphNode_st& copy) -> cudaError_t {
                     set_copy(copy, destination, source, bytes, kind);
                     return cudaSuccess;
                   });
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemsetParams* parameters) {
  return copy_call(exec, node, cudaGraphNodeTypeMemset, parameters,
                   [=](Session&, CUgraphNode_st& copy) { return set_fill(copy, *parameters); });
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const cudaHostNodeParams* parameters) {
  return copy_call(exec, node, cudaGraphNodeTypeHost, parameters,
                   [=](Session&, CUgraphNode_st& copy) -> cudaError_t {
                     copy.host = *parameters;
                     return cudaSuccess;
                   });
}
