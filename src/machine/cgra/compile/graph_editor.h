// Adds nodes to the graph of a piece that only pass tokens on.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "machine/cgra/compile/graph_builder.h"

namespace raddle::machine::cgra {

class GraphEditor {
 public:
  GraphEditor(PieceGraph& piece, const GraphOptions& options) : piece_(piece), options_(options) {}

  // A node without inputs on a control unit, for what `like` does.
  std::uint32_t new_control(std::uint32_t like, NodeKind kind, std::string label);
  // The token of `producer` after so many buffers; consumers share them.
  std::uint32_t buffered(std::uint32_t producer, std::int32_t stages);
  // Inputs come from earlier nodes, but for what closes a recurrence.
  void renumber();

 private:
  PieceGraph& piece_;
  const GraphOptions& options_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> buffers_;  // by producer
};

}  // namespace raddle::machine::cgra
