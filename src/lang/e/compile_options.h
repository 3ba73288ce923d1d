// What the compiler wants to know of the machine, and what the user asks of it. The numbers decide
// between techniques and say what a machine can hold; code stays correct for others unless a note
// says otherwise.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace raddle::e {

// Which instruction orders the backends of a multiprefix (the paper's Section 5.1, Figure 17).
enum class Ordering : std::uint8_t { kStandard, kBalanced, kLogarithmic };

// --technique=O2 for every construct it fits, --technique=O2@12 for those of line 12.
struct ForcedTechnique {
  std::string name;
  std::uint32_t line = 0;  // 0: everywhere
};

struct CompileOptions {
  std::int64_t backends = 16;
  std::int64_t step_cache_lines = 1024;
  std::int64_t flows = 128;                         // of all TCF buffers
  std::int64_t memory_segment = 113;                // W
  std::int64_t pipeline_stages = 16;                // of a backend beside the memory segment
  std::int64_t frontend_write_latency = 66;         // Lf
  std::int64_t heap_words = std::int64_t{1} << 22;  // for the fibers' numbers of splits
  std::int64_t memory_bytes = std::numeric_limits<std::int64_t>::max();  // of shared memory
  bool multioperations = true;                                           // the machine has them
  bool all_techniques = true;  // and not FS, S2 and FMP alone
  bool interleaved = false;    // fibers are mapped so, not stacked
  Ordering ordering = Ordering::kStandard;
  std::vector<ForcedTechnique> techniques;
};

}  // namespace raddle::e
