// Reductions over the members of a tile or a coalesced group: every member gets the result.
#ifndef RADDLE_CUDA_COOPERATIVE_GROUPS_REDUCE_H
#define RADDLE_CUDA_COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__)

namespace cooperative_groups {

#define RADDLE_GROUP_OPERATION(name, expression)                                              \
  template <class T>                                                                          \
  struct name {                                                                               \
    __inline__ __attribute__((device, always_inline, nodebug)) T operator()(T a, T b) const { \
      return expression;                                                                      \
    }                                                                                         \
  };
RADDLE_GROUP_OPERATION(plus, a + b)
RADDLE_GROUP_OPERATION(less, b < a ? b : a)
RADDLE_GROUP_OPERATION(greater, a < b ? b : a)
RADDLE_GROUP_OPERATION(bit_and, a& b)
RADDLE_GROUP_OPERATION(bit_or, a | b)
RADDLE_GROUP_OPERATION(bit_xor, a ^ b)
#undef RADDLE_GROUP_OPERATION

template <unsigned int Size, class Parent, class T, class Operation>
__inline__ __attribute__((device, always_inline, nodebug)) T
reduce(const thread_block_tile<Size, Parent>& group, T value, Operation operation) {
  for (unsigned int distance = Size / 2; distance > 0; distance /= 2)
    value = operation(value, group.shfl_xor(value, distance));
  return value;
}

// Members need not be neighbours or a power of two: halves fold onto each other, and the first
// member's result is shared.
template <class T, class Operation>
__inline__ __attribute__((device, always_inline, nodebug)) T reduce(const coalesced_group& group,
                                                                    T value, Operation operation) {
  const unsigned int rank = group.thread_rank();
  for (unsigned int size = group.size(); size > 1;) {
    const unsigned int half = (size + 1) / 2;
    const T other = group.shfl_down(value, half);
    if (rank + half < size) value = operation(value, other);
    size = half;
  }
  return group.shfl(value, 0);
}

template <class Group, class T, class Operation>
__inline__ __attribute__((device, always_inline, nodebug)) T inclusive_scan(const Group& group,
                                                                            T value,
                                                                            Operation operation) {
  const unsigned int rank = group.thread_rank();
  for (unsigned int distance = 1; distance < group.size(); distance *= 2) {
    const T other = group.shfl_up(value, distance);
    if (rank >= distance) value = operation(other, value);
  }
  return value;
}
template <class Group, class T>
__inline__ __attribute__((device, always_inline, nodebug)) T inclusive_scan(const Group& group,
                                                                            T value) {
  return inclusive_scan(group, value, plus<T>());
}
template <class Group, class T, class Operation>
__inline__ __attribute__((device, always_inline, nodebug)) T exclusive_scan(const Group& group,
                                                                            T value,
                                                                            Operation operation) {
  const T shifted = group.shfl_up(inclusive_scan(group, value, operation), 1);
  return group.thread_rank() == 0 ? T() : shifted;
}
template <class Group, class T>
__inline__ __attribute__((device, always_inline, nodebug)) T exclusive_scan(const Group& group,
                                                                            T value) {
  return exclusive_scan(group, value, plus<T>());
}

}  // namespace cooperative_groups

#endif
#endif
