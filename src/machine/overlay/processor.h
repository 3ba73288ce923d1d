// The soft processor of Figure 4, cycle by cycle. Time goes in periods of four cycles: in the first
// three the operands A, B and C of one batch's ALU instruction are read, in the fourth the operand
// of a TEX; flow control issues beside B and C (Tables 1 and 2). A batch is selected `issue_cycles`
// before its operands are read. An ALU instruction's results are written together once its fourth
// thread has left the datapath; until then nothing else of the batch issues, except flow control
// that does not wait. Texels and new coordinates wait in a queue for cycles in which the ALU leaves
// the write port free. Before the first period the host writes the configuration.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "machine/overlay/batch_selector.h"
#include "machine/overlay/coordinates.h"
#include "machine/overlay/cycle_set.h"
#include "machine/overlay/hyper_transport.h"
#include "machine/overlay/overlay_parameters.h"
#include "machine/overlay/program_code.h"
#include "machine/overlay/schedule.h"
#include "machine/overlay/slot_cause.h"

namespace raddle::machine::overlay {

struct InstructionCount {
  std::uint64_t batches = 0;
  std::uint64_t threads = 0;  // that executed it
  // Cycles of contexts whose next instruction it was, in idle slots; if asked for.
  SlotAccount idle;
};

struct ProcessorCounts {
  // All cycles: those of the configuration, and four for each ALU slot, unless the run was stopped
  // within a period.
  Cycle cycles;
  Cycle configuration_cycles;
  std::uint64_t alu_slots = 0;                 // periods of four cycles
  std::uint64_t alu_issued = 0;                // of them, with an ALU instruction
  SlotAccount slots;                           // cycles of contexts
  std::vector<InstructionCount> instructions;  // by address
  std::uint64_t branches = 0, divergent_branches = 0;
  std::uint64_t texels = 0;
  Cycle port_waits;  // that TEX results and coordinates waited for the write port
  std::uint64_t writes_alu = 0, writes_texel = 0, writes_coordinates = 0;
  std::uint64_t tex_issued = 0;
  std::array<std::uint64_t, 4> flow_issued{};  // by the cycle of the period
  // From the period's first cycle to the first thread that enters its datapath, of the first
  // instruction.
  Cycle first_alu_thread, first_tex_thread;
  Cycle output_waits;          // that ended batches waited for the output FIFO
  std::uint64_t occupied = 0;  // contexts with a batch, summed over ALU slots
  Bytes configuration_bytes;

  Cycle run_cycles() const { return cycles - configuration_cycles; }
};

// Something the program did wrong; the run ends.
struct ProcessorFault {
  std::string message;
  std::size_t instruction = 0;
};

class Processor {
 public:
  // All must outlive it. `schedule` may be null.
  Processor(const OverlayParameters& parameters, const Configuration& configuration,
            HostMemory memory, bool square_batches, Schedule* schedule = nullptr);

  struct RunOptions {
    // Called every some thousand cycles, with cycles and batches done; throws to end the run.
    std::function<void(Cycle cycles, std::uint64_t batches_done)> look;
    Cycle cycle_limit = sim::kNever;
    bool counts_idle_by_instruction = false;
    // Called after the configuration, and whenever so many cycles have passed, a multiple of four;
    // counts() are those of the cycles before the given one.
    Cycle sample_cycles;
    std::function<void(Cycle cycle)> sample;
  };
  // Runs to the end, a fault, or the limit. False: it needs more cycles than that.
  bool run(const RunOptions& options);

  const ProcessorCounts& counts() const { return counts_; }
  const LinkCounts& link_counts() const { return link_.counts(); }
  const std::optional<ProcessorFault>& fault() const { return fault_; }
  std::uint64_t batches() const { return generator_.batches(); }
  bool has_square_batches() const { return generator_.makes_squares(); }

 private:
  static constexpr std::size_t kWheel = 512;  // beyond the longest delay
  static constexpr std::uint8_t kNobody = 0xFF;

