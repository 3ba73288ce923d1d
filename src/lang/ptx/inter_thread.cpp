#include "lang/ptx/inter_thread.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace raddle::ptx {
namespace {

using kernel::Instruction;
using kernel::kNoId;
using kernel::Opcode;
using kernel::Operand;
using kernel::Space;
using kernel::SymbolKind;
using kernel::Type;

constexpr std::string_view kPrefix = "__raddle_it_";

constexpr std::size_t kNameWords = 4;

struct Operation {
  Opcode opcode = Opcode::kItTag;
  Type type = Type::kB32;
  std::size_t values = 1;  // arguments that are no constants, which come first
  bool has_distance = false;
  bool has_name = false;
  std::size_t arguments() const {
    return values + (has_distance ? 4 : 0) + (has_name ? kNameWords : 0);
  }
};

std::optional<Type> type_of_suffix(std::string_view suffix) {
  if (suffix == "f32") return Type::kF32;
  if (suffix == "f64") return Type::kF64;
  if (suffix == "s32" || suffix == "u32" || suffix == "b32") return Type::kB32;
  if (suffix == "s64" || suffix == "u64" || suffix == "b64") return Type::kB64;
  return std::nullopt;
}

std::optional<Operation> operation_of(std::string_view name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  struct Row {
    std::string_view prefix;
    Opcode opcode;
    std::size_t values;
    bool has_distance;
    bool has_name;
  };
  constexpr Row kRows[] = {{"tag_", Opcode::kItTag, 1, false, true},
                           {"recv_const_", Opcode::kItReceiveConst, 1, true, true},
                           {"recv_load_", Opcode::kItReceiveLoad, 2, true, false}};
  for (const Row& row : kRows) {
    if (!name.starts_with(row.prefix)) continue;
    const auto type = type_of_suffix(name.substr(row.prefix.size()));
    if (type) return Operation{row.opcode, *type, row.values, row.has_distance, row.has_name};
  }
  return std::nullopt;
}

class Converter {
 public:
  Converter(Context& context, kernel::Function& function, LinearCode& code)
      : context_(context), function_(function), code_(code) {}

  void run();

 private:
  void convert(std::size_t call, const Operation& operation);
  void count_registers();
  bool is_slot_access(const Instruction& instruction, Opcode opcode, std::uint32_t slot) const;
  Operand take_argument(std::size_t call, std::uint32_t slot);
  Operand take_result(std::size_t call);
  std::optional<std::uint64_t> constant(const Operand& operand);
  std::uint64_t require_constant(std::size_t call, const Operand& operand, std::string_view what);
  std::uint32_t channel_named(std::size_t call, std::span<const Operand> words);
  Operand as_predicate(std::size_t call, const Operand& operand);
  void fold_address(std::size_t call, Instruction& instruction);
  bool is_kernel_parameter(const Instruction& definition) const;
  bool take_global_base(std::size_t add);
  bool unchanged_between(std::size_t first, std::size_t last, const Operand& operand) const;
  const Instruction* only_definition(const Operand& operand) const;
  void drop_definition(const Operand& operand);
  void rebuild();
  void drop_unused_slots();

