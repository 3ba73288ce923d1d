#include "machine/overlay/evaluator.h"

#include <fmt/format.h>

#include <bit>
#include <vector>

#include "base/error.h"
#include "machine/overlay/coordinates.h"
#include "machine/overlay/program_code.h"

namespace raddle::machine::overlay {
namespace {

class Evaluator {
 public:
  Evaluator(const Configuration& configuration, HostMemory memory, const EvaluationOptions& options)
      : configuration_(configuration),
        memory_(memory),
        options_(options),
        code_(configuration),
        registers_(std::size_t{configuration.shader.temporaries} * 4) {
    batch_.registers = registers_.data();
    batch_.register_count = configuration.shader.temporaries;
  }

  void run() {
    CoordinateGenerator generator(configuration_.domain, options_.squares);
    while (const auto coordinates = generator.next()) {
      start_batch(*coordinates, batch_);
      run_batch();
      store_outputs(configuration_, code_.outputs(), batch_, coordinates->x, coordinates->y,
                    static_cast<ThreadMask>(coordinates->covered & ~batch_.killed), memory_);
    }
  }

 private:
  void run_batch() {
    std::size_t at = configuration_.shader.start;
    while (at < code_.size()) {
      if (options_.max_instructions != 0 && ++executed_ > options_.max_instructions) {
        throw Error(fmt::format("exceeded the limit of {} instructions", options_.max_instructions),
                    place_of(configuration_.shader, at));
      }
      const bool is_end = at == configuration_.shader.end;
      at = step(at);
      if (is_end) return;
    }
  }

  std::size_t step(std::size_t at) {
    switch (code_.type(at)) {
      case InstructionType::kAlu:
      case InstructionType::kOut: {
        const AluCode& alu = code_.alu(at);
        alu.write(alu.execute(batch_, code_.constants(), options_.floats), batch_);
        break;
      }
      case InstructionType::kTex: load(at); break;
      case InstructionType::kFlow: {
        const FlowOutcome outcome =
            execute_flow(code_.word(at), static_cast<std::uint16_t>(at), batch_,
                         configuration_.loops, configuration_.booleans, options_.limits);
        if (outcome.fault != FlowFault::kNone) {
          throw Error(fault_text(outcome.fault), place_of(configuration_.shader, at));
        }
        return outcome.next;
      }
    }
    return at + 1;
  }

  void load(std::size_t at) {
    const TexCode& tex = code_.tex(at);
    if (tex.kills()) return tex.kill(batch_);
    const TexRequest request = tex.request(batch_);
    if (request.outside != 0) {
      throw Error(outside_text(configuration_, tex, code_.word(at), batch_, request.outside),
                  place_of(configuration_.shader, at));
    }
    for (unsigned thread = 0; thread < kBatchThreads; ++thread) {
      if (((request.threads >> thread) & 1U) == 0) continue;
      Float4 sum{};
      for (unsigned i = 0; i < tex.reads(); ++i) {
        const TexelShare& share = request.shares[thread][i];
        tex.add(share, memory_[share.address], i == 0, sum);
      }
      tex.write(sum, thread, request.destination, batch_);
    }
  }

  const Configuration& configuration_;
  HostMemory memory_;
  const EvaluationOptions& options_;
  ProgramCode code_;
  std::vector<Lanes> registers_;
  BatchState batch_;
  std::uint64_t executed_ = 0;
};

}  // namespace

void evaluate(const Configuration& configuration, HostMemory memory,
              const EvaluationOptions& options) {
  check_configuration(configuration, options.squares);
  Evaluator(configuration, memory, options).run();
}

void store_outputs(const Configuration& configuration, unsigned outputs, const BatchState& batch,
                   const std::array<std::uint32_t, kBatchThreads>& x,
                   const std::array<std::uint32_t, kBatchThreads>& y, ThreadMask threads,
                   HostMemory memory) {
  for (unsigned number = 0; number < kOutputBuffers; ++number) {
    if (((outputs >> number) & 1U) == 0) continue;
    const OutputRegister& output = configuration.outputs[number];
    for (unsigned thread = 0; thread < kBatchThreads; ++thread) {
      if (((threads >> thread) & 1U) == 0) continue;
      Float4& place = memory[output.base + std::uint64_t{y[thread]} * output.width + x[thread]];
      if (number == kDepthOutput) {
        place = depth_texel(batch.depth[thread]);
        continue;
      }
      for (unsigned c = 0; c < 4; ++c) place[c] = batch.outputs[number * 4 + c][thread];
    }
  }
}

std::string fault_text(FlowFault fault) {
  switch (fault) {
    case FlowFault::kNone: break;
    case FlowFault::kCallStackFull: return "calls are nested deeper than the address stack";
    case FlowFault::kCallStackEmpty: return "a return without a call";
    case FlowFault::kLoopStackFull: return "loops are nested deeper than the loop stack";
    case FlowFault::kLoopStackEmpty: return "the end of a loop, or a break, outside a loop";
  }
  return "no fault";
}

std::string outside_text(const Configuration& configuration, const TexCode& code,
                         const Instruction& word, const BatchState& batch, ThreadMask outside) {
  const auto thread = static_cast<unsigned>(std::countr_zero(outside));
  const auto [s, t] = code.coordinates(batch, thread);
  const SamplerRegister& sampler = configuration.samplers[word.tex.sampler];
  return fmt::format("a TEX reads texel ({}, {}) of s{}, which has {}x{}", s, t, word.tex.sampler,
                     sampler.width, sampler.height);
}

}  // namespace raddle::machine::overlay
