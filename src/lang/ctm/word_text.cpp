#include "lang/ctm/word_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "lang/ctm/assembler.h"
#include "lang/ctm/attributes.h"
#include "machine/overlay/isa.h"
#include "machine/overlay/opcodes.h"

namespace raddle::ctm {
namespace {

using overlay::Comparison;
using overlay::Instruction;
using overlay::InstructionType;
using overlay::OutputModifier;
using overlay::PredicateSelect;
using overlay::Presubtract;
using overlay::SourceAddress;
using overlay::SourceModifier;
using overlay::SourceSelect;
using overlay::Swizzle;
using overlay::TexOp;

constexpr std::string_view kChannels = "rgba";
constexpr std::string_view kSwizzles = "rgba0h1_";

std::string register_text(char letter, unsigned number, bool relative) {
  if (!relative) return fmt::format("{}{}", letter, number);
  return number == 0 ? fmt::format("{}[aL]", letter) : fmt::format("{}[aL+{}]", letter, number);
}

std::string source_text(const SourceAddress& source) {
  if (source.is_inline()) return fmt::format("#{}", overlay::inline_value(source.address));
  return register_text(source.is_constant ? 'c' : 'r', source.address, source.relative);
}

std::string presubtract_text(Presubtract op, const std::array<SourceAddress, 3>& sources) {
  const std::string s0 = source_text(sources[0]);
  switch (op) {
    case Presubtract::kOneMinusTwiceSource0: return fmt::format("(1-2*{})", s0);
    case Presubtract::kSource1MinusSource0:
      return fmt::format("({}-{})", source_text(sources[1]), s0);
    case Presubtract::kSource1PlusSource0:
      return fmt::format("({}+{})", source_text(sources[1]), s0);
    case Presubtract::kOneMinusSource0: break;
  }
  return fmt::format("(1-{})", s0);
}

template <std::size_t Channels>
std::string swizzle_text(const std::array<Swizzle, Channels>& swizzle) {
  std::string letters;
  for (const Swizzle letter : swizzle) letters += kSwizzles[static_cast<unsigned>(letter)];
  if (letters == (Channels == 3 ? "rgb" : "a")) return {};
  if (letters == std::string(letters.size(), letters[0])) letters.resize(1);
  return "." + letters;
}

template <unsigned Channels>
std::string operand_text(const overlay::Operand<Channels>& operand, const Instruction& word,
                         bool with_slots) {
  bool reads_rgb = false, reads_alpha = false;
  for (const Swizzle letter : operand.swizzle) {
    reads_rgb = reads_rgb || letter <= Swizzle::kBlue;
    reads_alpha = reads_alpha || letter == Swizzle::kAlpha;
  }
  const auto& sources = reads_rgb ? word.vector.sources : word.scalar.sources;
  std::string core;
  const bool is_uniform = std::ranges::all_of(
      operand.swizzle, [&](Swizzle letter) { return letter == operand.swizzle[0]; });
  if (!reads_rgb && !reads_alpha && is_uniform && operand.swizzle[0] != Swizzle::kUnused) {
    core = operand.swizzle[0] == Swizzle::kZero   ? "0"
           : operand.swizzle[0] == Swizzle::kHalf ? "0.5"
                                                  : "1";
  } else if (operand.select == SourceSelect::kPresubtract) {
    core =
        presubtract_text(reads_rgb ? word.vector.presubtract : word.scalar.presubtract, sources) +
        swizzle_text(operand.swizzle);
  } else {
    const auto slot = static_cast<unsigned>(operand.select);
    core = reads_rgb || reads_alpha ? source_text(sources[slot]) : "r0";
    if (with_slots) core += fmt::format("@{}", slot);
    core += swizzle_text(operand.swizzle);
  }
  switch (operand.modifier) {
    case SourceModifier::kNone: break;
    case SourceModifier::kNegate: return "-" + core;
    case SourceModifier::kAbsolute: return "|" + core + "|";
    case SourceModifier::kNegateAbsolute: return "-|" + core + "|";
  }
  return core;
}

std::string mask_text(unsigned mask, unsigned all) {
  if (mask == all) return {};
  std::string letters = ".";
  for (unsigned c = 0; c < 4; ++c) {
    if (((mask >> c) & 1U) != 0) letters += kChannels[c];
  }
  return letters;
}

std::string guard_text(PredicateSelect select, bool invert) {
  if (select == PredicateSelect::kNone || select > PredicateSelect::kAlpha) return {};
  std::string text = invert ? "(!p" : "(p";
  if (select != PredicateSelect::kPerChannel) {
    text += fmt::format(".{}", kChannels[static_cast<unsigned>(select) - 2]);
  }
  return text + ") ";
}

std::string suffix_text(OutputModifier modifier, bool clamp) {
  static constexpr std::array<std::string_view, 8> kNames = {"",    "_x2", "_x4", "_x8",
                                                             "_d2", "_d4", "_d8", "_copy"};
  return std::string(kNames[static_cast<unsigned>(modifier)]) + (clamp ? "_sat" : "");
}

// What both halves have alike; masks as bits of r, g, b, a.
template <class HalfPart>
std::string half_line(const Instruction& word, const HalfPart& half, unsigned write_mask,
                      unsigned output_mask, unsigned all, bool with_slots) {
  const overlay::OpcodeInfo* opcode = info(half.op);
  std::string line = guard_text(half.predicate, half.predicate_invert);
  line += opcode != nullptr ? opcode->name : std::string_view(all == 8 ? "mad" : "MAD");
  line += suffix_text(half.output_modifier, half.clamp) + " ";
  std::string destination;
  if (word.type == InstructionType::kOut && output_mask != 0) {
    destination = fmt::format("o{}{}", half.target, mask_text(output_mask, all));
  }
  if (write_mask != 0) {
    if (!destination.empty()) destination += "+";
    destination += register_text('r', half.destination, half.destination_relative) +
                   mask_text(write_mask, all);
  }
  line += destination.empty() ? "_" : destination;
  unsigned operands = opcode != nullptr ? opcode->most_operands : 3;
  if (opcode != nullptr && opcode->least_operands < operands &&
      half.operands == decltype(half.operands){}) {
    operands = opcode->least_operands;
  }
  for (unsigned i = 0; i < operands; ++i) {
    line += " " + operand_text(half.operands[i], word, with_slots);
  }
  if (word.type == InstructionType::kAlu && output_mask != 0) {
    line += fmt::format(" pred{}{}", mask_text(output_mask, all),
                        comparison_text(static_cast<Comparison>(half.target)));
  }
  return line;
}

std::vector<std::string> alu_lines(const Instruction& word, const WordTextOptions& options,
                                   bool with_slots) {
  overlay::VectorHalf empty_vector;
  overlay::ScalarHalf empty_scalar;
  // Sources belong to both.
  empty_vector.sources = word.vector.sources;
  empty_scalar.sources = word.scalar.sources;
  std::vector<std::string> lines;
  if (!(word.vector == empty_vector)) {
    lines.push_back(half_line(word, word.vector, word.vector.write_mask, word.vector.output_mask, 7,
                              with_slots));
  }
  if (!(word.scalar == empty_scalar)) {
    lines.push_back(half_line(word, word.scalar, word.scalar.write_mask ? 8 : 0,
                              word.scalar.output_mask ? 8 : 0, 8, with_slots));
    if (word.scalar.depth) lines.back() += " depth";
  }
  if (lines.empty()) lines.emplace_back("NOP");
  if (word.writes_alu_result) {
    lines.front() += fmt::format(" result.{}{}", word.alu_result_from_alpha ? "a" : "r",
                                 comparison_text(word.alu_result_test));
  }
  lines.front() += flags_text(word, options);
  return lines;
}

std::string channels_text(const std::array<std::uint8_t, 4>& channels) {
  if (channels == std::array<std::uint8_t, 4>{0, 1, 2, 3}) return {};
  std::string letters = ".";
  for (const std::uint8_t channel : channels) letters += kChannels[channel];
  return letters;
}

std::string tex_line(const Instruction& word, const WordTextOptions& options) {
  const overlay::TexPart& tex = word.tex;
  const auto source = [](const overlay::TexSource& from) {
    std::string channels = channels_text(from.channels);
    // Coordinates that are not written are channel r; a 2D buffer has two.
    while (channels.size() > 3 && channels.back() == 'r') channels.pop_back();
    return " " + register_text('r', from.address, from.relative) + channels;
  };
  const overlay::OpcodeInfo* opcode = info(tex.op);
  std::string line = guard_text(word.vector.predicate, word.vector.predicate_invert);
  line += opcode != nullptr ? opcode->name : "TXNOP";
  const bool loads = opcode != nullptr && tex.op != TexOp::kNop && tex.op != TexOp::kKill;
  if (loads) {
    const unsigned mask = word.vector.write_mask | (word.scalar.write_mask ? 8U : 0U);
    line += " " + register_text('r', tex.destination, tex.destination_relative) +
            (mask == 0 ? std::string() : mask_text(mask, 15));
  }
  if (opcode != nullptr && tex.op != TexOp::kNop) line += source(tex.source);
  if (loads) line += fmt::format(" s{}{}", tex.sampler, channels_text(tex.result_channels));
  if (tex.op == TexOp::kDxDy) line += source(tex.dx) + source(tex.dy);
  if (!tex.unscaled) line += " scaled";
  if (tex.ignore_uncovered) line += " uncovered";
  if (tex.acquire && options.semaphores) line += " acquire";
  return line + flags_text(word, options);
}

// What a word that is assembled from the lines lacks to be the one that is wanted; nothing where
// the assembler takes no such lines.
std::optional<std::string> differing_fields(const Instruction& wanted,
                                            const std::vector<std::string>& lines) {
  std::string text = ".semaphores manual\n";
  for (const std::string& line : lines) text += line + "\n";
  Instruction got;
  try {
    got = assemble(text, "word").code.at(0);
  } catch (const Error&) {
    return std::nullopt;
  }
  std::string fields;
  for (const overlay::Field& field : overlay::fields()) {
    if (!has_field(wanted.type, field) || field.get(got) == field.get(wanted)) continue;
    fields += fmt::format("{}{}={}", fields.empty() ? "" : " ", field.name, field.get(wanted));
  }
  return fields;
}

}  // namespace

std::string flags_text(const Instruction& word, const WordTextOptions& options) {
  std::string text;
  const bool waits_anyway = word.type == InstructionType::kFlow;
  if (word.texture_wait && options.semaphores) text += " wait";
  if (word.last && options.last) text += " last";
  if (word.nop_after) text += " nop";
  if (word.alu_wait && !waits_anyway) text += " aluwait";
  if (word.write_inactive) text += " inactive";
  return text;
}

std::vector<std::string> word_text(const Instruction& word, const WordTextOptions& options) {
  Instruction shown = word;
  if (!options.last) shown.last = false;
  if (!options.semaphores) {
    shown.texture_wait = false;
    shown.tex.acquire = false;
  }
  const bool is_tex = word.type == InstructionType::kTex;
  std::vector<std::vector<std::string>> candidates;
  if (is_tex) {
    candidates.push_back({tex_line(word, options)});
  } else {
    candidates.push_back(alu_lines(word, options, false));
    candidates.push_back(alu_lines(word, options, true));
  }
  // Words that no text says: every field by its name.
  candidates.push_back({is_tex ? "TXNOP" : "NOP"});
  std::vector<std::string> best;
  std::optional<std::string> missing;
  for (const std::vector<std::string>& lines : candidates) {
    const auto fields = differing_fields(shown, lines);
    if (!fields || (missing && fields->size() >= missing->size())) continue;
    best = lines;
    missing = fields;
  }
  RADDLE_ASSERT(missing.has_value());
  if (!missing->empty()) best.front() += fmt::format(" [{}]", *missing);
  return best;
}

}  // namespace raddle::ctm
