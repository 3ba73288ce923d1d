// What a memory instruction of a warp comes to: passes through the banks of shared memory, and
// pieces of at most one line for the caches and the L2. Lanes that touch the same line share a
// piece (coalescing by the L1's lines), lanes that read the same constant a broadcast.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/address.h"
#include "kernel/exec/warp.h"
#include "machine/simt/gpu_parameters.h"
#include "machine/simt/issue_table.h"
#include "memory/coalescer.h"
#include "memory/lane_addresses.h"

namespace raddle::machine::simt {

struct MemoryPiece {
  Address address;
  ShortBytes bytes;
  std::uint16_t passes = 1;  // at the L2: lanes of an atomic with one address
  bool local = false;
};

struct MemoryPieces {
  std::uint32_t shared_passes = 0;
  std::uint32_t shared_conflicts = 0;  // of these, because of bank conflicts
  std::uint32_t lent_passes = 0;       // of the passes, those that a neighbour's banks took part in
  std::uint64_t shared_lanes = 0;
  std::uint32_t count = 0;
  std::array<MemoryPiece, 4 * memory::kMaxLanes> pieces;

  bool full() const { return count == pieces.size(); }
  MemoryPiece& add() { return pieces[count++]; }
};

// What the lanes of a warp, 32 or 64 of them, accessed together.
struct LaneAccess {
  kernel::Space space = kernel::Space::kNone;
  std::uint64_t mask = 0;
  std::uint32_t bytes = 0;  // per lane
  bool linear = false;
  ShortBytes shared_base;  // of the block in shared memory, where some of that is lent
  std::span<const std::uint64_t> address;
};
inline LaneAccess lanes_of(const kernel::exec::MemoryAccess& access) {
  return {access.space, access.mask, access.bytes, access.linear, {}, access.address};
}
// For the two halves of a wide warp, of which one may be null; `address` takes their addresses.
LaneAccess joined(const kernel::exec::MemoryAccess* low, const kernel::exec::MemoryAccess* high,
                  std::span<std::uint64_t, memory::kMaxLanes> address);

class AccessSplitter {
 public:
  AccessSplitter(const GpuParameters& gpu, std::uint32_t core);

  // What an instruction did that has been executed; `warp` is the warp's slot. Leaves in `out` what
  // the load/store unit has to do.
  void split(const IssueInfo& info, std::uint32_t warp, const LaneAccess& access,
             MemoryPieces& out) const;

 private:
  void add_shared(const IssueInfo& info, const memory::LaneAddresses& lanes, ShortBytes shared_base,
                  MemoryPieces& out) const;
  memory::BankPasses count_passes(const memory::LaneAddresses& lanes) const;
  // Some banks are a neighbour's, with the addresses above its own.
  memory::BankPasses passes_with_lent(const memory::LaneAddresses& lanes, ShortBytes shared_base,
                                      MemoryPieces& out) const;
  void add_lines(const IssueInfo& info, const memory::LaneAddresses& lanes, bool local,
                 MemoryPieces& out) const;
  void add_local(const IssueInfo& info, std::uint32_t warp, const LaneAccess& access,
                 MemoryPieces& out) const;
  void add_constants(const memory::LaneAddresses& lanes, MemoryPieces& out) const;
  void add_parameter(const LaneAccess& access, MemoryPieces& out) const;
  void split_generic(const IssueInfo& info, std::uint32_t warp, const LaneAccess& access,
                     MemoryPieces& out) const;

  const CoreParameters& parameters_;
  // Where local memory lies for the caches: this multiprocessor's, and how much a warp has.
  Address local_base_;
  Bytes local_warp_bytes_;
  // Kept from access to access: an array of its own would be cleared for each.
  mutable std::array<memory::Segment, memory::kMaxSegments> segments_;
};

}  // namespace raddle::machine::simt
