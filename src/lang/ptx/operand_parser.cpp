#include "lang/ptx/operand_parser.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "lang/ptx/constant_expression.h"
#include "lang/ptx/scope.h"

namespace raddle::ptx {
namespace {

using kernel::Operand;
using kernel::SpecialRegister;

constexpr std::size_t kMaxParts = 8;

struct SpecialRow {
  std::string_view name;
  SpecialRegister special;
  bool has_components = false;  // .x .y .z follow it in this order
};
constexpr SpecialRow kSpecials[] = {
    {"%tid", SpecialRegister::kTidX, true},
    {"%ntid", SpecialRegister::kNtidX, true},
    {"%ctaid", SpecialRegister::kCtaidX, true},
    {"%nctaid", SpecialRegister::kNctaidX, true},
    {"%laneid", SpecialRegister::kLaneId},
    {"%warpid", SpecialRegister::kWarpId},
    {"%nwarpid", SpecialRegister::kNWarpId},
    {"%warpsize", SpecialRegister::kWarpSize},
    {"%smid", SpecialRegister::kSmId},
    {"%nsmid", SpecialRegister::kNSmId},
    {"%gridid", SpecialRegister::kGridId},
    {"%lanemask_eq", SpecialRegister::kLanemaskEq},
    {"%lanemask_le", SpecialRegister::kLanemaskLe},
    {"%lanemask_lt", SpecialRegister::kLanemaskLt},
    {"%lanemask_ge", SpecialRegister::kLanemaskGe},
    {"%lanemask_gt", SpecialRegister::kLanemaskGt},
    {"%clock", SpecialRegister::kClock},
    {"%clock_hi", SpecialRegister::kClockHi},
    {"%clock64", SpecialRegister::kClock64},
    {"%globaltimer", SpecialRegister::kGlobalTimer},
    {"%globaltimer_lo", SpecialRegister::kGlobalTimerLo},
    {"%globaltimer_hi", SpecialRegister::kGlobalTimerHi},
    {"%dynamic_smem_size", SpecialRegister::kDynamicSharedSize},
    {"%total_smem_size", SpecialRegister::kTotalSharedSize},
};

// Special registers that PTX has and Raddle does not, by how their names begin.
struct UnsupportedSpecial {
  std::string_view prefix;
  std::string_view reason;
};
constexpr UnsupportedSpecial kUnsupportedSpecials[] = {
    {"%clusterid", "thread-block clusters"},
    {"%nclusterid", "thread-block clusters"},
    {"%cluster_", "thread-block clusters"},
    {"%is_explicit_cluster", "thread-block clusters"},
    {"%pm", "performance counters"},
    {"%aggr_smem_size", "this special register"},
    {"%reserved_smem_offset", "this special register"},
    {"%current_graph_exec", "graph launches"},
};

// The shapes above are kept in step with the order of kTidX, kTidY, kTidZ.
SpecialRegister component(SpecialRegister first, int index) {
  return static_cast<SpecialRegister>(static_cast<int>(first) + index);
}

}  // namespace

void OperandParser::clear() {
  operands_.clear();
  parts_.clear();
}

void OperandParser::parse_list(FunctionBuilder& builder) {
  clear();
  if (context_.accept(';')) return;
  do {
    operands_.push_back(parse(builder));
  } while (context_.accept(','));
  context_.expect(';');
}

RawOperand OperandParser::with_parts(RawOperand::Kind kind, std::span<const RawOperand> parts,
                                     std::string_view text) {
  RawOperand operand;
  operand.kind = kind;
  operand.text = text;
  operand.first = static_cast<std::uint32_t>(parts_.size());
  operand.count = static_cast<std::uint32_t>(parts.size());
  parts_.insert(parts_.end(), parts.begin(), parts.end());
  return operand;
}

RawOperand OperandParser::parse(FunctionBuilder& builder) {
  if (context_.token().is('{')) return parse_vector(builder);
  if (context_.token().is('[')) return parse_address(builder);
  const RawOperand operand = parse_simple(builder);
  if (operand.is_number() || !context_.token().is('|')) return operand;
  context_.advance();
  const std::array<RawOperand, 2> pair{operand, parse_simple(builder)};
  return with_parts(RawOperand::Kind::kPair, pair, operand.text);
}

RawOperand OperandParser::parse_vector(FunctionBuilder& builder) {
  const std::string_view text = context_.advance().text;
  std::array<RawOperand, kMaxParts> parts;
  std::size_t count = 0;
  do {
    if (count == parts.size()) context_.fail("a vector of more than 8 elements");
    parts[count++] = parse_simple(builder);
  } while (context_.accept(','));
  context_.expect('}');
  return with_parts(RawOperand::Kind::kVector, std::span(parts).first(count), text);
}

RawOperand OperandParser::parse_address(FunctionBuilder& builder) {
  const std::string_view text = context_.advance().text;
  std::array<RawOperand, kMaxParts> parts;
  std::size_t count = 0;
  std::uint64_t offset = 0;
  parts[count++] = parse_simple(builder);
  while (context_.token().is('+') || context_.token().is('-')) {
    const bool minus = context_.advance().is('-');
    const std::uint64_t value = parse_constant_factor(context_);
    offset = minus ? offset - value : offset + value;
  }
  while (context_.accept(',')) {
    if (count == parts.size()) context_.fail("an address of more than 8 parts");
    parts[count++] = context_.token().is('{') ? parse_vector(builder) : parse_simple(builder);
  }
  context_.expect(']');
  RawOperand operand = with_parts(RawOperand::Kind::kAddress, std::span(parts).first(count), text);
  RawOperand& base = parts_[operand.first];
  if (base.kind == RawOperand::Kind::kSymbol) {
    offset += base.value.bits;  // [sym+8]: the offset belongs to the access
    base.value.bits = 0;
  }
  operand.offset = static_cast<std::int64_t>(offset);
  return operand;
}

RawOperand OperandParser::parse_simple(FunctionBuilder& builder) {
  const Token& token = context_.token();
  if (token.is('!')) {
    context_.advance();
    if (begins_constant(context_.token())) {
      RawOperand operand = parse_number();
      operand.bits = operand.bits == 0 ? 1 : 0;
      return operand;
    }
    RawOperand operand = parse_name(builder);
    operand.negated = true;
    return operand;
  }
  if (token.is_number() || begins_constant(token)) return parse_number();
  return parse_name(builder);
}

RawOperand OperandParser::parse_number() {
  RawOperand operand;
  operand.text = context_.token().text;
  const bool minus = context_.token().is('-');
  const Token number = minus ? context_.peek() : context_.token();
  if (number.kind == TokenKind::kSingle || number.kind == TokenKind::kDouble) {
    if (minus) context_.advance();
    context_.advance();
    const bool single = number.kind == TokenKind::kSingle;
    operand.kind = single ? RawOperand::Kind::kSingle : RawOperand::Kind::kDouble;
    operand.bits = number.bits;
    if (minus) operand.bits ^= std::uint64_t{1} << (single ? 31 : 63);
    return operand;
  }
  operand.kind = RawOperand::Kind::kInteger;
  operand.bits = parse_constant(context_);
  return operand;
}

std::optional<Operand> OperandParser::parse_special(std::string_view name) {
  const auto row =
      std::find_if(std::begin(kSpecials), std::end(kSpecials),
                   [&](const SpecialRow& candidate) { return candidate.name == name; });
  if (row != std::end(kSpecials)) {
    if (!row->has_components) return Operand::special_register(row->special);
    constexpr std::array<std::string_view, 3> kComponents = {".x", ".y", ".z"};
    for (int i = 0; i < 3; ++i) {
      if (context_.accept_dot_word(kComponents[static_cast<std::size_t>(i)])) {
        return Operand::special_register(component(row->special, i));
      }
    }
    context_.fail(quoted(name) + " needs .x, .y or .z after it");
  }
  std::string_view prefix;
  std::uint32_t number = 0;
  if (split_numbered_name(name, prefix, number) && prefix == "%envreg" && number < 32) {
    return Operand::special_register(
        SpecialRegister::kEnvReg);  // nothing sets them: all are the same
  }
  for (const UnsupportedSpecial& candidate : kUnsupportedSpecials) {
    if (!name.starts_with(candidate.prefix)) continue;
    context_.fail("the special register " + quoted(name) + " is not supported (" +
                  std::string(candidate.reason) + ")");
  }
  return std::nullopt;
}

RawOperand OperandParser::parse_name(FunctionBuilder& builder) {
  const std::uint32_t line = context_.token().line;
  RawOperand operand;
  operand.text = context_.expect_word("an operand");
  if (operand.text == "_") {
    operand.kind = RawOperand::Kind::kDiscard;
    return operand;
  }
  if (const auto found = builder.find(operand.text)) {
    operand.value = *found;
    if (found->is_register()) {
      operand.kind = RawOperand::Kind::kRegister;
      return operand;
    }
    operand.kind = RawOperand::Kind::kSymbol;
    while (context_.token().is('+') || context_.token().is('-')) {
      const bool minus = context_.advance().is('-');
      const std::uint64_t value = parse_constant_factor(context_);
      operand.value.bits = minus ? operand.value.bits - value : operand.value.bits + value;
    }
    return operand;
  }
  if (operand.text.starts_with('%')) {
    if (const auto special = parse_special(operand.text)) {
      operand.kind = RawOperand::Kind::kSpecial;
      operand.value = *special;
      return operand;
    }
    context_.fail_at(line, "unknown register " + quoted(operand.text));
  }
  context_.fail_at(line, "unknown name " + quoted(operand.text));
}

}  // namespace raddle::ptx
