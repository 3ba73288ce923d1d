// Streams that capture: what they are given becomes nodes of a graph instead of being done. Other
// streams join by waiting for an event of such a stream.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "host/api_call.h"
#include "host/cuda_api.h"
#include "host/graph.h"

namespace raddle::host {

struct Capture {
  CUgraph_st* graph = nullptr;
  std::unique_ptr<CUgraph_st> own;  // null: the program's
  cudaStream_t origin = nullptr;
  unsigned long long id = 0;
  std::vector<const CUgraphNode_st*> added;
  bool invalid = false;
  bool ended = false;
};

// Those of the program have capture; the default streams have none.
bool is_capturing(cudaStream_t stream);
// The node that the stream was given; the stream goes on after it. Null if the capture is invalid.
CUgraphNode_st* capture_node(cudaStream_t stream, cudaGraphNodeType type);
// A call that cannot be captured ends the capture: it can only be given up.
cudaError_t refuse_capture(cudaStream_t stream);
cudaError_t capture_kernel(kernel::FunctionRef kernel, const Configuration& configuration,
                           std::vector<std::byte> frame);
void capture_event(cudaEvent_t event, cudaStream_t stream);
// What a stream does that waits for an event of a capture, or that captures itself.
bool concerns_capture(cudaStream_t stream, cudaEvent_t event);
cudaError_t capture_wait(cudaStream_t stream, cudaEvent_t event);

// Work given to a stream: done at once, after what is queued, or captured.
template <class Body>
cudaError_t stream_call(cudaStream_t stream, cudaGraphNodeType type, Body&& body) {
  return queueing_call([&](Session& session) -> cudaError_t {
    if (!session.device().owns(stream)) return cudaErrorInvalidResourceHandle;
    if (is_capturing(stream)) {
      CUgraphNode_st* node = capture_node(stream, type);
      if (node == nullptr) return cudaErrorStreamCaptureInvalidated;
      node->work = [body](Session& later, cudaStream_t) -> cudaError_t {
        const cudaError_t status = later.run_queued();
        return status != cudaSuccess ? status : body(later);
      };
      return cudaSuccess;
    }
    const cudaError_t status = session.run_queued();
    return status != cudaSuccess ? status : std::forward<Body>(body)(session);
  });
}

}  // namespace raddle::host
