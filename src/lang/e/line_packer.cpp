#include "lang/e/line_packer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/stop_token.h"

namespace raddle::e {
namespace {

constexpr std::size_t kSlots = 5;
constexpr std::size_t kWrites = 4;
constexpr std::uint32_t kFirstTemporary = 30;  // registers of temporaries go down from here
constexpr std::uint32_t kThicknessRegister = 33;

// Units of the frontend in the order of their chain.
enum Unit : std::uint32_t { kL0, kN0, kL1, kL2, kUnits };
constexpr std::array<const char*, kUnits> kUnitNames = {"L0", "N0", "L1", "L2"};
constexpr std::array<const char*, kUnits> kUnitNumbers = {"0", "0", "1", "2"};

std::string text_of(const Constant& constant) {
  if (constant.symbol.empty()) return std::to_string(constant.number);
  if (constant.number == 0) return constant.symbol;
  return fmt::format("{}{:+}", constant.symbol, constant.number);
}

struct OpenLine {
  std::vector<std::string> slots;  // what each OPk holds
  std::array<std::string, kUnits> units;
  std::map<std::uint32_t, std::string> writes;  // register: source
  std::map<FrontOperand, std::uint32_t> made;   // values made here: unit
  std::map<FrontOperand, std::string> moved;    // registers that a move set here: source
  std::vector<std::uint32_t> temporaries;       // made here
  std::optional<std::string> back;              // text after the frontend's part
  std::string layout;
  std::string control;
  bool switches = false;  // STCF
  std::uint32_t source_line = 0;
  std::uint32_t division_line = 0;  // where something is divided, which may fault; or 0

  // The line that a fault will name. Divisions of two source lines do not share an instruction.
  bool take_division(std::uint32_t line) {
    if (division_line != 0 && division_line != line) return false;
    division_line = line;
    source_line = line;
    return true;
  }

  bool is_empty() const {
    return slots.empty() && writes.empty() && !back && control.empty() && !switches &&
           std::all_of(units.begin(), units.end(), [](const auto& unit) { return unit.empty(); });
  }
};

class Packer {
 public:
  explicit Packer(const PackInput& input) : input_(input) {}

  std::string run() {
    count_uses();
    for (const Item& item : *input_.items) {
      throw_if_stopped(kCompilingE);
      source_line_ = item.source_line;
      std::visit([this](const auto& what) { add(what); }, item.what);
    }
    close();
    return std::move(text_);
  }

 private:
  void count_uses() {
    for (const Item& item : *input_.items) {
      if (const auto* op = std::get_if<FrontOp>(&item.what)) {
        for (const FrontOperand& operand : op->operands) count_use(operand);
      } else if (const auto* line = std::get_if<BackLine>(&item.what)) {
        for (const FrontOperand& operand : line->slots) count_use(operand);
        if (line->thickness) count_use(*line->thickness);
      } else if (const auto* control = std::get_if<Control>(&item.what)) {
        count_use(control->value);
      }
    }
  }

  void count_use(const FrontOperand& operand) {
    if (operand.kind == FrontOperand::Kind::kTemporary) ++uses_left_[operand.number];
  }

  void add(const Label& label) {
    close();
    text_ += label.name + ":\n";
  }

  void add(const FrontOp& op) {
    const bool is_shared =
        op.kind == FrontOp::Kind::kLoadShared || op.kind == FrontOp::Kind::kStoreShared;
    const bool waits = is_shared || op.kind == FrontOp::Kind::kReceive;
    if (!line_.control.empty() || line_.switches) close();
    // What reads the answer of a step comes after it.
    if (line_.back && waits) close();
    if (!try_add(op)) {
      close();
      const bool fits = try_add(op);
      RADDLE_ASSERT(fits);
    }
    // The step ends, so that the next one sees the store.
    if (op.kind == FrontOp::Kind::kStoreShared) {
      line_.switches = true;
      close();
    }
  }

