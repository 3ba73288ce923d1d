// The driver interface: streams and events, which are the runtime's.
#include "host/driver_call.h"

using namespace raddle::host;

CUresult cuStreamCreate(CUstream* stream, unsigned int flags) {
  return through_runtime([=] { return cudaStreamCreateWithFlags(stream, flags); });
}
CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned int flags, int priority) {
  return through_runtime([=] { return cudaStreamCreateWithPriority(stream, flags, priority); });
}
CUresult cuStreamGetPriority(CUstream stream, int* priority) {
  return through_runtime([=] { return cudaStreamGetPriority(stream, priority); });
}
CUresult cuStreamGetFlags(CUstream stream, unsigned int* flags) {
  return through_runtime([=] { return cudaStreamGetFlags(stream, flags); });
}
CUresult cuStreamDestroy(CUstream stream) {
  return through_runtime([=] { return cudaStreamDestroy(stream); });
}
CUresult cuStreamSynchronize(CUstream stream) {
  return through_runtime([=] { return cudaStreamSynchronize(stream); });
}
CUresult cuStreamQuery(CUstream stream) {
  return through_runtime([=] { return cudaStreamQuery(stream); });
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags) {
  return through_runtime([=] { return cudaStreamWaitEvent(stream, event, flags); });
}

// Without the lock, as in the runtime: callbacks may call the API.
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void* data,
                             unsigned int flags) {
  if (callback == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  const CUresult status = cuStreamQuery(stream);
  if (status == CUDA_ERROR_INVALID_HANDLE) return status;
  callback(stream, status, data);
  return status;
}
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  return through_runtime([=] { return cudaLaunchHostFunc(stream, function, data); });
}
CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr pointer, size_t length,
                                unsigned int flags) {
  return through_runtime(
      [=] { return cudaStreamAttachMemAsync(stream, to_pointer(pointer), length, flags); });
}

CUresult cuEventCreate(CUevent* event, unsigned int flags) {
  return through_runtime([=] { return cudaEventCreateWithFlags(event, flags); });
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  return through_runtime([=] { return cudaEventRecord(event, stream); });
}
CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int) {
  return cuEventRecord(event, stream);
}
CUresult cuEventQuery(CUevent event) {
  return through_runtime([=] { return cudaEventQuery(event); });
}
CUresult cuEventSynchronize(CUevent event) {
  return through_runtime([=] { return cudaEventSynchronize(event); });
}
CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  return through_runtime([=] { return cudaEventElapsedTime(milliseconds, start, end); });
}
CUresult cuEventDestroy(CUevent event) {
  return through_runtime([=] { return cudaEventDestroy(event); });
}
