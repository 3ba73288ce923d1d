#include "lang/tpa/line_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace raddle::tpa {

namespace {

using namespace machine::tpa;

std::string name_of_part(const Subinstruction& part) {
  const Mnemonic& mnemonic = mnemonic_of(part.unit, part.operation, part.op);
  return mnemonic.numbered.empty() ? mnemonic.text
                                   : fmt::format("{}{}", mnemonic.text, part.number);
}

std::string name_of_source(const Operand& operand) {
  switch (operand.source) {
    case Source::kSlot: return fmt::format("O{}", operand.number);
    case Source::kFrontRegister: return fmt::format("R{}", operand.number);
    case Source::kFrontAlu: return fmt::format("L{}", operand.number);
    case Source::kFrontMemory: return "N0";
    case Source::kFiberRegister: return fmt::format("B{}", operand.number);
    case Source::kAlu: return fmt::format("A{}", operand.number);
    case Source::kMemory: return fmt::format("M{}", operand.number);
    case Source::kFiberId: return "FID";
    default: return "a constant";
  }
}

bool is_backend(Unit unit) {
  return unit == Unit::kRead || unit == Unit::kAlu || unit == Unit::kMemory ||
         unit == Unit::kWrite || unit == Unit::kReply;
}

// Places along the chains, so that "may read" is a comparison.
int place_of(const Subinstruction& part) {
  switch (part.unit) {
    case Unit::kFrontAlu:
      return part.number < kFrontAlusBeforeMemory ? part.number : part.number + 1;
    case Unit::kFrontMemory: return kFrontAlusBeforeMemory;
    case Unit::kAlu: return part.number < kAlusBeforeMemory ? part.number : part.number + 1;
    case Unit::kMemory: return kAlusBeforeMemory;
    default: return 100;  // after all units
  }
}
int place_of(const Operand& operand) {
  switch (operand.source) {
    case Source::kFrontAlu:
      return operand.number < kFrontAlusBeforeMemory ? operand.number : operand.number + 1;
    case Source::kFrontMemory: return kFrontAlusBeforeMemory;
    case Source::kAlu:
      return operand.number < kAlusBeforeMemory ? operand.number : operand.number + 1;
    case Source::kMemory: return kAlusBeforeMemory;
    default: return -1;
  }
}

class Rules {
 public:
  explicit Rules(const std::vector<PlacedSubinstruction>& parts) : parts_(parts) {}

  void check() {
    for (const PlacedSubinstruction& placed : parts_) take(placed);
    for (const PlacedSubinstruction& placed : parts_) {
      for (std::size_t i = 0; i < placed.part.count; ++i) check_operand(placed, i);
      check_part(placed);
    }
    check_whole();
  }

 private:
  [[noreturn]] static void fail(std::size_t column, std::string message, std::string hint = {}) {
    throw LineFault{column, std::move(message), std::move(hint)};
  }

  // One command a unit.
  void take(const PlacedSubinstruction& placed) {
    const Subinstruction& part = placed.part;
    const bool only_one = part.unit == Unit::kMemory || part.unit == Unit::kControl ||
                          part.unit == Unit::kFrontMemory || part.unit == Unit::kLayout ||
                          part.unit == Unit::kReply || part.unit == Unit::kSwitch;
    const auto [first, is_new] =
        used_.try_emplace({part.unit, only_one ? 0 : part.number}, &placed);
    if (is_new) {
      ++counts_[part.unit];
      return;
    }
    const std::string before = name_of_part(first->second->part);
    if (part.unit == Unit::kMemory) {
      fail(placed.column,
           fmt::format("two memory subinstructions on one line: {} and {}", before,
                       name_of_part(part)),
           "a fiber refers to memory once in a step; write two lines");
    }
    fail(placed.column, fmt::format("{} has a command already: {}", unit_text(part), before),
         part.unit == Unit::kAlu || part.unit == Unit::kFrontAlu ? "use another ALU of the chain"
                                                                 : "");
  }

