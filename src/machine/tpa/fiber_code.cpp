#include "machine/tpa/fiber_code.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"

namespace raddle::machine::tpa {

ValueId FiberCode::known(Value value) {
  Key key{value.kind, value.constant, value.number, value.operation, value.operands};
  const auto [entry, fresh] = known_.try_emplace(std::move(key), values_.size());
  if (!fresh) return entry->second;
  if (value.is_operation()) order_.push_back(static_cast<ValueId>(values_.size()));
  values_.push_back(std::move(value));
  return entry->second;
}

ValueId FiberCode::constant(std::int64_t number) {
  Value value;
  value.constant = number;
  return known(std::move(value));
}

ValueId FiberCode::front_register(std::uint32_t number) {
  Value value;
  value.kind = Kind::kFrontRegister;
  value.number = number;
  return known(std::move(value));
}

ValueId FiberCode::fiber_id() {
  Value value;
  value.kind = Kind::kFiberId;
  return known(std::move(value));
}

ValueId FiberCode::in_register(std::uint32_t number) {
  Value value;
  value.kind = Kind::kRegister;
  value.number = number;
  return known(std::move(value));
}

std::optional<std::int64_t> FiberCode::constant_of(ValueId id) const {
  if (values_[id].kind != Kind::kConstant) return std::nullopt;
  return values_[id].constant;
}

ValueId FiberCode::alu(AluOperation operation, std::vector<ValueId> operands) {
  std::array<Word, 3> numbers{};
  bool all = true;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const auto number = constant_of(operands[i]);
    all = all && number.has_value();
    numbers[i] = static_cast<Word>(number.value_or(0));
  }
  if (all && !divides_by_zero(operation, numbers[1]))
    return constant(
        static_cast<std::int64_t>(alu_result(operation, numbers[0], numbers[1], numbers[2])));
  Value value;
  value.kind = Kind::kAlu;
  value.operation = operation;
  value.operands = std::move(operands);
  value.place = place_;
  return known(std::move(value));
}

ValueId FiberCode::memory(MemoryOperation operation, Operator op, std::vector<ValueId> operands) {
  Value value;
  value.kind = Kind::kMemory;
  value.memory = operation;
  value.op = op;
  value.operands = std::move(operands);
  value.place = place_;
  const auto id = static_cast<ValueId>(values_.size());
  order_.push_back(id);
  values_.push_back(std::move(value));
  return id;
}

namespace {

constexpr std::uint32_t kMemoryPlace = kAlusBeforeMemory;
constexpr std::uint32_t kPlaces = kAlus + 1;
constexpr std::uint32_t kNever = ~std::uint32_t{0};

// What a slot carries to the backends: a constant, or the number of a frontend's register.
using Slot = std::pair<Source, std::int64_t>;
using Slots = std::vector<Slot>;
using SlotSet = std::set<Slot>;

class Packer {
 public:
  Packer(const FiberCode& code, const std::vector<ValueId>& order, std::size_t values,
         const std::map<std::uint32_t, ValueId>& assigned, std::uint32_t first_free,
         std::vector<Line>& lines)
      : code_(code), order_(order), assigned_(assigned), first_free_(first_free), lines_(lines) {
    last_use_.assign(values, 0);
    uses_.assign(values, 0);
    place_.assign(values, kNever);
    line_of_.assign(values, kNever);
    register_.assign(values, kNever);
  }

  std::uint32_t run() {
    prepare();
    for (std::uint32_t i = 0; i < order_.size(); ++i) {
      if (uses_[order_[i]] == 0 && code_[order_[i]].kind == FiberCode::Kind::kAlu) continue;
      if (try_add(i)) continue;
      close();
      const bool fits = try_add(i);
      RADDLE_ASSERT(fits);
    }
    if (!members_.empty()) close();
    copy_late();
    return highest_;
  }

