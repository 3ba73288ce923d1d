#include "host/stream_capture.h"

#include <algorithm>
#include <atomic>

using namespace raddle::host;

namespace raddle::host {
namespace {

bool is_default(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

bool is_active(const std::shared_ptr<Capture>& capture) {
  return capture != nullptr && !capture->ended;
}

void add_unique(std::vector<CUgraphNode_st*>& nodes, CUgraphNode_st* node) {
  if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
}

// Nodes of other streams that nothing waits for would be lost to the stream that began.
bool has_unjoined_work(const Capture& capture) {
  const std::vector<CUgraphNode_st*>& last = capture.origin->captured;
  return std::ranges::any_of(capture.added, [&](const CUgraphNode_st* node) {
    if (std::find(last.begin(), last.end(), node) != last.end()) return false;
    return std::ranges::none_of(capture.graph->nodes, [&](const auto& other) {
      return std::ranges::find(other->dependencies, node) != other->dependencies.end();
    });
  });
}

cudaError_t begin(cudaStream_t stream, CUgraph_st* graph, std::vector<CUgraphNode_st*> last) {
  return queueing_call([&](Session& session) -> cudaError_t {
    if (!session.device().owns(stream)) return cudaErrorInvalidResourceHandle;
    if (is_default(stream)) return cudaErrorStreamCaptureUnsupported;
    if (is_capturing(stream)) return cudaErrorIllegalState;
    static std::atomic<unsigned long long> next_id{1};
    auto capture = std::make_shared<Capture>();
    if (graph == nullptr) capture->own = std::make_unique<CUgraph_st>();
    capture->graph = graph != nullptr ? graph : capture->own.get();
    capture->origin = stream;
    capture->id = next_id++;
    stream->capture = std::move(capture);
    stream->captured = std::move(last);
    return cudaSuccess;
  });
}

}  // namespace

bool is_capturing(cudaStream_t stream) { return !is_default(stream) && is_active(stream->capture); }

CUgraphNode_st* capture_node(cudaStream_t stream, cudaGraphNodeType type) {
  Capture& capture = *stream->capture;
  if (capture.invalid) return nullptr;
  CUgraphNode_st* node = add_node(*capture.graph, type, stream->captured);
  if (node == nullptr) return nullptr;
  capture.added.push_back(node);
  stream->captured = {node};
  return node;
}

cudaError_t refuse_capture(cudaStream_t stream) {
  stream->capture->invalid = true;
  return cudaErrorStreamCaptureUnsupported;
}

cudaError_t capture_kernel(kernel::FunctionRef kernel, const Configuration& configuration,
                           std::vector<std::byte> frame) {
  CUgraphNode_st* node = capture_node(configuration.stream, cudaGraphNodeTypeKernel);
  if (node == nullptr) return cudaErrorStreamCaptureInvalidated;
  set_kernel(*node, {nullptr, kernel, configuration, std::move(frame)});
  return cudaSuccess;
}

void capture_event(cudaEvent_t event, cudaStream_t stream) {
  event->capture = is_capturing(stream) ? stream->capture : nullptr;
  event->captured = is_capturing(stream) ? stream->captured : std::vector<CUgraphNode_st*>{};
}

bool concerns_capture(cudaStream_t stream, cudaEvent_t event) {
  return is_capturing(stream) || is_active(event->capture);
}

cudaError_t capture_wait(cudaStream_t stream, cudaEvent_t event) {
  if (!is_active(event->capture)) {
    stream->capture->invalid = true;
    return cudaErrorStreamCaptureIsolation;
  }
  if (is_default(stream)) {
    event->capture->invalid = true;
    return cudaErrorStreamCaptureImplicit;
  }
  if (!is_capturing(stream)) {
    stream->capture = event->capture;
    stream->captured.clear();
  } else if (stream->capture != event->capture) {
    stream->capture->invalid = event->capture->invalid = true;
    return cudaErrorStreamCaptureMerge;
  }
  for (CUgraphNode_st* node : event->captured) add_unique(stream->captured, node);
  return cudaSuccess;
}

}  // namespace raddle::host

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  return begin(stream, nullptr, {});
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* dependencies,
                                          const cudaGraphEdgeData*, size_t count,
                                          cudaStreamCaptureMode) {
  if (graph == nullptr || (count != 0 && dependencies == nullptr))
    return Session::record(cudaErrorInvalidValue);
  return begin(stream, graph, {dependencies, dependencies + count});
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return queueing_call([=](Session& session) -> cudaError_t {
    if (!session.device().owns(stream)) return cudaErrorInvalidResourceHandle;
    if (!is_capturing(stream)) return cudaErrorIllegalState;
    Capture& capture = *stream->capture;
    if (graph != nullptr) *graph = nullptr;
    if (capture.origin != stream) {
      capture.invalid = true;
      return cudaErrorStreamCaptureUnmatched;
    }
    capture.ended = true;
    if (capture.invalid) return cudaErrorStreamCaptureInvalidated;
    if (has_unjoined_work(capture)) return cudaErrorStreamCaptureUnjoined;
    if (capture.own == nullptr) {
      if (graph != nullptr) *graph = capture.graph;
    } else if (graph != nullptr) {
      *graph = capture.own.release();
    }
    return cudaSuccess;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return cudaStreamGetCaptureInfo_v2(stream, status, nullptr, nullptr, nullptr, nullptr);
}

cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                        unsigned long long* id, cudaGraph_t* graph,
                                        const cudaGraphNode_t** dependencies, size_t* count) {
  return queueing_call([=](Session& session) -> cudaError_t {
    if (status == nullptr) return cudaErrorInvalidValue;
    if (!session.device().owns(stream)) return cudaErrorInvalidResourceHandle;
    *status = cudaStreamCaptureStatusNone;
    if (!is_capturing(stream)) return cudaSuccess;
    const Capture& capture = *stream->capture;
    *status = capture.invalid ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
    if (id != nullptr) *id = capture.id;
    if (graph != nullptr) *graph = capture.graph;
    if (dependencies != nullptr) *dependencies = stream->captured.data();
    if (count != nullptr) *count = stream->captured.size();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* dependencies,
                                                size_t count, unsigned int flags) {
  return queueing_call([=](Session& session) -> cudaError_t {
    if (!session.device().owns(stream)) return cudaErrorInvalidResourceHandle;
    if (!is_capturing(stream)) return cudaErrorIllegalState;
    if (count != 0 && dependencies == nullptr) return cudaErrorInvalidValue;
    if (flags == cudaStreamSetCaptureDependencies) stream->captured.clear();
    for (size_t i = 0; i < count; ++i) add_unique(stream->captured, dependencies[i]);
    return cudaSuccess;
  });
}

// Nothing here is unsafe during a capture that would be safe without one.
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  thread_local cudaStreamCaptureMode own = cudaStreamCaptureModeGlobal;
  if (mode == nullptr) return Session::record(cudaErrorInvalidValue);
  std::swap(own, *mode);
  return cudaSuccess;
}
