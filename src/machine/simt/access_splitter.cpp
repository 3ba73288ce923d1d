#include "machine/simt/access_splitter.h"

#include <algorithm>
#include <bit>

#include "kernel/address_map.h"
#include "memory/coalescer.h"
#include "memory/scratchpad.h"

namespace raddle::machine::simt {

using kernel::Space;
using kernel::exec::kLanes;
using kernel::exec::LaneMask;

namespace {

constexpr std::uint32_t kWordBytes = 4;
constexpr std::uint32_t kSmallestSegment = 32;

// The part of a segment, 32, 64 … bytes, that its lanes touch.
struct Extent {
  std::uint64_t address;
  std::uint32_t bytes;
};
Extent trimmed(const memory::Segment& segment, std::uint32_t segment_bytes,
               const memory::LaneAddresses& lanes) {
  std::uint64_t first = segment.address + segment_bytes;
  std::uint64_t last = segment.address;
  for (std::uint64_t left = segment.lanes; left != 0; left &= left - 1) {
    const std::uint64_t a = lanes.address[static_cast<std::size_t>(std::countr_zero(left))];
    first = std::min(first, std::max(a, segment.address));
    last = std::max(last, std::min(a + lanes.bytes, segment.address + segment_bytes) - 1);
  }
  std::uint32_t bytes = kSmallestSegment;
  while (bytes < segment_bytes && first / bytes != last / bytes) bytes *= 2;
  return {first / bytes * bytes, bytes};
}

// The most lanes of the segment that go to one address: an atomic makes so many passes.
std::uint32_t most_at_one_address(const memory::Segment& segment,
                                  const memory::LaneAddresses& lanes) {
  std::uint32_t most = 1;
  std::uint64_t left = segment.lanes;
  while (left != 0) {
    const std::uint64_t address = lanes.address[static_cast<std::size_t>(std::countr_zero(left))];
    std::uint32_t same = 0;
    for (std::uint64_t others = left; others != 0; others &= others - 1) {
      if (lanes.address[static_cast<std::size_t>(std::countr_zero(others))] != address) continue;
      ++same;
      left &= ~(others & (~others + 1));
    }
    most = std::max(most, same);
  }
  return most;
}

}  // namespace

AccessSplitter::AccessSplitter(const GpuParameters& gpu, std::uint32_t core)
    : parameters_(gpu.core), local_warp_bytes_(std::uint64_t{gpu.stack_bytes} * kLanes) {
  local_base_ = kernel::kLocalWindow + local_warp_bytes_ * gpu.core.warps * core;
}

void AccessSplitter::split(const IssueInfo& info, std::uint32_t warp,
                           const kernel::exec::MemoryAccess& access, MemoryPieces& out) const {
  out.shared_passes = out.shared_conflicts = out.shared_lanes = out.count = 0;
  const memory::LaneAddresses lanes{access.address, access.mask, access.bytes, access.linear};
  switch (access.space) {
    case Space::kShared: return add_shared(info, lanes, out);
    case Space::kLocal: return add_local(info, warp, access, out);
    case Space::kGeneric: return split_generic(info, warp, access, out);
    case Space::kConst: return add_constants(lanes, out);
    case Space::kParam: return add_parameter(access, out);
    default: return add_lines(info, lanes, false, out);
  }
}

void AccessSplitter::add_shared(const IssueInfo& info, const memory::LaneAddresses& lanes,
                                MemoryPieces& out) const {
  const memory::BankPasses passes = count_passes(parameters_.shared_shape, lanes);
  // Atomics on shared memory lock, update and unlock: lanes with one address follow each other.
  std::uint32_t conflicts = passes.conflicts();
  std::uint32_t total = std::max(1u, passes.passes);
  if (info.is_atomic) {
    const std::uint32_t repeats = most_at_one_address({0, lanes.mask}, lanes);
    conflicts += (repeats - 1) * total;
    total *= repeats;
  }
  out.shared_passes += total;
  out.shared_conflicts += conflicts;
  out.shared_lanes |= static_cast<LaneMask>(lanes.mask);
}

void AccessSplitter::add_lines(const IssueInfo& info, const memory::LaneAddresses& lanes,
                               bool local, MemoryPieces& out) const {
  const bool texture = info.path == MemoryPath::kTexture;
  const std::uint32_t line =
      texture ? parameters_.texture_cache.line_bytes : parameters_.l1.line_bytes;
  const bool whole_lines =
      !info.is_store && !info.past_l1 && (local || texture || parameters_.l1_caches_global);
  std::array<memory::Segment, 2 * kLanes> segments;
  const std::size_t count = memory::coalesce(lanes, line, segments);
  const bool consecutive = !whole_lines && lanes.is_consecutive();
  for (std::size_t i = 0; i < count && !out.full(); ++i) {
    MemoryPiece& piece = out.add();
    piece = {segments[i].address, static_cast<std::uint16_t>(line), 1, local};
    if (whole_lines) continue;
    // Lanes side by side that fill the line need no further look.
    const bool filled = consecutive && segments[i].lanes == lanes.mask;
    if (filled && lanes.bytes * kLanes == line && !info.is_atomic) continue;
    const Extent extent = trimmed(segments[i], line, lanes);
    piece.address = extent.address;
    piece.bytes = static_cast<std::uint16_t>(extent.bytes);
    if (info.is_atomic)
      piece.passes = static_cast<std::uint16_t>(most_at_one_address(segments[i], lanes));
  }
}

// Word w of all lanes lies side by side, so that lanes that use the same variable share lines.
void AccessSplitter::add_local(const IssueInfo& info, std::uint32_t warp,
                               const kernel::exec::MemoryAccess& access, MemoryPieces& out) const {
  std::array<std::uint64_t, kLanes> address{};
  const std::uint64_t base = local_base_ + local_warp_bytes_ * warp;
  const std::uint32_t words = std::max(1u, access.bytes / kWordBytes);
  for (std::uint32_t word = 0; word < words; ++word) {
    for (LaneMask left = access.mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      const std::uint64_t offset =
          access.address[lane] % kernel::kWindowBytes + std::uint64_t{word} * kWordBytes;
      address[lane] = base + offset / kWordBytes * (kLanes * kWordBytes) + lane * kWordBytes +
                      offset % kWordBytes;
    }
    add_lines(info, {address, access.mask, std::min(access.bytes, kWordBytes)}, true, out);
  }
}

// A broadcast costs one access; different words follow each other.
void AccessSplitter::add_constants(const memory::LaneAddresses& lanes, MemoryPieces& out) const {
  const std::uint32_t line = parameters_.constant_cache.line_bytes;
  std::uint64_t left = lanes.mask;
  while (left != 0 && !out.full()) {
    const std::uint64_t address = lanes.address[static_cast<std::size_t>(std::countr_zero(left))];
    for (std::uint64_t others = left; others != 0; others &= others - 1) {
      if (lanes.address[static_cast<std::size_t>(std::countr_zero(others))] == address)
        left &= ~(others & (~others + 1));
    }
    out.add() = {address / line * line, static_cast<std::uint16_t>(line), 1, false};
  }
}

// Parameters of a kernel are the same for all lanes.
void AccessSplitter::add_parameter(const kernel::exec::MemoryAccess& access,
                                   MemoryPieces& out) const {
  const std::uint32_t line = parameters_.constant_cache.line_bytes;
  const auto first = static_cast<std::size_t>(std::countr_zero(access.mask));
  out.add() = {(kernel::kParamWindow + access.address[first]) / line * line,
               static_cast<std::uint16_t>(line), 1, false};
}

// Generic addresses whose lanes lie in different spaces.
void AccessSplitter::split_generic(const IssueInfo& info, std::uint32_t warp,
                                   const kernel::exec::MemoryAccess& access,
                                   MemoryPieces& out) const {
  LaneMask shared = 0, local = 0, global = 0;
  for (LaneMask left = access.mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::uint64_t address = access.address[static_cast<std::size_t>(lane)];
    LaneMask& space = kernel::in_window(address, kernel::kSharedWindow)  ? shared
                      : kernel::in_window(address, kernel::kLocalWindow) ? local
                                                                         : global;
    space |= LaneMask{1} << lane;
  }
  if (shared != 0) add_shared(info, {access.address, shared, access.bytes}, out);
  if (global != 0) add_lines(info, {access.address, global, access.bytes}, false, out);
  if (local != 0) {
    kernel::exec::MemoryAccess part = access;
    part.mask = local;
    add_local(info, warp, part, out);
  }
}

}  // namespace raddle::machine::simt
