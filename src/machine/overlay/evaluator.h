// Runs a configured program without time: what each instruction does, batch after batch. The
// yardstick for the machine, whose outputs must be the same.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "machine/overlay/configuration.h"
#include "machine/overlay/float_ops.h"
#include "machine/overlay/flow.h"
#include "machine/overlay/tex_code.h"

namespace raddle::machine::overlay {

struct EvaluationOptions {
  FloatOptions floats;
  FlowLimits limits;
  bool squares = false;                          // batches of 2x2 threads
  std::uint64_t max_instructions = 100'000'000;  // of all batches; 0: no limit
};

// Writes the outputs into memory. Throws Error for what faults, with the line.
void evaluate(const Configuration& configuration, HostMemory memory,
              const EvaluationOptions& options = {});

// Outputs of a batch that has ended.
void store_outputs(const Configuration& configuration, unsigned outputs, const BatchState& batch,
                   const std::array<std::uint32_t, kBatchThreads>& x,
                   const std::array<std::uint32_t, kBatchThreads>& y, ThreadMask threads,
                   HostMemory memory);

// What to say of faults.
std::string fault_text(FlowFault fault);
std::string outside_text(const Configuration& configuration, const TexCode& code,
                         const Instruction& word, const BatchState& batch, ThreadMask outside);

}  // namespace raddle::machine::overlay