  Context& context_;
  kernel::Function& function_;
  LinearCode& code_;
  std::vector<std::uint32_t> definitions_;  // by register: how many instructions write it
  std::vector<std::size_t> definition_;     // and one of them
  std::vector<std::uint32_t> uses_;         // by register
  std::vector<bool> removed_;
  std::vector<std::pair<std::size_t, Instruction>>
      inserted_;  // before the instruction with that index
};

void Converter::run() {
  bool converted = false;
  for (std::size_t i = 0; i < code_.instructions.size(); ++i) {
    const Instruction& instruction = code_.instructions[i];
    if (instruction.opcode != Opcode::kCall ||
        instruction.sources[0].kind != Operand::Kind::kSymbol)
      continue;
    const kernel::Function& callee = context_.module.functions[instruction.sources[0].index];
    if (!callee.is_declaration) continue;
    const auto operation = operation_of(callee.name);
    if (!operation) continue;
    if (!converted) {
      count_registers();
      removed_.assign(code_.instructions.size(), false);
      converted = true;
    }
    convert(i, *operation);
  }
  if (!converted) return;
  rebuild();
  drop_unused_slots();
}

void Converter::count_registers() {
  definitions_.assign(function_.registers.size(), 0);
  definition_.assign(function_.registers.size(), 0);
  uses_.assign(function_.registers.size(), 0);
  for (std::size_t i = 0; i < code_.instructions.size(); ++i) {
    const Instruction& instruction = code_.instructions[i];
    if (instruction.guard.present()) ++uses_[instruction.guard.predicate];
    for (const Operand& source : instruction.sources) {
      if (source.is_register()) ++uses_[source.index];
    }
    for (const Operand& destination : instruction.destinations) {
      if (!destination.is_register()) continue;
      ++definitions_[destination.index];
      definition_[destination.index] = i;
    }
  }
}

bool Converter::is_slot_access(const Instruction& instruction, Opcode opcode,
                               std::uint32_t slot) const {
  return instruction.opcode == opcode && instruction.space == Space::kParam &&
         instruction.offset == 0 && instruction.sources[0].kind == Operand::Kind::kSymbol &&
         instruction.sources[0].symbol == SymbolKind::kCallSlot &&
         instruction.sources[0].index == slot;
}

// The value that the nearest st.param before the call puts into the slot; the store goes away.
Operand Converter::take_argument(std::size_t call, std::uint32_t slot) {
  for (std::size_t i = call; i > 0; --i) {
    const Instruction& store = code_.instructions[i - 1];
    if (store.opcode == Opcode::kCall) break;
    if (removed_[i - 1] || !is_slot_access(store, Opcode::kSt, slot) || store.sources.size() != 2)
      continue;
    removed_[i - 1] = true;
    return store.sources[1];
  }
  context_.fail_at_location(
      code_.lines[call], code_.instructions[call].location,
      "an argument of an inter-thread operation is not stored before the call");
}

Operand Converter::take_result(std::size_t call) {
  const std::vector<std::uint32_t>& returns = code_.instructions[call].call.returns;
  if (returns.size() != 1) return Operand::none();
  for (std::size_t i = call + 1; i < code_.instructions.size(); ++i) {
    const Instruction& load = code_.instructions[i];
    if (load.opcode == Opcode::kCall) break;
    if (!is_slot_access(load, Opcode::kLd, returns[0]) || load.destinations.size() != 1) continue;
    removed_[i] = true;
    return load.destinations[0];
  }
  return Operand::none();
}

const Instruction* Converter::only_definition(const Operand& operand) const {
  if (!operand.is_register() || operand.index >= definitions_.size() ||
      definitions_[operand.index] != 1)
    return nullptr;
  const Instruction& definition = code_.instructions[definition_[operand.index]];
  return definition.guard.present() ? nullptr : &definition;
}

// The instruction that made the operand goes away if nothing else needs it.
void Converter::drop_definition(const Operand& operand) {
  if (uses_[operand.index] == 1) {
    removed_[definition_[operand.index]] = true;
  } else {
    --uses_[operand.index];
  }
}

std::optional<std::uint64_t> Converter::constant(const Operand& operand) {
  if (operand.kind == Operand::Kind::kImmediate) return operand.bits;
  const Instruction* definition = only_definition(operand);
  if (definition == nullptr || definition->opcode != Opcode::kMov) return std::nullopt;
  if (definition->sources[0].kind != Operand::Kind::kImmediate) return std::nullopt;
  drop_definition(operand);
  return definition->sources[0].bits;
}

std::uint64_t Converter::require_constant(std::size_t call, const Operand& operand,
                                          std::string_view what) {
  if (const auto value = constant(operand)) return *value;
  context_.fail_at_location(code_.lines[call], code_.instructions[call].location,
                            "the " + std::string(what) + " must be a constant");
}

// The words hold eight characters each, the first one lowest.
std::uint32_t Converter::channel_named(std::size_t call, std::span<const Operand> words) {
  std::string name;
  for (const Operand& word : words) {
    std::uint64_t bits = require_constant(call, word, "name of a channel");
    for (; bits != 0; bits >>= 8) name += static_cast<char>(bits & 0xff);
  }
  auto& channels = function_.channels;
  const auto found = std::find(channels.begin(), channels.end(), name);
  if (found != channels.end()) return static_cast<std::uint32_t>(found - channels.begin());
  channels.push_back(std::move(name));
  return static_cast<std::uint32_t>(channels.size() - 1);
}

// Whether straight code leads from one instruction to the other and does not write the operand.
bool Converter::unchanged_between(std::size_t first, std::size_t last,
                                  const Operand& operand) const {
  if (first >= last) return false;
  for (const Label& label : code_.labels) {
    if (label.is_target && label.position > first && label.position <= last) return false;
  }
  for (std::size_t i = first + 1; i < last; ++i) {
    const Instruction& between = code_.instructions[i];
    if (kernel::ends_block(between)) return false;
    for (const Operand& destination : between.destinations) {
      if (operand.is_register() && destination.is_register() && destination.index == operand.index)
        return false;
    }
  }
  return true;
}

// A pointer that a kernel is given points to global memory: the host knows no other.
bool Converter::is_kernel_parameter(const Instruction& definition) const {
  return function_.is_entry && definition.opcode == Opcode::kLd &&
         definition.space == Space::kParam && kernel::size_of(definition.type) == 8;
}

// A sum of a global address and a distance is a global address; it is the same number as the
// generic one, so the sum can do without the conversion.
bool Converter::take_global_base(std::size_t add) {
  Instruction& sum = code_.instructions[add];
  for (Operand& part : sum.sources) {
    const Instruction* definition = only_definition(part);
    if (definition != nullptr && is_kernel_parameter(*definition)) return true;
    if (definition == nullptr || definition->opcode != Opcode::kCvta || definition->to_space ||
        definition->space != Space::kGlobal)
      continue;
    const Operand base = definition->sources[0];
    if (!unchanged_between(definition_[part.index], add, base)) return true;
    if (base.is_register() && uses_[part.index] > 1) ++uses_[base.index];
    drop_definition(part);
    part = base;
    return true;
  }
  return false;
}

// A load would have taken a constant distance from the address, and the address in its own space;
// an argument of a call could not.
void Converter::fold_address(std::size_t call, Instruction& instruction) {
  Operand& address = instruction.sources[0];
  while (const Instruction* definition = only_definition(address)) {
    const bool adds = definition->opcode == Opcode::kAdd &&
                      kernel::size_of(definition->type) == 8 &&
                      definition->sources[0].is_register() &&
                      definition->sources[1].kind == Operand::Kind::kImmediate;
    const bool leaves_space = definition->opcode == Opcode::kCvta && !definition->to_space &&
                              definition->space == Space::kGlobal &&
                              instruction.space == Space::kGeneric;
    if (is_kernel_parameter(*definition)) instruction.space = Space::kGlobal;
    const bool sums = definition->opcode == Opcode::kAdd && kernel::size_of(definition->type) == 8;
    if (!adds && sums && take_global_base(definition_[address.index]))
      instruction.space = Space::kGlobal;
    if (!adds && !leaves_space) return;
    const Operand base = definition->sources[0];
    if (base == address || !unchanged_between(definition_[address.index], call, base)) return;
    if (adds) instruction.offset += static_cast<std::int64_t>(definition->sources[1].bits);
    if (leaves_space) instruction.space = Space::kGlobal;
    // Where the definition goes away, its use of the base becomes this one.
    if (base.is_register() && uses_[address.index] > 1) ++uses_[base.index];
    drop_definition(address);
    address = base;
  }
}

// The predicate comes as a 32-bit number; where it was made from a predicate, that one is meant.
Operand Converter::as_predicate(std::size_t call, const Operand& operand) {
  if (operand.kind == Operand::Kind::kImmediate)
    return Operand::immediate(operand.bits != 0 ? 1 : 0);
  if (const Instruction* definition = only_definition(operand);
      definition && definition->opcode == Opcode::kSelp) {
    const Operand& yes = definition->sources[0];
    const Operand& no = definition->sources[1];
    const Operand& predicate = definition->sources[2];
    const bool is_flag =
        yes.kind == Operand::Kind::kImmediate && no.kind == Operand::Kind::kImmediate;
    if (is_flag && (yes.bits != 0) != (no.bits != 0) && only_definition(predicate) != nullptr) {
      drop_definition(operand);
      return Operand::reg(predicate.index, predicate.negated != (yes.bits == 0));
    }
  }
  Instruction test;
  test.opcode = Opcode::kSetp;
  test.type = Type::kU32;
  test.compare = kernel::Compare::kNe;
  test.location = code_.instructions[call].location;
  function_.registers.push_back({"it", Type::kPred});
  const Operand predicate =
      Operand::reg(static_cast<kernel::RegisterId>(function_.registers.size() - 1));
  test.destinations = {predicate};
  test.sources = {operand, Operand::immediate(0)};
  inserted_.emplace_back(call, std::move(test));
  return predicate;
}

void Converter::convert(std::size_t call, const Operation& operation) {
  const std::vector<std::uint32_t> slots = code_.instructions[call].call.arguments;
  if (slots.size() != operation.arguments()) {
    context_.fail_at_location(code_.lines[call], code_.instructions[call].location,
                              "an inter-thread operation of this kind takes " +
                                  std::to_string(operation.arguments()) + " arguments, " +
                                  std::to_string(slots.size()) +
                                  (slots.size() == 1 ? " is given" : " are given"));
  }
  std::vector<Operand> arguments(slots.size());
  for (std::size_t i = slots.size(); i-- > 0;) arguments[i] = take_argument(call, slots[i]);

  Instruction instruction;
  instruction.opcode = operation.opcode;
  instruction.type = operation.type;
  instruction.guard = code_.instructions[call].guard;
  instruction.location = code_.instructions[call].location;
  instruction.sources = {arguments[0]};
  std::size_t next = operation.values;
  if (operation.has_distance) {
    for (std::int32_t& delta : instruction.inter_thread.delta) {
      delta = static_cast<std::int32_t>(
          require_constant(call, arguments[next++], "distance of an inter-thread receive"));
    }
    instruction.inter_thread.window = static_cast<std::uint32_t>(
        require_constant(call, arguments[next++], "window of an inter-thread receive"));
    instruction.destinations = {take_result(call)};
  }
  if (operation.has_name) {
    instruction.inter_thread.channel =
        channel_named(call, std::span(arguments).subspan(next, kNameWords));
  }
  if (operation.opcode == Opcode::kItReceiveLoad) {
    instruction.space = Space::kGeneric;
    fold_address(call, instruction);
    instruction.sources.push_back(as_predicate(call, arguments[1]));
  }
  code_.instructions[call] = std::move(instruction);
}

// Leaves removed instructions out, puts inserted ones in, and moves labels along.
void Converter::rebuild() {
  LinearCode result;
  std::vector<std::uint32_t> moved_to(code_.instructions.size() + 1);
  auto insertion = inserted_.begin();
  for (std::size_t i = 0; i < code_.instructions.size(); ++i) {
    moved_to[i] = static_cast<std::uint32_t>(result.instructions.size());
    for (; insertion != inserted_.end() && insertion->first == i; ++insertion) {
      result.instructions.push_back(std::move(insertion->second));
      result.lines.push_back(code_.lines[i]);
    }
    if (removed_[i]) continue;
    result.instructions.push_back(std::move(code_.instructions[i]));
    result.lines.push_back(code_.lines[i]);
  }
  moved_to.back() = static_cast<std::uint32_t>(result.instructions.size());
  result.labels = std::move(code_.labels);
  for (Label& label : result.labels) label.position = moved_to[label.position];
  code_ = std::move(result);
}

// The slots of the calls that are gone take no place in the frame.
void Converter::drop_unused_slots() {
  std::vector<std::uint32_t> moved_to(function_.call_slots.size(), kNoId);
  std::vector<kernel::Slot> kept;
  const auto keep = [&](std::uint32_t& slot) {
    if (moved_to[slot] == kNoId) {
      moved_to[slot] = static_cast<std::uint32_t>(kept.size());
      kept.push_back(std::move(function_.call_slots[slot]));
    }
    slot = moved_to[slot];
  };
  for (Instruction& instruction : code_.instructions) {
    for (Operand& source : instruction.sources) {
      if (source.kind == Operand::Kind::kSymbol && source.symbol == SymbolKind::kCallSlot)
        keep(source.index);
    }
    for (std::uint32_t& slot : instruction.call.arguments) keep(slot);
    for (std::uint32_t& slot : instruction.call.returns) keep(slot);
  }
  function_.call_slots = std::move(kept);
}

}  // namespace

void convert_inter_thread_calls(Context& context, kernel::Function& function, LinearCode& code) {
  Converter(context, function, code).run();
}

}  // namespace raddle::ptx
