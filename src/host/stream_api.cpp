// Streams and events. Launches into streams may be queued (launch_queue.h); all other work is done
// when it is asked for, after what is queued. So a stream that is asked is always idle, an event
// has happened, and a callback runs at once. Time is simulated time.
#include <memory>

#include "host/api_call.h"
#include "host/stream_capture.h"

using namespace raddle::host;

namespace {

cudaError_t make_stream(cudaStream_t* stream, unsigned int flags, int priority) {
  return queueing_call([=](Session& session) -> cudaError_t {
    if (stream == nullptr || flags > cudaStreamNonBlocking) return cudaErrorInvalidValue;
    auto made = std::make_unique<CUstream_st>();
    made->flags = flags;
    made->priority = priority;
    made->number = new_stream_number();
    *stream = session.device().adopt(std::move(made));
    return cudaSuccess;
  });
}

cudaError_t idle(cudaStream_t stream) {
  return api_call([=](Session& session) -> cudaError_t {
    if (!session.device().owns(stream)) return cudaErrorInvalidResourceHandle;
    if (is_capturing(stream)) return refuse_capture(stream);
    session.synchronised();
    return cudaSuccess;
  });
}

cudaError_t happened(cudaEvent_t event) {
  return api_call([=](Session& session) -> cudaError_t {
    if (!session.device().owns(event)) return cudaErrorInvalidResourceHandle;
    if (event->capture != nullptr) return cudaErrorCapturedEvent;
    session.synchronised();
    return cudaSuccess;
  });
}

// Whether the stream captured the function instead.
bool captured_host_function(cudaStream_t stream, cudaHostFn_t function, void* data,
                            cudaError_t& status) {
  bool captured = false;
  status = queueing_call([&](Session& session) -> cudaError_t {
    if (!session.device().owns(stream)) return cudaErrorInvalidResourceHandle;
    captured = is_capturing(stream);
    if (!captured) return cudaSuccess;
    CUgraphNode_st* node = capture_node(stream, cudaGraphNodeTypeHost);
    if (node == nullptr) return cudaErrorStreamCaptureInvalidated;
    node->host = {function, data};
    return cudaSuccess;
  });
  return captured || status != cudaSuccess;
}

bool is_default(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

}  // namespace

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return make_stream(stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  return make_stream(stream, flags, 0);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority) {
  return make_stream(stream, flags, priority);
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return api_call([=](Session& session) -> cudaError_t {
    if (priority == nullptr) return cudaErrorInvalidValue;
    if (!session.device().owns(stream)) return cudaErrorInvalidResourceHandle;
    *priority = is_default(stream) ? 0 : stream->priority;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int* flags) {
  return api_call([=](Session& session) -> cudaError_t {
    if (flags == nullptr) return cudaErrorInvalidValue;
    if (!session.device().owns(stream)) return cudaErrorInvalidResourceHandle;
    *flags = is_default(stream) ? cudaStreamDefault : stream->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return api_call([=](Session& session) -> cudaError_t {
    return session.device().release(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return idle(stream); }
cudaError_t cudaStreamQuery(cudaStream_t stream) { return idle(stream); }

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int) {
  return queueing_call([=](Session& session) -> cudaError_t {
    if (!session.device().owns(stream) || !session.device().owns(event))
      return cudaErrorInvalidResourceHandle;
    if (concerns_capture(stream, event)) return capture_wait(stream, event);
    session.wait_for_event(stream, event);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return queueing_call([=](Session& session) -> cudaError_t {
    if (id == nullptr) return cudaErrorInvalidValue;
    if (!session.device().owns(stream)) return cudaErrorInvalidResourceHandle;
    *id = stream_number(stream);
    return cudaSuccess;
  });
}

// Attributes say how caches and the host's waiting are best used; no machine's caches take them.
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID,
                                   const cudaStreamAttrValue* value) {
  return queueing_call([=](Session& session) -> cudaError_t {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (!session.device().owns(stream)) return cudaErrorInvalidResourceHandle;
    if (!is_default(stream)) stream->attribute = *value;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID,
                                   cudaStreamAttrValue* value) {
  return queueing_call([=](Session& session) -> cudaError_t {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (!session.device().owns(stream)) return cudaErrorInvalidResourceHandle;
    *value = is_default(stream) ? cudaStreamAttrValue{} : stream->attribute;
    return cudaSuccess;
  });
}

cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }

// Callbacks run without the lock: they may call the API.
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned int flags) {
  if (callback == nullptr || flags != 0) return Session::record(cudaErrorInvalidValue);
  const cudaError_t status = idle(stream);
  if (status == cudaErrorInvalidResourceHandle) return status;
  callback(stream, status, data);
  return status;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  if (function == nullptr) return Session::record(cudaErrorInvalidValue);
  cudaError_t status = cudaSuccess;
  if (captured_host_function(stream, function, data, status)) return status;
  status = idle(stream);
  if (status == cudaSuccess) function(data);
  return status;
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void*, size_t, unsigned int) {
  return idle(stream);
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  return queueing_call([=](Session& session) -> cudaError_t {
    constexpr unsigned int kKnown =
        cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if (event == nullptr || (flags & ~kKnown) != 0) return cudaErrorInvalidValue;
    auto made = std::make_unique<CUevent_st>();
    made->flags = flags;
    *event = session.device().adopt(std::move(made));
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return queueing_call([=](Session& session) -> cudaError_t {
    if (!session.device().owns(event) || !session.device().owns(stream)) {
      return cudaErrorInvalidResourceHandle;
    }
    capture_event(event, stream);
    if (is_capturing(stream)) return cudaSuccess;
    return session.record_event(event, stream);
  });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int) {
  return cudaEventRecord(event, stream);
}

cudaError_t cudaEventQuery(cudaEvent_t event) { return happened(event); }
cudaError_t cudaEventSynchronize(cudaEvent_t event) { return happened(event); }

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return api_call([=](Session& session) -> cudaError_t {
    return session.device().release(event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return api_call([=](Session& session) -> cudaError_t {
    if (milliseconds == nullptr) return cudaErrorInvalidValue;
    for (const cudaEvent_t event : {start, end}) {
      if (!session.device().owns(event)) return cudaErrorInvalidResourceHandle;
      const bool timed = (event->flags & cudaEventDisableTiming) == 0;
      if (!timed || !event->recorded) return cudaErrorInvalidResourceHandle;
    }
    *milliseconds = static_cast<float>((end->seconds - start->seconds) * 1e3);
    return cudaSuccess;
  });
}
