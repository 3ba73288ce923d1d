// Everything that a SIMT GPU is built from, as read from machines/*.toml and checked. Names follow
// the keys of the table; initial values are the defaults, those of a GTX 480.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/units.h"
#include "machine/host_link.h"
#include "machine/parameter_binder.h"
#include "memory/cache_parameters.h"
#include "memory/crossbar_ends.h"
#include "memory/dram.h"
#include "memory/memory_system.h"
#include "memory/scratchpad.h"

namespace raddle::machine::simt {

// How long a unit works on a warp instruction, and how soon it takes the next one.
struct OperationTiming {
  Cycle latency{1};
  Cycle interval{1};
};

// What instructions are told apart for timing.
enum class Operation : std::uint8_t {
  kIntegerAdd,
  kIntegerMax,
  kIntegerMultiply,
  kIntegerMad,
  kIntegerDivide,
  kFloatAdd,
  kFloatMax,
  kFloatMultiply,
  kFloatMad,
  kFloatDivide,
  kDoubleAdd,
  kDoubleMax,
  kDoubleMultiply,
  kDoubleMad,
  kDoubleDivide,
  kSpecial,  // sine, root, logarithm …
  kShuffle,
  kMatrix,
  kSimple,  // everything that is not named above: moves, conversions, comparisons, logic, branches
            // …
};
inline constexpr std::size_t kOperations = static_cast<std::size_t>(Operation::kSimple) + 1;

// How the memory that the L1 and shared memory have in common can be divided.
enum class SplitChoice : std::uint8_t {
  kTable,  // l1 and core.shared_bytes of the table: at first, and where shared memory is preferred
  kMoreL1,
};
struct SplitSizes {
  Bytes l1_bytes{};
  std::uint32_t l1_ways = 0;
  ShortBytes shared_bytes;
};

// What an inactive neighbour lends to an active multiprocessor; nothing at first.
struct LentParts {
  std::uint32_t banks = 0;  // of the neighbour's two, from which all of this comes
  std::uint32_t warps = 0;  // contexts
  std::uint32_t registers = 0, register_banks = 0;
  std::uint32_t sp_collectors = 0, sfu_collectors = 0;
  ShortBytes shared_bytes;
  std::uint32_t l1_halves = 0;  // of a neighbour's L1: 1 or both banks of its arrays
  memory::CacheParameters l1;
};

struct CoreParameters {
  std::uint32_t warps = 48;  // lent ones included, as with threads and shared memory
  std::uint32_t threads = 1536;
  std::uint32_t blocks = 8;
  std::uint32_t registers = 32768;
  std::uint32_t register_unit = 64;  // registers are given to warps in such units
  // A thread has the registers that a compiler gives it; false: as few as the code needs.
  bool registers_as_compiled = true;
  ShortBytes shared_bytes{49152};
  ShortBytes shared_unit{128};

  std::uint32_t schedulers = 2;
  Cycle issue_interval{1};                    // between two issues of a scheduler
  std::string policy = "greedy-then-oldest";  // see scheduling_policy.h
  std::uint32_t active_warps = 6;             // two-level: of each scheduler

  std::uint32_t fetch_instructions = 2;  // of one warp, each cycle
  ShortBytes instruction_bytes{8};
  Cycle fetch_to_issue{2};

  std::uint32_t register_banks = 16;
  std::uint32_t sp_collectors = 6;
  std::uint32_t sfu_collectors = 8;
  std::uint32_t memory_collectors = 2;
  std::uint32_t memory_stages = 3;  // instructions before and after the collectors, on their way
  Cycle issue_to_read{2};           // from issue to the first operand read
  Cycle read_to_execute{3};         // from the last operand read to the unit
  std::uint32_t reads_per_collector = 0;  // operands a cycle; 0: as many as there are banks
  std::uint32_t writebacks = 2;           // results of units a cycle
  std::uint32_t memory_writebacks = 1;    // results of the load/store unit a cycle
  // An SP unit gives one result a cycle, which an instruction reserves before it enters; false: the
  // result waits for a port.
  bool reserves_results = true;
  std::uint32_t sp_units = 2;
  std::uint32_t sfu_units = 1;
  Cycle load_store_interval{1};  // from one access or pass to the next
  std::array<OperationTiming, kOperations> timing{{{Cycle(4), Cycle(1)},  // by Operation
                                                   {Cycle(13), Cycle(2)},
                                                   {Cycle(4), Cycle(2)},
                                                   {Cycle(5), Cycle(1)},
                                                   {Cycle(145), Cycle(8)},
                                                   {Cycle(4), Cycle(1)},
                                                   {Cycle(13), Cycle(2)},
                                                   {Cycle(4), Cycle(1)},
                                                   {Cycle(5), Cycle(1)},
                                                   {Cycle(39), Cycle(4)},
                                                   {Cycle(8), Cycle(8)},
                                                   {Cycle(19), Cycle(16)},
                                                   {Cycle(8), Cycle(8)},
                                                   {Cycle(8), Cycle(8)},
                                                   {Cycle(330), Cycle(130)},
                                                   {Cycle(8), Cycle(8)},
                                                   {Cycle(32), Cycle(4)},
                                                   {Cycle(32), Cycle(4)},
                                                   {Cycle(1), Cycle(1)}}};
  // Results are booked at most so far ahead.
  Cycle booked_ahead() const;

