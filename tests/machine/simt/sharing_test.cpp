// Which multiprocessors share what with whom, and what is refused.
#include "machine/simt/sharing.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "machine/kernel_machine.h"
#include "machine/simt/occupancy.h"

namespace raddle::machine::simt {
namespace {

GpuParameters gtx580(const std::vector<std::string>& settings = {}) {
  ParameterTable table = load_parameters("gtx580");
  for (const std::string& setting : settings) table.set(setting);
  return GpuParameters(table);
}
CoreParameters active(SharingMode mode, const std::vector<std::string>& settings = {}) {
  const GpuParameters gpu = gtx580(settings);
  return borrowing(gpu.core, mode, gpu.sharing);
}
Error refusal(const std::vector<std::string>& settings) {
  try {
    gtx580(settings);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "was not refused";
  return Error("");
}

TEST(SharingPlan, MakesPairsWhoseSecondLendsBothBanksToTheFirst) {
  const SharingPlan plan = plan_sharing(SharingMode::kOcc, 5);
  using enum CoreRole;
  EXPECT_EQ(plan.roles, (std::vector{kActive, kInactive, kActive, kInactive, kAlone}));
  EXPECT_EQ(plan.lent, (std::vector<LentBank>{{1, 0, 0}, {1, 1, 0}, {3, 0, 2}, {3, 1, 2}}));
}

TEST(SharingPlan, MakesTriosWhoseMiddleLendsABankToEachNeighbour) {
  const SharingPlan plan = plan_sharing(SharingMode::kBal, 16);
  EXPECT_EQ(plan.count(CoreRole::kActive), 10U);
  EXPECT_EQ(plan.count(CoreRole::kInactive), 5U);
  EXPECT_EQ(plan.roles.back(), CoreRole::kAlone);
  EXPECT_EQ(plan.lent[0], (LentBank{1, 0, 0}));
  EXPECT_EQ(plan.lent[1], (LentBank{1, 1, 2}));
}

TEST(SharingPlan, HalfSendsEverySecondToSleepAndLendsNothing) {
  const SharingPlan plan = plan_sharing(SharingMode::kHalf, 16);
  EXPECT_EQ(plan.count_awake(), 8U);
  EXPECT_TRUE(plan.lent.empty());
}

TEST(SharingPlan, SeesABankThatTwoWouldUse) {
  SharingPlan plan = plan_sharing(SharingMode::kBal, 6);
  ASSERT_TRUE(banks_are_exclusive(plan));
  plan.lent[1].bank = 0;
  EXPECT_FALSE(banks_are_exclusive(plan));
}

TEST(SharingPlan, SeesALenderThatIsAwake) {
  SharingPlan plan = plan_sharing(SharingMode::kOcc, 4);
  plan.roles[1] = CoreRole::kActive;
  EXPECT_FALSE(banks_are_exclusive(plan));
}

TEST(SharingPlan, GivesActiveMultiprocessorsTheBanksThatTheyUse) {
  for (std::size_t m = 0; m < kSharingModes.size(); ++m) {
    const auto mode = static_cast<SharingMode>(m);
    const SharingPlan plan = plan_sharing(mode, 16);
    EXPECT_TRUE(banks_are_exclusive(plan));
    for (std::uint32_t sm = 0; sm < 16; ++sm) {
      const std::uint32_t used = plan.roles[sm] == CoreRole::kActive ? active(mode).lent.banks : 0;
      EXPECT_EQ(plan.banks_of(sm), used) << kSharingModes[m] << " " << sm;
    }
  }
}

TEST(Borrowing, OccDoublesContextsAndMemoryButNotBlocks) {
  const CoreParameters core = active(SharingMode::kOcc);
  EXPECT_EQ(core.warps, 96U);
  EXPECT_EQ(core.threads, 3072U);
  EXPECT_EQ(core.blocks, 8U);
  EXPECT_EQ(core.registers + core.lent.registers, 65536U);
  EXPECT_EQ(core.lent.register_banks, 16U);
  EXPECT_EQ(core.shared_bytes, ShortBytes(98304));
  EXPECT_EQ(core.lent.l1.bytes, Bytes(16384));
  EXPECT_EQ(core.warp_lanes, 32U);
}

TEST(Borrowing, BalAddsHalfOfEach) {
  const CoreParameters core = active(SharingMode::kBal);
  EXPECT_EQ(core.warps, 72U);
  EXPECT_EQ(core.threads, 2304U);
  EXPECT_EQ(core.lent.registers, 16384U);
  EXPECT_EQ(core.lent.register_banks, 8U);
  EXPECT_EQ(core.lent.sp_collectors, 3U);
  EXPECT_EQ(core.shared_bytes, ShortBytes(73728));
  EXPECT_EQ(core.lent.l1.bytes, Bytes(8192));
}

TEST(Borrowing, BigSmWidensWarpsAndBigSmOccAddsContexts) {
  const CoreParameters wide = active(SharingMode::kBigSm);
  EXPECT_EQ(wide.warp_lanes, 64U);
  EXPECT_EQ(wide.warps, 48U);
  EXPECT_EQ(wide.threads, 3072U);
  EXPECT_EQ(wide.lent.registers, 0U);  // mirrored, not added
  const CoreParameters both = active(SharingMode::kBigSmOcc);
  EXPECT_EQ(both.warps, 96U);
  EXPECT_EQ(both.threads, 6144U);
  EXPECT_EQ(both.blocks, 8U);
}

TEST(Borrowing, HalfChangesNothing) {
  const CoreParameters core = active(SharingMode::kHalf);
  EXPECT_FALSE(core.borrows());
  EXPECT_EQ(core.l1_latency, gtx580().core.l1_latency);
}

TEST(Borrowing, PartsAreSwitchedOffOneByOne) {
  EXPECT_EQ(active(SharingMode::kOcc, {"sharing.lends.contexts=false"}).warps, 48U);
  EXPECT_EQ(active(SharingMode::kOcc, {"sharing.lends.registers=false"}).lent.registers, 0U);
  EXPECT_EQ(active(SharingMode::kOcc, {"sharing.lends.shared=false"}).shared_bytes,
            ShortBytes(49152));
  EXPECT_EQ(active(SharingMode::kOcc, {"sharing.lends.l1=false"}).lent.l1_halves, 0U);
  const CoreParameters divided = active(SharingMode::kOcc, {"sharing.lends.mshrs=false"});
  EXPECT_EQ(divided.l1.mshrs + divided.lent.l1.mshrs, 64U);
}

// Sharing paper §V-B2: lent registers serve the additional warps alone.
TEST(LentRegisters, GoToWarpsInLentContextsAlone) {
  const CoreParameters core = active(SharingMode::kOcc);
  const BlockNeeds block =
      block_needs(512, 63, ShortBytes(0), core);  // 16 warps, the whole register file
  CoreUse use;
  EXPECT_EQ(use.add(block, core).lent_warps, 0U);
  ASSERT_TRUE(use.has_room(block, core));
  EXPECT_EQ(use.add(block, core).lent_warps, 16U);
  EXPECT_FALSE(use.has_room(block, core));
}

TEST(LentRegisters, LetABlockStraddleOwnAndLentContexts) {
  const CoreParameters core = active(SharingMode::kOcc);
  const BlockNeeds block =
      block_needs(320, 63, ShortBytes(0), core);  // 10 warps of 2048: 16 fit on a side
  CoreUse use;
  EXPECT_EQ(use.add(block, core).lent_warps, 0U);
  EXPECT_EQ(use.add(block, core).lent_warps, 4U);
  EXPECT_EQ(use.add(block, core).lent_warps, 10U);
  EXPECT_FALSE(use.has_room(block, core));
  const CoreParameters whole = active(SharingMode::kOcc, {"sharing.blocks_straddle=false"});
  EXPECT_EQ(occupancy_limit(block, core).blocks, 3U);
  EXPECT_EQ(occupancy_limit(block, whole).blocks, 2U);
}

TEST(LentRegisters, ComeBackWhenABlockEnds) {
  const CoreParameters core = active(SharingMode::kBal);
  const BlockNeeds block =
      block_needs(256, 63, ShortBytes(0), core);  // 8 warps: two own blocks, one lent
  CoreUse use;
  use.add(block, core);
  const BlockPlace second = use.add(block, core);
  const BlockPlace lent = use.add(block, core);
  EXPECT_EQ(lent.lent_warps, 8U);
  EXPECT_FALSE(use.has_room(block, core));
  use.remove(second);
  EXPECT_EQ(use.add(block, core).lent_warps, 0U);
  use.remove(lent);
  EXPECT_EQ(use.add(block, core).lent_warps, 8U);
}

TEST(LentRegisters, MirroredOnesHoldTwiceTheThreads) {
  const CoreParameters core = active(SharingMode::kBigSm);
  const BlockNeeds block = block_needs(512, 63, ShortBytes(0), core);
  EXPECT_EQ(block.warps, 8U);
  EXPECT_EQ(occupancy_limit(block, core).blocks, 2U);
}

TEST(LentSharedMemory, LiesAboveTheOwn) {
  const CoreParameters core = active(SharingMode::kOcc);
  const BlockNeeds block = block_needs(64, 10, ShortBytes(40960), core);
  CoreUse use;
  const BlockPlace first = use.add(block, core);
  EXPECT_EQ(first.shared_base, ShortBytes(0));
  EXPECT_EQ(use.add(block, core).shared_base, ShortBytes(40960));
  EXPECT_FALSE(use.has_room(block, core));
  use.remove(first);
  EXPECT_EQ(use.add(block, core).shared_base, ShortBytes(0));
}

TEST(SharingRefusals, OneMultiprocessorHasNoNeighbour) {
  const Error error = refusal({"device.cores=1", "sharing=occ"});
  EXPECT_EQ(error.what(),
            std::string("'occ' takes groups of 2 neighbouring SMs, and gtx580 has 1"));
  EXPECT_EQ(error.hint(), "--set device.cores=2 or more, or --set sharing=baseline");
}

TEST(SharingRefusals, TwoMultiprocessorsMakeNoTrio) {
  const Error error = refusal({"device.cores=2", "sharing.kernel.k=bal"});
  EXPECT_EQ(error.what(),
            std::string("'bal' takes groups of 3 neighbouring SMs, and gtx580 has 2"));
  EXPECT_EQ(error.where(), "sharing.kernel.k");
}

TEST(SharingRefusals, UnknownModesAndPartsAreNamed) {
  EXPECT_EQ(refusal({"sharing=bigms"}).what(),
            std::string("parameter 'sharing.mode' is 'bigms', which is not a sharing mode"));
  EXPECT_NE(refusal({"sharing=bigms"}).hint().find("bigsm"), std::string::npos);
  EXPECT_EQ(refusal({"sharing.off.occ=simd l3"}).what(),
            std::string("parameter 'sharing.off.occ' names 'l3', which is not a part of an SM"));
}

TEST(SharingRefusals, MoreWarpsThanTheSchedulersCanHold) {
  EXPECT_EQ(refusal({"sharing=occ", "core.schedulers=1"}).what(),
            std::string("'occ' makes 96 warps on an SM, 96 of a scheduler; at most 128 and 64 are "
                        "possible"));
  EXPECT_EQ(refusal({"sharing=occ", "operands.banks=64"}).what(),
            std::string("'occ' makes 128 register banks; at most 64 are possible"));
}

TEST(SharingRefusals, PartsThatAreLentAreNotSwitchedOff) {
  const Error registers = refusal({"sharing=occ", "sharing.off.occ=simd registers"});
  EXPECT_EQ(registers.full_text(),
            "sharing.off.occ: 'registers' is switched off in SMs that lend it\n"
            "hint: leave it out, or --set sharing.lends.registers=false");
  EXPECT_EQ(refusal({"sharing=bigsm", "sharing.off.bigsm=simd"}).full_text(),
            "sharing.off.bigsm: 'simd' is switched off in SMs that lend it\n"
            "hint: leave it out: 'bigsm' needs it");
  EXPECT_NO_THROW(
      gtx580({"sharing=occ", "sharing.off.occ=registers", "sharing.lends.registers=false"}));
  // What no launch uses is not looked at.
  EXPECT_NO_THROW(gtx580({"sharing=bal", "sharing.off.occ=registers"}));
}

TEST(SharingModeOf, KernelsAreCalledByTheirPlainNames) {
  const SharingParameters sharing = gtx580({"sharing=occ", "sharing.kernel.step=bigsm"}).sharing;
  EXPECT_EQ(mode_of(sharing, "step(float*, int)"), SharingMode::kBigSm);
  EXPECT_EQ(mode_of(sharing, "void solver::step<float, 4>(float*)"), SharingMode::kBigSm);
  EXPECT_EQ(mode_of(sharing, "step"), SharingMode::kBigSm);
  EXPECT_EQ(mode_of(sharing, "(anonymous namespace)::step(float*)"), SharingMode::kBigSm);
  EXPECT_EQ(mode_of(sharing, "step2(float*)"), SharingMode::kOcc);
}

TEST(SharingArea, FollowsFromTheSizeOfAMultiprocessor) {
  const SharingArea area = sharing_area(gtx580());
  EXPECT_NEAR(area.side_mm, 3.6, 0.01);
  EXPECT_NEAR(area.wire_ns, 0.73, 0.005);
  EXPECT_NEAR(area.boundary_wire_ns, 0.315, 0.005);
  EXPECT_EQ(area.stages, Cycle(1));
  EXPECT_NEAR(area.wiring_mm2, 4.71, 0.01);
  EXPECT_NEAR(area.wiring_percent, 7.24, 0.02);
  EXPECT_NEAR(area.issue_mm2, 0.064, 0.0001);
  EXPECT_NEAR(area.buffers_mm2, 0.0887, 0.0001);
  EXPECT_NEAR(area.percent, area.wiring_percent + 16 * (0.064 + 0.0887) / 5.2, 0.001);
  // Boundary buffers two cycles away need another stage.
  EXPECT_EQ(sharing_area(gtx580({"clock.core_hz=4e9"})).stages, Cycle(2));
}

}  // namespace
}  // namespace raddle::machine::simt
