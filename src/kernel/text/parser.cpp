#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "kernel/text/function_parser.h"
#include "kernel/text_form.h"

namespace raddle::kernel {
namespace {

// Initialisers beyond this are taken for mistakes.
constexpr std::uint64_t kLargestInitializer = 1u << 28;

std::optional<Linkage> linkage_from_name(std::string_view name) {
  for (const Linkage linkage :
       {Linkage::kVisible, Linkage::kWeak, Linkage::kCommon, Linkage::kExtern}) {
    if (name_of(linkage) == name) return linkage;
  }
  return std::nullopt;
}

std::optional<Space> space_from_name(std::string_view name) {
  for (const Space space :
       {Space::kGlobal, Space::kShared, Space::kLocal, Space::kConst, Space::kParam}) {
    if (name_of(space) == name) return space;
  }
  return std::nullopt;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

class ModuleParser {
 public:
  ModuleParser(std::string_view text, std::string file_name)
      : file_name_(std::move(file_name)),
        tokens_(tokenize(text, file_name_)),
        cursor_(tokens_, file_name_) {}

  // Two passes: everything at the top level first, because bodies refer to it in any order.
  Module parse() {
    parse_header();
    for (cursor_.skip_newlines(); cursor_.peek().kind != TokenKind::kEnd; cursor_.skip_newlines())
      parse_item();
    for (PendingFunction& pending : pending_) finish_function(pending);
    return std::move(module_);
  }

 private:
  struct PendingFunction {
    std::size_t function;
    FunctionParser parser;
    std::size_t location = 0;  // token after !loc, 0 if there is none
    std::size_t body = 0;      // token after '{', 0 if there is none
  };

  void parse_header() {
    cursor_.skip_newlines();
    cursor_.expect_word("module");
    module_.name = cursor_.expect_string("the module's name in quotes");
    cursor_.expect_word("ptx");
    parse_version();
    cursor_.expect_word("target");
    module_.target = cursor_.expect_u32("a target");
    cursor_.expect_line_end();
  }

  // "7.5"
  void parse_version() {
    const Token token = cursor_.take();
    const std::size_t dot = token.text.find('.');
    const auto number = [&](std::string_view digits) -> std::uint64_t {
      const auto value = parse_immediate(digits, false, Type::kU32);
      if (token.kind != TokenKind::kNumber || !value || *value > 100'000'000) {
        cursor_.fail_at(token, fmt::format("expected a PTX version but found {}", describe(token)));
      }
      return *value;
    };
    const std::uint64_t major = number(std::string_view(token.text).substr(0, dot));
    const std::uint64_t minor =
        dot == std::string::npos ? 0 : number(std::string_view(token.text).substr(dot + 1));
    module_.ptx_version = static_cast<std::uint32_t>(major * 10 + minor);
  }

  void parse_item() {
    if (cursor_.accept_word("file")) {
      locations_.read_file(cursor_);
      cursor_.expect_line_end();
    } else if (cursor_.accept_word("locations")) {
      locations_.read_table(cursor_);
      cursor_.expect_line_end();
    } else if (cursor_.accept_word("prototype")) {
      parse_prototype();
    } else {
      parse_symbol();
    }
  }

  void parse_symbol() {
    const Token token = cursor_.peek();
    std::string word = cursor_.expect_word_text("a declaration");
    const auto linkage = linkage_from_name(word);
    if (linkage) word = cursor_.expect_word_text("what is declared");
    if (word == "kernel" || word == "function") {
      parse_function(linkage.value_or(Linkage::kInternal), word == "kernel");
    } else if (const auto space = space_from_name(word)) {
      parse_variable(linkage.value_or(Linkage::kInternal), *space);
    } else {
      cursor_.fail_at(token, fmt::format("'{}' declares nothing", word));
    }
  }

  void declare(const Token& token, const NameKey& key, SymbolRef symbol) {
    if (!symbols_.symbols.emplace(key, symbol).second) {
      cursor_.fail_at(token, fmt::format("@{} is declared twice", key.text()));
    }
  }

  void parse_function(Linkage linkage, bool is_entry) {
    cursor_.expect('@');
    const Token token = cursor_.peek();
    const NameKey key = cursor_.expect_key("the function's name");
    const std::size_t index = functions_.size();
    declare(token, key, {SymbolKind::kFunction, static_cast<std::uint32_t>(index)});
    // Parsers keep references to their functions until the module is whole.
    functions_.push_back(std::make_unique<Function>());
    Function& function = *functions_.back();
    function.name = key.name;
    function.is_entry = is_entry;
    function.linkage = linkage;
    PendingFunction pending{index, FunctionParser(cursor_, symbols_, locations_, function)};
    pending.parser.parse_signature();
    function.no_return = cursor_.accept_word("noreturn");
    if (cursor_.accept('!')) {
      cursor_.expect_word("loc");
      pending.location = cursor_.position();
      while (!cursor_.at_line_end() && !cursor_.at('{')) cursor_.take();
    }
    if (cursor_.at('{')) {
      pending.body = cursor_.position() + 1;
      skip_braces();
    } else {
      function.is_declaration = true;
    }
    cursor_.expect_line_end();
    pending_.push_back(std::move(pending));
  }

  void skip_braces() {
    const Token open = cursor_.peek();
    int depth = 0;
    do {
      if (cursor_.peek().kind == TokenKind::kEnd) cursor_.fail_at(open, "'{' without '}'");
      if (cursor_.at('{')) ++depth;
      if (cursor_.at('}')) --depth;
      cursor_.take();
    } while (depth > 0);
  }

  void finish_function(PendingFunction& pending) {
    Function& function = *functions_[pending.function];
    if (pending.location != 0) {
      cursor_.go_to(pending.location);
      function.location = locations_.read(cursor_);
      if (!cursor_.at_line_end() && !cursor_.at('{'))
        cursor_.fail_expected("'{' or the end of the line");
    }
    if (pending.body != 0) {
      cursor_.go_to(pending.body);
      cursor_.expect_line_end();
      pending.parser.parse_body();
    } else {
      pending.parser.finish_layout();
    }
    module_.functions.push_back(std::move(function));
  }

  void parse_prototype() {
    const Token token = cursor_.peek();
    const NameKey key = cursor_.expect_key("the prototype's name");
    if (!symbols_.prototypes.emplace(key, static_cast<std::uint32_t>(module_.prototypes.size()))
             .second) {
      cursor_.fail_at(token, fmt::format("prototype {} is declared twice", key.text()));
    }
    // Laid out as a function's signature is; names may repeat, for nothing refers to them.
    Function layout;
    std::vector<std::uint32_t> parameter_offsets = parse_prototype_slots(layout.parameters);
    std::vector<std::uint32_t> return_offsets;
    if (cursor_.accept('-')) {
      cursor_.expect('>');
      return_offsets = parse_prototype_slots(layout.return_values);
    }
    cursor_.expect_line_end();
    assign_offsets(layout);
    apply_offsets(layout.parameters, parameter_offsets);
    apply_offsets(layout.return_values, return_offsets);
    module_.prototypes.push_back(
        {key.name, std::move(layout.parameters), std::move(layout.return_values)});
  }

  std::vector<std::uint32_t> parse_prototype_slots(std::vector<Slot>& slots) {
    std::vector<std::uint32_t> offsets;
    cursor_.expect('(');
    while (!cursor_.accept(')')) {
      if (!slots.empty()) cursor_.expect(',');
      const ParsedSlot parsed = parse_slot(cursor_, 1u << 30);
      slots.push_back(
          {parsed.key.name, static_cast<std::uint32_t>(parsed.size), parsed.alignment, 0});
      offsets.push_back(parsed.offset);
    }
    return offsets;
  }

  static void apply_offsets(std::vector<Slot>& slots, const std::vector<std::uint32_t>& offsets) {
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      if (offsets[i] != kNoId) slots[i].offset = offsets[i];
    }
  }

  void parse_variable(Linkage linkage, Space space) {
    Variable variable;
    variable.linkage = linkage;
    variable.space = space;
    if (cursor_.accept_word("texture")) variable.kind = VariableKind::kTexture;
    if (cursor_.accept_word("sampler")) variable.kind = VariableKind::kSampler;
    if (cursor_.accept_word("surface")) variable.kind = VariableKind::kSurface;
    cursor_.expect('@');
    const Token token = cursor_.peek();
    const ParsedSlot parsed = parse_slot(cursor_, std::numeric_limits<std::uint64_t>::max());
    if (parsed.offset != kNoId) cursor_.fail_at(token, "a variable has no offset");
    declare(token, parsed.key,
            {SymbolKind::kVariable, static_cast<std::uint32_t>(module_.variables.size())});
    variable.name = parsed.key.name;
    variable.size = parsed.size;
    variable.alignment = parsed.alignment;
    variable.managed = cursor_.accept_word("managed");
    if (cursor_.accept('{')) {
      for (cursor_.skip_newlines(); !cursor_.accept('}'); cursor_.skip_newlines())
        parse_initializer(variable);
    }
    cursor_.expect_line_end();
    module_.variables.push_back(std::move(variable));
  }

  void parse_initializer(Variable& variable) {
    const Token token = cursor_.peek();
    const std::string word = cursor_.expect_word_text("'bytes', 'zero' or 'address'");
    if (word == "bytes") {
      append_bytes(variable, token, cursor_.expect_string("hexadecimal bytes in quotes"));
    } else if (word == "zero") {
      const std::uint64_t count = cursor_.expect_integer("a number of bytes", kLargestInitializer);
      variable.initial.resize(variable.initial.size() + static_cast<std::size_t>(count));
    } else if (word == "address") {
      parse_relocation(variable);
    } else {
      cursor_.fail_at(token,
                      fmt::format("expected 'bytes', 'zero' or 'address' but found '{}'", word));
    }
    if (variable.initial.size() > std::min(variable.size, kLargestInitializer)) {
      cursor_.fail_at(token, fmt::format("the initialiser of @{} is longer than its {} bytes",
                                         quote_name(variable.name), variable.size));
    }
    cursor_.expect_line_end();
  }

  void append_bytes(Variable& variable, const Token& token, std::string_view text) {
    while (!text.empty()) {
      if (text[0] == ' ') {
        text.remove_prefix(1);
        continue;
      }
      const int high = hex_digit(text[0]);
      const int low = text.size() > 1 ? hex_digit(text[1]) : -1;
      if (high < 0 || low < 0) cursor_.fail_at(token, "bytes are pairs of hexadecimal digits");
      variable.initial.push_back(static_cast<std::byte>(high * 16 + low));
      text.remove_prefix(2);
    }
  }

  // "address 8 at 16 = generic @name+4 shift 8"
  void parse_relocation(Variable& variable) {
    Relocation relocation;
    relocation.bytes = static_cast<std::uint8_t>(cursor_.expect_integer("a number of bytes", 255));
    cursor_.expect_word("at");
    relocation.offset = cursor_.expect_integer("an offset");
    cursor_.expect('=');
    relocation.generic = cursor_.accept_word("generic");
    cursor_.expect('@');
    relocation.symbol = cursor_.expect_key("a symbol's name").name;
    relocation.addend = cursor_.read_offset();
    if (cursor_.accept_word("shift")) {
      relocation.shift = static_cast<std::uint8_t>(cursor_.expect_integer("a shift", 255));
    }
    variable.relocations.push_back(std::move(relocation));
  }

  std::string file_name_;
  std::vector<Token> tokens_;
  TextCursor cursor_;
  Module module_;
  ModuleSymbols symbols_;
  LocationReader locations_{module_};
  std::vector<std::unique_ptr<Function>> functions_;
  std::vector<PendingFunction> pending_;
};

}  // namespace

Module parse_text(std::string_view text, std::string file_name) {
  return ModuleParser(text, std::move(file_name)).parse();
}

}  // namespace raddle::kernel
