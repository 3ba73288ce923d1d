// Cooperative groups: blocks, grids, tiles of a warp and the lanes that happen to be together, each
// with its size, rank and barrier. Tiles and coalesced groups shuffle and vote among their members;
// how they are divided further is in cooperative_groups/partition.h.
#ifndef RADDLE_CUDA_COOPERATIVE_GROUPS_H
#define RADDLE_CUDA_COOPERATIVE_GROUPS_H
#define _COOPERATIVE_GROUPS_H_  // programs test for it

#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__)

#include "cuda_runtime.h"

#define RADDLE_CG __inline__ __attribute__((device, always_inline, nodebug))

// The barrier that all blocks of a cooperative launch share: the top bit turns over each time all
// have arrived.
static __device__ unsigned int __raddle_grid_barrier_arrivals;

namespace cooperative_groups {

// A tile of a warp. `Parent` says what it was made from; void: that is forgotten.
template <unsigned int Size, class Parent = void>
class thread_block_tile;

namespace details {

struct group_access;  // to what groups keep to themselves

RADDLE_CG unsigned int lane_id() { return (unsigned int)__nvvm_read_ptx_sreg_laneid(); }
RADDLE_CG unsigned int lanes_below() { return (unsigned int)__nvvm_read_ptx_sreg_lanemask_lt(); }
RADDLE_CG unsigned int block_rank() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
RADDLE_CG unsigned int block_size() { return blockDim.x * blockDim.y * blockDim.z; }
RADDLE_CG unsigned long long grid_blocks() {
  return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
}
RADDLE_CG unsigned long long grid_block_rank() {
  return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}
RADDLE_CG unsigned long long grid_size() { return grid_blocks() * block_size(); }
RADDLE_CG unsigned long long grid_rank() { return grid_block_rank() * block_size() + block_rank(); }

__attribute__((device, nodebug)) static inline void grid_barrier() {
  __syncthreads();
  if (block_rank() == 0) {
    const unsigned int blocks = gridDim.x * gridDim.y * gridDim.z;
    const bool first = (blockIdx.x | blockIdx.y | blockIdx.z) == 0;
    const unsigned int share = first ? 0x80000000u - (blocks - 1) : 1u;
    __threadfence();
    const unsigned int before = atomicAdd(&__raddle_grid_barrier_arrivals, share);
    volatile unsigned int* arrivals = &__raddle_grid_barrier_arrivals;
    while (((before ^ *arrivals) & 0x80000000u) == 0) {
    }
    __threadfence();
  }
  __syncthreads();
}

// Values of any size travel through shuffles four bytes at a time.
template <class T, class Shuffle>
RADDLE_CG T shuffle_words(T value, Shuffle shuffle) {
  unsigned int words[(sizeof(T) + 3) / 4] = {};
  __builtin_memcpy(words, &value, sizeof(T));
  for (unsigned int& word : words) word = shuffle(word);
  __builtin_memcpy(&value, words, sizeof(T));
  return value;
}

}  // namespace details

// --- any group -------------------------------------------------------------------------------------------------------
// What all groups have in common, for functions that take any of them. A group of lanes is known by
// its mask.
class thread_group {
 public:
  RADDLE_CG void sync() const {
    if (kind_ == kBlock) {
      __syncthreads();
    } else if (kind_ == kGrid) {
      details::grid_barrier();
    } else {
      __syncwarp(mask_);
    }
  }
  RADDLE_CG unsigned long long size() const {
    if (kind_ == kBlock) return details::block_size();
    if (kind_ == kGrid) return details::grid_size();
    return __popc(mask_);
  }
  RADDLE_CG unsigned long long num_threads() const { return size(); }
  RADDLE_CG unsigned long long thread_rank() const {
    if (kind_ == kBlock) return details::block_rank();
    if (kind_ == kGrid) return details::grid_rank();
    return __popc(mask_ & details::lanes_below());
  }
  RADDLE_CG bool is_valid() const { return true; }

