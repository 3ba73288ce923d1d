#include "machine/overlay/isa_reference.h"

#include <fmt/format.h>

#include <array>

#include "machine/overlay/isa.h"
#include "machine/overlay/opcodes.h"

namespace raddle::machine::overlay {
namespace {

struct WordTitle {
  FieldSet set;
  unsigned word;
  std::string_view title;
};

// Names of the registers that the words are written to, as in AMD's documentation.
constexpr std::array<WordTitle, 11> kWords = {{
    {FieldSet::kCommon, 0, "Word 0 of every instruction, US_CMN_INST"},
    {FieldSet::kAlu, 1, "Word 1 of ALU and OUT, US_ALU_RGB_ADDR"},
    {FieldSet::kAlu, 2, "Word 2 of ALU and OUT, US_ALU_ALPHA_ADDR"},
    {FieldSet::kAlu, 3, "Word 3 of ALU and OUT, US_ALU_RGB_INST"},
    {FieldSet::kAlu, 4, "Word 4 of ALU and OUT, US_ALU_ALPHA_INST"},
    {FieldSet::kAlu, 5, "Word 5 of ALU and OUT, US_ALU_RGBA_INST"},
    {FieldSet::kTex, 1, "Word 1 of TEX, US_TEX_INST"},
    {FieldSet::kTex, 2, "Word 2 of TEX, US_TEX_ADDR"},
    {FieldSet::kTex, 3, "Word 3 of TEX, US_TEX_ADDR_DXDY"},
    {FieldSet::kFlow, 2, "Word 2 of flow control, US_FC_INST"},
    {FieldSet::kFlow, 3, "Word 3 of flow control, US_FC_ADDR"},
}};

// A bar would end the cell.
std::string cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string bits_of(const Field& field) {
  if (field.width == 1) return fmt::format("{}", field.bit);
  return fmt::format("{}:{}", field.bit + field.width - 1, field.bit);
}

std::string opcode_table(std::string_view title, std::span<const OpcodeInfo> opcodes) {
  std::string text = fmt::format("### {}\n\n| code | name | |\n|--:|---|---|\n", title);
  for (const OpcodeInfo& opcode : opcodes) {
    text += fmt::format("| {} | `{}` | {} |\n", opcode.code, opcode.name, opcode.meaning);
  }
  return text + "\n";
}

}  // namespace

std::string isa_reference() {
  std::string text = opcode_table("Operations of the vector half", vector_opcodes());
  text += opcode_table("Operations of the scalar half", scalar_opcodes());
  text += opcode_table("TEX operations", tex_opcodes());
  for (const WordTitle& word : kWords) {
    text += fmt::format("### {}\n\n| bits | field | |\n|--:|---|---|\n", word.title);
    for (const Field& field : fields()) {
      if (field.set != word.set || field.word != word.word) continue;
      text += fmt::format("| {} | `{}` | {} |\n", bits_of(field), field.name, cell(field.meaning));
    }
    text += "\n";
  }
  return text;
}

}  // namespace raddle::machine::overlay
