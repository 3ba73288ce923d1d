// A frontend: executes the common parts of its flows, one VLIW line after the other, and says which
// work goes to the backends. Values are right at once; when things happen is told as a list of
// events that the processor's clock goes through.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "machine/tpa/flow.h"
#include "machine/tpa/front_caches.h"
#include "machine/tpa/machine_fault.h"
#include "machine/tpa/shared_memory.h"
#include "machine/tpa/unit_causes.h"

namespace raddle::machine::tpa {

struct FrontEvent {
  enum class Kind : std::uint8_t { kCycles, kSend, kReceive, kAwaitSteps };
  Kind kind = Kind::kCycles;
  FrontCause cause = FrontCause::kIssued;
  Cycle cycles;
  std::uint64_t work = 0;     // kSend, kReceive: its number; kAwaitSteps: waves
  std::uint32_t backend = 0;  // kReceive
};

struct FrontendStats {
  std::uint64_t lines = 0;
  std::uint64_t alu_operations = 0;
  std::uint64_t register_reads = 0;
  std::uint64_t register_writes = 0;
  std::uint64_t branches = 0;
  std::uint64_t forks = 0;
};

enum class FlowEnd : std::uint8_t { kSwitched, kJoining, kEnded, kHalted };

// What a flow did in a step, beside its own state.
struct FrontOutcome {
  struct Store {
    Word address = 0, value = 0;
  };
  struct Fork {
    std::uint32_t line = 0;
    Word thickness = 0;
    std::optional<std::array<Word, kFrontRegisters>> registers;  // after the line that forked
  };
  FlowEnd end = FlowEnd::kSwitched;
  std::unique_ptr<Work> work;  // none: the flow had no backend part
  std::vector<Store> stores;   // to shared memory
  std::vector<Fork> forks;
  const DecodedLine* line = nullptr;  // the last one
};

class Frontend {
 public:
  Frontend(std::uint32_t number, const TpaParameters& parameters,
           const std::vector<DecodedLine>& program, WordMemory& local, WordMemory& shared);

  // Executes the flow up to its next STCF or its end. Every now and then, and beyond `limit`, calls
  // `look` with the cycles that have gone by; it throws to end the run. Throws MachineFault.
  FrontOutcome run(Flow& flow, std::uint64_t& next_work, Cycle limit,
                   const std::function<void(Cycle)>& look);
  // Another flow has its turn.
  void switch_flow() { add(FrontCause::kSwitch, parameters_.front.switch_cycles); }

  // How many waves have passed when all steps before are over.
  void set_waves(std::uint64_t waves) { waves_ = waves; }

  std::deque<FrontEvent>& events() { return events_; }
  const std::deque<FrontEvent>& events() const { return events_; }
  const FrontendStats& stats() const { return stats_; }
  const FrontCaches& caches() const { return caches_; }
  // The line that is being executed, for faults.
  const DecodedLine* current() const { return current_; }

 private:
  // Results of the line's units.
  struct Values {
    std::array<Word, kSlots> slots{};
    std::array<Word, kFrontAlus> alus{};
    Word memory = 0;
  };

  void add(FrontCause cause, Cycle cycles);
  Word value(const Operand& operand, const Flow& flow, const Values& values) const;
  void run_alus(const DecodedLine& line, const Flow& flow, Values& values, bool before_memory);
  void run_memory(const DecodedLine& line, Flow& flow, Values& values, FrontOutcome& outcome);
  void check_shared(Word address) const;
  void write_registers(const DecodedLine& line, Flow& flow, const Values& values);
  // Returns whether the flow ends here, and how.
  bool run_control(const DecodedLine& line, Flow& flow, const Values& values,
                   FrontOutcome& outcome);
  std::unique_ptr<Work> make_work(const DecodedLine& line, Flow& flow, const Values& values,
                                  std::uint64_t number) const;
  void check_operation(const DecodedLine& line) const;

  std::uint32_t number_;
  const TpaParameters& parameters_;
  const std::vector<DecodedLine>& program_;
  WordMemory& local_;
  WordMemory& shared_;
  FrontCaches caches_;
  std::deque<FrontEvent> events_;
  std::uint64_t waves_ = 0;
  Cycle clock_;                         // cycles of its own, without waits for backends
  std::uint64_t lines_since_look_ = 0;  // of all flows: one may come back after a few lines
  const DecodedLine* current_ = nullptr;
  FrontendStats stats_;
};

}  // namespace raddle::machine::tpa