 protected:
  enum Kind : unsigned int { kBlock, kGrid, kLanes };
  RADDLE_CG explicit thread_group(Kind kind, unsigned int mask = 0) : kind_(kind), mask_(mask) {}

  Kind kind_;
  unsigned int mask_;

  friend struct details::group_access;
};

class thread_block;

namespace details {
struct group_access {
  static RADDLE_CG bool is_block(const thread_group& group) {
    return group.kind_ == thread_group::kBlock;
  }
  static RADDLE_CG unsigned int mask(const thread_group& group) { return group.mask_; }
  template <unsigned int Size, class Parent>
  static RADDLE_CG thread_block_tile<Size, Parent> make_tile(unsigned int rank, unsigned int count,
                                                             const Parent& parent) {
    if constexpr (Size > 32) {
      return thread_block_tile<Size, Parent>(rank, count, parent);
    } else {
      return thread_block_tile<Size, Parent>(rank, count);
    }
  }
  static RADDLE_CG thread_block block_with(unsigned long long* barriers, unsigned long long* values,
                                           unsigned int max_block);
};
}  // namespace details

// --- the block -------------------------------------------------------------------------------------------------------
class thread_block : public thread_group {
 public:
  static RADDLE_CG void sync() { __syncthreads(); }
  static RADDLE_CG unsigned int size() { return details::block_size(); }
  static RADDLE_CG unsigned int num_threads() { return details::block_size(); }
  static RADDLE_CG unsigned int thread_rank() { return details::block_rank(); }
  static RADDLE_CG dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static RADDLE_CG dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  static RADDLE_CG dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  static RADDLE_CG dim3 dim_threads() { return group_dim(); }

 private:
  RADDLE_CG thread_block() : thread_group(kBlock) {}
  friend RADDLE_CG thread_block this_thread_block();
  friend struct details::group_access;
  template <unsigned int Size, class Parent>
  friend class thread_block_tile;

  // What tiles of several warps need; cooperative_groups/block_tile.h.
  unsigned long long *barriers_ = nullptr, *values_ = nullptr;
  unsigned int max_block_ = 0;
};
RADDLE_CG thread_block this_thread_block() { return thread_block(); }

RADDLE_CG thread_block details::group_access::block_with(unsigned long long* barriers,
                                                         unsigned long long* values,
                                                         unsigned int max_block) {
  thread_block block;
  block.barriers_ = barriers;
  block.values_ = values;
  block.max_block_ = max_block;
  return block;
}

// --- the grid --------------------------------------------------------------------------------------------------------
class grid_group : public thread_group {
 public:
  // Valid only in a kernel launched with cudaLaunchCooperativeKernel, when all its blocks are
  // resident.
  RADDLE_CG bool is_valid() const { return true; }
  RADDLE_CG void sync() const { details::grid_barrier(); }
  static RADDLE_CG unsigned long long size() { return details::grid_size(); }
  static RADDLE_CG unsigned long long num_threads() { return details::grid_size(); }
  static RADDLE_CG unsigned long long thread_rank() { return details::grid_rank(); }
  static RADDLE_CG unsigned long long num_blocks() { return details::grid_blocks(); }
  static RADDLE_CG unsigned long long block_rank() { return details::grid_block_rank(); }
  static RADDLE_CG dim3 dim_blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  static RADDLE_CG dim3 group_dim() { return dim_blocks(); }
  static RADDLE_CG dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }

 private:
  RADDLE_CG grid_group() : thread_group(kGrid) {}
  friend RADDLE_CG grid_group this_grid();
};
RADDLE_CG grid_group this_grid() { return grid_group(); }

// --- lanes that are together -----------------------------------------------------------------------------------------
class coalesced_group : public thread_group {
 public:
  RADDLE_CG explicit coalesced_group(unsigned int mask, unsigned int meta_rank = 0,
                                     unsigned int meta_size = 1)
      : thread_group(kLanes, mask), meta_rank_(meta_rank), meta_size_(meta_size) {}

