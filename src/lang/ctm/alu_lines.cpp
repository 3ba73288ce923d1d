#include "lang/ctm/alu_lines.h"

#include <fmt/format.h>

#include <array>

#include "base/nearest_name.h"
#include "lang/ctm/source_slots.h"

namespace raddle::ctm {
namespace {

using overlay::Instruction;
using overlay::InstructionType;
using overlay::OutputModifier;
using overlay::Swizzle;

// Names for instructions that are special cases of others.
struct Alias {
  std::string_view name;
  std::string_view means;
  unsigned operands;
};
constexpr std::array<Alias, 6> kAliases = {{
    {"MOV", "MAX", 1},
    {"ADD", "MAD", 2},
    {"MUL", "MAD", 2},
    {"mov", "max", 1},
    {"add", "mad", 2},
    {"mul", "mad", 2},
}};

struct Suffix {
  std::string_view name;
  OutputModifier modifier;
};
constexpr std::array<Suffix, 7> kSuffixes = {{{"x2", OutputModifier::kTimes2},
                                              {"x4", OutputModifier::kTimes4},
                                              {"x8", OutputModifier::kTimes8},
                                              {"d2", OutputModifier::kBy2},
                                              {"d4", OutputModifier::kBy4},
                                              {"d8", OutputModifier::kBy8},
                                              {"copy", OutputModifier::kCopy}}};

std::string_view without_suffixes(std::string_view name) { return name.substr(0, name.find('_')); }

const Alias* find_alias(std::string_view name) {
  for (const Alias& alias : kAliases) {
    if (alias.name == name) return &alias;
  }
  return nullptr;
}

const overlay::OpcodeInfo* find_operation(std::string_view name, Half& half) {
  half = Half::kVector;
  if (const auto* vector = find_opcode(overlay::vector_opcodes(), name)) return vector;
  half = Half::kScalar;
  return find_opcode(overlay::scalar_opcodes(), name);
}

SourceOperand constant_operand(Swizzle constant, bool is_negative) {
  SourceOperand operand;
  operand.swizzle = {constant, constant, constant};
  if (is_negative) operand.modifier = overlay::SourceModifier::kNegate;
  return operand;
}

// MOV x is MAX x x, ADD a b is MAD a 1 b, MUL a b is MAD a b -0: adding -0 changes no product.
void expand(const Alias& alias, std::vector<SourceOperand>& sources) {
  switch (alias.name[0]) {
    case 'M':
    case 'm':
      if (alias.operands == 1) {
        sources.push_back(sources[0]);
      } else {
        sources.push_back(constant_operand(Swizzle::kZero, true));
      }
      break;
    default: sources.insert(sources.begin() + 1, constant_operand(Swizzle::kOne, false));
  }
}

void read_suffixes(const LineCursor& cursor, std::size_t start, std::string_view name,
                   AluLine& line) {
  std::size_t place = name.find('_');
  while (place != std::string_view::npos) {
    const std::size_t next = name.find('_', place + 1);
    const std::string_view suffix = name.substr(place + 1, next - place - 1);
    place = next;
    if (suffix == "sat") {
      line.clamp = true;
      continue;
    }
    bool is_known = false;
    for (const Suffix& known : kSuffixes) {
      if (known.name != suffix) continue;
      line.output_modifier = known.modifier;
      is_known = true;
    }
    if (!is_known) {
      cursor.fail(start, fmt::format("unknown suffix '_{}'", suffix),
                  "suffixes are _sat, _x2, _x4, _x8, _d2, _d4, _d8 and _copy");
    }
  }
}

void check_copy(const AluLine& line, std::size_t start, std::string_view operation) {
  if (line.output_modifier != OutputModifier::kCopy) return;
  for (const std::string_view allowed : {"MIN", "MAX", "CMP", "CND", "min", "max", "cmp", "cnd"}) {
    if (allowed == operation) return;
  }
  line.cursor.fail(start, "_copy is valid only with MIN, MAX, CMP and CND");
}

template <class HalfPart>
void fill_half(const AluLine& line, HalfPart& half, bool is_out) {
  half.op = static_cast<decltype(half.op)>(line.op);
  half.clamp = line.clamp;
  half.output_modifier = line.output_modifier;
  half.predicate = line.guard.select;
  half.predicate_invert = line.guard.invert;
  half.destination = line.destination.temporary.value_or(0);
  half.destination_relative = line.destination.relative;
  if (is_out) {
    half.target = line.destination.output.value_or(0);
  } else if (line.attributes.predicate) {
    half.target = static_cast<std::uint8_t>(line.attributes.predicate->test);
  }
}

void add_attributes(const AluLine& line, Instruction& word) {
  const Attributes& attributes = line.attributes;
  word.texture_wait |= attributes.wait;
  word.last |= attributes.last;
  word.nop_after |= attributes.nop;
  word.alu_wait |= attributes.alu_wait;
  word.write_inactive |= attributes.inactive;
  if (!attributes.writes_result) return;
  word.writes_alu_result = true;
  word.alu_result_from_alpha = attributes.result_from_alpha;
  word.alu_result_test = attributes.result_test;
}

bool writes_output(const std::optional<AluLine>& line) {
  return line && (line->destination.output || line->attributes.depth);
}

// The fourth product of a DP4 is the scalar half's, so without one it reads the same registers.
AluLine fourth_product(const AluLine& vector) {
  AluLine scalar{vector.cursor};
  scalar.half = Half::kScalar;
  scalar.op = static_cast<std::uint8_t>(overlay::ScalarOp::kDp);
  scalar.sources = vector.sources;
  for (SourceOperand& source : scalar.sources) {
    const bool is_constant = !source.address && !source.is_presubtract;
    if (!is_constant) source.swizzle[0] = Swizzle::kAlpha;
  }
  return scalar;
}

void check_out(const AluLine& line) {
  if (line.attributes.predicate || line.attributes.writes_result) {
    LineCursor cursor = line.cursor;
    cursor.go_to(0);
    cursor.fail_here("an instruction with an output writes neither predicates nor the ALU result",
                     "write the output by an instruction of its own");
  }
}

void place_operands(const std::optional<AluLine>& vector, const std::optional<AluLine>& scalar,
                    Instruction& word) {
  std::vector<SlotRequest> requests;
  std::vector<const AluLine*> owners;
  const auto add = [&](const std::optional<AluLine>& line, unsigned channels) {
    if (!line) return;
    for (const SourceOperand& source : line->sources) {
      requests.push_back({&source, channels});
      owners.push_back(&*line);
    }
  };
  add(vector, 3);
  add(scalar, 1);
  if (requests.empty()) return;
  std::size_t failed = 0;
  const auto placed = place_sources(requests, failed);
  if (!placed) {
    LineCursor cursor = owners[failed]->cursor;
    cursor.go_to(requests[failed].operand->stop);
    cursor.fail(requests[failed].operand->start, "no source is left for this operand",
                "a word has three sources; each reads one register for r, g, b and one for a, and "
                "(…) takes the first ones");
  }
  word.vector.sources = placed->vector;
  word.scalar.sources = placed->scalar;
  word.vector.presubtract = placed->vector_presubtract.value_or(overlay::Presubtract{});
  word.scalar.presubtract = placed->scalar_presubtract.value_or(overlay::Presubtract{});
  const std::size_t in_vector = vector ? vector->sources.size() : 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const SourceOperand& source = *requests[i].operand;
    if (i < in_vector) {
      word.vector.operands[i] = {placed->selects[i], source.swizzle, source.modifier};
    } else {
      word.scalar.operands[i - in_vector] = {
          placed->selects[i], {source.swizzle[0]}, source.modifier};
    }
  }
}

}  // namespace

