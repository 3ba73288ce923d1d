#include "lang/cg/words/bundle.h"

namespace raddle::cg {
namespace {

constexpr std::uint8_t kAlpha = 3;
constexpr std::uint8_t kBeforeSelect = 3;

// The lanes of one operand for one half.
HalfOperand operand_of(const LirOp& op, unsigned source, const std::vector<unsigned>& lanes,
                       const PlacementOf& placements) {
  const LirOperand& operand = op.operands[source];
  HalfOperand result;
  result.before = operand.before;
  const auto channel_of = [&](const LirPlace& place, Lane lane) {
    const auto component = static_cast<std::size_t>(lane);
    return place.kind == LirPlace::Kind::kConstant ? static_cast<std::uint8_t>(component)
                                                   : placements[place.index].channel[component];
  };
  for (const unsigned i : lanes) {
    ReadLane lane;
    lane.lane = operand.lanes[i];
    lane.is_register = is_component(lane.lane);
    if (lane.is_register) {
      lane.place = operand.from;
      lane.channel = channel_of(operand.from, lane.lane);
      const bool is_alpha = lane.channel == kAlpha;
      (is_alpha ? result.scalar_place : result.vector_place) = operand.from;
      if (operand.before >= Before::kDifference)
        (is_alpha ? result.scalar_second : result.vector_second) = operand.second;
    }
    result.lanes.push_back(lane);
  }
  return result;
}

std::vector<unsigned> lanes_of(const HalfOp& half, bool is_vector) {
  std::vector<unsigned> lanes;
  if (half.op->op == IrOp::kDot) {  // the scalar half holds the fourth product
    if (is_vector)
      for (unsigned i = 0; i < std::min<unsigned>(half.op->width, 3); ++i) lanes.push_back(i);
    else if (half.op->width == 4)
      lanes.push_back(3);
    return lanes;
  }
  for (unsigned i = 0; i < half.count; ++i) lanes.push_back(half.lanes[i]);
  return lanes;
}

bool put(std::optional<LirPlace>& slot, const std::optional<LirPlace>& wanted) {
  if (!wanted) return true;
  if (slot && *slot != *wanted) return false;
  slot = wanted;
  return true;
}

bool choose(const BundleOperands& operands, std::size_t next, Sources sources,
            std::optional<Sources>& found) {
  if (next == operands.operands.size()) {
    found = sources;
    return true;
  }
  const HalfOperand& operand = operands.operands[next];
  if (operand.before != Before::kNothing || (!operand.vector_place && !operand.scalar_place)) {
    return choose(operands, next + 1, sources, found);  // settled, or reads no register
  }
  for (std::uint8_t slot = 0; slot < 3; ++slot) {
    Sources tried = sources;
    if (!put(tried.vector[slot], operand.vector_place) ||
        !put(tried.scalar[slot], operand.scalar_place))
      continue;
    tried.select[next] = slot;
    if (choose(operands, next + 1, tried, found)) return true;
  }
  return false;
}

}  // namespace

BundleOperands operands_of(const Bundle& bundle, const PlacementOf& placements) {
  BundleOperands result;
  const auto half = [&](const std::optional<HalfOp>& work, std::size_t first, bool is_vector) {
    if (!work) return;
    const std::vector<unsigned> lanes = lanes_of(*work, is_vector);
    for (unsigned s = 0; s < work->op->operand_count(); ++s)
      result.operands[first + s] = operand_of(*work->op, s, lanes, placements);
  };
  // A function of one number is the scalar half's; the vector half only copies its result.
  const bool copies = bundle.vector && is_scalar_only(bundle.vector->op->op);
  if (!copies) half(bundle.vector, 0, true);
  half(bundle.scalar, 3, false);
  return result;
}

std::optional<Sources> choose_sources(const BundleOperands& operands) {
  Sources start;
  // Sums and differences are of sources 0 and 1.
  for (std::size_t i = 0; i < operands.operands.size(); ++i) {
    const HalfOperand& operand = operands.operands[i];
    if (operand.before == Before::kNothing) continue;
    start.select[i] = kBeforeSelect;
    if (!put(start.vector[0], operand.vector_place) ||
        !put(start.scalar[0], operand.scalar_place) ||
        !put(start.vector[1], operand.vector_second) ||
        !put(start.scalar[1], operand.scalar_second))
      return std::nullopt;
    const auto agree = [&](std::optional<Before>& slot, bool is_used) {
      if (!is_used) return true;
      if (slot && *slot != operand.before) return false;
      slot = operand.before;
      return true;
    };
    if (!agree(start.vector_before, operand.vector_place.has_value()) ||
        !agree(start.scalar_before, operand.scalar_place.has_value()))
      return std::nullopt;
  }
  std::optional<Sources> found;
  choose(operands, 0, start, found);
  return found;
}

}  // namespace raddle::cg
