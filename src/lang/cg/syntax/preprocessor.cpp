#include "lang/cg/syntax/preprocessor.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "base/atomic_file.h"
#include "lang/cg/syntax/directive_words.h"
#include "lang/cg/syntax/preprocessor_condition.h"

namespace raddle::cg {
namespace {

constexpr std::size_t kMaxTokens = 500'000;
constexpr std::size_t kMaxIncludes = 64;  // within each other

struct Macro {
  bool has_parameters = false;
  bool is_variadic = false;  // the last parameter takes what is left
  std::vector<std::string_view> parameters;
  std::vector<Token> body;
};

class Preprocessor {
 public:
  Preprocessor(Diagnostics& diagnostics, const std::vector<std::string>& include_folders)
      : diagnostics_(diagnostics), include_folders_(include_folders) {}

  void define(const PredefinedMacro& predefined) {
    Lexer lexer(predefined.value, diagnostics_);
    Macro macro;
    for (Token token = lexer.next(); token.kind != TokenKind::kEnd; token = lexer.next())
      macro.body.push_back(token);
    macros_[predefined.name] = std::move(macro);
  }

  Preprocessed run();

 private:
  struct Condition {
    bool is_active = false;  // this branch is taken
    bool was_taken = false;  // this or an earlier branch was
    bool parent_active = true;
    bool seen_else = false;
    Place place;
  };

  bool active() const { return conditions_.empty() || conditions_.back().is_active; }
  void read(std::uint32_t file);
  void flush();
  void pragma(std::string_view text, std::uint32_t file);
  void complain(std::string_view text, Place place);
  void include(std::string_view text, Place place);
  std::optional<std::filesystem::path> find(const QuotedName& name, std::uint32_t from) const;
  void rename_lines(const std::vector<Token>& line, std::size_t number);
  void directive(const std::vector<Token>& line);
  void define(const std::vector<Token>& line);
  void condition(const std::vector<Token>& line);
  bool holds(const std::vector<Token>& line);
  void push_condition(bool value, Place place);
  void expand(const std::vector<Token>& tokens, std::size_t& index, std::vector<Token>& output,
              std::vector<std::string_view>& open, Place use);
  std::vector<Token> expand_all(const std::vector<Token>& tokens,
                                std::vector<std::string_view>& open, Place use);
  std::optional<std::vector<std::vector<Token>>> arguments(const std::vector<Token>& tokens,
                                                           std::size_t& index, const Macro& macro);
  std::vector<Token> substitute(const Macro& macro,
                                const std::vector<std::vector<Token>>& arguments,
                                const std::vector<std::vector<Token>>& as_given);
  void paste(std::vector<Token>& body);
  void take_following_arguments(std::vector<Token>& body, const std::vector<Token>& tokens,
                                std::size_t& index);

