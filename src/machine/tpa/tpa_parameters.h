// What a thick control flow processor is built from. Initial values are the defaults.
#pragma once

#include <cstdint>
#include <string>

#include "base/units.h"
#include "machine/host_link.h"
#include "machine/parameter_binder.h"

namespace raddle::machine::tpa {

enum class ModuleHash : std::uint8_t { kModulo, kXor, kRandom };
enum class WriteWinner : std::uint8_t { kLowest, kHighest };
// When the flow of a CUDA kernel splits: where that costs less than masks, or wherever it can.
enum class KernelSplit : std::uint8_t { kNever, kCost, kAlways };

struct FrontendParameters {
  std::uint32_t count = 1;
  std::uint32_t flows = 128;  // of one frontend's TCF buffer
  Cycle switch_cycles;
  Cycle branch_cycles;
  Cycle shared_write_cycles{66};  // Lf
  Cycle shared_read_cycles{66};
  std::uint64_t memory_bytes = 268'435'456;
  ShortBytes line_bytes{64};
  ShortBytes l1i_bytes{524'288}, l1d_bytes{32'768}, l2_bytes{1'048'576};
  std::uint32_t ways = 8;
  bool warm_instructions = true;
  Cycle l2_cycles{10}, memory_cycles{20};
  std::uint32_t prefetch_lines = 6;
};

struct BackendParameters {
  std::uint32_t count = 16;
  Cycle memory_segment{113};  // W
  Cycle stages_before{8};     // operand select to memory unit
  Cycle stages_after{8};      // memory unit to write-back
  std::uint32_t threads = 0;  // CESM: fixed; 0: as many fibers as the flow is thick
  Cycle thread_switch_cycles;
  bool interleaved = false;  // the mapping that flows start with

  // Of the whole pipeline: when a result can be an operand.
  Cycle depth() const { return stages_before + memory_segment + stages_after; }
};

// Of a floating-point operation, from its operands to its result; a unit takes new ones each cycle.
struct FloatParameters {
  Cycle arithmetic_cycles{3};
  Cycle compare_cycles{1};
  Cycle convert_cycles{1};
  Cycle divide_cycles{32};
  Cycle root_cycles{32};
};

struct TpaParameters {
  explicit TpaParameters(const ParameterBinder& p);

  std::string name;
  double clock_hz = 1e9;
  double host_link_bytes_per_second = kHostLinkBytesPerSecond;
  std::string energy = "circuit";
  FrontendParameters front;
  BackendParameters back;
  FloatParameters floats;
  Cycle spread_cycles{1};
  std::uint32_t spread_queue = 2;  // instructions that wait at the backends
  Cycle return_cycles{1};

  bool multioperations = true;  // scratchpads, pre- and post-ALUs, active memory units
  bool optimised = true;        // all techniques; false: FS, S2 and FMP, as a CESM has
  std::uint32_t step_cache_lines = 1024, step_cache_ways = 4;
  std::uint64_t step_cache_seed = 1;
  bool step_cache_folded = false;  // the set of a word: see StepCache
  std::uint32_t scratchpad_entries = 1024;
  std::uint32_t scratchpad_entry_bytes = 21;
  bool spill = true;

  std::uint64_t memory_bytes = 67'108'864;
  bool ideal = false;
  bool routers = false;  // the network router by router, else by its timetable
  ModuleHash hash = ModuleHash::kXor;
  WriteWinner winner = WriteWinner::kLowest;
  std::uint32_t planes = 2;
  std::uint32_t queue = 16;  // packets of a router's input
  std::uint32_t module_queue = 16;
  Cycle hop_cycles{1};
  std::uint32_t mesh_width = 4;

  KernelSplit split = KernelSplit::kCost;

  bool is_fixed() const { return back.threads != 0; }
  std::uint32_t backends_of_frontend() const { return back.count / front.count; }

 private:
  void bind_step_cache(const ParameterBinder& section);
  void bind_memory(const ParameterBinder& p);
};

}  // namespace raddle::machine::tpa
