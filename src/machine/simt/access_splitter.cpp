#include "machine/simt/access_splitter.h"

#include <algorithm>
#include <bit>

#include "kernel/address_map.h"
#include "memory/scratchpad.h"

namespace raddle::machine::simt {

using kernel::Space;
using kernel::exec::kLanes;

namespace {

constexpr std::uint32_t kWordBytes = 4;
constexpr ShortBytes kSmallestSegment{32};

// The part of a segment, 32, 64 … bytes, that its lanes touch.
struct Extent {
  Address address;
  ShortBytes bytes;
};
Extent trimmed(const memory::Segment& segment, ShortBytes segment_bytes,
               const memory::LaneAddresses& lanes) {
  const Address end = segment.address + segment_bytes;
  Address first = end;
  Address last = segment.address;
  for (std::uint64_t left = segment.lanes; left != 0; left &= left - 1) {
    const Address a(lanes.address[static_cast<std::size_t>(std::countr_zero(left))]);
    first = std::min(first, std::max(a, segment.address));
    last = std::max(last, std::min(a + Bytes(lanes.bytes), end) - Bytes(1));
  }
  ShortBytes bytes = kSmallestSegment;
  while (bytes < segment_bytes && first / bytes != last / bytes) bytes = bytes * 2;
  return {aligned_down(first, bytes), bytes};
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

LaneAccess joined(const kernel::exec::MemoryAccess* low, const kernel::exec::MemoryAccess* high,
                  std::span<std::uint64_t, memory::kMaxLanes> address) {
  const kernel::exec::MemoryAccess& one = low != nullptr ? *low : *high;
  LaneAccess lanes{one.space, 0, one.bytes, false, {}, address};
  const auto add = [&](const kernel::exec::MemoryAccess& half, std::size_t first) {
    std::ranges::copy(half.address, address.begin() + static_cast<std::ptrdiff_t>(first));
    lanes.mask |= std::uint64_t{half.mask} << first;
    // Generic addresses may lie elsewhere in each half; they say so themselves.
    if (half.space != lanes.space) lanes.space = Space::kGeneric;
  };
  if (low != nullptr) add(*low, 0);
  if (high != nullptr) add(*high, kLanes);
  return lanes;
}

AccessSplitter::AccessSplitter(const GpuParameters& gpu, std::uint32_t core)
    : parameters_(gpu.core), local_warp_bytes_(Bytes(gpu.stack_bytes) * gpu.core.warp_lanes) {
  local_base_ = Address(kernel::kLocalWindow) + local_warp_bytes_ * gpu.core.warps * core;
  // Those with more warps lie apart from those without, which are beside them in some modes.
  if (gpu.core.borrows()) local_base_ += Bytes(kernel::kWindowBytes / 2);
}

void AccessSplitter::split(const IssueInfo& info, std::uint32_t warp, const LaneAccess& access,
                           MemoryPieces& out) const {
  out.shared_passes = out.shared_conflicts = out.lent_passes = out.count = 0;
  out.shared_lanes = 0;
  const memory::LaneAddresses lanes{access.address, access.mask, access.bytes, access.linear};
  switch (access.space) {
    case Space::kShared: return add_shared(info, lanes, access.shared_base, out);
    case Space::kLocal: return add_local(info, warp, access, out);
    case Space::kGeneric: return split_generic(info, warp, access, out);
    case Space::kConst: return add_constants(lanes, out);
    case Space::kParam: return add_parameter(access, out);
    default: return add_lines(info, lanes, false, out);
  }
}

// The halves of a wide warp take their turns together, as its lanes do elsewhere: one word goes to
// all that want it.
memory::BankPasses AccessSplitter::count_passes(const memory::LaneAddresses& lanes) const {
  memory::BankShape shape = parameters_.shared_shape;
  if (lanes.address.size() > kLanes) shape.parts = 2;
  return memory::count_passes(shape, lanes);
}

// Sharing paper §V-B3: banks of the neighbour are mapped to higher addresses. They give their words
// beside the active SM's own.
memory::BankPasses AccessSplitter::passes_with_lent(const memory::LaneAddresses& lanes,
                                                    ShortBytes shared_base,
                                                    MemoryPieces& out) const {
  const ShortBytes own = parameters_.shared_bytes - parameters_.lent.shared_bytes;
  memory::LaneAddresses near = lanes, far = lanes;
  near.known_consecutive = far.known_consecutive = false;
  near.mask = far.mask = 0;
  for (std::uint64_t left = lanes.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    const Bytes place = shared_base + Bytes(lanes.address[lane] % kernel::kWindowBytes);
    (place < Bytes(own) ? near : far).mask |= left & (~left + 1);
  }
  if (far.mask == 0) return count_passes(lanes);
  const memory::BankPasses there = count_passes(far);
  out.lent_passes += there.passes;
  if (near.mask == 0) return there;
  const memory::BankPasses here = count_passes(near);
  return {std::max(here.passes, there.passes), std::max(here.fewest, there.fewest)};
}

void AccessSplitter::add_shared(const IssueInfo& info, const memory::LaneAddresses& lanes,
                                ShortBytes shared_base, MemoryPieces& out) const {
  const memory::BankPasses passes = parameters_.lent.shared_bytes == ShortBytes(0)
                                        ? count_passes(lanes)
                                        : passes_with_lent(lanes, shared_base, out);
  // Atomics on shared memory lock, update and unlock: lanes with one address follow each other.
  std::uint32_t conflicts = passes.conflicts();
  std::uint32_t total = std::max(1u, passes.passes);
  if (info.is_atomic) {
    const std::uint32_t repeats = most_at_one_address({Address(0), lanes.mask}, lanes);
    conflicts += (repeats - 1) * total;
    total *= repeats;
  }
  out.shared_passes += total;
  out.shared_conflicts += conflicts;
  out.shared_lanes |= lanes.mask;
}

void AccessSplitter::add_lines(const IssueInfo& info, const memory::LaneAddresses& lanes,
                               bool local, MemoryPieces& out) const {
  const bool texture = info.path == MemoryPath::kTexture;
  const ShortBytes line =
      texture ? parameters_.texture_cache.line_bytes : parameters_.l1.line_bytes;
  const bool whole_lines =
      !info.is_store && !info.past_l1 && (local || texture || parameters_.l1_caches_global);
  const std::size_t count = memory::coalesce(lanes, line, segments_);
  const bool consecutive = !whole_lines && lanes.is_consecutive();
  for (std::size_t i = 0; i < count && !out.full(); ++i) {
    MemoryPiece& piece = out.add();
    piece = {segments_[i].address, line, 1, local};
    if (whole_lines) continue;
    // Lanes side by side that fill the line need no further look.
    const bool filled = consecutive && segments_[i].lanes == lanes.mask;
    if (filled && lanes.bytes * lanes.address.size() == line.count() && !info.is_atomic) continue;
    const Extent extent = trimmed(segments_[i], line, lanes);
    piece.address = extent.address;
    piece.bytes = extent.bytes;
    if (info.is_atomic)
      piece.passes = static_cast<std::uint16_t>(most_at_one_address(segments_[i], lanes));
  }
}

// Word w of all lanes lies side by side, so that lanes that use the same variable share lines.
void AccessSplitter::add_local(const IssueInfo& info, std::uint32_t warp, const LaneAccess& access,
                               MemoryPieces& out) const {
  std::array<std::uint64_t, memory::kMaxLanes> address{};
  const std::uint64_t row = std::uint64_t{parameters_.warp_lanes} * kWordBytes;
  const std::uint64_t base = (local_base_ + local_warp_bytes_ * warp).value();
  const std::uint32_t words = std::max(1u, access.bytes / kWordBytes);
  for (std::uint32_t word = 0; word < words; ++word) {
    for (std::uint64_t left = access.mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      const std::uint64_t offset =
          access.address[lane] % kernel::kWindowBytes + std::uint64_t{word} * kWordBytes;
      address[lane] = base + offset / kWordBytes * row + lane * kWordBytes + offset % kWordBytes;
    }
    add_lines(info,
              {std::span(address).first(access.address.size()), access.mask,
               std::min(access.bytes, kWordBytes)},
              true, out);
  }
}

// A broadcast costs one access; different words follow each other.
void AccessSplitter::add_constants(const memory::LaneAddresses& lanes, MemoryPieces& out) const {
  const ShortBytes line = parameters_.constant_cache.line_bytes;
  std::uint64_t left = lanes.mask;
  while (left != 0 && !out.full()) {
    const std::uint64_t address = lanes.address[static_cast<std::size_t>(std::countr_zero(left))];
    for (std::uint64_t others = left; others != 0; others &= others - 1) {
      if (lanes.address[static_cast<std::size_t>(std::countr_zero(others))] == address)
        left &= ~(others & (~others + 1));
    }
    out.add() = {aligned_down(Address(address), line), line, 1, false};
  }
}

// Parameters of a kernel are the same for all lanes.
void AccessSplitter::add_parameter(const LaneAccess& access, MemoryPieces& out) const {
  const ShortBytes line = parameters_.constant_cache.line_bytes;
  const auto first = static_cast<std::size_t>(std::countr_zero(access.mask));
  out.add() = {aligned_down(Address(kernel::kParamWindow + access.address[first]), line), line, 1,
               false};
}

// Generic addresses whose lanes lie in different spaces.
void AccessSplitter::split_generic(const IssueInfo& info, std::uint32_t warp,
                                   const LaneAccess& access, MemoryPieces& out) const {
  std::uint64_t shared = 0, local = 0, global = 0;
  for (std::uint64_t left = access.mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::uint64_t address = access.address[static_cast<std::size_t>(lane)];
    std::uint64_t& space = kernel::in_window(address, kernel::kSharedWindow)  ? shared
                           : kernel::in_window(address, kernel::kLocalWindow) ? local
                                                                              : global;
    space |= std::uint64_t{1} << lane;
  }
  if (shared != 0)
    add_shared(info, {access.address, shared, access.bytes}, access.shared_base, out);
  if (global != 0) add_lines(info, {access.address, global, access.bytes}, false, out);
  if (local != 0) {
    LaneAccess part = access;
    part.mask = local;
    add_local(info, warp, part, out);
  }
}

}  // namespace raddle::machine::simt
