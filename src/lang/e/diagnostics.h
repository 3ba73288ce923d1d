// What is wrong with an e program, collected over the whole run of the front end: each entry has
// its place, is shown with the source line and a caret below it, and may carry a hint. Nothing is
// thrown until throw_if_errors(), so that one run reports as much as it can.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lang/e/position.h"
#include "lang/e/source_text.h"

namespace raddle::e {

struct Diagnostic {
  Position position;
  std::string message;
  std::string hint;
  bool warning = false;
};

class Diagnostics {
 public:
  Diagnostics(std::string file_name, std::string_view text);
  explicit Diagnostics(SourceText source);

  void error(Position position, std::string message, std::string hint = {});
  void warn(Position position, std::string message, std::string hint = {});

  bool has_errors() const { return errors_ > 0; }
  const std::vector<Diagnostic>& entries() const { return entries_; }
  const SourceMap& map() const { return map_; }
  std::string_view text() const { return text_; }

  // "file:line:column: message", the source line, the caret, the hint.
  std::string render(const Diagnostic& diagnostic) const;
  // All warnings, rendered; empty where there are none.
  std::string render_warnings() const;
  // Throws Error with all errors in the order of their places; the first kMaximumShown are shown.
  void throw_if_errors() const;

  static constexpr std::size_t kMaximumShown = 20;

 private:
  void add(Diagnostic diagnostic);
  std::string body_of(const Diagnostic& diagnostic) const;
  std::string_view line_text(std::uint32_t line) const;

  SourceMap map_;
  std::string text_;
  std::vector<std::size_t> line_starts_;
  std::vector<Diagnostic> entries_;
  std::size_t errors_ = 0;
};

// The name in single quotes.
std::string in_quotes(std::string_view name);

}  // namespace raddle::e