  RADDLE_CG void sync() const { __syncwarp(mask_); }
  RADDLE_CG unsigned int size() const { return __popc(mask_); }
  RADDLE_CG unsigned int num_threads() const { return size(); }
  RADDLE_CG unsigned int thread_rank() const { return __popc(mask_ & details::lanes_below()); }
  RADDLE_CG unsigned int meta_group_rank() const { return meta_rank_; }
  RADDLE_CG unsigned int meta_group_size() const { return meta_size_; }

  RADDLE_CG int any(int predicate) const { return __any_sync(mask_, predicate); }
  RADDLE_CG int all(int predicate) const { return __all_sync(mask_, predicate); }
  RADDLE_CG unsigned int ballot(int predicate) const {
    return pack(__ballot_sync(mask_, predicate));
  }

  template <class T>
  RADDLE_CG T shfl(T value, unsigned int rank) const {
    return from_lane(value, lane_of(rank % size()));
  }
  // Beyond the group's ends a member keeps its own value.
  template <class T>
  RADDLE_CG T shfl_up(T value, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    return from_lane(value, rank >= delta ? lane_of(rank - delta) : details::lane_id());
  }
  template <class T>
  RADDLE_CG T shfl_down(T value, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    return from_lane(value, rank + delta < size() ? lane_of(rank + delta) : details::lane_id());
  }
#if __CUDA_ARCH__ >= 700 || !defined(__CUDA_ARCH__)
  template <class T>
  RADDLE_CG unsigned int match_any(T value) const {
    return pack(__match_any_sync(mask_, value));
  }
  template <class T>
  RADDLE_CG unsigned int match_all(T value, int& agree) const {
    return pack(__match_all_sync(mask_, value, &agree));
  }
#endif

 private:
  template <class T>
  RADDLE_CG T from_lane(T value, unsigned int lane) const {
    const unsigned int mask = mask_;
    return details::shuffle_words(
        value, [=] __attribute__((device, always_inline, nodebug)) (unsigned int word) {
          return __shfl_sync(mask, word, (int)lane);
        });
  }
  // The lane of the member with that rank: its rank-th set bit.
  RADDLE_CG unsigned int lane_of(unsigned int rank) const {
    if (mask_ == 0xffffffffu) return rank;
    unsigned int rest = mask_;
    for (unsigned int i = 0; i < rank; ++i) rest &= rest - 1;
    return __ffs((int)rest) - 1;
  }
  // Warp-wide bits to bits by rank.
  RADDLE_CG unsigned int pack(unsigned int lanes) const {
    if (mask_ == 0xffffffffu) return lanes;
    unsigned int packed = 0, rest = mask_;
    for (unsigned int rank = 0; rest != 0; ++rank, rest &= rest - 1)
      packed |= ((lanes >> (__ffs((int)rest) - 1)) & 1u) << rank;
    return packed;
  }

  unsigned int meta_rank_, meta_size_;
};
RADDLE_CG coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

// --- tiles of a warp -------------------------------------------------------------------------------------------------
template <unsigned int Size>
class thread_block_tile<Size, void> : public thread_group {
  static_assert(Size > 0 && Size <= 32 && (Size & (Size - 1)) == 0,
                "a tile has a power of two of threads, 512 at most");

 public:
  RADDLE_CG void sync() const { __syncwarp(mask_); }
  static constexpr RADDLE_CG unsigned int size() { return Size; }
  static constexpr RADDLE_CG unsigned int num_threads() { return Size; }
  RADDLE_CG unsigned int thread_rank() const { return details::block_rank() & (Size - 1); }
  RADDLE_CG unsigned int meta_group_rank() const { return meta_rank_; }
  RADDLE_CG unsigned int meta_group_size() const { return meta_size_; }

