#include "lang/tpa/assembler.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/nearest_name.h"
#include "base/stop_token.h"
#include "lang/tpa/line_rules.h"
#include "lang/tpa/subinstruction_parser.h"
#include "machine/tpa/data_source.h"
#include "machine/tpa/host_check.h"

namespace raddle::tpa {

namespace {

using namespace machine::tpa;

constexpr std::size_t kMaxFaults = 20;
constexpr Word kMaxWords = Word{1} << 36;

struct SourceLine {
  std::string_view text;
  std::uint32_t number = 0;
};

std::vector<SourceLine> lines_of(std::string_view text) {
  std::vector<SourceLine> lines;
  std::uint32_t number = 1;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back({text.substr(0, end), number++});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

class Assembly {
 public:
  Assembly(std::string_view text, const std::string& file_name, const ParameterValues& values,
           const MemoryLimits& limits)
      : lines_(lines_of(text)), file_name_(file_name), given_(values), limits_(limits) {
    program_.files.push_back(file_name);
  }

  // Names first, so that lines may refer to what comes later.
  void read_declarations() {
    for (const SourceLine& line : lines_) guarded(line, [&] { declare(line); });
    for (const auto& [name, value] : given_) {
      if (parameters_.contains(name)) continue;
      if (constants_.contains(name))
        throw Error(fmt::format("'{}' is a constant of the program", name), file_name_,
                    "only what .param declares can be given another value");
      std::vector<std::string> known;
      for (const auto& [parameter, unused] : parameters_) known.push_back(parameter);
      std::string hint = suggestion(name, known);
      if (hint.empty())
        hint = known.empty() ? "the program has no parameters"
                             : fmt::format("its parameters: {}", fmt::join(known, ", "));
      throw Error(fmt::format("the program has no parameter '{}'", name), file_name_, hint);
    }
  }

  void read_instructions() {
    for (const SourceLine& line : lines_) guarded(line, [&] { instruct(line); });
  }

  void throw_faults() const {
    if (faults_.empty()) return;
    std::string what = faults_[0].text;
    for (std::size_t i = 1; i < faults_.size() && i < kMaxFaults; ++i)
      what += fmt::format("\n{}: {}", faults_[i].where, faults_[i].text);
    if (faults_.size() > kMaxFaults)
      what += fmt::format("\nand {} more", faults_.size() - kMaxFaults);
    throw Error(what, faults_[0].where);
  }

  ParameterValues& parameters() { return parameters_; }
  Program& program() { return program_; }

 private:
  struct Fault {
    std::string where;
    std::string text;
  };

  template <class Action>
  void guarded(const SourceLine& line, Action action) {
    throw_if_stopped("assembling");
    try {
      action();
    } catch (const LineFault& fault) {
      std::string text = fmt::format("{}\n{}", fault.message, caret_text(line.text, fault.column));
      if (!fault.hint.empty()) text += fmt::format("\nhint: {}", fault.hint);
      faults_.push_back(
          {fmt::format("{}:{}:{}", file_name_, line.number, fault.column), std::move(text)});
    }
  }

  // --- declarations ---

  void declare(const SourceLine& line) {
    TokenCursor cursor(tokens_of(line.text));
    skip_label(cursor, true);
    if (cursor.at_end()) return;
    if (!cursor.accept(".")) {
      ++line_count_;
      return;
    }
    const Token directive = cursor.expect_word("a directive");
    if (directive.text == "param") {
      declare_parameter(cursor);
    } else if (directive.text == "const") {
      const std::string name(new_name(cursor).text);
      constants_[name] = expression(cursor);
      end(cursor);
    } else if (directive.text == "shared" || directive.text == "local") {
      declare_symbol(cursor, directive.text == "shared" ? Space::kShared : Space::kLocal);
    } else if (directive.text == "expect") {
      declare_expectation(cursor, line);
    } else if (directive.text == "fill") {
      fill_symbol(cursor, line);
    } else if (directive.text != "loc") {
      const std::vector<std::string> known{"param", "const",  "shared", "local",
                                           "fill",  "expect", "loc"};
      std::string hint = suggestion(directive.text, known);
      if (hint.empty())
        hint = "directives are .param, .const, .shared, .local, .fill, .expect and .loc";
      TokenCursor::fail(directive, fmt::format("unknown directive '.{}'", directive.text), hint);
    }
  }

  const Token& new_name(TokenCursor& cursor) const {
    const Token& name = cursor.expect_word("a name");
    if (is_reserved(name.text))
      TokenCursor::fail(name, fmt::format("{} is a word of the assembler", shown(name)),
                        "choose another name");
    if (value_of(name.text))
      TokenCursor::fail(name, fmt::format("{} is already declared", shown(name)));
    return name;
  }

  void declare_parameter(TokenCursor& cursor) {
    const std::string name(new_name(cursor).text);
    const std::int64_t value = expression(cursor);
    end(cursor);
    const auto given = given_.find(name);
    parameters_[name] = given == given_.end() ? value : given->second;
  }

  void declare_symbol(TokenCursor& cursor, Space space) {
    Symbol symbol;
    const Token name = new_name(cursor);
    symbol.name = std::string(name.text);
    symbol.space = space;
    const Token at = cursor.peek();
    const bool sized = !cursor.at_end() && !at.is("=");
    const std::int64_t words = sized ? expression(cursor) : 1;
    symbol.words = static_cast<Word>(words);
    if (words < 1 || symbol.words > kMaxWords)
      TokenCursor::fail(at, fmt::format("{} words cannot be declared", words));
    symbol.address = program_.end_of(space);
    check_end(symbol, sized ? at : name);
    if (cursor.accept("=")) {
      do {
        if (symbol.initial.size() == symbol.words)
          TokenCursor::fail(cursor.peek(), fmt::format("more than {} values", symbol.words));
        symbol.initial.push_back(static_cast<Word>(expression(cursor)));
      } while (cursor.accept(","));
    }
    end(cursor);
    program_.symbols.push_back(std::move(symbol));
  }

  // One that is refused stays declared, so that its uses are not complained about.
  void check_end(const Symbol& symbol, const Token& at) {
    const bool is_shared = symbol.space == Space::kShared;
    const Word bytes = is_shared ? limits_.shared : limits_.local;
    const Word last = symbol.address + symbol.words * kWordBytes;
    if (last <= bytes) return;
    program_.symbols.push_back(symbol);
    program_.symbols.back().words = 1;
    TokenCursor::fail(at,
                      fmt::format("'{}' ends at byte {}, but {} memory has {} bytes", symbol.name,
                                  last, is_shared ? "shared" : "frontend", bytes),
                      is_shared ? "raise it with --set memory.bytes=…"
                                : "raise it with --set frontend.memory_bytes=…");
  }

  // .expect SYMBOL CALL: the host calls it at the end.
  void declare_expectation(TokenCursor& cursor, const SourceLine& line) {
    const Token name = cursor.expect_word("a symbol");
    if (program_.find_symbol(name.text) == nullptr)
      TokenCursor::fail(name, fmt::format("{} is not declared", shown(name)), hint_of(name.text));
    const Token first = cursor.peek();
    if (cursor.at_end()) TokenCursor::fail(first, "expected what the symbol must hold");
    const std::string call = rest_of(line, first);
    try {
      check_call(call,
                 [this](std::string_view array) { return program_.find_symbol(array) != nullptr; });
    } catch (const Error& error) {
      TokenCursor::fail(first, error.what(), error.hint());
    }
    program_.expectations.push_back({std::string(name.text), call});
  }

  // .fill SYMBOL WORDS, as data_source.h reads it.
  void fill_symbol(TokenCursor& cursor, const SourceLine& line) {
    const Token name = cursor.expect_word("a symbol");
    Symbol* symbol = program_.find_symbol(name.text);
    if (symbol == nullptr)
      TokenCursor::fail(name, fmt::format("{} is not declared", shown(name)), hint_of(name.text));
    const Token first = cursor.peek();
    if (cursor.at_end()) TokenCursor::fail(first, "expected what the symbol is filled with");
    try {
      symbol->initial = words_from(rest_of(line, first), symbol->words);
    } catch (const Error& error) {
      TokenCursor::fail(first, error.what(), error.hint());
    }
  }

  // From a token to the end of the line or to a comment.
  static std::string rest_of(const SourceLine& line, const Token& first) {
    std::string_view rest = line.text.substr(0, line.text.find("//")).substr(first.column - 1);
    while (!rest.empty() && (rest.back() == ' ' || rest.back() == '\t' || rest.back() == '\r'))
      rest.remove_suffix(1);
    return std::string(rest);
  }

  void skip_label(TokenCursor& cursor, bool declares) {
    if (cursor.peek().kind != TokenKind::kWord || !cursor.peek(1).is(":")) return;
    if (declares) {
      Label label{std::string(new_name(cursor).text), line_count_};
      label_lines_[label.name] = label.line;
      program_.labels.push_back(std::move(label));
    } else {
      cursor.take();
    }
    cursor.take();
  }

  // --- instructions ---

  void instruct(const SourceLine& line) {
    TokenCursor cursor(tokens_of(line.text));
    skip_label(cursor, false);
    if (cursor.at_end()) return;
    if (cursor.accept(".")) {
      if (cursor.take().text == "loc") take_place(cursor);
      return;
    }
    std::vector<PlacedSubinstruction> parts;
    while (!cursor.at_end()) {
      parts.push_back(read_subinstruction(cursor, value_, hint_));
      check_target(parts.back());
    }
    check_line(parts);
    Line result;
    result.place = place_.value_or(Place{0, line.number});
    for (PlacedSubinstruction& placed : parts) result.parts.push_back(placed.part);
    program_.lines.push_back(std::move(result));
  }

  void check_target(const PlacedSubinstruction& placed) const {
    if (placed.part.unit != Unit::kControl) return;
    const std::string& letters =
        mnemonic_of(placed.part.unit, placed.part.operation, placed.part.op).operands;
    const std::size_t place = letters.find('l');
    if (place == std::string::npos) return;
    const std::int64_t target = placed.part.operands[place].constant;
    if (target >= 0 && target <= line_count_) return;
    throw LineFault{placed.operand_columns[place],
                    fmt::format("the program has no line {}", target), "jump to a label"};
  }

  void take_place(TokenCursor& cursor) {
    const Token file = cursor.take();
    if (file.kind != TokenKind::kText) TokenCursor::fail(file, "expected a file name in quotes");
    const auto known = std::ranges::find(program_.files, file.text);
    const auto index = static_cast<std::uint32_t>(known - program_.files.begin());
    if (known == program_.files.end()) program_.files.emplace_back(file.text);
    place_ = Place{index, static_cast<std::uint32_t>(expression(cursor))};
    end(cursor);
  }

  // --- names ---

  std::optional<std::int64_t> value_of(std::string_view name) const {
    const auto parameter = parameters_.find(name);
    if (parameter != parameters_.end()) return parameter->second;
    const auto constant = constants_.find(name);
    if (constant != constants_.end()) return constant->second;
    if (const Symbol* symbol = program_.find_symbol(name))
      return static_cast<std::int64_t>(symbol->address);
    const auto label = label_lines_.find(name);
    if (label != label_lines_.end()) return label->second;
    return std::nullopt;
  }

  std::string hint_of(std::string_view name) const {
    std::vector<std::string> known;
    for (const auto& [parameter, value] : parameters_) known.push_back(parameter);
    for (const auto& [constant, value] : constants_) known.push_back(constant);
    for (const Symbol& symbol : program_.symbols) known.push_back(symbol.name);
    for (const Label& label : program_.labels) known.push_back(label.name);
    std::string near = suggestion(name, known);
    if (!near.empty()) return near;
    return fmt::format(
        ".shared {0} WORDS and .local {0} WORDS declare arrays, .param {0} VALUE a "
        "number, {0}: before a line a label",
        name);
  }

  std::int64_t expression(TokenCursor& cursor) const {
    return read_expression(cursor, value_, hint_);
  }

  static void end(TokenCursor& cursor) {
    if (!cursor.at_end())
      TokenCursor::fail(cursor.peek(),
                        fmt::format("unexpected {} on this line", shown(cursor.peek())));
  }

  std::vector<SourceLine> lines_;
  std::string file_name_;
  const ParameterValues& given_;
  const MemoryLimits limits_;
  ParameterValues parameters_;
  ParameterValues constants_;
  Program program_;
  std::map<std::string, std::uint32_t, std::less<>> label_lines_;  // those of the program, by name
  std::uint32_t line_count_ = 0;
  std::optional<Place> place_;
  std::vector<Fault> faults_;
  NameValue value_ = [this](std::string_view name) { return value_of(name); };
  NameHint hint_ = [this](std::string_view name) { return hint_of(name); };
};

}  // namespace

Program assemble(std::string_view text, const std::string& file_name, const ParameterValues& values,
                 const MemoryLimits& limits) {
  Assembly assembly(text, file_name, values, limits);
  assembly.read_declarations();
  assembly.throw_faults();
  assembly.read_instructions();
  assembly.throw_faults();
  return std::move(assembly.program());
}

ParameterValues parameters_of(std::string_view text, const std::string& file_name,
                              const ParameterValues& values, const MemoryLimits& limits) {
  Assembly assembly(text, file_name, values, limits);
  assembly.read_declarations();
  assembly.throw_faults();
  return assembly.parameters();
}

}  // namespace raddle::tpa
