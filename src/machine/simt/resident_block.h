// A kernel as one multiprocessor sees it, and a block of it that is resident there.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernel/exec/store_log.h"
#include "kernel/exec/thread_block.h"
#include "machine/simt/issue_table.h"
#include "machine/simt/occupancy.h"
#include "machine/simt/slot_use.h"
#include "machine/simt/wide_warp.h"

namespace raddle::machine::simt {

// How often an instruction was issued, for how many threads, and how long warps waited before it.
struct InstructionCounts {
  std::uint64_t warps = 0;
  std::uint64_t threads = 0;
};

// Counted at execution; the rest follows from InstructionCounts.
struct ExecutionCounts {
  std::uint64_t branches = 0;
  std::uint64_t divergent_branches = 0;
  std::uint64_t barriers = 0;
};

// One kernel on one multiprocessor.
struct KernelOnCore {
  KernelOnCore(kernel::Program& program, const kernel::TextureTable& textures,
               const kernel::exec::DecodedKernel& decoded, const IssueTable& table_in,
               const kernel::exec::Launch& launch, kernel::exec::GridOptions options)
      : grid(program, textures, decoded, launch, std::move(options)),
        table(table_in),
        counts(table_in.size()) {}

  kernel::exec::GridState grid;
  const IssueTable& table;
  Address code_address;
  std::uint32_t kernel = 0;  // its number among those in flight
  Cycle start;               // the cycle in which it began
  std::vector<InstructionCounts> counts;
  std::vector<SlotAccount> waits;  // by instruction, cycles of warps; only with --lines
  ExecutionCounts executed;
  std::vector<std::unique_ptr<kernel::exec::ThreadBlock>> idle;  // to be used again
};

struct ResidentBlock {
  KernelOnCore* kernel = nullptr;
  std::unique_ptr<kernel::exec::ThreadBlock> threads;
  std::vector<std::uint32_t> slots;  // by warp of the block: its slot
  std::uint64_t number = 0;
  BlockPlace taken;
  std::vector<WideWarp> wide;  // its warps of 64 lanes, where they are so wide
  std::uint32_t warps_left = 0;
  Cycle begun;
};

}  // namespace raddle::machine::simt
