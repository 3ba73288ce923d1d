#include "machine/cgra/figures/bound_figures.h"

#include <gtest/gtest.h>

#include <map>

#include "machine/cgra/fabric_machine.h"

namespace raddle::machine::cgra {
namespace {

Node node_of(NodeKind kind, UnitClass unit, Cycle interval = Cycle(1)) {
  Node node;
  node.kind = kind;
  node.unit = unit;
  node.interval = node.unit_cycles = interval;
  return node;
}

// One node for each instruction; each gives a register, or none.
Piece piece_of(std::vector<Node> nodes) {
  Piece piece;
  for (std::uint32_t n = 0; n < nodes.size(); ++n) piece.graph.node_code.push_back(n);
  piece.graph.graph.nodes = std::move(nodes);
  return piece;
}
kernel::Block code_giving(const std::vector<int>& registers) {
  kernel::Block block;
  for (const int value : registers) {
    kernel::Instruction i;
    i.destinations = {value < 0 ? kernel::Operand::none()
                                : kernel::Operand::reg(static_cast<kernel::RegisterId>(value))};
    block.instructions.push_back(std::move(i));
  }
  return block;
}

std::map<std::string, double> figures(const FabricKernel& kernel,
                                      const std::vector<FabricNodeCounts>& nodes) {
  FabricParameters fabric;
  fabric.units = {4, 2, 1, 4, 2, 2};
  fabric.cores = 2;
  const FabricLaunch launch = bound_figures(kernel, nodes, fabric);
  std::map<std::string, double> found{{"cycles", launch.bound_cycles}};
  for (const Share& bound : launch.bounds) found[bound.name] = bound.value;
  return found;
}

TEST(BoundFigures, AreOperationsOverUnitsOfTheirClass) {
  Node passes_on = node_of(NodeKind::kElevator, UnitClass::kControl);
  passes_on.delivers = false;
  FabricKernel kernel;
  kernel.pieces = {piece_of({node_of(NodeKind::kCompute, UnitClass::kAlu),
                             node_of(NodeKind::kCompute, UnitClass::kFpu, Cycle(8)),
                             node_of(NodeKind::kMemory, UnitClass::kLoadStore),
                             node_of(NodeKind::kElevator, UnitClass::kControl), passes_on,
                             node_of(NodeKind::kLiveIn, UnitClass::kLoadStore),
                             node_of(NodeKind::kLiveIn, UnitClass::kLoadStore),
                             node_of(NodeKind::kLiveOut, UnitClass::kLoadStore)})};
  kernel.pieces[0].far_receives = {6};
  kernel.function.blocks = {code_giving({0, 1, -1, 2, 3, 4, 5, -1})};
  const auto found = figures(kernel, {{{80, 10, 40, 24, 99, 99, 8, 99}, {}}});
  EXPECT_EQ(found.at("alu"), 10);
  EXPECT_EQ(found.at("fpu"), 20) << "a double-precision operation takes a unit 8 cycles";
  EXPECT_EQ(found.at("special"), 0);
  EXPECT_EQ(found.at("load_store"), 6) << "the access and what comes from another thread";
  EXPECT_EQ(found.at("control"), 6) << "not the elevator that only passes on";
  EXPECT_EQ(found.at("cycles"), 20);
}

TEST(BoundFigures, CountWhatSeveralPiecesComputeOnce) {
  FabricKernel kernel;
  kernel.pieces = {piece_of({node_of(NodeKind::kCompute, UnitClass::kAlu)}),
                   piece_of({node_of(NodeKind::kCompute, UnitClass::kAlu),
                             node_of(NodeKind::kCompute, UnitClass::kAlu)})};
  kernel.function.blocks = {code_giving({3}), code_giving({3, 4})};
  EXPECT_EQ(figures(kernel, {{{16}, {}}, {{64, 64}, {}}}).at("alu"), 10);
}

// An adder of 4 cycles and an elevator of 1, with a link from each to the other.
TEST(BoundFigures, ThreadsFollowEachOtherAsFastAsARecurrenceComesRound) {
  Node source = node_of(NodeKind::kSource, UnitClass::kPort);
  Node adder = node_of(NodeKind::kCompute, UnitClass::kFpu);
  Node elevator = node_of(NodeKind::kElevator, UnitClass::kControl);
  adder.latency = Cycle(4);
  for (const std::int32_t shift : {1, 2}) {
    elevator.inputs = {{.from = 2, .control = false, .shift = shift}, {.from = 0, .control = true}};
    adder.inputs = {{.from = 1}};
    FabricKernel kernel;
    kernel.pieces = {piece_of({source, elevator, adder})};
    kernel.pieces[0].graph.graph.whole_blocks = true;
    kernel.pieces[0].graph.graph.most_copies = 5;
    kernel.function.blocks = {code_giving({-1, 0, 1})};
    const auto found = figures(kernel, {{{100, 100, 100}, {}}});
    EXPECT_NEAR(found.at("recurrence"), 100 * 7.0 / shift / 5 / 2, 1e-3) << "in two cores";
    EXPECT_EQ(found.at("cycles"), found.at("recurrence"));
  }
}

TEST(BoundFigures, NoLaunchIsFasterThanItsBound) {
  FabricMachine machine(kernel_of(R"(
  xor.b32 %r10, %r3, 5;
  xor.b32 %r11, %r10, %r2;
  and.b32 %r11, %r11, %r3;
  st.global.u32 [%rd2], %r11;
)"));
  const LaunchResult result = machine.run_k(40, 256, 0, 16384);
  ASSERT_TRUE(result.fabric);
  const double bound = result.fabric->bound_cycles;
  EXPECT_EQ(bound, 3.0 * 40 * 256 / 16) << "three bitwise operations on 16 control units";
  EXPECT_GE(static_cast<double>(result.cycles), bound);
  EXPECT_LT(static_cast<double>(result.cycles), 2 * bound);
}

}  // namespace
}  // namespace raddle::machine::cgra