bool is_alu_operation(std::string_view name) {
  const std::string_view operation = without_suffixes(name);
  Half half{};
  return find_alias(operation) != nullptr || find_operation(operation, half) != nullptr;
}

AluLine read_alu_line(LineCursor& cursor, std::size_t start, std::string_view name, Guard guard) {
  std::string_view operation = without_suffixes(name);
  const Alias* alias = find_alias(operation);
  if (alias != nullptr) operation = alias->means;
  AluLine line{cursor};
  const overlay::OpcodeInfo* info = find_operation(operation, line.half);
  line.op = info->code;
  line.guard = guard;
  read_suffixes(cursor, start, name, line);
  check_copy(line, start, operation);
  line.destination = read_destination(cursor, line.half);
  const unsigned most = alias != nullptr ? alias->operands : info->most_operands;
  const unsigned least = alias != nullptr ? alias->operands : info->least_operands;
  const auto at_source = [&] {
    const char c = cursor.peek();
    if (c == '\0' || c == '[') return false;
    if (std::string_view("rc").find(c) == std::string_view::npos) {
      return std::string_view("0123456789.-|(#").find(c) != std::string_view::npos;
    }
    LineCursor ahead = cursor;
    return ahead.word() != "result";
  };
  while (line.sources.size() < most && at_source()) {
    line.sources.push_back(read_source(cursor, line.half));
  }
  if (line.sources.size() < least) {
    cursor.fail_here(
        fmt::format("{} takes {} source{}", without_suffixes(name), least, least == 1 ? "" : "s"));
  }
  if (at_source()) {
    cursor.fail_here(fmt::format("{} takes at most {} source{}", without_suffixes(name), most,
                                 most == 1 ? "" : "s"));
  }
  if (alias != nullptr) expand(*alias, line.sources);
  line.attributes = read_attributes(
      cursor, line.half == Half::kVector ? AttributeSet::kVector : AttributeSet::kScalar);
  line.cursor = cursor;
  return line;
}

Instruction join_halves(const std::optional<AluLine>& vector,
                        const std::optional<AluLine>& given_scalar) {
  std::optional<AluLine> scalar = given_scalar;
  if (!scalar && vector && vector->op == static_cast<std::uint8_t>(overlay::VectorOp::kDp4)) {
    scalar = fourth_product(*vector);
  }
  Instruction word;
  const bool is_out = writes_output(vector) || writes_output(scalar);
  word.type = is_out ? InstructionType::kOut : InstructionType::kAlu;
  for (const auto& line : {vector, scalar}) {
    if (line && is_out) check_out(*line);
    if (line) add_attributes(*line, word);
  }
  place_operands(vector, scalar, word);
  if (vector) {
    fill_half(*vector, word.vector, is_out);
    word.vector.write_mask = vector->destination.temporary_mask;
    word.vector.output_mask = is_out                         ? vector->destination.output_mask
                              : vector->attributes.predicate ? vector->attributes.predicate->mask
                                                             : overlay::ChannelMask{0};
  }
  if (scalar) {
    fill_half(*scalar, word.scalar, is_out);
    word.scalar.write_mask = scalar->destination.temporary_mask != 0;
    word.scalar.output_mask =
        is_out ? scalar->destination.output_mask != 0 : scalar->attributes.predicate.has_value();
    word.scalar.depth = scalar->attributes.depth;
  }
  return word;
}

}  // namespace raddle::ctm
