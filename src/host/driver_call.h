// How the functions of the driver interface are carried out: mostly by the runtime's, whose errors
// become the driver's own. The error that the runtime remembers for each host thread is not theirs
// to change.
#pragma once

#include <utility>

#include "host/api_call.h"
#include "host/cuda_api.h"
#include "host/session.h"
#include "kernel/program.h"

namespace raddle::host {

CUresult to_result(cudaError_t error);

// `body` calls the runtime.
template <class Body>
CUresult through_runtime(Body&& body) {
  const cudaError_t kept = Session::last_error();
  const CUresult result = to_result(std::forward<Body>(body)());
  Session::restore_last_error(kept);
  return result;
}

// `body` takes the session and works under its lock.
template <class Body>
CUresult driver_call(Body&& body) {
  return through_runtime([&] { return api_call(std::forward<Body>(body)); });
}

// The same for what leaves queued launches as they are.
template <class Body>
CUresult driver_queueing_call(Body&& body) {
  return through_runtime([&] { return queueing_call(std::forward<Body>(body)); });
}

inline void* to_pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

// There is nothing to tell contexts apart by.
inline CUcontext the_context() { return reinterpret_cast<CUcontext>(std::uintptr_t{1}); }

}  // namespace raddle::host
