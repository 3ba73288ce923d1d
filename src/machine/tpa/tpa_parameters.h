// What a thick control flow processor is built from, read from its TOML.
#pragma once

#include <cstdint>
#include <string>

#include "machine/parameters.h"

namespace raddle::machine::tpa {

enum class ModuleHash : std::uint8_t { kModulo, kXor, kRandom };
enum class WriteWinner : std::uint8_t { kLowest, kHighest };

struct FrontendParameters {
  std::uint32_t count = 1;
  std::uint32_t flows = 128;  // of one frontend's TCF buffer
  std::uint32_t switch_cycles = 0;
  std::uint32_t branch_cycles = 0;
  std::uint32_t shared_write_cycles = 0;  // Lf
  std::uint32_t shared_read_cycles = 0;
  std::uint64_t memory_bytes = 0;
  std::uint32_t line_bytes = 0;
  std::uint32_t l1i_bytes = 0, l1d_bytes = 0, l2_bytes = 0;
  std::uint32_t ways = 0;
  bool warm_instructions = false;
  std::uint32_t l2_cycles = 0, memory_cycles = 0;
  std::uint32_t prefetch_lines = 0;
};

struct BackendParameters {
  std::uint32_t count = 16;
  std::uint32_t memory_segment = 0;  // W
  std::uint32_t stages_before = 0;   // operand select to memory unit
  std::uint32_t stages_after = 0;    // memory unit to write-back
  std::uint32_t threads = 0;         // CESM: fixed; 0: as many fibers as the flow is thick
  std::uint32_t thread_switch_cycles = 0;
  bool interleaved = false;  // the mapping that flows start with
};

struct TpaParameters {
  explicit TpaParameters(const ParameterTable& table);

  std::string name;
  double clock_hz = 0;
  std::string energy;
  FrontendParameters front;
  BackendParameters back;
  std::uint32_t spread_cycles = 0;
  std::uint32_t spread_queue = 0;  // instructions that wait at the backends
  std::uint32_t return_cycles = 0;

  bool multioperations = true;  // scratchpads, pre- and post-ALUs, active memory units
  bool optimised = true;        // all techniques; false: FS, S2 and FMP, as a CESM has
  std::uint32_t step_cache_lines = 0, step_cache_ways = 0;
  std::uint64_t step_cache_seed = 0;
  bool step_cache_folded = false;  // the set of a word: see StepCache
  std::uint32_t scratchpad_entries = 0;
  std::uint32_t scratchpad_entry_bytes = 0;
  bool spill = true;

  std::uint64_t memory_bytes = 0;
  bool ideal = false;
  bool routers = false;  // the network router by router, else by its timetable
  ModuleHash hash = ModuleHash::kXor;
  WriteWinner winner = WriteWinner::kLowest;
  std::uint32_t planes = 0;
  std::uint32_t queue = 0;  // packets of a router's input
  std::uint32_t module_queue = 0;
  std::uint32_t hop_cycles = 0;
  std::uint32_t mesh_width = 0;

  bool is_fixed() const { return back.threads != 0; }
  std::uint32_t backends_of_frontend() const { return back.count / front.count; }
};

}  // namespace raddle::machine::tpa
