#include "machine/cgra/figures/channel_figures.h"

#include <gtest/gtest.h>

#include <map>

namespace raddle::machine::cgra {
namespace {

Node elevator(std::int32_t shift, bool delivers) {
  Node node;
  node.kind = NodeKind::kElevator;
  node.inputs = {{.from = 0, .control = false, .shift = shift}};
  node.delivers = delivers;
  return node;
}

Node of_kind(NodeKind kind) {
  Node node;
  node.kind = kind;
  return node;
}

std::map<std::string, double> figures(const Piece& piece, std::vector<std::uint64_t> firings) {
  FabricKernel kernel;
  kernel.pieces = {piece};
  std::map<std::string, double> found;
  for (const sim::StatValue& stat : channel_figures(kernel, {{std::move(firings), {}}})) {
    EXPECT_EQ(stat.component, "channels");
    found[stat.name] = stat.value;
  }
  return found;
}

TEST(ChannelFigures, TellByWhatMeansValuesCame) {
  Piece piece;
  piece.graph.graph.nodes = {of_kind(NodeKind::kSource),
                             elevator(16, false),
                             elevator(-2, true),
                             elevator(0, false),
                             of_kind(NodeKind::kReceiveLoad),
                             of_kind(NodeKind::kLiveIn),
                             of_kind(NodeKind::kLiveIn)};
  piece.graph.node_code = {kNoCode, kNoCode, 3, kNoCode, 4, 5, kNoCode};
  piece.far_receives = {5};
  const auto found = figures(piece, {100, 90, 80, 70, 60, 50, 40});
  EXPECT_EQ(found.at("elevators"), 2);
  EXPECT_EQ(found.at("buffers"), 1);
  EXPECT_EQ(found.at("longest_shift"), 16);
  EXPECT_EQ(found.at("shortest_shift"), 2);
  EXPECT_EQ(found.at("by_elevators"), 80);  // not what only passes on
  EXPECT_EQ(found.at("by_load_units"), 60);
  EXPECT_EQ(found.at("by_live_values"), 50);  // not values of the thread itself
}

TEST(ChannelFigures, AreLeftOutWhereThreadsReceiveNothing) {
  Piece piece;
  piece.graph.graph.nodes = {of_kind(NodeKind::kSource), of_kind(NodeKind::kLiveIn)};
  piece.graph.node_code = {kNoCode, kNoCode};
  EXPECT_TRUE(figures(piece, {10, 10}).empty());
}

}  // namespace
}  // namespace raddle::machine::cgra
