// Runs that are stopped, and what is told of them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tpa_fixture.h"

namespace raddle::machine::tpa {
namespace {

// Three lines, of which the second sends entries and no fibers.
constexpr const char* kPrefix =
    ".shared _A_ 1000\n.shared _P_ 1000\n.shared _s_\n"
    "OP0 _A_ OP1 3 OP2 1000 OP3 _s_ LWB33 O2 SHL0 FID,O1 ADD1 O0,A0 MPLADD0 O3,A1 WB0 M0 RT1 "
    "STCF\n"
    "OP0 _s_ RD0 OMPADD0 B0,O0 RT1 STCF\n"
    "OP0 _s_ OP1 3 OP2 _P_ RD0 SHL0 FID,O1 ADD1 O2,A0 MPSADD0 B0,O0,A1 RT1 STCF\n";

TEST(Lines, AddUpToTheFibersThatWereExecuted) {
  const Program program = raddle::tpa::assemble(kPrefix, "test.tpa", {});
  LaunchOptions options;
  options.lines = true;
  const LaunchResult result = TpaMachine(load_parameters("tpa")).run(program, options).result;
  std::uint64_t fibers = 0;
  for (const LineCost& line : result.lines) fibers += line.thread_instructions;
  EXPECT_EQ(result.lines.size(), 3u);
  EXPECT_EQ(fibers, 2000u);
  EXPECT_EQ(result.thread_instructions, 2000u);
}

TEST(Limits, StopARunThatTakesMoreCyclesAndNoOther) {
  const Program program = raddle::tpa::assemble(kPrefix, "test.tpa", {});
  const TpaMachine machine(load_parameters("tpa"));
  const std::uint64_t cycles = machine.run(program, {}).result.cycles;
  LaunchOptions options;
  options.control = RunControl(Cycle(cycles));
  EXPECT_TRUE(machine.run(program, options).result.complete);
  for (const std::uint64_t limit : {cycles - 1, std::uint64_t{50}}) {
    options.control = RunControl(Cycle(limit));
    const LaunchResult stopped = machine.run(program, options).result;
    ASSERT_EQ(stopped.faults.size(), 1u);
    EXPECT_EQ(stopped.faults[0].message,
              fmt::format("stopped after {} cycles (--max-cycles)", limit));
    EXPECT_EQ(stopped.cycles, limit);
    EXPECT_LE(stopped.thread_instructions, 16 * limit) << "a fiber a backend and cycle";
  }
}

TEST(Limits, TellOfAStoppedRunWhatWasIssuedAndNoMore) {
  // 1600 fibers a backend without memory: one a cycle, from the second cycle on.
  const std::string line = "OP0 25600 OP1 5 LWB33 O0 ADD0 FID,O1 STCF\n";
  const Program program = raddle::tpa::assemble(line + line, "test.tpa", {});
  const TpaMachine machine(load_parameters("tpa"));
  for (const std::uint64_t limit : {20U, 21U, 1000U, 1602U, 1610U}) {
    LaunchOptions options;
    options.control = RunControl(Cycle(limit));
    options.lines = true;
    const TpaRun run = machine.run(program, options);
    EXPECT_EQ(run.result.cycles, limit);
    std::uint64_t fibers = 0;
    for (const LineCost& cost : run.result.lines) fibers += cost.thread_instructions;
    EXPECT_EQ(fibers, run.result.thread_instructions);
    const std::uint64_t before = limit > 1602 ? 3 : 2;  // the frontend's line, synchronisation
    EXPECT_NEAR(static_cast<double>(fibers), 16.0 * static_cast<double>(limit - before), 32);
    for (const Backend& backend : run.memory.processor->backends())
      EXPECT_EQ(backend.cycles.sum(), Cycle(limit));
  }
}

TEST(Limits, StopAFrontendThatWorksAlone) {
  const Program program = raddle::tpa::assemble("loop: JMP loop\n", "test.tpa", {});
  LaunchOptions options;
  options.control = RunControl(Cycle(5000));
  const LaunchResult stopped = TpaMachine(load_parameters("tpa")).run(program, options).result;
  ASSERT_EQ(stopped.faults.size(), 1u);
  EXPECT_EQ(stopped.cycles, 5000u);
}

// Every flow gives the frontend back after a line or two, and no backend ever has anything to do.
TEST(Limits, StopFlowsThatOnlyForkAndJoin) {
  const Program program = raddle::tpa::assemble(
      "loop: OP0 1 FORK child,O0\nJOIN\nJMP loop\nchild: EXIT\n", "test.tpa", {});
  LaunchOptions options;
  options.control = RunControl(Cycle(5000));
  const LaunchResult stopped = TpaMachine(load_parameters("tpa")).run(program, options).result;
  ASSERT_EQ(stopped.faults.size(), 1u);
  EXPECT_EQ(stopped.cycles, 5000u);
}

}  // namespace
}  // namespace raddle::machine::tpa
