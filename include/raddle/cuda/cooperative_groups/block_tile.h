// Tiles of more than one warp. Their members meet at barriers in shared memory and exchange values
// through it; the program provides that memory (block_tile_memory). Included by
// cooperative_groups.h alone.
#ifndef RADDLE_CUDA_COOPERATIVE_GROUPS_BLOCK_TILE_H
#define RADDLE_CUDA_COOPERATIVE_GROUPS_BLOCK_TILE_H

#ifndef RADDLE_CG
#error "include cooperative_groups.h"
#endif

// Not beside this folder: programs of NVRTC copy the folder alone.
#include <cuda_awbarrier_primitives.h>

namespace cooperative_groups {

// A barrier for each tile of 64, 128, 256 and 512 threads, one size after the other, and 8 bytes
// for each thread.
template <unsigned int MaxBlockSize = 1024>
struct block_tile_memory {
  unsigned long long barriers[MaxBlockSize < 64 ? 2 : MaxBlockSize / 32];
  unsigned long long values[MaxBlockSize];
};

namespace details {

template <unsigned int Size>
class block_tile {
 public:
  RADDLE_CG void sync() const {
    const __mbarrier_token_t token = __mbarrier_arrive(barrier_);
    while (!__mbarrier_test_wait(barrier_, token)) {
    }
  }
  static constexpr RADDLE_CG unsigned int size() { return Size; }
  static constexpr RADDLE_CG unsigned int num_threads() { return Size; }
  RADDLE_CG unsigned int thread_rank() const { return block_rank() & (Size - 1); }
  RADDLE_CG unsigned int meta_group_rank() const { return meta_rank_; }
  RADDLE_CG unsigned int meta_group_size() const { return meta_size_; }

  RADDLE_CG int any(int predicate) const { return votes(predicate) != 0; }
  RADDLE_CG int all(int predicate) const { return votes(!predicate) == 0; }

  template <class T>
  RADDLE_CG T shfl(T value, unsigned int rank) const {
    return from_member(value, rank & (Size - 1));
  }
  // Beyond the tile's ends a member keeps its own value.
  template <class T>
  RADDLE_CG T shfl_up(T value, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    return from_member(value, rank >= delta ? rank - delta : rank);
  }
  template <class T>
  RADDLE_CG T shfl_down(T value, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    return from_member(value, rank + delta < Size ? rank + delta : rank);
  }
  template <class T>
  RADDLE_CG T shfl_xor(T value, unsigned int mask) const {
    return from_member(value, (thread_rank() ^ mask) & (Size - 1));
  }

 protected:
  RADDLE_CG block_tile(unsigned int meta_rank, unsigned int meta_size, unsigned long long* barriers,
                       unsigned long long* values, unsigned int max_block)
      : meta_rank_(meta_rank),
        meta_size_(meta_size),
        barrier_(barriers + (max_block / 32 - 2 * max_block / Size) + meta_rank),
        values_(values + meta_rank * Size) {}

 private:
  RADDLE_CG unsigned int votes(int predicate) const {
    unsigned int count = predicate != 0 ? 1 : 0;
    for (unsigned int distance = Size / 2; distance > 0; distance /= 2)
      count |= shfl_xor(count, distance);
    return count;
  }
  template <class T>
  RADDLE_CG T from_member(T value, unsigned int rank) const {
    unsigned long long words[(sizeof(T) + 7) / 8] = {};
    __builtin_memcpy(words, &value, sizeof(T));
    for (unsigned long long& word : words) {
      volatile unsigned long long* values = values_;
      values[thread_rank()] = word;
      sync();
      word = values[rank];
      sync();
    }
    __builtin_memcpy(&value, words, sizeof(T));
    return value;
  }

  unsigned int meta_rank_, meta_size_;
  unsigned long long *barrier_, *values_;
};

}  // namespace details

#define RADDLE_BLOCK_TILE(size)                                                           \
  template <>                                                                             \
  class thread_block_tile<size, void> : public details::block_tile<size> {                \
   protected:                                                                             \
    RADDLE_CG thread_block_tile(unsigned int meta_rank, unsigned int meta_size,           \
                                const thread_block& block)                                \
        : details::block_tile<size>(meta_rank, meta_size, block.barriers_, block.values_, \
                                    block.max_block_) {}                                  \
  };
RADDLE_BLOCK_TILE(64)
RADDLE_BLOCK_TILE(128)
RADDLE_BLOCK_TILE(256)
RADDLE_BLOCK_TILE(512)
#undef RADDLE_BLOCK_TILE

// All threads of the block come here: the barriers are made ready.
template <unsigned int MaxBlockSize>
RADDLE_CG thread_block this_thread_block(block_tile_memory<MaxBlockSize>& memory) {
  unsigned int first = 0;
  for (unsigned int size = 64; size <= 512 && size <= MaxBlockSize; size *= 2) {
    for (unsigned int i = details::block_rank(); i < MaxBlockSize / size;
         i += details::block_size())
      __mbarrier_init(&memory.barriers[first + i], size);
    first += MaxBlockSize / size;
  }
  __syncthreads();
  return details::group_access::block_with(memory.barriers, memory.values, MaxBlockSize);
}

}  // namespace cooperative_groups

#endif
