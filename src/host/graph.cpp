#include "host/graph.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <utility>

#include "host/api_call.h"
#include "host/copying.h"

namespace raddle::host {
namespace {

GraphWork after_queued(std::function<cudaError_t(Session&)> work) {
  return [work = std::move(work)](Session& session, cudaStream_t) -> cudaError_t {
    const cudaError_t status = session.run_queued();
    return status != cudaSuccess ? status : work(session);
  };
}

cudaError_t read_condition(const CUgraphNode_st& node, unsigned int& value) {
  return api_call([&](Session& session) -> cudaError_t {
    std::memcpy(&value, session.device().memory().view(node.condition), sizeof(value));
    return cudaSuccess;
  });
}

cudaError_t assign_conditions(const CUgraph_st& graph) {
  return api_call([&](Session& session) -> cudaError_t {
    for (const Condition& condition : graph.conditions) {
      if (!condition.assign_first) continue;
      std::memcpy(session.device().memory().view(condition.address), &condition.first,
                  sizeof(condition.first));
      session.host_wrote(condition.address, sizeof(condition.first));
    }
    return cudaSuccess;
  });
}

cudaError_t run_nodes(const CUgraph_st& graph, cudaStream_t stream);

cudaError_t run_conditional(const CUgraphNode_st& node, cudaStream_t stream) {
  unsigned int value = 0;
  cudaError_t status = read_condition(node, value);
  if (node.condition_type == cudaGraphCondTypeWhile) {
    while (status == cudaSuccess && value != 0) {
      status = run_nodes(*node.inner.front(), stream);
      if (status == cudaSuccess) status = read_condition(node, value);
    }
    return status;
  }
  if (status != cudaSuccess) return status;
  std::size_t chosen = value;  // of a switch; an if has a second body where the number is 0
  if (node.condition_type == cudaGraphCondTypeIf) chosen = value != 0 ? 0 : 1;
  return chosen < node.inner.size() ? run_nodes(*node.inner[chosen], stream) : cudaSuccess;
}

cudaError_t run_node(const CUgraphNode_st& node, cudaStream_t stream) {
  if (!node.enabled) return cudaSuccess;
  switch (node.type) {
    case cudaGraphNodeTypeHost: return cudaLaunchHostFunc(stream, node.host.fn, node.host.userData);
    case cudaGraphNodeTypeGraph: return run_graph(*node.inner.front(), stream);
    case cudaGraphNodeTypeConditional: return run_conditional(node, stream);
    default: break;
  }
  if (!node.work) return cudaSuccess;
  return queueing_call([&](Session& session) { return node.work(session, stream); });
}

cudaError_t run_nodes(const CUgraph_st& graph, cudaStream_t stream) {
  for (const auto& node : graph.nodes) {
    const cudaError_t status = run_node(*node, stream);
    if (status != cudaSuccess) return status;
  }
  return cudaSuccess;
}

std::uint64_t new_number() {
  static std::atomic<std::uint64_t> next{1};
  return next++;
}

}  // namespace

CUgraphNode_st* add_node(CUgraph_st& graph, cudaGraphNodeType type,
                         std::vector<CUgraphNode_st*> dependencies) {
  for (const CUgraphNode_st* before : dependencies) {
    if (before == nullptr || before->owner != &graph) return nullptr;
  }
  auto node = std::make_unique<CUgraphNode_st>();
  node->type = type;
  node->number = new_number();
  node->owner = &graph;
  node->dependencies = std::move(dependencies);
  graph.nodes.push_back(std::move(node));
  return graph.nodes.back().get();
}

std::unique_ptr<CUgraph_st> clone(const CUgraph_st& graph) {
  auto copy = std::make_unique<CUgraph_st>();
  copy->conditions = graph.conditions;
  std::map<const CUgraphNode_st*, CUgraphNode_st*> copies;
  for (const auto& node : graph.nodes) {
    auto made = std::make_unique<CUgraphNode_st>();
    made->type = node->type;
    made->number = node->number;
    made->owner = copy.get();
    made->work = node->work;
    made->kernel = node->kernel;
    made->copy = node->copy;
    made->fill = node->fill;
    made->host = node->host;
    made->allocation = node->allocation;
    made->freed = node->freed;
    made->enabled = node->enabled;
    made->condition = node->condition;
    made->condition_type = node->condition_type;
    for (const auto& inner : node->inner) {
      made->inner.push_back(clone(*inner));
      made->inner_handles.push_back(made->inner.back().get());
    }
    copies[node.get()] = made.get();
    copy->nodes.push_back(std::move(made));
  }
  for (const auto& node : graph.nodes) {
    for (const CUgraphNode_st* before : node->dependencies)
      copies[node.get()]->dependencies.push_back(copies.at(before));
  }
  return copy;
}

CUgraphNode_st* find_copy(const CUgraph_st& graph, const CUgraphNode_st& original) {
  for (const auto& node : graph.nodes) {
    if (node->number == original.number) return node.get();
  }
  return nullptr;
}

bool sort_nodes(CUgraph_st& graph) {
  std::vector<std::unique_ptr<CUgraphNode_st>> sorted;
  std::vector<const CUgraphNode_st*> done;
  const auto is_done = [&](const CUgraphNode_st* node) {
    return std::find(done.begin(), done.end(), node) != done.end();
  };
  // As they were added, where nothing else is said.
  while (sorted.size() < graph.nodes.size()) {
    const auto ready = std::find_if(graph.nodes.begin(), graph.nodes.end(), [&](const auto& node) {
      return node != nullptr && std::ranges::all_of(node->dependencies, is_done);
    });
    if (ready == graph.nodes.end()) return false;
    done.push_back(ready->get());
    sorted.push_back(std::move(*ready));
  }
  graph.nodes = std::move(sorted);
  for (const auto& node : graph.nodes) {
    for (const auto& inner : node->inner) {
      if (!sort_nodes(*inner)) return false;
    }
  }
  return true;
}

cudaError_t run_graph(const CUgraph_st& graph, cudaStream_t stream) {
  const cudaError_t status = assign_conditions(graph);
  return status != cudaSuccess ? status : run_nodes(graph, stream);
}

void set_kernel(CUgraphNode_st& node, KernelNode kernel) {
  node.kernel = std::move(kernel);
  node.work = [kernel = node.kernel](Session& session, cudaStream_t stream) {
    Configuration configuration = kernel.configuration;
    configuration.stream = stream;
    return launch_frame(session, kernel.kernel, configuration, kernel.frame);
  };
}

cudaError_t set_kernel(Session& session, CUgraphNode_st& node,
                       const cudaKernelNodeParams& parameters) {
  const FoundKernel found = find_kernel(session, parameters.func);
  if (found.status != cudaSuccess) return found.status;
  const Configuration configuration{parameters.gridDim, parameters.blockDim,
                                    parameters.sharedMemBytes, nullptr, false};
  const cudaError_t status = check_configuration(session, found.ref, configuration);
  if (status != cudaSuccess) return status;
  std::vector<std::byte> frame;
  if (!lay_out_arguments(session, found.ref, parameters.kernelParams, frame))
    return cudaErrorInvalidValue;
  set_kernel(node, {parameters.func, found.ref, configuration, std::move(frame)});
  return cudaSuccess;
}

void set_copy(CUgraphNode_st& node, const cudaMemcpy3DParms& parameters) {
  node.copy = parameters;
  node.work = after_queued([parameters](Session& session) { return copy_3d(session, parameters); });
}

void set_copy(CUgraphNode_st& node, void* destination, const void* source, std::size_t bytes,
              cudaMemcpyKind kind) {
  node.copy = {};
  node.copy.srcPtr = {const_cast<void*>(source), bytes, bytes, 1};
  node.copy.dstPtr = {destination, bytes, bytes, 1};
  node.copy.extent = {bytes, 1, 1};
  node.copy.kind = kind;
  node.work = after_queued([=](Session& session) {
    return copy_bytes(session, address_of(destination), address_of(source), bytes, kind);
  });
}

cudaError_t set_fill(CUgraphNode_st& node, const cudaMemsetParams& parameters) {
  const unsigned int unit = parameters.elementSize;
  if (unit != 1 && unit != 2 && unit != 4) return cudaErrorInvalidValue;
  node.fill = parameters;
  node.work = after_queued([=](Session& session) {
    return fill_box(session, {address_of(parameters.dst), parameters.pitch, 0},
                    {parameters.value, unit}, {parameters.width * unit, parameters.height, 1});
  });
  return cudaSuccess;
}

}  // namespace raddle::host
