#include "kernel/text/function_parser.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>

namespace raddle::kernel {
namespace {

// More than any compiler makes, and little enough that a mistyped range does no harm.
constexpr std::uint64_t kMaxRegisters = 1'000'000;

constexpr std::uint32_t kLargestSlot = 1u << 30;

std::uint32_t natural_alignment(std::uint64_t size) {
  return size == 1 || size == 2 || size == 4 || size == 8 || size == 16
             ? static_cast<std::uint32_t>(size)
             : 1;
}

}  // namespace

ParsedSlot parse_slot(TextCursor& cursor, std::uint64_t largest_size) {
  ParsedSlot slot;
  slot.key = cursor.expect_key("a name");
  cursor.expect('[');
  slot.size = cursor.expect_integer("a size in bytes", largest_size);
  cursor.expect(']');
  slot.alignment = natural_alignment(slot.size);
  if (cursor.accept_word("align")) slot.alignment = cursor.expect_u32("an alignment");
  if (cursor.accept_word("at")) {
    slot.offset = static_cast<std::uint32_t>(cursor.expect_integer("an offset", kLargestSlot));
  }
  return slot;
}

void FunctionParser::parse_signature() {
  parse_slot_list(SymbolKind::kParameter, function_.parameters);
  if (!cursor_.at('-')) return;
  cursor_.expect('-');
  cursor_.expect('>');
  parse_slot_list(SymbolKind::kReturnValue, function_.return_values);
}

void FunctionParser::parse_slot_list(SymbolKind kind, std::vector<Slot>& slots) {
  cursor_.expect('(');
  cursor_.skip_newlines();
  while (!cursor_.accept(')')) {
    if (!slots.empty()) {
      cursor_.expect(',');
      cursor_.skip_newlines();
    }
    const Token& token = cursor_.peek();
    const ParsedSlot parsed = parse_slot(cursor_, kLargestSlot);
    declare_slot(token, parsed, {kind, static_cast<std::uint32_t>(slots.size())});
    slots.push_back(
        {parsed.key.name, static_cast<std::uint32_t>(parsed.size), parsed.alignment, 0});
    cursor_.skip_newlines();
  }
}

void FunctionParser::declare_slot(const Token& token, const ParsedSlot& parsed, SymbolRef slot) {
  if (!slots_.emplace(parsed.key, slot).second) {
    cursor_.fail_at(token, fmt::format("{} is declared twice", parsed.key.text()));
  }
  if (parsed.offset != kNoId) given_offsets_.push_back({slot, parsed.offset});
}

void FunctionParser::finish_layout() {
  assign_offsets(function_);
  for (const GivenOffset& given : given_offsets_) {
    switch (given.slot.kind) {
      case SymbolKind::kParameter:
        function_.parameters[given.slot.index].offset = given.offset;
        break;
      case SymbolKind::kReturnValue:
        function_.return_values[given.slot.index].offset = given.offset;
        break;
      case SymbolKind::kCallSlot:
        function_.call_slots[given.slot.index].offset = given.offset;
        break;
      default: function_.locals[given.slot.index].offset = given.offset; break;
    }
  }
}

void FunctionParser::parse_body() {
  for (cursor_.skip_newlines(); !cursor_.accept('}'); cursor_.skip_newlines()) {
    if (at_label()) {
      parse_label();
    } else if (function_.blocks.empty()) {
      parse_declaration();
    } else {
      function_.blocks.back().instructions.push_back(parse_instruction());
    }
  }
  resolve_targets();
  finish_layout();
}

void FunctionParser::parse_declaration() {
  const Token& token = cursor_.peek();
  const std::string word = cursor_.expect_word_text("a declaration or a label");
  const auto dimensions = [&](std::array<std::uint32_t, 3>& values) {
    for (std::uint32_t& value : values) value = cursor_.expect_u32("a number of threads");
  };
  if (word == "max_threads") {
    dimensions(function_.max_threads);
  } else if (word == "required_threads") {
    dimensions(function_.required_threads);
  } else if (word == "min_blocks") {
    function_.min_blocks = cursor_.expect_u32("a number of blocks");
  } else if (word == "max_registers") {
    function_.max_registers = cursor_.expect_u32("a number of registers");
  } else if (word == "call_slot") {
    parse_call_slot();
  } else if (word == "local") {
    parse_local();
  } else if (word == "channel") {
    function_.channels.push_back(cursor_.expect_string("the name of a channel"));
  } else if (word == "register") {
    parse_registers();
  } else {
    cursor_.fail_at(token,
                    fmt::format("'{}' is not a declaration; instructions follow a label", word));
  }
  cursor_.expect_line_end();
}

void FunctionParser::parse_call_slot() {
  const Token& token = cursor_.peek();
  const ParsedSlot parsed = parse_slot(cursor_, kLargestSlot);
  declare_slot(token, parsed,
               {SymbolKind::kCallSlot, static_cast<std::uint32_t>(function_.call_slots.size())});
  function_.call_slots.push_back(
      {parsed.key.name, static_cast<std::uint32_t>(parsed.size), parsed.alignment, 0});
}

void FunctionParser::parse_local() {
  const Token& token = cursor_.peek();
  const ParsedSlot parsed = parse_slot(cursor_, kLargestSlot);
  declare_slot(token, parsed,
               {SymbolKind::kLocal, static_cast<std::uint32_t>(function_.locals.size())});
  function_.locals.push_back(
      {parsed.key.name, static_cast<std::uint32_t>(parsed.size), parsed.alignment, 0});
}

void FunctionParser::parse_registers() {
  const Token& type_token = cursor_.peek();
  const std::string type_name = cursor_.expect_word_text("a type");
  const auto type = type_from_name(type_name);
  if (!type) cursor_.fail_at(type_token, fmt::format("unknown type '{}'", type_name));
  do {
    const Token& token = cursor_.peek();
    const NameKey key = cursor_.expect_key("a register's name");
    if (cursor_.accept('-')) {
      parse_register_range(token, key, *type);
    } else {
      declare_register(token, key, *type);
    }
  } while (cursor_.accept(','));
}

void FunctionParser::declare_register(const Token& token, const NameKey& key, Type type) {
  const auto id = static_cast<RegisterId>(function_.registers.size());
  if (!registers_.emplace(key, id).second) {
    cursor_.fail_at(token, fmt::format("register %{} is declared twice", key.text()));
  }
  if (id >= kMaxRegisters)
    cursor_.fail_at(token, fmt::format("more than {} registers", kMaxRegisters));
  function_.registers.push_back({key.name, type});
}

void FunctionParser::parse_register_range(const Token& token, const NameKey& first, Type type) {
  const std::string last = cursor_.expect_word_text("the last register of the range");
  const std::size_t prefix = first.name.find_last_not_of("0123456789") + 1;
  const auto number = [&](const std::string& name) {
    std::uint64_t value = std::numeric_limits<std::uint64_t>::max();
    if (name.compare(0, prefix, first.name, 0, prefix) != 0) return value;
    const char* end = name.data() + name.size();
    const auto result = std::from_chars(name.data() + prefix, end, value);
    return result.ec == std::errc() && result.ptr == end
               ? value
               : std::numeric_limits<std::uint64_t>::max();
  };
  const std::uint64_t begin = number(first.name);
  const std::uint64_t end = number(last);
  if (begin > end || end == std::numeric_limits<std::uint64_t>::max() ||
      first.number != NameKey::kNoNumber) {
    cursor_.fail_at(token, fmt::format("{}-{} is not a range of registers", first.text(), last));
  }
  if (end - begin >= kMaxRegisters) {
    cursor_.fail_at(token, fmt::format("more than {} registers", kMaxRegisters));
  }
  for (std::uint64_t i = begin; i <= end; ++i) {
    declare_register(token, {first.name.substr(0, prefix) + std::to_string(i)}, type);
  }
}

bool FunctionParser::at_label() const {
  if (!cursor_.at_key()) return false;
  std::size_t length = cursor_.at('#') ? 0 : 1;
  if (cursor_.at('#', length)) length += 2;
  return cursor_.at(':', length);
}

void FunctionParser::parse_label() {
  const Token& token = cursor_.peek();
  const NameKey key = cursor_.expect_key("a label");
  if (!blocks_.emplace(key, static_cast<BlockId>(function_.blocks.size())).second) {
    cursor_.fail_at(token, fmt::format("label {} is used twice", key.text()));
  }
  cursor_.expect(':');
  cursor_.expect_line_end();
  function_.blocks.push_back({key.name, {}});
}

void FunctionParser::resolve_targets() {
  for (const PendingTarget& pending : pending_targets_) {
    const auto found = blocks_.find(pending.key);
    if (found == blocks_.end()) {
      cursor_.go_to(pending.token);
      cursor_.fail(fmt::format("unknown label {}", pending.key.text()));
    }
    function_.blocks[pending.block].instructions[pending.instruction].targets[pending.target] =
        found->second;
  }
}

}  // namespace raddle::kernel
