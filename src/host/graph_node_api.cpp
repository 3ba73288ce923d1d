// Nodes that allocate and free memory or copy variables, and what nodes say about themselves.
#include <fmt/format.h>

#include <fstream>

#include "host/copying.h"
#include "host/graph_call.h"

using namespace raddle::host;

namespace {

const char* kind_of(cudaGraphNodeType type) {
  switch (type) {
    case cudaGraphNodeTypeKernel: return "kernel";
    case cudaGraphNodeTypeMemcpy: return "memcpy";
    case cudaGraphNodeTypeMemset: return "memset";
    case cudaGraphNodeTypeHost: return "host";
    case cudaGraphNodeTypeGraph: return "graph";
    case cudaGraphNodeTypeEmpty: return "empty";
    case cudaGraphNodeTypeWaitEvent: return "event wait";
    case cudaGraphNodeTypeEventRecord: return "event record";
    case cudaGraphNodeTypeMemAlloc: return "alloc";
    case cudaGraphNodeTypeMemFree: return "free";
    case cudaGraphNodeTypeConditional: return "conditional";
    default: return "node";
  }
}

std::string label_of(Session& session, const CUgraphNode_st& node) {
  if (node.type != cudaGraphNodeTypeKernel) return kind_of(node.type);
  return session.device().program().function(node.kernel.kernel).name;
}

void print_dot(Session& session, const CUgraph_st& graph, std::ostream& out) {
  for (const auto& node : graph.nodes) {
    out << fmt::format("  n{} [label=\"{}\"];\n", node->number, label_of(session, *node));
    for (const CUgraphNode_st* before : node->dependencies)
      out << fmt::format("  n{} -> n{};\n", before->number, node->number);
    for (std::size_t i = 0; i < node->inner.size(); ++i) {
      out << fmt::format("  subgraph cluster_{}_{} {{\n", node->number, i);
      print_dot(session, *node->inner[i], out);
      out << "  }\n";
    }
  }
}

bool allocates(const CUgraph_st& graph, const void* pointer) {
  return std::ranges::any_of(graph.nodes, [=](const auto& node) {
    return node->type == cudaGraphNodeTypeMemAlloc && node->allocation.dptr == pointer;
  });
}

// Gives memory back together with the last graph that frees it. The session is locked then, and
// nothing is queued.
std::shared_ptr<void> freed_with_graph(void* pointer) {
  return {pointer, [](void* memory) {
            raddle::kernel::DeviceMemory& device = Session::get().device().memory();
            // A device that was reset has forgotten it.
            if (device.find(address_of(memory)) != nullptr) device.release(address_of(memory));
          }};
}

}  // namespace

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                           const cudaGraphNode_t* dependencies, size_t count,
                                           const void* symbol, const void* source, size_t bytes,
                                           size_t offset, cudaMemcpyKind kind) {
  void* address = nullptr;
  const cudaError_t status = cudaGetSymbolAddress(&address, symbol);
  if (status != cudaSuccess) return status;
  return cudaGraphAddMemcpyNode1D(node, graph, dependencies, count,
                                  static_cast<char*>(address) + offset, source, bytes, kind);
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                             const cudaGraphNode_t* dependencies, size_t count,
                                             void* destination, const void* symbol, size_t bytes,
                                             size_t offset, cudaMemcpyKind kind) {
  void* address = nullptr;
  const cudaError_t status = cudaGetSymbolAddress(&address, symbol);
  if (status != cudaSuccess) return status;
  return cudaGraphAddMemcpyNode1D(node, graph, dependencies, count, destination,
                                  static_cast<const char*>(address) + offset, bytes, kind);
}

// The memory is there from now on, so that its address does not change: each launch finds it.
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, size_t count,
                                     cudaMemAllocNodeParams* parameters) {
  if (parameters == nullptr || parameters->bytesize == 0)
    return Session::record(cudaErrorInvalidValue);
  return make_node(node, graph, dependencies, count, cudaGraphNodeTypeMemAlloc,
                   [&](Session& session, CUgraphNode_st& made) -> cudaError_t {
                     const auto address = session.device().memory().allocate(parameters->bytesize);
                     if (!address) return cudaErrorMemoryAllocation;
                     parameters->dptr = reinterpret_cast<void*>(*address);
                     made.allocation = *parameters;
                     return cudaSuccess;
                   });
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                    const cudaGraphNode_t* dependencies, size_t count,
                                    void* pointer) {
  return make_node(node, graph, dependencies, count, cudaGraphNodeTypeMemFree,
                   [&](Session& session, CUgraphNode_st& made) -> cudaError_t {
                     if (session.device().memory().find(address_of(pointer)) == nullptr)
                       return cudaErrorInvalidValue;
                     if (allocates(*graph, pointer)) made.freed = freed_with_graph(pointer);
                     return cudaSuccess;
                   });
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* dependents,
                                           size_t* count) {
  return queueing_call([=](Session&) -> cudaError_t {
    if (node == nullptr) return cudaErrorInvalidValue;
    std::vector<cudaGraphNode_t> after;
    for (const auto& other : node->owner->nodes) {
      if (std::ranges::find(other->dependencies, node) != other->dependencies.end())
        after.push_back(other.get());
    }
    return give_list(after, dependents, count);
  });
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned int) {
  return queueing_call([=](Session& session) -> cudaError_t {
    if (graph == nullptr || path == nullptr) return cudaErrorInvalidValue;
    std::ofstream out(path);
    out << "digraph {\n";
    print_dot(session, *graph, out);
    out << "}\n";
    out.close();
    return out ? cudaSuccess : cudaErrorOperatingSystem;
  });
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* parameters) {
  return node_call(node, cudaGraphNodeTypeMemcpy, [=](Session&) -> cudaError_t {
    if (parameters == nullptr) return cudaErrorInvalidValue;
    *parameters = node->copy;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* parameters) {
  return node_call(node, cudaGraphNodeTypeMemset, [=](Session&) -> cudaError_t {
    if (parameters == nullptr) return cudaErrorInvalidValue;
    *parameters = node->fill;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* parameters) {
  return node_call(node, cudaGraphNodeTypeHost, [=](Session&) -> cudaError_t {
    if (parameters == nullptr) return cudaErrorInvalidValue;
    *parameters = node->host;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                           cudaMemAllocNodeParams* parameters) {
  return node_call(node, cudaGraphNodeTypeMemAlloc, [=](Session&) -> cudaError_t {
    if (parameters == nullptr) return cudaErrorInvalidValue;
    *parameters = node->allocation;
    return cudaSuccess;
  });
}
