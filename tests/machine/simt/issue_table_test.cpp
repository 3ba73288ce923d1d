// What the pipeline knows of instructions: unit, timing, path to memory, scoreboard entries.
#include "machine/simt/issue_table.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "machine/simt/kernel_stand.h"

namespace raddle::machine::simt {
namespace {

using kernel::Opcode;

// A kernel with one buffer, %rd1, and these instructions.
std::string kernel_of(std::string_view body, std::string_view before = "") {
  return std::string(before) + R"(
.visible .entry k(.param .u64 buffer) {
  .reg .pred %p<4>; .reg .b32 %r<16>; .reg .f32 %f<8>; .reg .b64 %rd<8>; .reg .f64 %d<8>;
  .shared .align 4 .b8 tile[1024];
  ld.param.u64 %rd1, [buffer];
  mov.u32 %r1, %tid.x;
)" + std::string(body) +
         "  ret;\n}\n";
}

struct Timing {
  Unit unit;
  std::uint32_t latency, interval;
  bool operator==(const Timing&) const = default;
};
Timing timing(std::string_view line, Opcode opcode) {
  const KernelStand stand(kernel_of(line));
  const IssueInfo& info = stand.info(opcode);
  return {info.unit, info.latency.count(), info.interval.count()};
}

TEST(IssueTable, KnowsUnitLatencyAndIntervalOfEachKindOfOperation) {
  EXPECT_EQ(timing("add.u32 %r2, %r1, %r1;", Opcode::kAdd), (Timing{Unit::kSp, 4, 1}));
  EXPECT_EQ(timing("max.s32 %r2, %r1, 7;", Opcode::kMax), (Timing{Unit::kSp, 13, 2}));
  EXPECT_EQ(timing("mul.lo.u32 %r2, %r1, %r1;", Opcode::kMul), (Timing{Unit::kSp, 4, 2}));
  EXPECT_EQ(timing("mad.lo.u32 %r2, %r1, %r1, %r1;", Opcode::kMad), (Timing{Unit::kSp, 5, 1}));
  EXPECT_EQ(timing("div.u32 %r2, %r1, %r1;", Opcode::kDiv), (Timing{Unit::kSfu, 145, 8}));
  EXPECT_EQ(timing("add.f32 %f1, %f2, %f3;", Opcode::kAdd), (Timing{Unit::kSp, 4, 1}));
  EXPECT_EQ(timing("min.f32 %f1, %f2, %f3;", Opcode::kMin), (Timing{Unit::kSp, 13, 2}));
  EXPECT_EQ(timing("fma.rn.f32 %f1, %f2, %f3, %f1;", Opcode::kFma), (Timing{Unit::kSp, 5, 1}));
  EXPECT_EQ(timing("div.rn.f32 %f1, %f2, %f3;", Opcode::kDiv), (Timing{Unit::kSfu, 39, 4}));
  EXPECT_EQ(timing("add.f64 %d1, %d2, %d3;", Opcode::kAdd), (Timing{Unit::kSfu, 8, 8}));
  EXPECT_EQ(timing("fma.rn.f64 %d1, %d2, %d3, %d1;", Opcode::kFma), (Timing{Unit::kSfu, 8, 8}));
  EXPECT_EQ(timing("div.rn.f64 %d1, %d2, %d3;", Opcode::kDiv), (Timing{Unit::kSfu, 330, 130}));
  EXPECT_EQ(timing("cvt.rn.f32.f64 %f1, %d2;", Opcode::kCvt), (Timing{Unit::kSfu, 8, 8}));
  EXPECT_EQ(timing("sin.approx.f32 %f1, %f2;", Opcode::kSin), (Timing{Unit::kSfu, 39, 4}));
  EXPECT_EQ(timing("sqrt.rn.f64 %d1, %d2;", Opcode::kSqrt), (Timing{Unit::kSfu, 330, 130}));
  EXPECT_EQ(timing("shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;", Opcode::kShfl),
            (Timing{Unit::kSp, 32, 4}));
}

MemoryPath path(std::string_view line, Opcode opcode, int number = 0) {
  const KernelStand stand(kernel_of(line));
  const IssueInfo& info = stand.info(opcode, number);
  EXPECT_EQ(info.unit == Unit::kMemory, info.path != MemoryPath::kNone);
  return info.path;
}

TEST(IssueTable, KnowsTheWayToMemory) {
  EXPECT_EQ(path("", Opcode::kLd), MemoryPath::kConstant) << "a parameter of the kernel";
  EXPECT_EQ(path("ld.global.u32 %r2, [%rd1];", Opcode::kLd, 1), MemoryPath::kData);
  EXPECT_EQ(path("ld.u32 %r2, [%rd1];", Opcode::kLd, 1), MemoryPath::kData);
  EXPECT_EQ(path("st.shared.u32 [tile], %r1;", Opcode::kSt), MemoryPath::kShared);
  EXPECT_EQ(path("atom.global.add.u32 %r2, [%rd1], 1;", Opcode::kAtom), MemoryPath::kData);
  EXPECT_EQ(path("atom.shared.add.u32 %r2, [tile], 1;", Opcode::kAtom), MemoryPath::kShared);
  EXPECT_EQ(path("membar.gl;", Opcode::kFence), MemoryPath::kNone);
  EXPECT_EQ(path("add.u32 %r2, %r1, 1;", Opcode::kAdd), MemoryPath::kNone);
}

TEST(IssueTable, OrdersWhatOtherMultiprocessorsMustAgreeOn) {
  const KernelStand stand(kernel_of(R"(
  atom.global.add.u32 %r2, [%rd1], 1;
  atom.shared.add.u32 %r3, [tile], 1;
  ld.global.u32 %r4, [%rd1];
  ld.volatile.global.u32 %r5, [%rd1];
  st.global.u32 [%rd1], %r5;
  red.global.add.u32 [%rd1], 1;
)"));
  EXPECT_TRUE(stand.info(Opcode::kAtom, 0).is_ordered);
  EXPECT_FALSE(stand.info(Opcode::kAtom, 1).is_ordered) << "shared memory is its own";
  EXPECT_FALSE(stand.info(Opcode::kLd, 1).is_ordered);
  EXPECT_FALSE(stand.info(Opcode::kSt).is_ordered);
  EXPECT_TRUE(stand.info(Opcode::kAtom, 2).is_ordered);
  EXPECT_TRUE(stand.info(Opcode::kAtom, 2).is_store) << "nobody waits for a result";
  EXPECT_FALSE(stand.info(Opcode::kAtom, 0).is_store);
  EXPECT_FALSE(stand.info(Opcode::kLd, 1).past_l1);
  EXPECT_TRUE(stand.info(Opcode::kLd, 2).past_l1);
  EXPECT_TRUE(stand.info(Opcode::kAtom, 0).past_l1);
}

TEST(IssueTable, OrdersALoadThatPolls) {
  const KernelStand stand(kernel_of(R"(
AGAIN:
  ld.volatile.global.u32 %r2, [%rd1];
  setp.eq.u32 %p1, %r2, 0;
  @%p1 bra AGAIN;
)"));
  EXPECT_TRUE(stand.info(Opcode::kLd, 1).is_ordered);
}

TEST(IssueTable, OrdersCallsOfTheDeviceLibrary) {
  const KernelStand stand(kernel_of(R"(
  { .param .b64 size; .param .b64 place;
    mov.u64 %rd3, 64;
    st.param.b64 [size], %rd3;
    call.uni (place), malloc, (size);
    ld.param.b64 %rd2, [place]; }
)",
                                    ".extern .func (.param .b64 r) malloc(.param .b64 s);\n"));
  EXPECT_TRUE(stand.info(Opcode::kCall).is_ordered);
  EXPECT_EQ(stand.info(Opcode::kLd, 1).path, MemoryPath::kNone) << "a call's result: a register";
}

TEST(IssueTable, KnowsBarriersFencesSleepAndTheEnd) {
  const KernelStand stand(kernel_of("bar.sync 0;\n membar.gl;\n nanosleep.u32 100;\n"));
  EXPECT_TRUE(stand.info(Opcode::kFence).is_fence);
  EXPECT_TRUE(stand.info(Opcode::kNanosleep).sleeps);
  EXPECT_TRUE(stand.info(Opcode::kRet).ends_threads);
  EXPECT_TRUE(stand.info(Opcode::kBar).is_barrier);
}

bool waits_for(const IssueInfo& reader, const IssueInfo& writer) {
  return std::find(reader.uses.begin(), reader.uses.begin() + reader.use_count, writer.writes[0]) !=
         reader.uses.begin() + reader.use_count;
}

TEST(IssueTable, WaitsForSourcesGuardAndWhatItOverwrites) {
  const KernelStand stand(kernel_of(R"(
  add.u32 %r2, %r1, 1;
  mul.lo.u32 %r3, %r2, %r1;
  setp.eq.u32 %p1, %r3, 4;
  @%p1 sub.u32 %r2, %r1, 5;
  st.global.u32 [%rd1], %r2;
  st.global.u32 [%rd1+4], %r3;
)"));
  const IssueInfo& add = stand.info(Opcode::kAdd);
  const IssueInfo& mul = stand.info(Opcode::kMul);
  const IssueInfo& sub = stand.info(Opcode::kSub);
  EXPECT_TRUE(waits_for(mul, add)) << "reads what it writes";
  EXPECT_TRUE(waits_for(stand.info(Opcode::kSetp), mul));
  EXPECT_TRUE(waits_for(sub, stand.info(Opcode::kSetp))) << "its guard";
  EXPECT_TRUE(waits_for(sub, add)) << "overwrites it";
  EXPECT_FALSE(waits_for(add, mul));
  EXPECT_TRUE(waits_for(stand.info(Opcode::kSt, 1), mul));
}

TEST(IssueTable, ReadsARegisterOnceThatIsAnOperandTwice) {
  const KernelStand stand(kernel_of("mad.lo.u32 %r2, %r1, %r1, %r1;\n st.global.u32 [%rd1], %r2;"));
  EXPECT_EQ(stand.info(Opcode::kMad).read_count, 1U);
}

TEST(IssueTable, ReadsBothHalvesOfWideRegistersAndNoPredicates) {
  const KernelStand stand(kernel_of(R"(
  mul.wide.u32 %rd3, %r1, 4;
  add.u64 %rd2, %rd1, %rd3;
  setp.eq.u32 %p1, %r1, 4;
  @%p1 st.global.u32 [%rd2], %r1;
)"));
  const IssueInfo& add = stand.info(Opcode::kAdd);
  ASSERT_EQ(add.read_count, 2U) << "of %rd3; parameters are constants, not in the file";
  EXPECT_EQ(add.read_registers[1], add.read_registers[0] + 1);
  EXPECT_EQ(add.write_bank_count, 2U);
  EXPECT_EQ(stand.info(Opcode::kSt).read_count, 3U) << "an address of two registers, a value";
  EXPECT_EQ(stand.info(Opcode::kSetp).write_bank_count, 0U);
}

}  // namespace
}  // namespace raddle::machine::simt
