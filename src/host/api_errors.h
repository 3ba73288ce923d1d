// Errors that functions of the API have given to the program, until it looks at them. A program
// looks at an error when it asks for it (cudaGetLastError, cudaGetErrorString …) or does something
// with what the function returned, which is read from the line of source that called. What nobody
// looked at is told at the end.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "host/cuda_api.h"
#include "kernel/exec/launch.h"

namespace raddle::host {

// "cudaErrorInvalidValue", "invalid argument".
const char* name_of(cudaError_t error);
const char* description_of(cudaError_t error);

class ApiErrors {
 public:
  static ApiErrors& get();

  // What the error is about that this thread's running call is going to give.
  void explain(std::string why);
  // The call gave it. Empty: known already. Otherwise what a person should hear of it.
  std::string add(cudaError_t error);
  // A kernel failed with it: every call gives it from now on.
  void add_failure(cudaError_t error, const std::string& kernel, const std::string& location);
  // The program asked for its last error, or what this error means.
  void looked_at_last();
  void looked_at(cudaError_t error);

  // Those that nobody looked at; `all`: also others than those of kernels that did not run, or not
  // to their end.
  std::vector<kernel::exec::Fault> ignored(bool all);

 private:
  struct Given {
    cudaError_t error = cudaSuccess;
    std::uint32_t site = 0;  // CallSites
    std::string message;
    std::string location;
    bool launch = false;  // by <<<…>>>, which returns nothing
    bool failure = false;
    bool looked_at = false;
    std::uint64_t count = 1;
  };

  // Whether the call stands by itself, so that what it returns is lost.
  static bool is_lost(const Given& given);

  std::mutex mutex_;
  std::vector<Given> given_;
};

}  // namespace raddle::host