  RADDLE_CG int any(int predicate) const { return __any_sync(mask_, predicate); }
  RADDLE_CG int all(int predicate) const { return __all_sync(mask_, predicate); }
  RADDLE_CG unsigned int ballot(int predicate) const {
    return to_tile(__ballot_sync(mask_, predicate));
  }

  template <class T>
  RADDLE_CG T shfl(T value, unsigned int rank) const {
    const unsigned int members = mask_;
    return details::shuffle_words(
        value, [=] __attribute__((device, always_inline, nodebug)) (unsigned int word) {
          return __shfl_sync(members, word, (int)rank, (int)Size);
        });
  }
  template <class T>
  RADDLE_CG T shfl_up(T value, unsigned int delta) const {
    const unsigned int members = mask_;
    return details::shuffle_words(
        value, [=] __attribute__((device, always_inline, nodebug)) (unsigned int word) {
          return __shfl_up_sync(members, word, delta, (int)Size);
        });
  }
  template <class T>
  RADDLE_CG T shfl_down(T value, unsigned int delta) const {
    const unsigned int members = mask_;
    return details::shuffle_words(
        value, [=] __attribute__((device, always_inline, nodebug)) (unsigned int word) {
          return __shfl_down_sync(members, word, delta, (int)Size);
        });
  }
  template <class T>
  RADDLE_CG T shfl_xor(T value, unsigned int lane_mask) const {
    const unsigned int members = mask_;
    return details::shuffle_words(
        value, [=] __attribute__((device, always_inline, nodebug)) (unsigned int word) {
          return __shfl_xor_sync(members, word, (int)lane_mask, (int)Size);
        });
  }
#if __CUDA_ARCH__ >= 700 || !defined(__CUDA_ARCH__)
  template <class T>
  RADDLE_CG unsigned int match_any(T value) const {
    return to_tile(__match_any_sync(mask_, value));
  }
  template <class T>
  RADDLE_CG unsigned int match_all(T value, int& agree) const {
    return to_tile(__match_all_sync(mask_, value, &agree));
  }
#endif
  RADDLE_CG operator coalesced_group() const {
    return coalesced_group(mask_, meta_group_rank(), meta_group_size());
  }

 protected:
  RADDLE_CG thread_block_tile(unsigned int meta_rank, unsigned int meta_size)
      : thread_group(kLanes, Size == 32 ? 0xffffffffu : ((1u << (Size % 32)) - 1) << first_lane()),
        meta_rank_(meta_rank),
        meta_size_(meta_size) {}

 private:
  static RADDLE_CG unsigned int first_lane() { return details::lane_id() & ~(Size - 1); }
  RADDLE_CG unsigned int to_tile(unsigned int lanes) const {
    return (lanes & mask_) >> first_lane();
  }

  unsigned int meta_rank_, meta_size_;
};

}  // namespace cooperative_groups
#include "cooperative_groups/block_tile.h"
namespace cooperative_groups {

template <unsigned int Size, class Parent>
class thread_block_tile : public thread_block_tile<Size, void> {
  template <class... Arguments>
  RADDLE_CG explicit thread_block_tile(const Arguments&... arguments)
      : thread_block_tile<Size, void>(arguments...) {}
  friend struct details::group_access;
};

// --- clusters --------------------------------------------------------------------------------------------------------
// Blocks that share their memory; no machine has them.
class cluster_group;
cluster_group __device__ this_cluster()
    __attribute__((unavailable("thread-block clusters are not supported")));

// --- functions of any group ------------------------------------------------------------------------------------------
template <class Group>
RADDLE_CG void sync(const Group& group) {
  group.sync();
}
template <class Group>
RADDLE_CG auto thread_rank(const Group& group) -> decltype(group.thread_rank()) {
  return group.thread_rank();
}
template <class Group>
RADDLE_CG auto group_size(const Group& group) -> decltype(group.size()) {
  return group.size();
}

}  // namespace cooperative_groups

#include "cooperative_groups/partition.h"

#undef RADDLE_CG

#endif
#endif