 private:
  void prepare() {
    // From the last on, so that what nobody uses asks for nothing.
    for (const auto& [number, value] : assigned_) ++uses_[value];
    for (std::size_t i = order_.size(); i-- > 0;) {
      const FiberCode::Value& value = code_[order_[i]];
      if (value.kind == FiberCode::Kind::kAlu && uses_[order_[i]] == 0) continue;
      for (const ValueId operand : value.operands) {
        ++uses_[operand];
        last_use_[operand] = std::max(last_use_[operand], static_cast<std::uint32_t>(i) + 1);
      }
    }
    std::map<std::uint32_t, std::uint32_t> last_read;  // of registers as they were
    for (ValueId id = 0; id < uses_.size(); ++id)
      if (code_[id].kind == FiberCode::Kind::kRegister) last_read[code_[id].number] = last_use_[id];
    for (const auto& [number, value] : assigned_)
      if (!code_[value].is_operation() && code_[value].kind == FiberCode::Kind::kRegister)
        last_read[code_[value].number] = kNever;
    std::vector<std::uint32_t> at(uses_.size(), 0);
    for (std::uint32_t i = 0; i < order_.size(); ++i) at[order_[i]] = i + 1;
    for (const auto& [number, value] : assigned_) {
      if (code_[value].kind == FiberCode::Kind::kRegister && code_[value].number == number)
        continue;
      const auto read = last_read.find(number);
      const bool is_free = read == last_read.end() || read->second <= at[value];
      if (code_[value].is_operation() && is_free && register_[value] == kNever) {
        register_[value] = number;
        homes_.insert(value);
      } else {
        late_.emplace_back(number, value);
      }
    }
    for (const auto& [number, value] : late_) last_use_[value] = kNever;
  }

  std::optional<Slot> slot_of(ValueId id) const {
    const FiberCode::Value& value = code_[id];
    if (value.kind == FiberCode::Kind::kConstant) return Slot{Source::kConstant, value.constant};
    if (value.kind == FiberCode::Kind::kFrontRegister)
      return Slot{Source::kFrontRegister, value.number};
    return std::nullopt;
  }

  // Whether the line still works with this operation on it, and where the operation goes.
  bool try_add(std::uint32_t index) {
    const ValueId id = order_[index];
    const FiberCode::Value& value = code_[id];
    std::uint32_t place = 0;
    SlotSet slots = slots_;
    std::set<std::uint32_t> reads = reads_;
    for (const ValueId operand : value.operands) {
      const FiberCode::Value& from = code_[operand];
      if (const auto slot = slot_of(operand)) {
        slots.insert(*slot);
      } else if (from.kind == FiberCode::Kind::kRegister) {
        reads.insert(from.number);
      } else if (from.is_operation()) {
        if (line_of_[operand] == line_) {
          place = std::max(place, place_[operand] + 1);
        } else {
          reads.insert(register_[operand]);
        }
      }
    }
    if (value.kind == FiberCode::Kind::kMemory) {
      if (place > kMemoryPlace || taken_[kMemoryPlace]) return false;
      place = kMemoryPlace;
    } else {
      while (place < kPlaces && (place == kMemoryPlace || taken_[place])) ++place;
      if (place == kPlaces) return false;
    }
    if (slots.size() > kSlots || reads.size() > kMaxReads) return false;
    if (writes_with(id, index) > kMaxWrites) return false;
    slots_ = std::move(slots);
    reads_ = std::move(reads);
    taken_[place] = true;
    place_[id] = place;
    line_of_[id] = line_;
    members_.push_back(id);
    last_index_ = index;
    return true;
  }

  // How many values of the line are wanted after it, with one more on it.
  std::size_t writes_with(ValueId more, std::uint32_t index) const {
    std::size_t count = 0;
    const auto outlives = [&](ValueId id) {
      return homes_.contains(id) || last_use_[id] > index + 1;
    };
    for (const ValueId id : members_) count += outlives(id) ? 1 : 0;
    return count + (outlives(more) ? 1 : 0);
  }

