#include "lang/tpa/isa_reference.h"

#include <fmt/format.h>

#include <algorithm>

#include "machine/tpa/host_check.h"
#include "machine/tpa/isa.h"

namespace raddle::tpa {

namespace {

using namespace machine::tpa;

// "a, b" of "vv": letters that come twice are told apart.
std::string operand_names(std::string_view letters, bool alu) {
  std::string text;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    if (i > 0) text += ",";
    if (alu) {
      const bool chooses = letters[0] == 'c';
      text += chooses && i == 0 ? 'c' : "abc"[chooses ? i - 1 : i];
      continue;
    }
    const bool again = letters.find(letters[i]) != letters.rfind(letters[i]);
    const auto before = static_cast<int>(
        std::count(letters.begin(), letters.begin() + static_cast<std::ptrdiff_t>(i), letters[i]));
    text += letters[i];
    if (again) text += fmt::format("{}", before + 1);
  }
  return text;
}

std::string number_of(const Mnemonic& mnemonic) {
  if (mnemonic.numbered.empty()) return "";
  return mnemonic.numbers == 1 ? "0" : mnemonic.unit == Unit::kLayout ? "k" : "n";
}

std::string row(const Mnemonic& mnemonic, std::string_view name) {
  const bool alu = mnemonic.unit == Unit::kAlu || mnemonic.unit == Unit::kFrontAlu;
  const std::string operands = operand_names(mnemonic.operands, alu);
  return fmt::format("| `{}{}{}` | {} |\n", name, number_of(mnemonic),
                     operands.empty() ? "" : " " + operands, mnemonic.sentence);
}

bool is_float(const Mnemonic& mnemonic) {
  return mnemonic.unit == Unit::kAlu &&
         float_unit_of(static_cast<AluOperation>(mnemonic.operation)) != FloatUnit::kNone;
}

std::string table_of(Unit unit, std::string_view heading, bool floats = false) {
  std::string text =
      fmt::format("### {}\n\n| subinstruction | what it does |\n|---|---|\n", heading);
  for (const Mnemonic& mnemonic : mnemonics()) {
    if (mnemonic.unit != unit || is_float(mnemonic) != floats) continue;
    if (unit != Unit::kMemory) {
      text += row(mnemonic, mnemonic.text);
      continue;
    }
    // One line for all operators.
    const auto operation = static_cast<MemoryOperation>(mnemonic.operation);
    if (mnemonic.op != Operator::kAdd) continue;
    const std::string stem =
        mnemonic.text.substr(0, mnemonic.text.size() - (has_operator(operation) ? 3 : 0));
    const bool all = has_operator(operation) && find_mnemonic(stem + "MIN") != nullptr;
    text += row(mnemonic, all ? stem + "op" : mnemonic.text);
  }
  return text + "\n";
}

}  // namespace

std::string isa_reference() {
  std::string text;
  text +=
      "### Slots, registers and the end of a line\n\n| subinstruction | what it does "
      "|\n|---|---|\n";
  for (const Mnemonic& mnemonic : mnemonics()) {
    const Unit unit = mnemonic.unit;
    if (unit == Unit::kSlot || unit == Unit::kFrontWrite || unit == Unit::kRead ||
        unit == Unit::kWrite || unit == Unit::kReply || unit == Unit::kLayout ||
        unit == Unit::kSwitch)
      text += row(mnemonic, mnemonic.text);
  }
  text += "\n";
  text +=
      table_of(Unit::kAlu, "ALUs of the backends (frontend: the same with an L before the name)");
  text += table_of(Unit::kAlu, "Floating point of the ALUs (the frontend has these, too)", true);
  text += table_of(Unit::kMemory, "Memory unit of the backends");
  text += "`op` is one of\n\n| operator | result |\n|---|---|\n";
  for (const Mnemonic& mnemonic : mnemonics()) {
    if (mnemonic.unit == Unit::kMemory &&
        static_cast<MemoryOperation>(mnemonic.operation) == MemoryOperation::kMulti)
      text += fmt::format("| `{}` | {} |\n", name_of(mnemonic.op), sentence_of(mnemonic.op));
  }
  text += "\n";
  text += table_of(Unit::kFrontMemory, "Memory unit of the frontends");
  text += table_of(Unit::kControl, "Sequencer of the frontends");
  text += "### Checks of `.expect`\n\n| function | what it gives |\n|---|---|\n";
  for (const HostFunction& function : host_functions())
    text +=
        fmt::format("| `{}({})` | {} |\n", function.name, function.arguments, function.sentence);
  return text;
}

}  // namespace raddle::tpa