  // How an operand is read in the open line: a slot, a register or a unit; nothing if no slot is
  // left. `unit` is raised to after the unit that makes it.
  std::optional<std::string> read(const FrontOperand& operand, std::uint32_t& unit) {
    if (operand.kind == FrontOperand::Kind::kConstant) {
      const std::optional<std::size_t> slot = slot_for(text_of(operand.constant));
      if (!slot) return std::nullopt;
      return fmt::format("O{}", *slot);
    }
    const auto made = line_.made.find(operand);
    if (made != line_.made.end()) {
      unit = std::max(unit, made->second + 1);
      return kUnitNames[made->second];
    }
    const auto moved = line_.moved.find(operand);
    if (moved == line_.moved.end()) return register_text(operand);
    const auto* const source = std::find(kUnitNames.begin(), kUnitNames.end(), moved->second);
    if (source != kUnitNames.end()) {
      unit = std::max(unit, static_cast<std::uint32_t>(source - kUnitNames.begin()) + 1);
    }
    return moved->second;
  }

  std::string register_text(const FrontOperand& operand) const {
    if (operand.kind == FrontOperand::Kind::kRegister) return fmt::format("R{}", operand.number);
    return fmt::format("R{}", temporary_registers_.at(operand.number));
  }

  std::optional<std::size_t> slot_for(const std::string& value) {
    const auto known = std::find(line_.slots.begin(), line_.slots.end(), value);
    if (known != line_.slots.end()) return static_cast<std::size_t>(known - line_.slots.begin());
    if (line_.slots.size() == kSlots) return std::nullopt;
    line_.slots.push_back(value);
    return line_.slots.size() - 1;
  }

  bool try_add(const FrontOp& op) {
    const OpenLine saved = line_;
    consumed_.clear();
    const bool divides = op.name == "DIV" || op.name == "MOD";
    if ((!divides || line_.take_division(source_line_)) && place(op) && has_writes_left()) {
      if (line_.source_line == 0) line_.source_line = source_line_;
      return true;
    }
    line_ = saved;
    for (const std::uint32_t temporary : consumed_) ++uses_left_[temporary];
    return false;
  }

  bool place(const FrontOp& op) {
    std::uint32_t unit = 0;
    std::string operands;
    for (const FrontOperand& operand : op.operands) {
      const std::optional<std::string> text = read(operand, unit);
      if (!text) return false;
      operands += (operands.empty() ? "" : ",") + *text;
      consume(operand);
    }
    if (op.kind == FrontOp::Kind::kMove) {
      line_.writes[op.result.number] = operands;
      line_.made.erase(op.result);
      line_.moved[op.result] = operands;
      return true;
    }
    const bool is_alu = op.kind == FrontOp::Kind::kAlu;
    if (!is_alu && unit > kN0) return false;
    if (!is_alu) unit = kN0;
    while (unit < kUnits && (!line_.units[unit].empty() || (is_alu && unit == kN0))) ++unit;
    if (unit >= kUnits || (!is_alu && unit != kN0)) return false;
    line_.units[unit] = fmt::format("{}{}{}{}", mnemonic_of(op), kUnitNumbers[unit],
                                    operands.empty() ? "" : " ", operands);
    if (op.result.kind == FrontOperand::Kind::kRegister) {
      line_.writes[op.result.number] = kUnitNames[unit];
      line_.moved.erase(op.result);
      line_.made[op.result] = unit;
    } else if (op.result.kind == FrontOperand::Kind::kTemporary) {
      line_.made[op.result] = unit;
      line_.temporaries.push_back(op.result.number);
    }
    return true;
  }

  static std::string mnemonic_of(const FrontOp& op) {
    switch (op.kind) {
      case FrontOp::Kind::kLoadLocal: return "LLDD";
      case FrontOp::Kind::kStoreLocal: return "LSTD";
      case FrontOp::Kind::kLoadShared: return "LLDS";
      case FrontOp::Kind::kStoreShared: return "LSTS";
      case FrontOp::Kind::kReceive: return "LRCV";
      default: return "L" + op.name;
    }
  }

  void consume(const FrontOperand& operand) {
    if (operand.kind != FrontOperand::Kind::kTemporary) return;
    --uses_left_[operand.number];
    consumed_.push_back(operand.number);
  }

