#include "machine/tpa/isa.h"

#include <array>
#include <map>
#include <vector>

#include "base/error.h"
#include "machine/tpa/word_arithmetic.h"

namespace raddle::machine::tpa {

namespace {

struct MemoryRow {
  std::string_view text, operators, operands, sentence;
};
struct OperatorRow {
  std::string_view text;
  Word identity;
  std::string_view sentence;
};

constexpr auto kMemoryRows = std::to_array<MemoryRow>({
#define RADDLE_TPA_MEMORY(enumerator, text, operators, operands, sentence) \
  {text, operators, operands, sentence},
#include "machine/tpa/isa.def"
});
constexpr auto kOperatorRows = std::to_array<OperatorRow>({
#define RADDLE_TPA_OPERATOR(enumerator, text, identity, sentence) {text, identity, sentence},
#include "machine/tpa/isa.def"
});

void add_units(std::vector<Mnemonic>& all) {
  all.push_back({"OP", Unit::kSlot, 0, Operator::kAdd, "v", "slot", kSlots,
                 "operand slot k := v: a constant, a symbol's address, a frontend register, or, "
                 "for the backends alone, a result of the frontend's units"});
  all.push_back({"LWB", Unit::kFrontWrite, 0, Operator::kAdd, "v", "register", kFrontRegisters,
                 "frontend register n := v; R33, the thickness, and R34, the mapping, count for "
                 "the backend part of the same line"});
  all.push_back({"RD", Unit::kRead, 0, Operator::kAdd, "", "register", kMaxFiberRegisters,
                 "reads register n of the fiber; it is Bn in the rest of the line"});
  all.push_back({"WB", Unit::kWrite, 0, Operator::kAdd, "v", "register", kMaxFiberRegisters,
                 "register n of the fiber := v at the end of the line"});
  all.push_back({"RPL", Unit::kReply, 0, Operator::kAdd, "v", "", 0,
                 "fiber 0 sends v to the frontend over the return channel"});
  all.push_back({"RT", Unit::kLayout, 0, Operator::kAdd, "", "count", kMaxFiberRegisters + 1,
                 "fibers have k registers from this line on: register n of a backend's l-th fiber "
                 "lies at k·l + n of its block"});
  all.push_back({"STCF", Unit::kSwitch, 0, Operator::kAdd, "", "", 0,
                 "stores the flow in the TCF buffer and switches to the next: its part of the "
                 "step ends"});
}

void add_alus(std::vector<Mnemonic>& all) {
#define RADDLE_TPA_ALU(enumerator, text, operands, expression, sentence)                         \
  all.push_back({text, Unit::kAlu, static_cast<std::uint8_t>(AluOperation::enumerator),          \
                 Operator::kAdd, operands, "ALU", kAlus, sentence});                             \
  all.push_back({"L" text, Unit::kFrontAlu, static_cast<std::uint8_t>(AluOperation::enumerator), \
                 Operator::kAdd, operands, "ALU", kFrontAlus, sentence});
#include "machine/tpa/isa.def"
}

void add_floats(std::vector<Mnemonic>& all) {
#define RADDLE_TPA_FLOAT(enumerator, text, operands, unit, expression, sentence)                 \
  all.push_back({text, Unit::kAlu, static_cast<std::uint8_t>(AluOperation::enumerator),          \
                 Operator::kAdd, operands, "ALU", kAlus, sentence});                             \
  all.push_back({"L" text, Unit::kFrontAlu, static_cast<std::uint8_t>(AluOperation::enumerator), \
                 Operator::kAdd, operands, "ALU", kFrontAlus, sentence});
#include "machine/tpa/isa.def"
}

struct AluRow {
  std::uint32_t operands;
  FloatUnit unit;
};
constexpr auto kAluRows = [] {
  using enum FloatUnit;
  return std::to_array<AluRow>({
#define RADDLE_TPA_ALU(enumerator, text, operands, expression, sentence) \
  {sizeof(operands) - 1, kNone},
#define RADDLE_TPA_FLOAT(enumerator, text, operands, unit, expression, sentence) \
  {sizeof(operands) - 1, unit},
#include "machine/tpa/isa.def"
  });
}();

void add_memory(std::vector<Mnemonic>& all) {
  for (std::size_t row = 0; row < kMemoryRows.size(); ++row) {
    const MemoryRow& memory = kMemoryRows[row];
    const auto add = [&](std::string text, Operator op) {
      all.push_back({std::move(text), Unit::kMemory, static_cast<std::uint8_t>(row), op,
                     std::string(memory.operands), "unit", 1, std::string(memory.sentence)});
    };
    if (memory.operators.empty()) {
      add(std::string(memory.text), Operator::kAdd);
      continue;
    }
    const std::size_t operators = memory.operators == "add" ? 1 : kOperatorRows.size();
    for (std::size_t op = 0; op < operators; ++op) {
      add(std::string(memory.text) + std::string(kOperatorRows[op].text),
          static_cast<Operator>(op));
    }
  }
}

std::vector<Mnemonic> make_mnemonics() {
  std::vector<Mnemonic> all;
  add_units(all);
  add_alus(all);
  add_memory(all);
#define RADDLE_TPA_LOCAL(enumerator, text, operands, sentence)                                    \
  all.push_back({text, Unit::kFrontMemory, static_cast<std::uint8_t>(LocalOperation::enumerator), \
                 Operator::kAdd, operands, "unit", 1, sentence});
#define RADDLE_TPA_CONTROL(enumerator, text, operands, sentence)                                \
  all.push_back({text, Unit::kControl, static_cast<std::uint8_t>(ControlOperation::enumerator), \
                 Operator::kAdd, operands, "", 0, sentence});
#include "machine/tpa/isa.def"
  add_floats(all);  // last, so that older binaries keep their meaning
  return all;
}

const std::vector<Mnemonic>& table() {
  static const std::vector<Mnemonic> all = make_mnemonics();
  return all;
}

}  // namespace

std::span<const Mnemonic> mnemonics() { return table(); }

const Mnemonic* find_mnemonic(std::string_view text) {
  static const auto by_text = [] {
    std::map<std::string_view, const Mnemonic*> all;
    for (const Mnemonic& mnemonic : table()) all.emplace(mnemonic.text, &mnemonic);
    RADDLE_ASSERT(all.size() == table().size());
    return all;
  }();
  const auto found = by_text.find(text);
  return found == by_text.end() ? nullptr : found->second;
}

const Mnemonic& mnemonic_of(Unit unit, std::uint8_t operation, Operator op) {
  static const auto by_code = [] {
    std::map<std::array<std::uint8_t, 3>, const Mnemonic*> all;
    for (const Mnemonic& m : table())
      all[{static_cast<std::uint8_t>(m.unit), m.operation, static_cast<std::uint8_t>(m.op)}] = &m;
    return all;
  }();
  const auto found =
      by_code.find({static_cast<std::uint8_t>(unit), operation, static_cast<std::uint8_t>(op)});
  RADDLE_ASSERT(found != by_code.end());
  return *found->second;
}

bool has_operator(MemoryOperation operation) {
  return !kMemoryRows[static_cast<std::size_t>(operation)].operators.empty();
}

std::string_view name_of(Operator op) { return kOperatorRows[static_cast<std::size_t>(op)].text; }

std::string_view sentence_of(Operator op) {
  return kOperatorRows[static_cast<std::size_t>(op)].sentence;
}

Word identity_of(Operator op) { return kOperatorRows[static_cast<std::size_t>(op)].identity; }

FloatUnit float_unit_of(AluOperation operation) {
  return kAluRows[static_cast<std::size_t>(operation)].unit;
}

std::uint32_t operands_of(AluOperation operation) {
  return kAluRows[static_cast<std::size_t>(operation)].operands;
}

Word alu_result(AluOperation operation, Word a, Word b, Word c) {
  const auto sa = static_cast<std::int64_t>(a);
  const auto sb = static_cast<std::int64_t>(b);
  const double da = as_double(a), db = as_double(b), dc = as_double(c);
  const float fa = as_single(a), fb = as_single(b), fc = as_single(c);
  switch (operation) {
#define RADDLE_TPA_ALU(enumerator, text, operands, expression, sentence) \
  case AluOperation::enumerator: return expression;
#define RADDLE_TPA_FLOAT(enumerator, text, operands, unit, expression, sentence) \
  case AluOperation::enumerator: return expression;
#include "machine/tpa/isa.def"
    case AluOperation::kCount: break;
  }
  return 0;
}

bool begins_prefix(MemoryOperation operation) {
  using enum MemoryOperation;
  return operation == kBeginPrefix || operation == kBeginInclusivePrefix ||
         operation == kPrefixLoad || operation == kInclusivePrefixLoad ||
         operation == kBeginConditional || operation == kConditionalLoad;
}

bool orders_prefix(MemoryOperation operation) {
  using enum MemoryOperation;
  return operation == kOrderPrefix || operation == kOrderBalanced || operation == kOrderLogarithmic;
}

bool ends_prefix(MemoryOperation operation) {
  using enum MemoryOperation;
  return operation == kEndPrefix || operation == kPrefixStore || operation == kEndConditional ||
         operation == kConditionalStore;
}

bool sends_entries(MemoryOperation operation) {
  return operation == MemoryOperation::kEndMulti || orders_prefix(operation);
}

bool loads(MemoryOperation operation) {
  using enum MemoryOperation;
  return operation == kLoad || operation == kMultiLoad || operation == kPrefixLoad ||
         operation == kInclusivePrefixLoad || operation == kConditionalLoad;
}

bool stores(MemoryOperation operation) {
  using enum MemoryOperation;
  return operation == kStore || operation == kPrefixStore || operation == kConditionalStore;
}

bool gives_result(MemoryOperation operation) {
  return loads(operation) || operation == MemoryOperation::kPrefix || begins_prefix(operation) ||
         operation == MemoryOperation::kEndPrefix || operation == MemoryOperation::kEndConditional;
}

bool needs_scratchpad(MemoryOperation operation) {
  using enum MemoryOperation;
  return operation != kLoad && operation != kStore && operation != kMulti && operation != kPrefix;
}

}  // namespace raddle::machine::tpa
