// CUDA graphs: work that is described once and done at each launch. A graph that was instantiated
// is a copy of the one it was made from; nodes and their copies share a number, by which the copy
// of a node is found.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "host/cuda_api.h"
#include "host/launching.h"
#include "host/session.h"

namespace raddle::host {

// What a node does, in the stream that its graph is launched into. Work other than kernels begins
// after everything that is queued.
using GraphWork = std::function<cudaError_t(Session&, cudaStream_t)>;

// What a kernel node was made from, for those who ask.
struct KernelNode {
  const void* function = nullptr;  // null: was captured
  kernel::FunctionRef kernel;
  Configuration configuration;
  std::vector<std::byte> frame;
};

struct Condition {
  std::uint64_t address = 0;  // the handle: where kernels write the number
  unsigned int first = 0;
  bool assign_first = false;  // at each launch
};

}  // namespace raddle::host

struct CUgraphNode_st {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  std::uint64_t number = 0;
  CUgraph_st* owner = nullptr;
  std::vector<CUgraphNode_st*> dependencies;
  raddle::host::GraphWork work;         // kernels, copies, fills, events
  raddle::host::KernelNode kernel;      // of kernels
  std::vector<void*> arguments;         // pointers into its frame
  cudaMemcpy3DParms copy{};             // of copies
  cudaMemsetParams fill{};              // of fills
  cudaHostNodeParams host{};            // of host functions
  cudaMemAllocNodeParams allocation{};  // of allocations
  std::shared_ptr<void> freed;          // of nodes that free what their graph allocates
  bool enabled = true;
  cudaGraphConditionalHandle condition = 0;  // of conditional nodes
  cudaGraphConditionalNodeType condition_type = cudaGraphCondTypeIf;
  std::vector<std::unique_ptr<CUgraph_st>> inner;  // the child, or the bodies of a conditional node
  std::vector<CUgraph_st*> inner_handles;          // of conditional nodes, for the program
};

struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
  std::vector<raddle::host::Condition> conditions;
};

struct CUgraphExec_st {
  std::unique_ptr<CUgraph_st> graph;  // its nodes in an order in which they can be done
};

namespace raddle::host {

// A node of the type that comes after others; null where one of those is not of this graph.
CUgraphNode_st* add_node(CUgraph_st& graph, cudaGraphNodeType type,
                         std::vector<CUgraphNode_st*> dependencies);
std::unique_ptr<CUgraph_st> clone(const CUgraph_st& graph);
// The copy of a node; null if there is none.
CUgraphNode_st* find_copy(const CUgraph_st& graph, const CUgraphNode_st& original);
// False if the dependencies form a circle.
bool sort_nodes(CUgraph_st& graph);
// Does the work of a graph whose nodes are sorted. Without the session's lock: host functions may
// call the API.
cudaError_t run_graph(const CUgraph_st& graph, cudaStream_t stream);

// What a node has to do.
void set_kernel(CUgraphNode_st& node, KernelNode kernel);
cudaError_t set_kernel(Session& session, CUgraphNode_st& node,
                       const cudaKernelNodeParams& parameters);
void set_copy(CUgraphNode_st& node, const cudaMemcpy3DParms& parameters);
void set_copy(CUgraphNode_st& node, void* destination, const void* source, std::size_t bytes,
              cudaMemcpyKind kind);
cudaError_t set_fill(CUgraphNode_st& node, const cudaMemsetParams& parameters);

}  // namespace raddle::host