  Diagnostics& diagnostics_;
  const std::vector<std::string>& include_folders_;
  Preprocessed result_;
  std::vector<Token> pending_;  // text between two directives
  std::vector<std::filesystem::path> open_files_;
  std::set<std::filesystem::path> once_;
  std::map<std::string, Macro, std::less<>> macros_;
  std::vector<Condition> conditions_;
  std::size_t produced_ = 0;
};

Preprocessed Preprocessor::run() {
  open_files_.emplace_back(diagnostics_.sources().name(0));
  read(0);
  return std::move(result_);
}

void Preprocessor::flush() {
  std::vector<std::string_view> open;
  const std::vector<Token> expanded = expand_all(pending_, open, {});
  result_.tokens.insert(result_.tokens.end(), expanded.begin(), expanded.end());
  pending_.clear();
}

void Preprocessor::read(std::uint32_t file) {
  Lexer lexer(diagnostics_.sources().text(file), diagnostics_, file);
  const std::size_t open = conditions_.size();
  // What is left out may be any text: an apostrophe, half a string.
  std::size_t before = 0;
  const auto forget = [&] {
    if (!active()) diagnostics_.take(before);
  };
  const auto next = [&] {
    before = diagnostics_.all().size();
    Token read = lexer.next();
    forget();
    return read;
  };
  Token token = next();
  while (token.kind != TokenKind::kEnd) {
    if (!token.is("#") || !token.starts_line) {
      if (active()) pending_.push_back(token);
      token = next();
      continue;
    }
    flush();
    if (lexer.take_directive("warning")) {
      token = next();
      continue;
    }
    if (const auto text = lexer.take_directive("error")) {
      if (active()) complain(*text, token.place);
      token = next();
      continue;
    }
    if (const auto text = lexer.take_directive("pragma")) {
      if (active()) pragma(*text, file);
      token = next();
      continue;
    }
    if (const auto text = lexer.take_directive("include")) {
      if (active()) include(*text, token.place);
      token = next();
      continue;
    }
    std::vector<Token> line{token};
    for (token = next(); !token.starts_line; token = next()) line.push_back(token);
    // The token after the line has been read; whether it counts is known only now.
    const std::vector<Diagnostic> of_next = diagnostics_.take(before);
    directive(line);
    if (active()) diagnostics_.put(of_next);
  }
  if (file == 0) {
    flush();
    result_.tokens.push_back(token);
  }
  for (; conditions_.size() > open; conditions_.pop_back())
    diagnostics_.error(conditions_.back().place, "unterminated condition: #endif is missing");
}

void Preprocessor::complain(std::string_view text, Place place) {
  while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
  place.column += 1;
  place.length = static_cast<std::uint32_t>(std::string_view("error").size());
  diagnostics_.error(place, fmt::format("#error{}", text));
}

void Preprocessor::pragma(std::string_view text, std::uint32_t file) {
  const std::vector<std::string> words = directive_words(text);
  if (words.empty()) return;
  if (words[0] == "once") once_.insert(diagnostics_.sources().name(file));
  if (words[0] == "raddle")
    result_.pragmas.insert(result_.pragmas.end(), words.begin() + 1, words.end());
  if (const auto parameter = parameter_of(words)) result_.parameters.push_back(*parameter);
}

std::optional<std::filesystem::path> Preprocessor::find(const QuotedName& name,
                                                        std::uint32_t from) const {
  std::vector<std::filesystem::path> folders;
  if (!name.in_angles)
    folders.push_back(std::filesystem::path(diagnostics_.sources().name(from)).parent_path());
  folders.insert(folders.end(), include_folders_.begin(), include_folders_.end());
  for (const std::filesystem::path& folder : folders) {
    std::filesystem::path path = (folder / name.text).lexically_normal();
    if (std::filesystem::is_regular_file(path)) return path;
  }
  return std::nullopt;
}

void Preprocessor::include(std::string_view text, Place place) {
  const auto name = quoted_name(text);
  place.length += static_cast<std::uint32_t>(std::string_view("include").size());
  if (!name)
    return diagnostics_.error(place, "#include needs the name of a file",
                              "write #include \"FILE\" or #include <FILE>");
  const auto path = find(*name, place.file);
  if (!path)
    return diagnostics_.error(place, fmt::format("cannot find '{}'", name->text),
                              "it is looked for beside this file and in the folders of -I");
  if (once_.contains(*path)) return;
  if (open_files_.size() >= kMaxIncludes)
    return diagnostics_.error(place, fmt::format("#include is nested deeper than {}", kMaxIncludes),
                              "#pragma once in a file includes it once");
  const std::uint32_t file =
      diagnostics_.sources().add(read_file(*path), path->generic_string(), place);
  open_files_.push_back(*path);
  read(file);
  flush();
  open_files_.pop_back();
}

// `#line N "file"` and cpp's `# N "file" …` name the line after them.
void Preprocessor::rename_lines(const std::vector<Token>& line, std::size_t number) {
  if (line.size() <= number || line[number].kind != TokenKind::kInteger) {
    diagnostics_.error(line[1].place, "#line needs the number of a line");
    return;
  }
  const Place place = line[0].place;
  std::string name = diagnostics_.sources().shown_name(place);
  if (line.size() > number + 1 && line[number + 1].kind == TokenKind::kString) {
    const std::string_view quoted = line[number + 1].text;
    name = quoted.substr(1, quoted.size() - 2);
  }
  diagnostics_.sources().rename_lines(place.file, place.line + 1,
                                      static_cast<std::uint32_t>(line[number].number), name);
}

void Preprocessor::directive(const std::vector<Token>& line) {
  if (line.size() < 2) return;  // a lone # is allowed
  const Token& name = line[1];
  constexpr std::string_view kConditions[] = {"if", "ifdef", "ifndef", "elif", "else", "endif"};
  if (std::ranges::any_of(kConditions, [&](std::string_view c) { return name.is_name(c); })) {
    condition(line);
    return;
  }
  if (!active()) return;
  if (name.kind == TokenKind::kInteger) {
    rename_lines(line, 1);
  } else if (name.is_name("line")) {
    rename_lines(line, 2);
  } else if (name.is_name("define")) {
    define(line);
  } else if (name.is_name("undef")) {
    if (line.size() < 3 || line[2].kind != TokenKind::kName) {
      diagnostics_.error(name.place, "#undef needs the name of a macro");
    } else if (const auto found = macros_.find(line[2].text); found != macros_.end()) {
      macros_.erase(found);
    }
  } else {
    diagnostics_.error(name.place, fmt::format("unknown directive '#{}'", name.text));
  }
}

void Preprocessor::define(const std::vector<Token>& line) {
  if (line.size() < 3 || line[2].kind != TokenKind::kName) {
    diagnostics_.error(line[1].place, "#define needs the name of a macro");
    return;
  }
  Macro macro;
  std::size_t index = 3;
  if (index < line.size() && line[index].is("(") && !line[index].follows_blank) {
    macro.has_parameters = true;
    ++index;
    while (index < line.size() && !line[index].is(")")) {
      if (line[index].is("...") && index + 1 < line.size() && line[index + 1].is(")")) {
        macro.is_variadic = true;
        macro.parameters.emplace_back("__VA_ARGS__");
        ++index;
        break;
      }
      if (line[index].kind != TokenKind::kName) {
        diagnostics_.error(line[index].place, "a macro's parameters are names");
        return;
      }
      macro.parameters.push_back(line[index++].text);
      if (index < line.size() && line[index].is(",")) ++index;
    }
    if (index >= line.size()) {
      diagnostics_.error(line[2].place, "the macro's parameters are not closed by ')'");
      return;
    }
    ++index;
  }
  for (; index < line.size(); ++index) {
    if (line[index].is("#")) {
      diagnostics_.error(line[index].place, "'#' in a macro is not supported");
      return;
    }
    macro.body.push_back(line[index]);
  }
  macros_[std::string(line[2].text)] = std::move(macro);
}

void Preprocessor::push_condition(bool value, Place place) {
  const bool parent = active();
  conditions_.push_back({parent && value, value, parent, false, place});
}

void Preprocessor::condition(const std::vector<Token>& line) {
  const Token& name = line[1];
  if (name.is_name("ifdef") || name.is_name("ifndef")) {
    if (line.size() < 3 || line[2].kind != TokenKind::kName) {
      diagnostics_.error(name.place, fmt::format("#{} needs the name of a macro", name.text));
      push_condition(false, name.place);
      return;
    }
    push_condition(macros_.contains(line[2].text) == name.is_name("ifdef"), name.place);
    return;
  }
  if (name.is_name("if")) {
    push_condition(active() && holds(line), name.place);
    return;
  }
  if (conditions_.empty()) {
    diagnostics_.error(name.place, fmt::format("#{} without an #if before it", name.text));
    return;
  }
  Condition& top = conditions_.back();
  if (name.is_name("endif")) {
    conditions_.pop_back();
    return;
  }
  if (top.seen_else) {
    diagnostics_.error(name.place, fmt::format("#{} after #else", name.text));
    return;
  }
  if (name.is_name("else")) {
    top.seen_else = true;
    top.is_active = top.parent_active && !top.was_taken;
    return;
  }
  top.is_active = top.parent_active && !top.was_taken && holds(line);
  top.was_taken = top.was_taken || top.is_active;
}

bool Preprocessor::holds(const std::vector<Token>& line) {
  // `defined NAME` is answered before macros are expanded.
  std::vector<Token> tokens;
  for (std::size_t i = 2; i < line.size(); ++i) {
    if (!line[i].is_name("defined")) {
      tokens.push_back(line[i]);
      continue;
    }
    const bool in_parentheses = i + 1 < line.size() && line[i + 1].is("(");
    const std::size_t at = i + (in_parentheses ? 2 : 1);
    const std::size_t last = at + (in_parentheses ? 1 : 0);
    if (last >= line.size() || line[at].kind != TokenKind::kName ||
        (in_parentheses && !line[last].is(")"))) {
      diagnostics_.error(line[i].place, "'defined' needs the name of a macro");
      return false;
    }
    Token answer = line[i];
    answer.kind = TokenKind::kInteger;
    answer.number = macros_.contains(line[at].text) ? 1 : 0;
    tokens.push_back(answer);
    i = last;
  }
  std::vector<std::string_view> open;
  return condition_value(expand_all(tokens, open, {}), line[1].place, diagnostics_) != 0;
}

std::vector<Token> Preprocessor::expand_all(const std::vector<Token>& tokens,
                                            std::vector<std::string_view>& open, Place use) {
  std::vector<Token> output;
  for (std::size_t index = 0; index < tokens.size();) expand(tokens, index, output, open, use);
  return output;
}

// Appends what tokens[index] stands for and moves after it. `use` is where the outermost macro was
// written; a line of 0 means that none is open.
void Preprocessor::expand(const std::vector<Token>& tokens, std::size_t& index,
                          std::vector<Token>& output, std::vector<std::string_view>& open,
                          Place use) {
  Token token = tokens[index++];
  if (!open.empty()) token.place = use;
  const auto append = [&] {
    output.push_back(token);
    if (!open.empty() && ++produced_ == kMaxTokens)
      diagnostics_.error(token.place, "the macros expand to too much text");
  };
  if (produced_ > kMaxTokens) return;
  if (token.is_name("__LINE__")) {
    token.kind = TokenKind::kInteger;
    token.number = diagnostics_.sources().shown_line(token.place);
    return append();
  }
  const auto found = token.kind == TokenKind::kName ? macros_.find(token.text) : macros_.end();
  if (found == macros_.end() || token.is_painted) return append();
  const Macro& macro = found->second;
  const std::string_view name = found->first;
  if (std::ranges::find(open, name) != open.end()) {
    token.is_painted = true;
    return append();
  }
  std::vector<Token> body = macro.body;
  if (macro.has_parameters) {
    if (index >= tokens.size() || !tokens[index].is("(")) return append();
    auto given = arguments(tokens, index, macro);
    if (!given) return;
    const Place place = open.empty() ? token.place : use;
    std::vector<std::vector<Token>> expanded = *given;
    for (std::vector<Token>& argument : expanded) {
      argument = expand_all(argument, open, use);
      for (Token& part : argument) part.place = place;
    }
    body = substitute(macro, expanded, *given);
  }
  paste(body);
  take_following_arguments(body, tokens, index);
  const Place place = open.empty() ? token.place : use;
  open.push_back(name);
  if (open.size() > 100) {
    diagnostics_.error(place, "macros are nested too deeply");
  } else {
    std::vector<Token> expanded = expand_all(body, open, place);
    output.insert(output.end(), expanded.begin(), expanded.end());
  }
  open.pop_back();
}

// Where what a macro stands for ends with the name of a macro with parameters, its arguments follow
// in the text.
void Preprocessor::take_following_arguments(std::vector<Token>& body,
                                            const std::vector<Token>& tokens, std::size_t& index) {
  if (body.empty() || index >= tokens.size() || !tokens[index].is("(")) return;
  const auto found = macros_.find(body.back().text);
  if (found == macros_.end() || !found->second.has_parameters) return;
  int depth = 0;
  std::size_t end = index;
  for (; end < tokens.size(); ++end) {
    if (tokens[end].is("(")) ++depth;
    if (tokens[end].is(")") && --depth == 0) break;
  }
  if (end == tokens.size()) return;
  body.insert(body.end(), tokens.begin() + static_cast<std::ptrdiff_t>(index),
              tokens.begin() + static_cast<std::ptrdiff_t>(end) + 1);
  index = end + 1;
}

std::optional<std::vector<std::vector<Token>>> Preprocessor::arguments(
    const std::vector<Token>& tokens, std::size_t& index, const Macro& macro) {
  const Place start = tokens[index - 1].place;
  std::vector<std::vector<Token>> given(1);
  int depth = 0;
  for (;; ++index) {
    if (index >= tokens.size()) {
      diagnostics_.error(start, "the macro's arguments are not closed by ')'");
      return std::nullopt;
    }
    const Token& token = tokens[index];
    if (token.is("(") && depth++ == 0) continue;
    if (token.is(")") && --depth == 0) break;
    const bool takes_rest = macro.is_variadic && given.size() == macro.parameters.size();
    if (token.is(",") && depth == 1 && !takes_rest) {
      given.emplace_back();
      continue;
    }
    given.back().push_back(token);
  }
  ++index;
  if (macro.parameters.empty() && given.size() == 1 && given[0].empty()) given.clear();
  if (given.size() != macro.parameters.size()) {
    diagnostics_.error(start, fmt::format("the macro takes {} arguments, not {}",
                                          macro.parameters.size(), given.size()));
    return std::nullopt;
  }
  return given;
}

// Beside ## an argument stays as it is written.
std::vector<Token> Preprocessor::substitute(const Macro& macro,
                                            const std::vector<std::vector<Token>>& expanded,
                                            const std::vector<std::vector<Token>>& as_given) {
  std::vector<Token> result;
  for (std::size_t i = 0; i < macro.body.size(); ++i) {
    const Token& token = macro.body[i];
    const bool is_pasted = (i > 0 && macro.body[i - 1].is("##")) ||
                           (i + 1 < macro.body.size() && macro.body[i + 1].is("##"));
    const std::vector<std::vector<Token>>& given = is_pasted ? as_given : expanded;
    const auto parameter = std::ranges::find(macro.parameters, token.text);
    if (token.kind != TokenKind::kName || parameter == macro.parameters.end()) {
      result.push_back(token);
      continue;
    }
    const auto& argument = given[static_cast<std::size_t>(parameter - macro.parameters.begin())];
    result.insert(result.end(), argument.begin(), argument.end());
    if (result.size() > kMaxTokens) break;
  }
  return result;
}

// a ## b: one token of the two beside it.
void Preprocessor::paste(std::vector<Token>& body) {
  for (std::size_t i = 1; i + 1 < body.size();) {
    if (!body[i].is("##")) {
      ++i;
      continue;
    }
    const std::string_view text =
        diagnostics_.sources().keep(std::string(body[i - 1].text) + std::string(body[i + 1].text));
    Lexer lexer(text, diagnostics_);
    Token joined = lexer.next();
    joined.place = body[i - 1].place;
    joined.starts_line = false;
    body[i - 1] = joined;
    const auto at = body.begin() + static_cast<std::ptrdiff_t>(i);
    body.erase(at, at + 2);
  }
}

}  // namespace

Preprocessed preprocess(Diagnostics& diagnostics, const std::vector<PredefinedMacro>& macros,
                        const std::vector<std::string>& include_folders) {
  Preprocessor preprocessor(diagnostics, include_folders);
  // What programs with parameters expect from those who run them.
  static const PredefinedMacro uniform_parameters{"PARAMETER_UNIFORM", "1"};
  if (diagnostics.sources().text(0).find("#pragma parameter") != std::string_view::npos)
    preprocessor.define(uniform_parameters);
  for (const PredefinedMacro& macro : macros) preprocessor.define(macro);
  return preprocessor.run();
}

}  // namespace raddle::cg
