// What the pipeline has to know of each instruction of a kernel before it executes: the unit, its
// timing, the registers it waits for and writes, the banks its operands lie in. Made once a kernel.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernel/exec/decoded.h"
#include "machine/simt/gpu_parameters.h"

namespace raddle::machine::simt {

enum class Unit : std::uint8_t { kSp, kSfu, kMemory };

// Where a memory instruction goes, as far as can be told before it executes.
enum class MemoryPath : std::uint8_t {
  kNone,
  kShared,
  kData,      // global, local and generic: the L1 data cache
  kConstant,  // constants and kernel parameters
  kTexture,
};

struct IssueInfo {
  static constexpr std::size_t kMaxUses = 15;
  static constexpr std::size_t kMaxWrites = 5;
  static constexpr std::size_t kMaxReads = 16;

  Unit unit = Unit::kSp;
  MemoryPath path = MemoryPath::kNone;
  bool is_fence = false;
  bool is_barrier = false;
  bool is_branch = false;
  bool ends_threads = false;
  bool is_store = false;
  bool is_atomic = false;
  bool past_l1 = false;  // volatile and ordered accesses
  // Must be executed in an order that all multiprocessors agree on: atomics, accesses that wait for
  // other threads, calls of the device library.
  bool is_ordered = false;
  bool sleeps = false;  // nanosleep
  std::uint8_t use_count = 0;
  std::uint8_t write_count = 0;
  std::uint8_t read_count = 0;
  std::uint8_t write_bank_count = 0;
  ShortCycle latency{1};
  ShortCycle interval{1};
  std::array<std::uint16_t, kMaxUses> uses{};      // scoreboard entries: sources, guard, results
  std::array<std::uint16_t, kMaxWrites> writes{};  // scoreboard entries
  std::array<std::uint8_t, kMaxReads> read_registers{};  // physical, for their banks
  std::array<std::uint8_t, 2 * kMaxWrites> write_registers{};
  const kernel::exec::DecodedInstruction* instruction = nullptr;
};

class IssueTable {
 public:
  IssueTable(const kernel::exec::DecodedKernel& kernel, const CoreParameters& parameters);

  const IssueInfo& operator[](std::size_t index) const { return infos_[index]; }
  std::size_t size() const { return infos_.size(); }
  // The place of a function's first instruction.
  std::uint32_t base_of(std::size_t function) const { return bases_[function]; }
  std::size_t function_of(std::size_t index) const;
  std::uint32_t scoreboard_entries() const { return scoreboard_entries_; }
  std::uint32_t registers_per_thread() const { return registers_per_thread_; }

 private:
  std::vector<IssueInfo> infos_;
  std::vector<std::uint32_t> bases_;
  std::uint32_t scoreboard_entries_ = 0;
  std::uint32_t registers_per_thread_ = 0;
};

}  // namespace raddle::machine::simt
