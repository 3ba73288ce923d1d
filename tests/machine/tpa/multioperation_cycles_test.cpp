// What step cache, scratchpad and ordering instructions cost, to the cycle.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>

#include "tpa_fixture.h"

namespace raddle::machine::tpa {
namespace {

TEST(StepCacheCycles, LoadsOfOneWordByAllFibersTakeAFiberACycle) {
  // Without the step cache all 1600 or 3200 references would meet at one module.
  const std::string text =
      ".param N 1600\n.shared _x_\nOP0 _x_ OP1 N LWB33 O1 LDD0 O0 WB0 M0 RT1 STCF\n";
  TpaSetup twice;
  twice.parameters["N"] = 3200;
  EXPECT_EQ(run_text(text, twice).cycles() - run_text(text).cycles(), 100u);
}

TEST(StepCacheCycles, WordsThatDoNotFitAreFetchedAgainAtTheirModules) {
  // One line a backend: fibers load two words of one module in turns, and each misses.
  const std::string text =
      ".param N 1600\n.shared _x_ 4096\nOP0 _x_ OP1 N OP2 1 OP3 14 LWB33 O1 AND0 FID,O2 SHL1 A0,O3 "
      "ADD2 O0,A1 LDD0 A2 WB0 M0 RT1 STCF\n";
  TpaSetup small{"tpa", {"step_cache.lines=1", "step_cache.ways=1", "memory.hash=modulo"}, {}, {}};
  const std::uint64_t once = run_text(text, small).cycles();
  small.parameters["N"] = 3200;
  EXPECT_EQ(run_text(text, small).cycles() - once, 1600u);
}

// T fibers, 1600, bring 1 to M targets, then the entries go to memory.
std::uint64_t cycles_of_o2(std::uint32_t targets) {
  return run_text(fmt::format(".shared _x_ {0}\nOP0 _x_ OP1 1600 OP2 {0} OP3 3 OP4 1 LWB33 O1 MOD0 "
                              "FID,O2 SHL1 A0,O3 ADD2 O0,A1 BMADD0 O4,A2 STCF\n"
                              "OP0 _x_ OP1 1 EMADD0 O1,O0 STCF\n",
                              targets),
                  {"tpa", {"memory.hash=modulo"}, {}, {}})
      .cycles();
}

TEST(ScratchpadCycles, EveryEntryThatIsSentTakesOne) {
  // Backends begin at other targets, so that the modules are loaded evenly.
  EXPECT_EQ(cycles_of_o2(48) - cycles_of_o2(32), 16u);
  EXPECT_EQ(cycles_of_o2(80) - cycles_of_o2(48), 32u);
}

TEST(ScratchpadCycles, ValuesOfOneTargetAreReducedAFiberACycle) {
  const std::string text =
      ".param N 1600\n.shared _x_\nOP0 _x_ OP1 N OP2 1 LWB33 O1 BMADD0 O2,O0 STCF\n"
      "OP0 _x_ OP1 1 EMADD0 O1,O0 STCF\n";
  TpaSetup twice;
  twice.parameters["N"] = 3200;
  const Outcome outcome = run_text(text, twice);
  EXPECT_EQ(outcome.cycles() - run_text(text).cycles(), 100u);
  EXPECT_EQ(outcome.words("_x_")[0], 3200u);
  EXPECT_EQ(outcome.stat("network", "references"), 16) << "one of each backend";
}

// Cycles that each backend spends on order in a prefix of 1600 fibers over M targets.
std::uint64_t order_cycles(const std::string& instruction, std::uint32_t targets,
                           std::uint32_t backends) {
  const Outcome outcome = run_text(
      fmt::format(".shared _x_ {0}\nOP0 _x_ OP1 1600 OP2 {0} OP3 3 OP4 1 LWB33 O1 MOD0 FID,O2 SHL1 "
                  "A0,O3 ADD2 O0,A1 BMPADD0 O4,A2 WB0 M0 RT1 STCF\n"
                  "OP0 _x_ OP1 1 {1}ADD0 O1,O0 RT1 STCF\n"
                  "OP0 _x_ OP2 {0} OP3 3 RD0 MOD0 FID,O2 SHL1 A0,O3 ADD2 O0,A1 EMPADD0 B0,A2 WB0 "
                  "M0 RT1 STCF\n",
                  targets, instruction),
      {"tpa", {fmt::format("backend.count={}", backends)}, {}, {}});
  EXPECT_EQ(outcome.fault(), "none");
  const auto of = [](const Backend& b) { return b.cycles[BackendCause::kOrder]; };
  const std::vector<Backend>& all = outcome.run.memory.processor->backends();
  for (const Backend& backend : all) EXPECT_EQ(of(backend), of(all.front()));
  return of(all.front()).count();
}

TEST(OrderCycles, EveryBackendSendsAsManyWavesAsThereAreBackends) {
  for (const std::uint32_t backends : {4U, 8U, 16U})
    for (const std::uint32_t targets : {1U, 7U})
      EXPECT_EQ(order_cycles("OMP", targets, backends), backends);
}

TEST(OrderCycles, TheBalancedOrderGivesEveryBackendATimeOfItsOwn) {
  // B times of M + 1 cycles, of which a backend's own M are references.
  for (const std::uint32_t backends : {4U, 8U, 16U})
    for (const std::uint32_t targets : {1U, 7U})
      EXPECT_EQ(order_cycles("OMB", targets, backends), backends * (targets + 1) - targets);
}

TEST(OrderCycles, TheLogarithmicOrderHasAWaveALevel) {
  // And the slot in which it goes on.
  for (const std::uint32_t backends : {4U, 8U, 16U})
    EXPECT_EQ(order_cycles("OML", 1, backends), 2U * (std::bit_width(backends) - 1));
}

}  // namespace
}  // namespace raddle::machine::tpa
