#include "lang/e/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace raddle::e {
namespace {

bool is_before(const Diagnostic& left, const Diagnostic& right) {
  if (left.position.line != right.position.line) return left.position.line < right.position.line;
  return left.position.column < right.position.column;
}

}  // namespace

std::string in_quotes(std::string_view name) { return "'" + std::string(name) + "'"; }

Diagnostics::Diagnostics(std::string file_name, std::string_view text)
    : Diagnostics(SourceText{std::string(text), SourceMap(std::move(file_name))}) {}

Diagnostics::Diagnostics(SourceText source)
    : map_(std::move(source.map)), text_(std::move(source.text)), line_starts_{0} {
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
  }
}

void Diagnostics::error(Position position, std::string message, std::string hint) {
  add({position, std::move(message), std::move(hint), false});
}

void Diagnostics::warn(Position position, std::string message, std::string hint) {
  add({position, std::move(message), std::move(hint), true});
}

// One construct is complained about once: what follows at the same place is a consequence.
void Diagnostics::add(Diagnostic diagnostic) {
  for (const Diagnostic& other : entries_) {
    if (other.warning == diagnostic.warning && other.position.line == diagnostic.position.line &&
        other.position.column == diagnostic.position.column) {
      return;
    }
  }
  if (!diagnostic.warning) ++errors_;
  entries_.push_back(std::move(diagnostic));
}

std::string_view Diagnostics::line_text(std::uint32_t line) const {
  if (line == 0 || line > line_starts_.size()) return {};
  const std::size_t begin = line_starts_[line - 1];
  std::size_t end = line < line_starts_.size() ? line_starts_[line] - 1 : text_.size();
  if (end > begin && text_[end - 1] == '\r') --end;
  return std::string_view(text_).substr(begin, end - begin);
}

std::string Diagnostics::body_of(const Diagnostic& diagnostic) const {
  const std::string_view line = line_text(diagnostic.position.line);
  const std::size_t column = std::min<std::size_t>(diagnostic.position.column, line.size() + 1);
  // Tabs stay tabs below tabs, so that the caret stands under its character.
  std::string indent(line.substr(0, column - 1));
  for (char& c : indent) {
    if (c != '\t') c = ' ';
  }
  const std::size_t room = line.size() + 1 - column;
  const std::size_t length =
      std::max<std::size_t>(1, std::min<std::size_t>(diagnostic.position.length, room));
  std::string body = fmt::format("{}\n  {}\n  {}^{}", diagnostic.message, line, indent,
                                 std::string(length - 1, '~'));
  if (!diagnostic.hint.empty()) body += "\n  hint: " + diagnostic.hint;
  return body;
}

std::string Diagnostics::render(const Diagnostic& diagnostic) const {
  return fmt::format("{}: {}{}", map_.where(diagnostic.position),
                     diagnostic.warning ? "warning: " : "", body_of(diagnostic));
}

std::string Diagnostics::render_warnings() const {
  std::string all;
  for (const Diagnostic& entry : entries_) {
    if (entry.warning) all += render(entry) + "\n";
  }
  return all;
}

void Diagnostics::throw_if_errors() const {
  if (errors_ == 0) return;
  std::vector<Diagnostic> errors;
  for (const Diagnostic& entry : entries_) {
    if (!entry.warning) errors.push_back(entry);
  }
  std::stable_sort(errors.begin(), errors.end(), is_before);
  const std::string where = map_.where(errors.front().position);
  std::string what = body_of(errors.front());
  for (std::size_t i = 1; i < std::min(errors.size(), kMaximumShown); ++i) {
    what += "\n" + render(errors[i]);
  }
  if (errors.size() > kMaximumShown) {
    what += fmt::format("\nand {} more errors", errors.size() - kMaximumShown);
  }
  throw Error(what, where);
}

}  // namespace raddle::e
