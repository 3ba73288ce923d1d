// Groups made of groups: tiles of a block or of a tile, the members that agree on a predicate or a
// label, and the one member that acts for all. Included by cooperative_groups.h alone.
#ifndef RADDLE_CUDA_COOPERATIVE_GROUPS_PARTITION_H
#define RADDLE_CUDA_COOPERATIVE_GROUPS_PARTITION_H

#ifndef RADDLE_CG
#error "include cooperative_groups.h"
#endif

namespace cooperative_groups {

// --- tiles -----------------------------------------------------------------------------------------------------------
namespace details {

template <class Parent>
struct tile_of {
  static_assert(sizeof(Parent) == 0, "tiles are made of a block or of a tile");
};
template <>
struct tile_of<thread_block> {
  static RADDLE_CG unsigned int rank(unsigned int size) { return block_rank() / size; }
  static RADDLE_CG unsigned int count(unsigned int size) {
    return (block_size() + size - 1) / size;
  }
};
template <unsigned int ParentSize, class Grandparent>
struct tile_of<thread_block_tile<ParentSize, Grandparent>> {
  static RADDLE_CG unsigned int rank(unsigned int size) {
    return (block_rank() & (ParentSize - 1)) / size;
  }
  static constexpr RADDLE_CG unsigned int count(unsigned int size) { return ParentSize / size; }
};

}  // namespace details

template <unsigned int Size, class Parent>
RADDLE_CG thread_block_tile<Size, Parent> tiled_partition(const Parent& parent) {
  return details::group_access::make_tile<Size, Parent>(
      details::tile_of<Parent>::rank(Size), details::tile_of<Parent>::count(Size), parent);
}

// Tiles whose size, a power of two, is known only when the kernel runs.
RADDLE_CG coalesced_group tiled_partition(const thread_block&, unsigned int size) {
  const unsigned int first = details::lane_id() & ~(size - 1);
  const unsigned int mask =
      (size >= 32 ? 0xffffffffu : ((1u << size) - 1) << first) & __activemask();
  return coalesced_group(mask, details::tile_of<thread_block>::rank(size),
                         details::tile_of<thread_block>::count(size));
}
// Members whose ranks follow each other, wherever their lanes are.
RADDLE_CG coalesced_group tiled_partition(const coalesced_group& group, unsigned int size) {
  const unsigned int tile = group.thread_rank() / size;
  unsigned int mask = 0, rest = details::group_access::mask(group);
  for (unsigned int rank = 0; rest != 0; ++rank, rest &= rest - 1)
    if (rank / size == tile) mask |= rest & (0 - rest);
  return coalesced_group(mask, tile, (group.size() + size - 1) / size);
}
RADDLE_CG coalesced_group tiled_partition(const thread_group& group, unsigned int size) {
  if (details::group_access::is_block(group)) return tiled_partition(this_thread_block(), size);
  return tiled_partition(coalesced_group(details::group_access::mask(group)), size);
}

// --- members that agree ----------------------------------------------------------------------------------------------
// The parts are counted by those that have members; of two, the one where the predicate holds is
// the second.
template <class Group>
RADDLE_CG coalesced_group binary_partition(const Group& group, bool predicate) {
  const unsigned int all = details::group_access::mask(group);
  const unsigned int agreeing = __ballot_sync(all, predicate);
  if (agreeing == 0 || agreeing == all) return coalesced_group(all);
  return coalesced_group(predicate ? agreeing : all & ~agreeing, predicate ? 1 : 0, 2);
}

#if __CUDA_ARCH__ >= 700 || !defined(__CUDA_ARCH__)
// The parts are counted in the order of their first members.
template <class Group, class Label>
RADDLE_CG coalesced_group labeled_partition(const Group& group, Label label) {
  const unsigned int all = details::group_access::mask(group);
  const unsigned int members = __match_any_sync(all, label);
  const bool is_first = (members & details::lanes_below()) == 0;
  const unsigned int first_members = __ballot_sync(all, is_first);
  const unsigned int before = (members & (0 - members)) - 1;
  return coalesced_group(members, __popc(first_members & before), __popc(first_members));
}
#endif

// --- one for all -----------------------------------------------------------------------------------------------------
template <class Group, class Function, class... Arguments>
RADDLE_CG void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
  if (group.thread_rank() == 0)
    static_cast<Function&&>(function)(static_cast<Arguments&&>(arguments)...);
}
// Every member gets what the one has got.
template <class Group, class Function, class... Arguments>
RADDLE_CG auto invoke_one_broadcast(const Group& group, Function&& function,
                                    Arguments&&... arguments) -> decltype(function(arguments...)) {
  decltype(function(arguments...)) result{};
  if (group.thread_rank() == 0)
    result = static_cast<Function&&>(function)(static_cast<Arguments&&>(arguments)...);
  return group.shfl(result, 0);
}

}  // namespace cooperative_groups

#endif
