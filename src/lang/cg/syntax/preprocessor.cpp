#include "lang/cg/syntax/preprocessor.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "lang/cg/syntax/preprocessor_condition.h"

namespace raddle::cg {
namespace {

constexpr std::size_t kMaxTokens = 100'000;

struct Macro {
  bool has_parameters = false;
  std::vector<std::string_view> parameters;
  std::vector<Token> body;
};

class Preprocessor {
 public:
  Preprocessor(std::string_view text, Diagnostics& diagnostics)
      : diagnostics_(diagnostics), lexer_(text, diagnostics) {}

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
  static void pragma(std::string_view words, std::vector<std::string>& into);
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
                                const std::vector<std::vector<Token>>& arguments);
  void take_following_arguments(std::vector<Token>& body, const std::vector<Token>& tokens,
                                std::size_t& index);

  Diagnostics& diagnostics_;
  Lexer lexer_;
  std::map<std::string, Macro, std::less<>> macros_;
  std::vector<Condition> conditions_;
  std::size_t produced_ = 0;
};

Preprocessed Preprocessor::run() {
  Preprocessed result;
  std::vector<Token>& output = result.tokens;
  std::vector<Token> pending;  // text lines between two directives
  const auto flush = [&] {
    std::vector<std::string_view> open;
    std::vector<Token> expanded = expand_all(pending, open, {});
    output.insert(output.end(), expanded.begin(), expanded.end());
    pending.clear();
  };
  Token token = lexer_.next();
  while (token.kind != TokenKind::kEnd) {
    if (!token.is("#") || !token.starts_line) {
      if (active()) pending.push_back(token);
      token = lexer_.next();
      continue;
    }
    flush();
    if (const auto words = lexer_.take_pragma()) {
      if (active()) pragma(*words, result.pragmas);
      token = lexer_.next();
      continue;
    }
    std::vector<Token> line{token};
    for (token = lexer_.next(); !token.starts_line; token = lexer_.next()) line.push_back(token);
    directive(line);
  }
  flush();
  for (const Condition& open : conditions_)
    diagnostics_.error(open.place, "unterminated condition: #endif is missing");
  output.push_back(token);
  return result;
}

void Preprocessor::pragma(std::string_view words, std::vector<std::string>& into) {
  std::vector<std::string> found;
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!words.empty()) {
    std::size_t length = 0;
    while (length < words.size() && !is_blank(words[length])) ++length;
    if (words.substr(0, length).starts_with("//")) break;
    if (length > 0) found.emplace_back(words.substr(0, length));
    words.remove_prefix(std::min(length + 1, words.size()));
  }
  if (found.empty() || found[0] != "raddle") return;
  into.insert(into.end(), found.begin() + 1, found.end());
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
  if (name.is_name("define")) {
    define(line);
  } else if (name.is_name("undef")) {
    if (line.size() < 3 || line[2].kind != TokenKind::kName) {
      diagnostics_.error(name.place, "#undef needs the name of a macro");
    } else if (const auto found = macros_.find(line[2].text); found != macros_.end()) {
      macros_.erase(found);
    }
  } else if (name.is_name("error")) {
    std::string text;
    for (std::size_t i = 2; i < line.size(); ++i)
      text += (i > 2 ? " " : "") + std::string(line[i].text);
    diagnostics_.error(name.place, "#error " + text);
  } else if (name.is_name("include")) {
    diagnostics_.error(name.place, "#include is not supported",
                       "put the included text into this file");
  } else if (!name.is_name("line")) {
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
    if (line[index].is("##") || line[index].is("#")) {
      diagnostics_.error(line[index].place,
                         fmt::format("'{}' in a macro is not supported", line[index].text));
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
    if (++produced_ == kMaxTokens)
      diagnostics_.error(token.place, "the macros expand to too much text");
  };
  if (produced_ > kMaxTokens) return;
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
    for (std::vector<Token>& argument : *given) {
      argument = expand_all(argument, open, use);
      for (Token& part : argument) part.place = place;
    }
    body = substitute(macro, *given);
  }
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
    if (token.is(",") && depth == 1) {
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

std::vector<Token> Preprocessor::substitute(const Macro& macro,
                                            const std::vector<std::vector<Token>>& given) {
  std::vector<Token> result;
  for (const Token& token : macro.body) {
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

}  // namespace

Preprocessed preprocess(std::string_view text, const std::vector<PredefinedMacro>& macros,
                        Diagnostics& diagnostics) {
  Preprocessor preprocessor(text, diagnostics);
  for (const PredefinedMacro& macro : macros) preprocessor.define(macro);
  return preprocessor.run();
}

}  // namespace raddle::cg
