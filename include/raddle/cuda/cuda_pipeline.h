// nvcuda::experimental::pipeline: asynchronous copies of one thread, in groups that it waits for in
// order.
#ifndef RADDLE_CUDA_PIPELINE_H
#define RADDLE_CUDA_PIPELINE_H
#define _CUDA_PIPELINE_H_  // programs test for it

#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__)

#include "cuda_awbarrier.h"
#include "cuda_pipeline_primitives.h"

namespace nvcuda {
namespace experimental {

class pipeline {
 public:
  __RADDLE_DEVICE_MEMBER__ pipeline() {}
  pipeline(const pipeline&) = delete;
  pipeline& operator=(const pipeline&) = delete;
  __RADDLE_DEVICE_MEMBER__ size_t commit() {
    __pipeline_commit();
    return committed_++;
  }
  __RADDLE_DEVICE_MEMBER__ void commit_and_wait() {
    commit();
    wait_prior<0>();
  }
  __RADDLE_DEVICE_MEMBER__ void wait(size_t) { wait_prior<0>(); }
  template <unsigned int newest>
  __RADDLE_DEVICE_MEMBER__ void wait_prior() {
    __pipeline_wait_prior(newest);
  }
  __RADDLE_DEVICE_MEMBER__ void arrive_on(awbarrier& barrier) {
    __pipeline_arrive_on(barrier.native());
  }

 private:
  size_t committed_ = 0;
};

template <class T>
__RADDLE_DEVICE_MEMBER__ void memcpy_async(T& target, const T& source, pipeline&) {
  if (sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16) {
    __pipeline_memcpy_async(&target, &source, sizeof(T));
  } else {
    target = source;
  }
}
template <class Target, class Source>
__RADDLE_DEVICE_MEMBER__ void memcpy_async(Target* target, const Source* source, size_t bytes,
                                           pipeline&) {
  for (size_t at = 0; at < bytes; at += 4)
    __pipeline_memcpy_async((char*)target + at, (const char*)source + at, 4);
}

}  // namespace experimental
}  // namespace nvcuda

#endif
#endif