  static std::string unit_text(const Subinstruction& part) {
    switch (part.unit) {
      case Unit::kSlot: return fmt::format("operand slot {}", part.number);
      case Unit::kFrontAlu: return fmt::format("frontend ALU {}", part.number);
      case Unit::kFrontMemory: return "the frontend's memory unit";
      case Unit::kFrontWrite: return fmt::format("frontend register {}", part.number);
      case Unit::kRead:
      case Unit::kWrite: return fmt::format("register {}", part.number);
      case Unit::kAlu: return fmt::format("ALU {}", part.number);
      case Unit::kControl: return "the sequencer";
      default: return "the line";
    }
  }

  const Subinstruction* find(Unit unit, std::uint8_t number) const {
    const auto found = used_.find({unit, number});
    return found == used_.end() ? nullptr : &found->second->part;
  }

  // The unit that gives the operand must be commanded, and lie before the reader.
  void check_operand(const PlacedSubinstruction& placed, std::size_t i) const {
    const Subinstruction& reader = placed.part;
    const Operand& operand = reader.operands[i];
    const std::size_t column = placed.operand_columns[i];
    const std::string source = name_of_source(operand);
    if (operand.source == Source::kConstant || operand.source == Source::kNone) return;
    check_side(reader, operand, column);
    if (operand.source == Source::kFiberId || operand.source == Source::kFrontRegister) return;
    const Unit unit = operand.source == Source::kSlot            ? Unit::kSlot
                      : operand.source == Source::kFrontAlu      ? Unit::kFrontAlu
                      : operand.source == Source::kFrontMemory   ? Unit::kFrontMemory
                      : operand.source == Source::kFiberRegister ? Unit::kRead
                      : operand.source == Source::kAlu           ? Unit::kAlu
                                                                 : Unit::kMemory;
    const std::uint8_t number = unit == Unit::kMemory ? 0 : operand.number;
    const Subinstruction* writer = find(unit, number);
    if (writer == nullptr) {
      fail(column, fmt::format("{} is read, but nothing on this line produces it", source),
           unit == Unit::kRead   ? fmt::format("RD{} reads the register", operand.number)
           : unit == Unit::kSlot ? fmt::format("OP{} gives it a value", operand.number)
                                 : "");
    }
    if (place_of(operand) >= place_of(reader)) {
      fail(column,
           fmt::format("{} cannot read {}, which comes later in the chain", name_of_part(reader),
                       source),
           is_backend(reader.unit) ? "the chain is A0…A4, M0, A5…A7"
                                   : "the chain is L0, N0, L1, L2");
    }
    check_result(*writer, operand, column);
    if (unit == Unit::kSlot) check_slot(reader, *writer, column);
  }

  static void check_side(const Subinstruction& reader, const Operand& operand, std::size_t column) {
    const bool backend_source =
        operand.source == Source::kFiberRegister || operand.source == Source::kAlu ||
        operand.source == Source::kMemory || operand.source == Source::kFiberId;
    if (operand.source == Source::kSlot && reader.unit != Unit::kSlot) return;
    if (backend_source == is_backend(reader.unit)) return;
    if (operand.source == Source::kSlot) fail(column, "a slot cannot take its value from a slot");
    fail(column,
         fmt::format("{} cannot read {}, which is on the {} side", name_of_part(reader),
                     name_of_source(operand), backend_source ? "backend" : "frontend"),
         backend_source ? "RPL sends a fiber's value to the frontend, LRCV0 receives it"
                        : fmt::format("send it in a slot: OP0 {} … O0", name_of_source(operand)));
  }

  static void check_result(const Subinstruction& writer, const Operand& operand,
                           std::size_t column) {
    if (writer.unit == Unit::kMemory) {
      const auto operation = static_cast<MemoryOperation>(writer.operation);
      const bool given = operand.number == 0 ? gives_result(operation)
                                             : operation == MemoryOperation::kConditionalLoad;
      if (!given)
        fail(column,
             fmt::format("{} does not produce {}", name_of_part(writer), name_of_source(operand)));
    }
    if (writer.unit == Unit::kFrontMemory) {
      const auto operation = static_cast<LocalOperation>(writer.operation);
      if (operation == LocalOperation::kStore || operation == LocalOperation::kStoreShared)
        fail(column, fmt::format("{} does not produce N0", name_of_part(writer)));
    }
  }

