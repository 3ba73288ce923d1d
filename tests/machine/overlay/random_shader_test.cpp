// Random programs: the machine gives what the evaluator gives, bit for bit, whatever its contexts,
// link and pipeline; and every cycle is explained.
#include "machine/overlay/random_shader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

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
    for (const Share& share : result.stalls) sum += share.value;
    EXPECT_NEAR(sum, static_cast<double>(result.cycles), 1e-6 * sum);
    if (result.divergent_branches > 0) ++divergent;
  }
  EXPECT_GT(divergent, 30U);  // or the programs would test little
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
