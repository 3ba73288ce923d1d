// From a piece's code to its dataflow graph: one node for what takes a unit, one edge for what goes
// from one to another. Constants and values that are the same for all threads are configuration and
// have no edges; copies of registers are wires.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "machine/cgra/compile/dataflow_graph.h"
#include "machine/cgra/compile/piece_code.h"
#include "machine/cgra/compile/unit_table.h"

namespace raddle::machine::cgra {

// The graph of a piece, and which of its instructions the numbers in it stand for.
struct PieceGraph {
  DataflowGraph graph;
  std::vector<std::uint32_t> access_code;   // by access: index into PieceCode::code, or kNoCode
  std::vector<std::uint32_t> receive_code;  // by receive; kNoCode: from the turn before
  std::vector<std::uint32_t> node_code;     // by node; kNoCode: of none
  std::vector<std::uint32_t> uniform_code;  // what the injector computes
  bool descending = false;                  // threads are injected from the last to the first
};
inline constexpr std::uint32_t kNoCode = 0xffffffffu;

struct GraphOptions {
  UnitLatencies latencies;
  std::array<std::uint32_t, 3> block{1, 1, 1};  // threads of a block by dimension
  std::uint32_t token_buffer = 16;
  std::uint32_t joint_units = 8;  // on one operation at most (joint_units.h)
  // What the compiler reckons with: accesses that hit and that miss, and a token's way
  // to the next unit.
  Cycle memory_latency{8};
  Cycle miss_latency{500};
  Cycle route_latency{3};
};

// Elevators are single nodes with any shift: temporal_edges.h makes them fit.
PieceGraph build_graph(const kernel::Function& function, const PieceCode& piece,
                       const GraphOptions& options);

// By how many places in the block the sender of a receive comes after the receiver.
std::int32_t linear_distance(const kernel::InterThread& inter_thread,
                             const std::array<std::uint32_t, 3>& block);

}  // namespace raddle::machine::cgra
