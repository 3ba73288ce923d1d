// How every function of the API is carried out: under the session's lock, with CUDA's rules for
// errors. Nothing that C++ throws reaches the program.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <exception>
#include <mutex>
#include <new>
#include <utility>

#include "base/error.h"
#include "host/cuda_api.h"
#include "host/float_environment.h"
#include "host/session.h"

namespace raddle::host {

inline constexpr int kInternalFaultStatus = 70;

// For questions about the device: they work even after a kernel has failed.
template <class Body>
cudaError_t query_call(Body&& body) noexcept {
  Session& session = Session::get();
  const std::lock_guard lock(session.mutex());
  const StopScope scope(session.stop_token());
  const FloatEnvironment environment;
  Session::explain({});
  session.take_host_races();
  try {
    return Session::record(std::forward<Body>(body)(session));
  } catch (const Error& error) {
    session.report(error);
    return Session::record(cudaErrorUnknown);
  } catch (const Stopped& stopped) {
    session.stop(stopped);
  } catch (const std::bad_alloc&) {
    return Session::record(cudaErrorMemoryAllocation);
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "raddle: internal fault: %s\n", fault.what());
    std::fflush(nullptr);
    _exit(kInternalFaultStatus);
  }
}

// For what neither sees nor changes anything that a kernel does: launches that are queued stay so.
// Once a kernel has failed, every call returns its error.
template <class Body>
cudaError_t queueing_call(Body&& body) noexcept {
  return query_call([&](Session& session) -> cudaError_t {
    if (session.sticky_error() != cudaSuccess) return session.sticky_error();
    return std::forward<Body>(body)(session);
  });
}

// For everything else: what is queued runs first, so that nobody sees the device without it.
template <class Body>
cudaError_t api_call(Body&& body) noexcept {
  return queueing_call([&](Session& session) -> cudaError_t {
    const cudaError_t status = session.run_queued();
    return status != cudaSuccess ? status : std::forward<Body>(body)(session);
  });
}

}  // namespace raddle::host
