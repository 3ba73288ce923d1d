#include "lang/ctm/tex_lines.h"

#include "lang/ctm/operands.h"
#include "machine/overlay/opcodes.h"

namespace raddle::ctm {
namespace {

using overlay::TexOp;
using overlay::TexSource;

// Up to four channel letters after a point; the rest are 0.
std::array<std::uint8_t, 4> read_channels(LineCursor& cursor, std::array<std::uint8_t, 4> all) {
  if (!cursor.accept_here('.')) return all;
  const std::size_t start = cursor.position();
  const std::string_view letters = cursor.word_here();
  if (letters.empty() || letters.size() > 4) cursor.fail(start, "expected one to four channels");
  std::array<std::uint8_t, 4> channels{};
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const auto channel = channel_of(letters[i]);
    if (!channel) {
      cursor.fail(start, "channels of a TEX are r g b a (or x y z w)");
    }
    channels[i] = *channel;
  }
  return channels;
}

TexSource read_tex_source(LineCursor& cursor, std::string_view what) {
  const RegisterReference reference = read_temporary(cursor, what);
  TexSource source;
  source.address = reference.number;
  source.relative = reference.relative;
  source.channels = read_channels(cursor, {0, 1, 2, 3});
  return source;
}

void read_destination(LineCursor& cursor, overlay::Instruction& word) {
  const RegisterReference reference = read_temporary(cursor, "a destination: r0 to r127");
  word.tex.destination = reference.number;
  word.tex.destination_relative = reference.relative;
  const overlay::ChannelMask mask = read_mask(cursor, overlay::kRgbaMask);
  word.vector.write_mask = mask & overlay::kRgbMask;
  word.scalar.write_mask = (mask & 8) != 0;
}

}  // namespace

bool is_tex_operation(std::string_view name) {
  return find_opcode(overlay::tex_opcodes(), name) != nullptr;
}

TexLine read_tex_line(LineCursor& cursor, std::string_view name, Guard guard) {
  TexLine line;
  overlay::Instruction& word = line.word;
  word.type = overlay::InstructionType::kTex;
  word.tex.op = static_cast<TexOp>(find_opcode(overlay::tex_opcodes(), name)->code);
  word.vector.predicate = guard.select;
  word.vector.predicate_invert = guard.invert;
  word.tex.unscaled = true;
  const bool loads = word.tex.op != TexOp::kNop && word.tex.op != TexOp::kKill;
  if (loads) read_destination(cursor, word);
  if (word.tex.op != TexOp::kNop) {
    word.tex.source = read_tex_source(cursor, "a temporary with the coordinates");
  }
  if (loads) {
    word.tex.sampler = read_numbered(cursor, 's', "samplers", overlay::kSamplers);
    word.tex.result_channels = read_channels(cursor, {0, 1, 2, 3});
  }
  if (word.tex.op == TexOp::kDxDy) {
    word.tex.dx = read_tex_source(cursor, "a temporary with the x derivative");
    word.tex.dy = read_tex_source(cursor, "a temporary with the y derivative");
  }
  line.attributes = read_attributes(cursor, AttributeSet::kTex);
  word.texture_wait = line.attributes.wait;
  word.tex.acquire = line.attributes.acquire;
  word.tex.ignore_uncovered = line.attributes.ignore_uncovered;
  if (line.attributes.scaled) word.tex.unscaled = false;
  return line;
}

}  // namespace raddle::ctm
