// One word of the processor in the making: an operation of the vector half (red, green, blue) and
// one of the scalar half (alpha), or one operation that takes both. The halves share three sources,
// each a pair of a register for r, g, b and one for a.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "lang/cg/words/lir.h"

namespace raddle::cg {

// Where the numbers of a register lie. Before registers have their channels it is only known
// whether that is the alpha channel; the others then stand for red, green or blue.
struct Placement {
  std::uint32_t number = 0;               // the register
  std::array<std::uint8_t, 4> channel{};  // of each component
};

// A half's work: which lanes of the operation it computes.
struct HalfOp {
  const LirOp* op = nullptr;
  std::array<std::uint8_t, 4> lanes{};
  std::uint8_t count = 0;
};

struct Bundle {
  std::optional<HalfOp> vector;
  std::optional<HalfOp> scalar;
  const LirOp* tex = nullptr;  // then neither of them
};

// Where a lane of an operand is read: a source and a channel, or a number that needs none.
struct ReadLane {
  bool is_register = false;
  LirPlace place;
  std::uint8_t channel = 0;
  Lane lane = Lane::kZero;
};

// An operand of one half: up to three lanes (four for the whole of a dot product).
struct HalfOperand {
  std::vector<ReadLane> lanes;
  Before before = Before::kNothing;
  std::optional<LirPlace> vector_place, scalar_place;    // what its lanes read
  std::optional<LirPlace> vector_second, scalar_second;  // with `before`
};

struct Sources {
  std::array<std::optional<LirPlace>, 3> vector;
  std::array<std::optional<LirPlace>, 3> scalar;
  // The source of each operand: vector A, B, C, then scalar A, B, C. 3: the sum or difference.
  std::array<std::uint8_t, 6> select{};
  std::optional<Before> vector_before, scalar_before;
};

// Of every register, by its index.
using PlacementOf = std::vector<Placement>;

// The operands of both halves with the lanes they read: vector A, B, C, then scalar A, B, C.
struct BundleOperands {
  std::array<HalfOperand, 6> operands;
};
BundleOperands operands_of(const Bundle& bundle, const PlacementOf& placements);

// A choice of sources that serves all operands, if there is one.
std::optional<Sources> choose_sources(const BundleOperands& operands);

}  // namespace raddle::cg