  Operand operand_of(ValueId id, const Slots& slots) const {
    const FiberCode::Value& value = code_[id];
    const auto number = [](std::size_t n) { return static_cast<std::uint8_t>(n); };
    if (const auto needed = slot_of(id)) {
      const auto slot = std::find(slots.begin(), slots.end(), *needed);
      return {Source::kSlot, number(static_cast<std::size_t>(slot - slots.begin())), 0};
    }
    switch (value.kind) {
      case FiberCode::Kind::kFiberId: return {Source::kFiberId, 0, 0};
      case FiberCode::Kind::kRegister: return {Source::kFiberRegister, number(value.number), 0};
      default: break;
    }
    if (line_of_[id] != line_) return {Source::kFiberRegister, number(register_[id]), 0};
    if (value.kind == FiberCode::Kind::kMemory) return {Source::kMemory, 0, 0};
    return {Source::kAlu, number(place_[id] < kMemoryPlace ? place_[id] : place_[id] - 1), 0};
  }

  void begin_line(Line& line, const Slots& slots) const {
    for (std::size_t i = 0; i < slots.size(); ++i) {
      Subinstruction part;
      part.unit = Unit::kSlot;
      part.number = static_cast<std::uint8_t>(i);
      part.count = 1;
      const auto& [source, value] = slots[i];
      part.operands[0] = source == Source::kConstant
                             ? Operand{source, 0, value}
                             : Operand{source, static_cast<std::uint8_t>(value), 0};
      line.parts.push_back(part);
    }
    for (const std::uint32_t number : reads_) {
      Subinstruction part;
      part.unit = Unit::kRead;
      part.number = static_cast<std::uint8_t>(number);
      line.parts.push_back(part);
    }
  }

  static void add_write(Line& line, std::uint32_t number, const Operand& value) {
    Subinstruction part;
    part.unit = Unit::kWrite;
    part.number = static_cast<std::uint8_t>(number);
    part.count = 1;
    part.operands[0] = value;
    line.parts.push_back(part);
  }

  static void end_line(Line& line) {
    Subinstruction part;
    part.unit = Unit::kSwitch;
    line.parts.push_back(part);
  }

  void close() {
    Line line;
    const Slots slots(slots_.begin(), slots_.end());
    begin_line(line, slots);
    std::vector<ValueId> sorted = members_;
    std::sort(sorted.begin(), sorted.end(),
              [this](ValueId a, ValueId b) { return place_[a] < place_[b]; });
    for (const ValueId id : sorted) {
      const FiberCode::Value& value = code_[id];
      if (line.place.line == 0 || value.kind == FiberCode::Kind::kMemory) line.place = value.place;
      Subinstruction part;
      const bool is_alu = value.kind == FiberCode::Kind::kAlu;
      part.unit = is_alu ? Unit::kAlu : Unit::kMemory;
      part.operation = is_alu ? static_cast<std::uint8_t>(value.operation)
                              : static_cast<std::uint8_t>(value.memory);
      part.op = value.op;
      part.number = static_cast<std::uint8_t>(!is_alu                     ? 0
                                              : place_[id] < kMemoryPlace ? place_[id]
                                                                          : place_[id] - 1);
      part.count = static_cast<std::uint8_t>(value.operands.size());
      for (std::size_t i = 0; i < value.operands.size(); ++i)
        part.operands[i] = operand_of(value.operands[i], slots);
      line.parts.push_back(part);
    }
    for (const ValueId id : sorted) {
      if (!homes_.contains(id) && last_use_[id] <= last_index_ + 1) continue;
      if (register_[id] == kNever) register_[id] = take_register(last_use_[id]);
      add_write(line, register_[id], operand_of(id, slots));
    }
    end_line(line);
    lines_.push_back(std::move(line));
    slots_.clear();
    reads_.clear();
    members_.clear();
    taken_ = {};
    ++line_;
  }

