// Copies to shared memory that a group's members share among them and wait for together.
#ifndef RADDLE_CUDA_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define RADDLE_CUDA_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define _COOPERATIVE_GROUPS_MEMCPY_ASYNC  // programs test for it

#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__)

#include <cuda_pipeline_primitives.h>
#include "../cooperative_groups.h"

#define RADDLE_CG __inline__ __attribute__((device, always_inline, nodebug))

namespace cooperative_groups {
namespace details {

template <class Group, int Bytes>
RADDLE_CG void copy_steps(const Group& group, char* target, const char* source, size_t bytes) {
  const size_t stride = (size_t)group.size() * Bytes;
  for (size_t at = (size_t)group.thread_rank() * Bytes; at + Bytes <= bytes; at += stride)
    __pipeline_memcpy_async(target + at, source + at, Bytes);
  for (size_t at = bytes / Bytes * Bytes + group.thread_rank(); at < bytes; at += group.size())
    target[at] = source[at];
}

// In the widest steps that both addresses allow; by plain loads and stores where the copy goes
// elsewhere.
template <class Group>
RADDLE_CG void copy(const Group& group, void* target, const void* source, size_t bytes) {
  char* to = (char*)target;
  const char* from = (const char*)source;
  const size_t low_bits = (size_t)to | (size_t)from;
  if (!__isShared(to) || !__isGlobal(from) || low_bits % 4 != 0) {
    for (size_t at = group.thread_rank(); at < bytes; at += group.size()) to[at] = from[at];
  } else if (low_bits % 16 == 0) {
    copy_steps<Group, 16>(group, to, from, bytes);
  } else if (low_bits % 8 == 0) {
    copy_steps<Group, 8>(group, to, from, bytes);
  } else {
    copy_steps<Group, 4>(group, to, from, bytes);
  }
  __pipeline_commit();
}

template <class Shape>
RADDLE_CG size_t shape_bytes(const Shape& shape) {
  return (size_t)shape;  // also a cuda::aligned_size_t
}

}  // namespace details

template <class Group, class T, class Shape>
RADDLE_CG void memcpy_async(const Group& group, T* target, const T* source, const Shape& bytes) {
  details::copy(group, target, source, details::shape_bytes(bytes));
}
// `count` elements of T each; no more than the smaller of both.
template <class Group, class T, class TargetLayout, class SourceLayout>
RADDLE_CG void memcpy_async(const Group& group, T* target, const TargetLayout& target_count,
                            const T* source, const SourceLayout& source_count) {
  const size_t to = (size_t)target_count, from = (size_t)source_count;
  details::copy(group, target, source, (to < from ? to : from) * sizeof(T));
}

template <unsigned int Newest, class Group>
RADDLE_CG void wait_prior(const Group& group) {
  __pipeline_wait_prior(Newest);
  group.sync();
}
template <class Group>
RADDLE_CG void wait(const Group& group) {
  wait_prior<0>(group);
}

}  // namespace cooperative_groups

#undef RADDLE_CG

#endif
#endif
