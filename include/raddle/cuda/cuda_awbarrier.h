// nvcuda::experimental::awbarrier, the older name of cuda::barrier of a block.
#ifndef RADDLE_CUDA_AWBARRIER_H
#define RADDLE_CUDA_AWBARRIER_H
#define _CUDA_AWBARRIER_H_  // programs test for it

#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__)

#include "cuda_awbarrier_primitives.h"

namespace nvcuda {
namespace experimental {

class awbarrier {
 public:
  class arrival_token {
   public:
    arrival_token() = default;
    __RADDLE_DEVICE_MEMBER__ unsigned int pending_count() const {
      return __mbarrier_token_pending_count(token_);
    }

   private:
    explicit __RADDLE_DEVICE_MEMBER__ arrival_token(__mbarrier_token_t token) : token_(token) {}
    __mbarrier_token_t token_;
    friend class awbarrier;
  };

  __RADDLE_DEVICE_MEMBER__ arrival_token arrive() {
    return arrival_token(__mbarrier_arrive(&barrier_));
  }
  __RADDLE_DEVICE_MEMBER__ arrival_token arrive_and_drop() {
    return arrival_token(__mbarrier_arrive_and_drop(&barrier_));
  }
  __RADDLE_DEVICE_MEMBER__ bool timed_wait(arrival_token token, unsigned long long) {
    return __mbarrier_test_wait(&barrier_, token.token_);
  }
  __RADDLE_DEVICE_MEMBER__ void wait(arrival_token token) {
    while (!__mbarrier_test_wait(&barrier_, token.token_)) {
    }
  }
  __RADDLE_DEVICE_MEMBER__ void arrive_and_wait() { wait(arrive()); }
  static constexpr __host__ __device__ unsigned int max() { return (1u << 20) - 1; }
  __RADDLE_DEVICE_MEMBER__ __mbarrier_t* native() { return &barrier_; }

 private:
  __mbarrier_t barrier_;
  friend __RADDLE_DEVICE_MEMBER__ void init(awbarrier* barrier, unsigned int expected) {
    __mbarrier_init(&barrier->barrier_, expected);
  }
};

}  // namespace experimental
}  // namespace nvcuda

#endif
#endif