  struct Context {
    BatchState state;
    BatchCoordinates coordinates;
    std::uint16_t address = 0;
    std::uint16_t in_flight = 0;                  // address of the ALU instruction in the datapath
    std::uint16_t outstanding = 0, acquired = 0;  // texels
    bool ended = false;                           // has executed its last instruction
    AluResult result;
  };
  // A register of all threads of a batch: what a TEX loaded, or new coordinates.
  struct QueuedWrite {
    Cycle cycle;  // since when it waits
    std::array<Float4, kBatchThreads> texels{};
    std::uint16_t instruction = 0, destination = 0;
    ThreadMask threads = 0;
    std::uint8_t batch = 0;
    bool is_coordinates = false;
  };

  bool configure(const RunOptions& options);
  void step();
  void count_cycles();
  bool run_to_limit(const RunOptions& options);
  void write_registers();
  void write_alu(unsigned batch);
  void write_queued();
  void write_texels(const QueuedWrite& entry);
  void gather_texels();
  void issue();
  void issue_alu(unsigned batch);
  void issue_tex(unsigned batch);
  void issue_flow(unsigned batch);
  void select();
  void select_alu();
  void retire();
  void retire_batch(unsigned batch);
  void give_coordinates();
  void skip_idle();
  bool is_quiet() const;
  void count_idle(std::uint64_t slots);
  void count_idle_by_instruction(std::uint64_t slots);

  void advance(unsigned batch, std::uint16_t next);
  void look_at_next(unsigned batch);
  void update_semaphore(unsigned batch);
  // A cycle's place in the rings below.
  static std::size_t place_of(Cycle cycle) { return cycle.count() % kWheel; }
  void wake_at(unsigned batch, Cycle cycle) {
    wheel_[place_of(cycle)] |= bit_of(batch);
    due_.add(cycle);
  }
  void issue_at(unsigned batch, Cycle cycle) {
    issues_[place_of(cycle)] = static_cast<std::uint8_t>(batch);
    due_.add(cycle);
  }
  void note(ScheduleEvent::Kind kind, Cycle cycle, unsigned batch, unsigned thread = 0,
            unsigned instruction = 0);
  void fail(std::string message, std::size_t instruction);

  const OverlayParameters& parameters_;
  const Configuration& configuration_;
  HostMemory memory_;
  Schedule* schedule_;
  ProgramCode code_;
  HyperTransport link_;
  CoordinateGenerator generator_;
  std::vector<Lanes> registers_;
  std::vector<Context> contexts_;
  BatchSelector alu_selector_, tex_selector_, flow_selector_;

  Cycle cycle_;
  BatchMask occupied_ = 0;   // has a batch that has not ended
  BatchMask ready_ = 0;      // may issue its next instruction, semaphores apart
  BatchMask semaphore_ = 0;  // its next instruction waits for texels
  BatchMask in_flight_ = 0;  // has an ALU instruction in the datapath
  BatchMask next_alu_ = 0, next_tex_ = 0, next_flow_ = 0;
  unsigned resident_ = 0;                 // contexts between coordinates and outputs
  BatchMask ended_ = 0;                   // waits for its texels and for room in the output FIFO
  std::vector<BatchMask> wheel_;          // contexts that become ready
  std::vector<std::uint8_t> alu_writes_;  // the context whose results leave the datapath
  std::vector<std::uint8_t> issues_;      // the context that was selected for this cycle
  CycleSet<kWheel> due_;                  // cycles with an entry in one of the three
  QueuedWrite gathered_;                  // texels of the TEX whose last one has not come yet
  memory::Ring<QueuedWrite> write_queue_;
  memory::Ring<std::uint8_t> free_contexts_;  // that wait for coordinates
  Cycle next_coordinates_;
  Cycle last_texel_request_;        // when it enters the FIFO
  unsigned texels_per_thread_ = 1;  // that a TEX may read
  std::uint64_t batches_done_ = 0;
  Cycle next_stop_;  // where idle cycles are not skipped beyond
  bool counts_by_instruction_ = false;
  ProcessorCounts counts_;
  std::optional<ProcessorFault> fault_;
};

}  // namespace raddle::machine::overlay
