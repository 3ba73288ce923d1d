#include "lang/tpa/disassembler.h"

#include <fmt/format.h>

#include <algorithm>

namespace raddle::tpa {

namespace {

using namespace machine::tpa;

// A line number as a label where there is one.
std::string target_text(std::int64_t line, const Program& program) {
  for (const Label& label : program.labels)
    if (label.line == line) return label.name;
  return fmt::format("{}", line);
}

// The address of a shared symbol as its name.
std::string constant_text(std::int64_t value, const Program& program) {
  for (const Symbol& symbol : program.symbols) {
    if (symbol.space == Space::kShared && static_cast<std::int64_t>(symbol.address) == value &&
        symbol.name.starts_with('_'))
      return symbol.name;
  }
  return fmt::format("{}", value);
}

std::string operand_text(const Operand& operand, const Program& program, bool is_target) {
  switch (operand.source) {
    case Source::kConstant:
      return is_target ? target_text(operand.constant, program)
                       : constant_text(operand.constant, program);
    case Source::kSlot: return fmt::format("O{}", operand.number);
    case Source::kFrontRegister: return fmt::format("R{}", operand.number);
    case Source::kFrontAlu: return fmt::format("L{}", operand.number);
    case Source::kFrontMemory: return "N0";
    case Source::kFiberRegister: return fmt::format("B{}", operand.number);
    case Source::kAlu: return fmt::format("A{}", operand.number);
    case Source::kMemory: return fmt::format("M{}", operand.number);
    case Source::kFiberId: return "FID";
    case Source::kNone: break;
  }
  return {};
}

std::string symbol_text(const Symbol& symbol) {
  std::string text = fmt::format(".{} {} {}", symbol.space == Space::kShared ? "shared" : "local",
                                 symbol.name, symbol.words);
  for (std::size_t i = 0; i < symbol.initial.size(); ++i)
    text +=
        fmt::format("{}{}", i == 0 ? " = " : ", ", static_cast<std::int64_t>(symbol.initial[i]));
  return text + "\n";
}

}  // namespace

std::string text_of(const Line& line, const Program& program) {
  std::string text;
  for (const Subinstruction& part : line.parts) {
    const Mnemonic& mnemonic = mnemonic_of(part.unit, part.operation, part.op);
    text += text.empty() ? "" : " ";
    text += mnemonic.text;
    if (!mnemonic.numbered.empty()) text += fmt::format("{}", part.number);
    for (std::size_t i = 0; i < part.count; ++i) {
      text += i == 0 ? " " : ",";
      text += operand_text(part.operands[i], program, mnemonic.operands[i] == 'l');
    }
  }
  return text;
}

std::string disassemble(const Program& program) {
  std::string text;
  for (const Symbol& symbol : program.symbols) text += symbol_text(symbol);
  for (const Expectation& expectation : program.expectations)
    text += fmt::format(".expect {} {}\n", expectation.symbol, expectation.call);
  Place place;
  for (std::size_t i = 0; i <= program.lines.size(); ++i) {
    for (const Label& label : program.labels)
      if (label.line == i) text += label.name + ":\n";
    if (i == program.lines.size()) break;
    const Line& line = program.lines[i];
    if (line.place.line != 0 && line.place.file < program.files.size() && line.place != place) {
      place = line.place;
      text += fmt::format(".loc \"{}\" {}\n", program.files[place.file], place.line);
    }
    text += text_of(line, program) + "\n";
  }
  return text;
}

}  // namespace raddle::tpa