  std::uint32_t uses_of(std::uint32_t temporary) const {
    const auto uses = uses_left_.find(temporary);
    return uses == uses_left_.end() ? 0 : uses->second;
  }

  // Writes of registers, and of temporaries that somebody may want after this line.
  bool has_writes_left() const {
    std::size_t count = line_.writes.size();
    for (const std::uint32_t temporary : line_.temporaries) {
      if (uses_of(temporary) > 0) ++count;
    }
    return count <= kWrites;
  }

  void add(const BackLine& back) {
    if (line_.back || !line_.control.empty() || line_.switches) close();
    if (!try_add(back)) {
      close();
      const bool fits = try_add(back);
      RADDLE_ASSERT(fits);
    }
  }

  bool try_add(const BackLine& back) {
    const OpenLine saved = line_;
    consumed_.clear();
    const bool divides = back.division_line != 0;
    if ((!divides || line_.take_division(back.division_line)) && place(back) && has_writes_left()) {
      const bool has_place = line_.source_line != 0 && !back.memory;
      if (line_.division_line == 0 && !has_place) line_.source_line = source_line_;
      return true;
    }
    line_ = saved;
    for (const std::uint32_t temporary : consumed_) ++uses_left_[temporary];
    return false;
  }

  bool place(const BackLine& back) {
    std::vector<std::size_t> slots;
    for (const FrontOperand& operand : back.slots) {
      const std::optional<std::size_t> slot = slot_for(slot_text(operand));
      if (!slot) return false;
      slots.push_back(*slot);
      consume(operand);
    }
    if (back.thickness) {
      std::uint32_t unit = 0;
      const std::optional<std::string> text = read(*back.thickness, unit);
      if (!text) return false;
      line_.writes[kThicknessRegister] = *text;
      consume(*back.thickness);
    }
    std::string text;
    for (const std::uint32_t reg : back.reads) text += fmt::format(" RD{}", reg);
    for (const BackPart& part : back.before_memory) text += " " + part_text(part, slots);
    if (back.memory) text += " " + part_text(*back.memory, slots);
    for (const BackPart& part : back.after_memory) text += " " + part_text(part, slots);
    for (const BackWrite& write : back.writes) {
      text += fmt::format(" WB{} {}", write.reg, operand_text(write.value, slots));
    }
    line_.back = text;
    line_.layout = fmt::format("RT{}", std::max(1u, input_.layouts.at(back.group)));
    return true;
  }

  // What OPk holds: a constant, a register, or what a unit of this line makes.
  std::string slot_text(const FrontOperand& operand) const {
    if (operand.kind == FrontOperand::Kind::kConstant) return text_of(operand.constant);
    const auto made = line_.made.find(operand);
    if (made != line_.made.end()) return kUnitNames[made->second];
    const auto moved = line_.moved.find(operand);
    if (moved == line_.moved.end()) return register_text(operand);
    // A move from a slot: the slot's own value.
    if (moved->second[0] == 'O') {
      return line_.slots[static_cast<std::size_t>(moved->second[1] - '0')];
    }
    return moved->second;
  }

  static std::string operand_text(const BackOperand& operand,
                                  const std::vector<std::size_t>& slots) {
    switch (operand.kind) {
      case BackOperand::Kind::kSlot: return fmt::format("O{}", slots[operand.number]);
      case BackOperand::Kind::kFiberId: return "FID";
      case BackOperand::Kind::kRegister: return fmt::format("B{}", operand.number);
      case BackOperand::Kind::kAlu: return fmt::format("A{}", operand.number);
      default: return fmt::format("M{}", operand.number);
    }
  }

  static std::string part_text(const BackPart& part, const std::vector<std::size_t>& slots) {
    std::string text = part.name;
    for (std::size_t i = 0; i < part.operands.size(); ++i) {
      text += (i == 0 ? " " : ",") + operand_text(part.operands[i], slots);
    }
    return text;
  }