  // One that nobody reads any more at this line or later.
  std::uint32_t take_register(std::uint32_t last_use) {
    std::size_t i = 0;
    while (i < busy_until_.size() && busy_until_[i] > last_index_) ++i;
    if (i == busy_until_.size()) busy_until_.push_back(0);
    busy_until_[i] = last_use;
    highest_ = std::max(highest_, first_free_ + static_cast<std::uint32_t>(i) + 1);
    return first_free_ + static_cast<std::uint32_t>(i);
  }

  // What could not be written where it was made. Registers that others still read are read first:
  // all of a line at once; more than one line goes by free registers.
  void copy_late() {
    struct Copy {
      std::uint32_t number;
      ValueId value;
    };
    std::vector<Copy> pending;
    for (const auto& [number, value] : late_) {
      // A register that another copy overwrites is saved first.
      const FiberCode::Value& from = code_[value];
      const bool is_overwritten = from.kind == FiberCode::Kind::kRegister &&
                                  std::any_of(late_.begin(), late_.end(), [&](const auto& other) {
                                    return other.first == from.number;
                                  });
      if (is_overwritten && late_.size() > kMaxReads) {
        const std::uint32_t saved = take_register(kNever);
        copy_line({{saved, value}});
        saved_[value] = saved;
      }
      pending.push_back({number, value});
    }
    for (std::size_t i = 0; i < pending.size(); i += kMaxReads) {
      std::vector<std::pair<std::uint32_t, ValueId>> some;
      for (std::size_t k = i; k < std::min<std::size_t>(pending.size(), i + kMaxReads); ++k)
        some.emplace_back(pending[k].number, pending[k].value);
      copy_line(some);
    }
  }

  void copy_line(const std::vector<std::pair<std::uint32_t, ValueId>>& copies) {
    Line line;
    SlotSet constants;
    const auto source = [&](ValueId id) -> std::optional<std::uint32_t> {
      const auto saved = saved_.find(id);
      if (saved != saved_.end()) return saved->second;
      const FiberCode::Value& value = code_[id];
      if (value.kind == FiberCode::Kind::kRegister) return value.number;
      if (value.is_operation()) return register_[id];
      return std::nullopt;
    };
    for (const auto& [number, value] : copies) {
      if (const auto slot = slot_of(value)) constants.insert(*slot);
      if (const auto from = source(value)) reads_.insert(*from);
    }
    const Slots slots(constants.begin(), constants.end());
    begin_line(line, slots);
    for (const auto& [number, value] : copies) {
      const auto from = source(value);
      add_write(line, number,
                from ? Operand{Source::kFiberRegister, static_cast<std::uint8_t>(*from), 0}
                     : operand_of(value, slots));
    }
    end_line(line);
    lines_.push_back(std::move(line));
    reads_.clear();
    ++line_;
  }

  const FiberCode& code_;
  const std::vector<ValueId>& order_;
  const std::map<std::uint32_t, ValueId>& assigned_;
  std::uint32_t first_free_;
  std::vector<Line>& lines_;
  std::vector<std::uint32_t> last_use_, uses_, place_, line_of_, register_;
  std::set<ValueId> homes_;  // values that are made in the register that takes them
  std::vector<std::pair<std::uint32_t, ValueId>> late_;
  std::map<ValueId, std::uint32_t> saved_;
  std::vector<std::uint32_t> busy_until_;
  std::uint32_t highest_ = 0;
  std::uint32_t line_ = 0;
  std::uint32_t last_index_ = 0;
  SlotSet slots_;
  std::set<std::uint32_t> reads_;
  std::array<bool, kPlaces> taken_{};
  std::vector<ValueId> members_;
};

}  // namespace

void FiberCode::pack(std::uint32_t first_free, std::vector<Line>& lines,
                     std::uint32_t& registers) const {
  Packer packer(*this, order_, values_.size(), assigned_, first_free, lines);
  registers = std::max({registers, first_free, packer.run()});
}

}  // namespace raddle::machine::tpa
