// What the calls that make nodes and ask about them have in common.
#pragma once

#include <algorithm>

#include "host/api_call.h"
#include "host/graph.h"

namespace raddle::host {

// Adds a node and lets `describe` say what it does; takes it out again if it cannot be done.
template <class Describe>
cudaError_t make_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                      size_t count, cudaGraphNodeType type, Describe&& describe) {
  return queueing_call([&](Session& session) -> cudaError_t {
    if (node == nullptr || graph == nullptr) return cudaErrorInvalidValue;
    if (count != 0 && dependencies == nullptr) return cudaErrorInvalidValue;
    CUgraphNode_st* made = add_node(*graph, type, {dependencies, dependencies + count});
    if (made == nullptr) return cudaErrorInvalidValue;
    const cudaError_t status = describe(session, *made);
    if (status != cudaSuccess) {
      graph->nodes.pop_back();
      return status;
    }
    *node = made;
    return cudaSuccess;
  });
}

template <class Body>
cudaError_t node_call(cudaGraphNode_t node, cudaGraphNodeType type, Body&& body) {
  return queueing_call([&](Session& session) -> cudaError_t {
    if (node == nullptr || node->type != type) return cudaErrorInvalidValue;
    return body(session);
  });
}

// A list in the way of this interface: its length alone, or as much of it as there is room for.
template <class List>
cudaError_t give_list(const List& list, cudaGraphNode_t* nodes, size_t* count) {
  if (count == nullptr) return cudaErrorInvalidValue;
  if (nodes != nullptr) {
    for (size_t i = 0; i < *count; ++i) nodes[i] = i < list.size() ? list[i] : nullptr;
  }
  *count = nodes == nullptr ? list.size() : std::min(*count, list.size());
  return cudaSuccess;
}

}  // namespace raddle::host