  // A slot that carries a result of the frontend's units is ready for the backends alone.
  static void check_slot(const Subinstruction& reader, const Subinstruction& slot,
                         std::size_t column) {
    const Source from = slot.operands[0].source;
    if (from != Source::kFrontAlu && from != Source::kFrontMemory) return;
    if (is_backend(reader.unit)) return;
    fail(column,
         fmt::format("O{} carries {}, which only the backend part can read from a slot",
                     slot.number, name_of_source(slot.operands[0])),
         fmt::format("read {} itself", name_of_source(slot.operands[0])));
  }

  void check_part(const PlacedSubinstruction& placed) const {
    const Subinstruction& part = placed.part;
    if (part.unit == Unit::kFrontWrite && part.number == kFlowRegister)
      fail(placed.column, "R32, the flow's number, cannot be written");
    const auto memory = used_.find({Unit::kMemory, 0});
    if (memory == used_.end()) return;
    const auto operation = static_cast<MemoryOperation>(memory->second->part.operation);
    if (!sends_entries(operation)) return;
    if (part.unit == Unit::kWrite || part.unit == Unit::kReply) {
      fail(placed.column,
           fmt::format(
               "{} cannot be combined with {}: it sends entries of the scratchpad, not fibers",
               name_of_part(part), name_of_part(memory->second->part)),
           "write it on a line of its own");
    }
  }

  void check_whole() const {
    const PlacedSubinstruction* backend = nullptr;
    for (const PlacedSubinstruction& placed : parts_)
      if (is_backend(placed.part.unit)) backend = &placed;
    if (backend != nullptr && find(Unit::kSwitch, 0) == nullptr) {
      fail(backend->column, "a line with a backend part lacks STCF",
           "a flow executes one backend instruction in a step; STCF ends its part of the step");
    }
    check_count(Unit::kRead, kMaxReads, "RD");
    check_count(Unit::kWrite, kMaxWrites, "WB");
    check_count(Unit::kFrontWrite, kMaxWrites, "LWB");
  }

  void check_count(Unit unit, std::size_t most, std::string_view name) const {
    const auto found = counts_.find(unit);
    if (found == counts_.end() || found->second <= most) return;
    std::size_t column = 1;
    for (const PlacedSubinstruction& placed : parts_)
      if (placed.part.unit == unit) column = placed.column;
    fail(column, fmt::format("a line has at most {} {}", most, name));
  }

  const std::vector<PlacedSubinstruction>& parts_;
  std::map<std::pair<Unit, std::uint8_t>, const PlacedSubinstruction*> used_;
  std::map<Unit, std::size_t> counts_;
};

}  // namespace

void check_line(std::vector<PlacedSubinstruction>& parts) {
  Rules(parts).check();
  std::ranges::stable_sort(parts, [](const PlacedSubinstruction& a, const PlacedSubinstruction& b) {
    const auto key = [](const Subinstruction& part) {
      // The memory units stand within their ALUs.
      const bool front = part.unit == Unit::kFrontAlu || part.unit == Unit::kFrontMemory;
      const bool back = part.unit == Unit::kAlu || part.unit == Unit::kMemory;
      const Unit group = front ? Unit::kFrontAlu : back ? Unit::kAlu : part.unit;
      return std::pair(group, front || back ? place_of(part) : int{part.number});
    };
    return key(a.part) < key(b.part);
  });
}

void check_line(const Line& line) {
  std::vector<PlacedSubinstruction> parts;
  for (const Subinstruction& part : line.parts) parts.push_back({part, 1, {}});
  Rules(parts).check();
}

}  // namespace raddle::tpa