  void add(const Control& control) {
    const bool is_branch =
        control.kind == Control::Kind::kBranchZero || control.kind == Control::Kind::kBranchNonZero;
    const bool is_jump = is_branch || control.kind == Control::Kind::kJump;
    if (!line_.control.empty() || line_.switches) close();
    // A new flow gets the registers as they are when its line begins.
    if (!is_jump) close();
    if (!try_add(control)) {
      close();
      const bool fits = try_add(control);
      RADDLE_ASSERT(fits);
    }
    close();
  }

  bool try_add(const Control& control) {
    std::uint32_t unit = 0;
    std::optional<std::string> value;
    if (control.value.kind != FrontOperand::Kind::kNone) {
      value = read(control.value, unit);
      if (!value) return false;
    }
    switch (control.kind) {
      case Control::Kind::kJump: line_.control = "JMP " + control.label; break;
      case Control::Kind::kBranchZero:
        line_.control = fmt::format("BEZ {},{}", *value, control.label);
        break;
      case Control::Kind::kBranchNonZero:
        line_.control = fmt::format("BNZ {},{}", *value, control.label);
        break;
      case Control::Kind::kFork:
        line_.control = fmt::format("FORK {},{}", control.label, *value);
        break;
      case Control::Kind::kJoin: line_.control = "JOIN"; break;
      case Control::Kind::kExit: line_.control = "EXIT"; break;
      case Control::Kind::kHalt: line_.control = "HALT"; break;
    }
    consume(control.value);
    if (line_.source_line == 0) line_.source_line = source_line_;
    return true;
  }

  void close() {
    if (line_.is_empty()) {
      line_ = {};
      return;
    }
    release_temporaries();
    for (const std::uint32_t temporary : line_.temporaries) {
      if (uses_of(temporary) == 0) continue;
      const std::uint32_t reg = free_register();
      temporary_registers_[temporary] = reg;
      line_.writes[reg] = kUnitNames[line_.made.at(FrontOperand::temporary(temporary))];
    }
    write_line();
    line_ = {};
  }

  void release_temporaries() {
    for (auto held = temporary_registers_.begin(); held != temporary_registers_.end();) {
      held = uses_of(held->first) == 0 ? temporary_registers_.erase(held) : std::next(held);
    }
  }

  std::uint32_t free_register() const {
    for (std::uint32_t reg = kFirstTemporary; reg > 0; --reg) {
      const bool taken = std::any_of(temporary_registers_.begin(), temporary_registers_.end(),
                                     [&](const auto& held) { return held.second == reg; });
      if (!taken) return reg;
    }
    return 0;
  }

  void write_line() {
    if (line_.source_line != 0 && line_.source_line != last_source_line_) {
      text_ += fmt::format(".loc \"{}\" {}\n", input_.map->file_of(line_.source_line),
                           input_.map->line_in_file(line_.source_line));
      last_source_line_ = line_.source_line;
    }
    std::string line;
    for (std::size_t i = 0; i < line_.slots.size(); ++i) {
      line += fmt::format(" OP{} {}", i, line_.slots[i]);
    }
    for (const std::string& unit : line_.units) {
      if (!unit.empty()) line += " " + unit;
    }
    for (const auto& [reg, source] : line_.writes) line += fmt::format(" LWB{} {}", reg, source);
    if (line_.back) line += *line_.back + " " + line_.layout;
    if (!line_.control.empty()) line += " " + line_.control;
    if (line_.back || line_.switches) line += " STCF";
    text_ += "   " + line + "\n";
  }

  const PackInput& input_;
  std::string text_;
  OpenLine line_;
  std::uint32_t source_line_ = 0;
  std::uint32_t last_source_line_ = 0;
  std::map<std::uint32_t, std::uint32_t> uses_left_;            // of temporaries
  std::vector<std::uint32_t> consumed_;                         // uses that the try at hand took
  std::map<std::uint32_t, std::uint32_t> temporary_registers_;  // of temporaries that are alive
};

}  // namespace

std::string pack(const PackInput& input) { return Packer(input).run(); }

}  // namespace raddle::e
