// Random programs: the machine gives what the evaluator gives, bit for bit, whatever its contexts,
// link and pipeline; every cycle is explained; and each thread computes what it would alone.
#include "machine/overlay/random_shader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "machine/overlay/isa.h"
#include "machine/overlay/lone_thread.h"
#include "machine/overlay/opcodes.h"
#include "machine/overlay/overlay_machine.h"
#include "machine/overlay/small_run.h"

namespace raddle::machine::overlay {
namespace {

SmallRun prepared(const std::string& program) {
  SmallRun run(program, 13, 3);
  std::mt19937 random(9);
  for (unsigned sampler = 0; sampler < 2; ++sampler) {
    std::vector<Float4> texels(35);
    for (Float4& texel : texels) {
      for (float& channel : texel) channel = static_cast<float>(random() % 2000) / 250 - 4;
    }
    run.input(sampler, 7, texels);
  }
  return run;
}

TEST(RandomShaders, MachineAndEvaluatorAgreeBitForBit) {
  const std::vector<std::vector<std::string>> machines = {
      {},
      {"batch.contexts=1"},
      {"batch.contexts=64", "link.width_bits=16"},
      {"batch.contexts=5", "datapath.stages=7", "link.outstanding_reads=3"}};
  unsigned divergent = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const std::string program = RandomShader(seed).text();
    SmallRun expected = prepared(program);
    expected.evaluated();
    ParameterTable table = load_parameters("overlay");
    for (const std::string& setting : machines[seed % machines.size()]) table.set(setting);
    SmallRun run = prepared(program);
    const LaunchResult result = OverlayMachine(table).run(run.configuration, run.memory, {});
    ASSERT_TRUE(result.complete) << program;
    ASSERT_EQ(
        std::memcmp(run.memory.data(), expected.memory.data(), run.memory.size() * sizeof(Float4)),
        0)
        << "seed " << seed << "\n"
        << program;
    double sum = 0;
    for (const Stall& share : result.stalls) sum += share.cycles;
    EXPECT_NEAR(sum, static_cast<double>(result.cycles), 1e-6 * sum);
    if (result.divergent_branches > 0) ++divergent;
  }
  EXPECT_GT(divergent, 30U);  // or the programs would test little
}

bool same(const Float4& a, const Float4& b) {
  for (unsigned c = 0; c < 4; ++c) {
    const bool both_nan = std::isnan(a[c]) && std::isnan(b[c]);
    if (!both_nan && std::bit_cast<std::uint32_t>(a[c]) != std::bit_cast<std::uint32_t>(b[c]))
      return false;
  }
  return true;
}

TEST(RandomShaders, EveryThreadComputesWhatItWouldAlone) {
  unsigned killed = 0, calls = 0;
  for (unsigned seed = 100; seed < 400; ++seed) {
    const std::string program = RandomShader(seed).text();
    const SmallRun start = prepared(program);
    SmallRun run = start;
    EvaluationOptions options;
    options.floats.flush_denormals = seed % 2 == 0;
    run.evaluated(options);
    for (std::uint32_t y = 0; y < 3; ++y) {
      for (std::uint32_t x = 0; x < 13; ++x) {
        const LoneResult alone =
            run_alone(start.configuration, start.memory, x, y, options.floats.flush_denormals);
        if (alone.is_killed) ++killed;
        const Float4 color = alone.is_killed ? Float4{} : alone.outputs[0];
        const Float4 depth = alone.is_killed ? Float4{} : depth_texel(alone.depth);
        ASSERT_TRUE(same(run.output(x, y), color)) << seed << " at " << x << ", " << y << "\n"
                                                   << program;
        ASSERT_TRUE(same(run.output(x, y, kDepthOutput), depth)) << seed << "\n" << program;
      }
    }
    if (program.find("CALL") != std::string::npos) ++calls;
  }
  // Or the programs would test little.
  EXPECT_GT(killed, 100U);
  EXPECT_LT(killed, 300U * 39 / 2);
  EXPECT_GT(calls, 200U);
}

// Words of random bits, but of operations that are executed: jumps anywhere, stacks that overflow,
// registers that are not there. They end, fault, or are stopped.
TEST(RandomWords, NeverBringTheMachineDown) {
  std::mt19937 random(23);
  const OverlayMachine machine(load_parameters("overlay"));
  LaunchOptions options;
  options.control = RunControl(Cycle(3000));
  unsigned faults = 0, ends = 0;
  for (int i = 0; i < 300; ++i) {
    SmallRun run = prepared("MOV o0 r0\nMOV o1 r0\nMOV o2 r0\nMOV o3 r0\nmov _ r0.r depth\nEND");
    for (unsigned sampler = 2; sampler < kSamplers; ++sampler) {
      run.configuration.samplers[sampler] = run.configuration.samplers[sampler % 2];
    }
    std::vector<Instruction>& code = run.configuration.shader.code;
    code.clear();
    const unsigned length = 2 + random() % 20;
    while (code.size() < length) {
      Words words;
      for (std::uint32_t& part : words) part = static_cast<std::uint32_t>(random());
      const Words reserved = reserved_bits(words);
      for (std::size_t j = 0; j < words.size(); ++j) words[j] &= ~reserved[j];
      Instruction word = *decode(words);
      if (info(word.vector.op) == nullptr || word.vector.op >= VectorOp::kMdh)
        word.vector.op = VectorOp::kMad;
      if (info(word.scalar.op) == nullptr || word.scalar.op >= ScalarOp::kMdh)
        word.scalar.op = ScalarOp::kRcp;
      if (info(word.tex.op) == nullptr) word.tex.op = TexOp::kLoad;
      word.flow.jump_address %= length + 2;
      code.push_back(word);
    }
    run.configuration.shader.end = static_cast<std::uint16_t>(random() % length);
    run.configuration.shader.temporaries = static_cast<std::uint16_t>(1 + random() % kTemporaries);
    const LaunchResult result = machine.run(run.configuration, run.memory, options);
    (result.complete ? ends : faults) += 1;
  }
  EXPECT_GT(ends, 20U);
  EXPECT_GT(faults, 20U);
}

TEST(RandomShaders, GiveTheSameResultEveryTime) {
  const std::string program = RandomShader(7).text();
  const OverlayMachine machine(load_parameters("overlay"));
  SmallRun first = prepared(program), second = prepared(program);
  const LaunchResult a = machine.run(first.configuration, first.memory, {});
  const LaunchResult b = machine.run(second.configuration, second.memory, {});
  EXPECT_EQ(a.cycles, b.cycles);
  EXPECT_EQ(a.thread_instructions, b.thread_instructions);
}

}  // namespace
}  // namespace raddle::machine::overlay
