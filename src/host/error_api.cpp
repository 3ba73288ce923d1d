// What CUDA says about errors.
#include <array>

#include "host/api_call.h"
#include "host/api_errors.h"

using namespace raddle::host;

namespace {

struct ErrorText {
  int number;
  const char* name;
  const char* description;
};

constexpr ErrorText kErrors[] = {
#define RADDLE_CUDA_ERROR(name, number, text) {number, #name, text},
#include "../../include/raddle/cuda/device/error_codes.def"
#undef RADDLE_CUDA_ERROR
};

const ErrorText* find_error(int number) {
  for (const ErrorText& error : kErrors) {
    if (error.number == number) return &error;
  }
  return nullptr;
}

// A kernel's failure stays until the device is reset; other errors are told once.
cudaError_t current_error() {
  Session& session = Session::get();
  const std::lock_guard lock(session.mutex());
  ApiErrors::get().looked_at_last();
  return session.sticky_error() != cudaSuccess ? session.sticky_error() : Session::last_error();
}

}  // namespace

const char* raddle::host::name_of(cudaError_t error) {
  const ErrorText* found = find_error(error);
  return found != nullptr ? found->name : "unrecognized error code";
}

const char* raddle::host::description_of(cudaError_t error) {
  const ErrorText* found = find_error(error);
  return found != nullptr ? found->description : "unrecognized error code";
}

cudaError_t cudaGetLastError() {
  const cudaError_t error = current_error();
  Session::clear_last_error();
  return error;
}

cudaError_t cudaPeekAtLastError() { return current_error(); }

const char* cudaGetErrorName(cudaError_t error) {
  ApiErrors::get().looked_at(error);
  return name_of(error);
}

const char* cudaGetErrorString(cudaError_t error) {
  ApiErrors::get().looked_at(error);
  return description_of(error);
}
