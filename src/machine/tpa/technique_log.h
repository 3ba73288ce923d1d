// What multioperations and multiprefixes took, told by technique: a sequence of instructions of one
// flow (BM and EM, MPL and OMP and MPS …) is recognised, and its time runs from its first fiber's
// issue until the wave after its last instruction has passed all modules. Beside it stands the
// time of the paper's Figure 10. That formula is for reports alone: no simulated time comes from
// it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "machine/tpa/flow.h"
#include "machine/tpa/tpa_parameters.h"

namespace raddle::machine::tpa {

// All executions of a technique in one line of the program.
struct TechniqueUse {
  std::string name;     // "MMP"
  std::string formula;  // "2T/B+B+M+2W"
  Place place;
  std::uint64_t executions = 0;
  Word fibers = 0;            // the most, as are the targets of a backend
  std::uint64_t targets = 0;  // 0: not counted
  Cycle cycles;
  Cycle formula_cycles;
};

class TechniqueLog {
 public:
  explicit TechniqueLog(const TpaParameters& parameters) : parameters_(parameters) {}

  // An instruction of a flow becomes part of a step, after which `waves` waves have passed. Its
  // backends have so many entries at most.
  void add(const Work& work, std::uint64_t waves, std::uint64_t entries);
  // The first backend begins the instruction.
  void begins(const Work& work, Cycle cycle);
  // So many waves have passed all modules, the last at this cycle; since the one before, a module
  // has served so many references at most.
  void wave_passed(std::uint64_t waves, Cycle cycle, std::uint64_t most_served);
  // The run is over.
  void finish(Cycle cycle);

  // In the order of the program's lines.
  std::vector<TechniqueUse> uses() const;

 private:
  static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};  // number of waves

  // One execution, from its first instruction on.
  struct Execution {
    std::uint64_t first_work = 0;
    std::uint32_t flow = 0;
    MemoryOperation first = MemoryOperation::kMulti, last = MemoryOperation::kMulti;
    MemoryOperation order = MemoryOperation::kOrderPrefix;
    Place place;
    Word fibers = 0;
    std::uint32_t backends = 1;
    std::uint64_t targets = 0;
    Cycle start = kUnknownTime;
    std::uint64_t waves = kUnknown;  // that have passed when it is over
  };

  void close(const Execution& execution, Cycle cycle, std::uint64_t most_served);

  const TpaParameters& parameters_;
  std::vector<Execution> open_;
  std::map<std::pair<std::uint64_t, std::string>, TechniqueUse> uses_;  // by place and name
};

}  // namespace raddle::machine::tpa
