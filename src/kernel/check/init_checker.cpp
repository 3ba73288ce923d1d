#include "kernel/check/init_checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "kernel/address_map.h"
#include "kernel/allocation_text.h"

namespace raddle::kernel::check {

using exec::LaneMask;
using exec::MemoryAccess;

namespace {

// Compilers copy small structures as one word, with the gaps between their members: what was
// written in part counts as written.
template <class Written>
bool none_of(std::uint64_t bytes, Written written) {
  for (std::uint64_t at = 0; at < bytes; ++at) {
    if (written(at)) return false;
  }
  return true;
}

}  // namespace

void InitChecker::Block::begin() {
  shared_.clear(0, shared_bytes_);
  for (Local& local : local_) {
    if (local.written != nullptr) local.written->clear(0, local.row_bytes * exec::kLanes);
  }
}

void InitChecker::access(Block& block, const exec::DecodedInstruction& instruction,
                         const exec::WarpState& warp) {
  const MemoryAccess& memory = warp.lanes.access();
  Access access{.instruction = instruction, .warp = warp};
  switch (instruction.ir->opcode) {
    case Opcode::kLd:
    case Opcode::kLdMatrix:
    case Opcode::kItReceiveLoad:
    case Opcode::kCpAsync: access.reads = true; break;
    case Opcode::kSt:
    case Opcode::kStMatrix: access.writes = true; break;
    case Opcode::kAtom: access.reads = access.writes = true; break;
    default: return;
  }
  const bool async = instruction.ir->opcode == Opcode::kCpAsync;
  for (LaneMask left = memory.mask; left != 0; left &= left - 1) {
    const int i = std::countr_zero(left);
    lane(block, access, async ? Space::kGlobal : memory.space,
         memory.address[static_cast<std::size_t>(i)], i);
    if (!async) continue;
    const exec::Warp& lanes = warp.lanes;
    const auto index = static_cast<std::size_t>(i);
    const std::uint64_t base = instruction.address_bytes == 8
                                   ? lanes.lanes<std::uint64_t>(instruction.source[0])[index]
                                   : lanes.lanes<std::uint32_t>(instruction.source[0])[index];
    lane(block, {.instruction = instruction, .warp = warp, .writes = true}, Space::kShared,
         base + static_cast<std::uint64_t>(instruction.offset), i);
  }
}

void InitChecker::lane(Block& block, const Access& access, Space space, std::uint64_t address,
                       int lane) {
  if (space == Space::kGeneric) {
    if (in_window(address, kSharedWindow)) {
      space = Space::kShared;
      address -= kSharedWindow;
    } else if (in_window(address, kLocalWindow)) {
      space = Space::kLocal;
      address -= kLocalWindow;
    } else {
      space = Space::kGlobal;
    }
  }
  const std::uint64_t bytes = access.warp.lanes.access().bytes;
  const auto within = [&](std::uint64_t size) { return address < size && bytes <= size - address; };
  if (space == Space::kGlobal) return global(access, address, lane);
  if (space == Space::kShared && within(block.shared_bytes_))
    return in_bits(block.shared_, access, space, 0, address, lane);
  if (space != Space::kLocal || !within(access.warp.lanes.local_row_bytes)) return;
  // What is out of bounds was refused, and told as that.
  const exec::Warp& lanes = access.warp.lanes;
  const auto holds = [&](const exec::LocalExtent& variable) {
    return address >= variable.begin && address + bytes <= variable.end;
  };
  if (lanes.device->check && std::ranges::none_of(lanes.local_variables, holds)) return;
  const std::size_t warp = lanes.warp_index;
  if (block.local_.size() <= warp) block.local_.resize(warp + 1);
  Block::Local& local = block.local_[warp];
  if (local.written == nullptr) {
    // Rows grow in the warp's memory, but not here.
    local.row_bytes = access.warp.lanes.local_limit;
    local.written = std::make_unique<WrittenBytes>(local.row_bytes * exec::kLanes);
  }
  in_bits(*local.written, access, space, static_cast<std::uint64_t>(lane) * local.row_bytes,
          address, lane);
}

void InitChecker::in_bits(WrittenBytes& bits, const Access& access, Space space, std::uint64_t base,
                          std::uint64_t address, int lane) {
  const std::uint64_t bytes = access.warp.lanes.access().bytes;
  const auto written = [&](std::uint64_t at) { return bits.all(base + address + at, 1); };
  if (access.reads && !bits.all(base + address, bytes) && none_of(bytes, written))
    found(access, space, address, lane);
  if (access.writes) bits.set(base + address, bytes);
}

void InitChecker::global(const Access& access, std::uint64_t address, int lane) {
  DeviceMemory& memory = grid_.program.memory();
  const std::uint64_t bytes = access.warp.lanes.access().bytes;
  if (!memory.watches_writes() || !memory.in_arena(address, bytes)) return;
  if (access.reads) {
    const auto written = [&](std::uint64_t at) { return !memory.first_unwritten(address + at, 1); };
    const auto missing = memory.first_unwritten(address, bytes);
    if (missing && none_of(bytes, written)) found(access, Space::kGlobal, *missing, lane);
  }
  if (access.writes) memory.mark_written(address, bytes);
}

void InitChecker::found(const Access& access, Space space, std::uint64_t address, int lane) {
  const auto [place, is_new] = faults_.try_emplace(access.instruction.number);
  if (!is_new) {
    ++place->second.count;
    return;
  }
  const std::uint32_t bytes = access.warp.lanes.access().bytes;
  const char* name = space == Space::kShared  ? "shared"
                     : space == Space::kLocal ? "local"
                                              : "global";
  const std::string where =
      space == Space::kGlobal ? whereabouts(grid_.program.memory(), address) : std::string();
  const exec::Activation& here =
      access.warp.activations[static_cast<std::size_t>(access.warp.current)];
  exec::Fault fault = grid_.describe(
      exec::FaultKind::kUninitialisedRead,
      fmt::format("{} of {} byte{} of {} memory that nobody has written, at {:#x}{}{}",
                  access.writes ? "atomic" : "load", bytes, bytes == 1 ? "" : "s", name, address,
                  where.empty() ? "" : ", ", where),
      access.warp, *here.function, access.instruction, lane);
  fault.details.emplace_back(
      space == Space::kGlobal
          ? "hint: cudaMalloc does not clear memory; cudaMemset, cudaMemcpy or a kernel must write "
            "it first"
      : space == Space::kShared ? "hint: shared memory holds nothing when a block begins"
                                : "hint: local variables hold nothing until they are assigned");
  place->second = std::move(fault);
}

void InitChecker::report() {
  for (auto& [instruction, fault] : faults_) grid_.add_fault(std::move(fault));
  faults_.clear();
}

}  // namespace raddle::kernel::check