  memory::BankShape shared_shape;
  Cycle shared_latency{26};
  memory::CacheParameters l1{.mshrs = 64, .index = memory::SetIndex::kFermi, .write = {}};
  // Stores to global and to local memory.
  memory::WritePolicy l1_global{memory::WriteHit::kWriteEvict, memory::WriteMiss::kNoAllocate};
  memory::WritePolicy l1_local{memory::WriteHit::kWriteBack, memory::WriteMiss::kNoAllocate};
  bool l1_caches_global = true;  // false: global loads go past it
  Cycle l1_latency{35};
  std::uint32_t l1_miss_queue = 8;
  bool launches_flush_all = false;  // of a core's caches; false: the L1 alone
  memory::CacheParameters instruction_cache{
      .bytes = Bytes(2048), .mshrs = 2, .accesses_per_mshr = 32, .write = {}};
  memory::CacheParameters constant_cache{.bytes = Bytes(8192),
                                         .line_bytes = ShortBytes(64),
                                         .ways = 2,
                                         .mshrs = 2,
                                         .accesses_per_mshr = 32,
                                         .write = {}};
  Cycle constant_latency{1};
  memory::CacheParameters texture_cache{
      .bytes = Bytes(12288), .ways = 24, .mshrs = 128, .accesses_per_mshr = 4, .write = {}};
  Cycle texture_latency{2};

  std::uint32_t warp_lanes = 32;  // 64: with the lanes of a neighbour
  LentParts lent;
  bool blocks_straddle = true;  // own and lent contexts
  bool borrows() const {
    return warp_lanes > 32 || lent.warps > 0 || lent.shared_bytes > ShortBytes(0) ||
           lent.l1_halves > 0;
  }
  std::uint32_t local_warps() const { return warps - lent.warps; }

  bool split_switches = true;  // between launches, as kernels prefer
  std::array<SplitSizes, 2> splits{{{}, {Bytes(49152), 6, ShortBytes(16384)}}};  // by choice
  void use(SplitChoice choice);
};

// What neighbouring multiprocessors can share (sharing.h); names as in the table.
enum class SharingMode : std::uint8_t { kBaseline, kHalf, kOcc, kBal, kBigSm, kBigSmOcc };
inline constexpr std::array<std::string_view, 6> kSharingModes{"baseline", "half",  "occ",
                                                               "bal",      "bigsm", "bigsm_occ"};
// What is powered in a multiprocessor, as Table III of the sharing paper has it.
enum class CorePart : std::uint8_t {
  kFrontEnd,
  kRegisters,
  kSimd,
  kLoadStore,
  kUndifferentiated,
  kL1Shared,
  kTextureConstant,
};
inline constexpr std::array<std::string_view, 7> kCoreParts{
    "front_end", "registers",       "simd", "load_store", "undifferentiated",
    "l1_shared", "texture_constant"};

struct SharingParameters {
  bool offered = false;  // the table has [sharing]
  SharingMode mode = SharingMode::kBaseline;
  bool automatic = false;  // the mode is chosen by kernel: sharing_choice.h
  std::map<std::string, SharingMode, std::less<>> by_kernel;
  bool blocks_straddle = true;
  bool lends_contexts = true, lends_registers = true, lends_shared = true, lends_l1 = true;
  bool lends_mshrs = true;
  Cycle decode_stages{1}, issue_stages{1}, dispatch_stages{1}, shared_stages{1}, l1_stages{1};
  // By mode and part: off in inactive multiprocessors.
  std::array<std::array<bool, kCoreParts.size()>, kSharingModes.size()> off{
      {{},
       {true, true, true, true, true, true, true},
       {false, false, true, true, true, false, true},
       {false, false, true, true, true, false, true},
       {true, false, false, true, true, false, true},
       {false, false, false, true, true, false, true}}};
  bool baseline_wires = false;  // the wires leak in the baseline as well

  double sm_mm2 = 12.93, chip_mm2 = 520;
  double wire_ns_per_mm = 0.1471, wire_ns_per_mm2 = 0.01545;  // of a wire of length l: a l + b l²
  std::uint32_t wires = 8512;                                 // between two multiprocessors
  double wire_pitch_um = 0.1539;
  double issue_unit_mm2 = 0.0753, issue_growth_percent = 85, buffers_mm2 = 0.0887;  // of an SM
  bool any() const { return automatic || mode != SharingMode::kBaseline || !by_kernel.empty(); }
};

struct GpuParameters {
  explicit GpuParameters(const ParameterBinder& p);

  std::string name;
  std::uint32_t cores = 15;
  Hertz core_clock{700e6};
  CoreParameters core;

  memory::MemorySystemSpec memory;  // what lies below the cores

  Bytes memory_bytes{1'610'612'736};
  ShortBytes constant_bytes{65536};
  ShortBytes stack_bytes{65536};
  double host_link_bytes_per_second = kHostLinkBytesPerSecond;
  std::uint32_t compute_major = 2, compute_minor = 0;
  std::uint32_t registers_per_thread = 63;
  std::uint32_t max_threads_per_block = 1024;
  std::int64_t max_grid_x = 2147483647;
  Cycle launch_cycles;
  std::uint32_t kernels = 16;  // in flight together
  std::string energy = "circuit";
  SharingParameters sharing;
};

}  // namespace raddle::machine::simt
