#include "machine/cgra/compile/joint_units.h"

#include <gtest/gtest.h>

#include "machine/cgra/fabric_machine.h"
#include "machine/cgra/piece_stand.h"

namespace raddle::machine::cgra {
namespace {

constexpr UnitBudget kUnits{32, 32, 12, 32, 16, 16};

GraphOptions options() {
  GraphOptions options;
  options.latencies.double_interval = Cycle(8);
  return options;
}

// So many double-precision products one after the other; each thread makes many accesses, so that
// few copies fit.
PieceGraph products(int count, int accesses) {
  std::string body = "e:\n  %a = ld.global.f64 [%x]\n  %b = mov.b64 %a\n";
  for (int i = 0; i < count; ++i) body += "  %b = mul.f64 %b, %a\n";
  for (int i = 1; i < accesses; ++i) body += "  st.global.f64 [%x], %b\n";
  const PieceStand stand(body + "  ret\n");
  return stand.graph(stand.whole(), options());
}

std::uint32_t fpus(const PieceGraph& piece) {
  return piece.graph.units_needed()[static_cast<std::size_t>(UnitClass::kFpu)];
}

TEST(JointUnits, UnitsThatNoCopyNeedsShareAnOperation) {
  PieceGraph piece = products(2, 12);  // two copies by its accesses, so 16 FPUs for each
  ASSERT_EQ(fpus(piece), 2U);
  EXPECT_EQ(threads_a_cycle(piece, options(), kUnits), 2.0 / 8);
  join_units(piece, options(), kUnits);
  EXPECT_EQ(fpus(piece), 16U);
  EXPECT_EQ(longest_interval(piece.graph), Cycle(1));
  EXPECT_GT(threads_a_cycle(piece, options(), kUnits), 1.0);
}

// Each part gets the operands and hands its own result to the one that puts them together.
TEST(JointUnits, PartsGetTheOperandsAndSendTheirResults) {
  PieceGraph piece = products(8, 12);
  join_units(piece, options(), kUnits);
  EXPECT_EQ(fpus(piece), 16U) << "two for each product";
  EXPECT_EQ(longest_interval(piece.graph), Cycle(4));
  const Node& product = piece.graph.nodes[node_of(piece.graph, "mul.f64")];
  const Node& part = piece.graph.nodes[node_of(piece.graph, "part of mul.f64")];
  ASSERT_EQ(product.inputs.size(), part.inputs.size() + 1);
  for (std::size_t i = 0; i < part.inputs.size(); ++i) EXPECT_EQ(product.inputs[i], part.inputs[i]);
  EXPECT_EQ(piece.graph.nodes[product.inputs.back().from].label, "part of mul.f64");
  EXPECT_EQ(product.unit_cycles, Cycle(8));
}

TEST(JointUnits, CopiesComeFirstWhereTheyLetAsManyThreadsThrough) {
  PieceGraph piece = products(2, 2);  // 16 copies by its products and accesses
  join_units(piece, options(), kUnits);
  EXPECT_EQ(fpus(piece), 2U);
  EXPECT_EQ(copies_within(piece.graph.units_needed(), kUnits), 16U);
}

TEST(JointUnits, OneUnitIsAllThatAnOperationGetsIfParametersSaySo) {
  PieceGraph piece = products(2, 12);
  GraphOptions alone = options();
  alone.joint_units = 1;
  join_units(piece, alone, kUnits);
  EXPECT_EQ(fpus(piece), 2U);
}

TEST(JointUnits, SinglePrecisionStaysOnItsUnits) {
  const PieceStand stand(
      "e:\n  %a = ld.global.f32 [%x]\n  %a = mul.f32 %a, %a\n  st.global.f32 [%x], %a\n  ret\n");
  PieceGraph piece = stand.graph(stand.whole(), options());
  join_units(piece, options(), kUnits);
  EXPECT_EQ(fpus(piece), 1U);
}

// y = ((x * x + x) * x …) with control work that lets one copy in.
std::string doubles_kernel() {
  std::string body = ".reg .f64 %d<4>;\n  cvt.rn.f64.u32 %d1, %r3;\n  mov.f64 %d2, %d1;\n";
  for (int i = 0; i < 6; ++i) body += "  fma.rn.f64 %d2, %d2, 0d3FE0000000000000, %d1;\n";
  body += "  cvt.rn.f32.f64 %f1, %d2;\n  mov.b32 %r10, %f1;\n";
  for (int i = 0; i < 10; ++i)
    body +=
        "  xor.b32 %r10, %r10, %r" + std::to_string(2 + i % 2) + ";\n  add.u32 %r10, %r10, 3;\n";
  return kernel_of(body + "  st.global.u32 [%rd2], %r10;\n");
}

TEST(JointUnits, ALaunchTakesLessTimeAndGivesTheSameValues) {
  FabricMachine alone(doubles_kernel(), {"compiler.joint_units=1"});
  FabricMachine joint(doubles_kernel());
  const LaunchResult slow = alone.run_k(16, 256, 0, 4096);
  const LaunchResult fast = joint.run_k(16, 256, 0, 4096);
  EXPECT_EQ(joint.words(4096), alone.words(4096));
  EXPECT_LT(11 * fast.cycles, 10 * slow.cycles);
  expect_as_ref(doubles_kernel(), 2, 256);
}

}  // namespace
}  // namespace raddle::machine::cgra
