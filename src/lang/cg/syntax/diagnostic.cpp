#include "lang/cg/syntax/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace raddle::cg {

PlacedError::PlacedError(const std::string& file_name, Place place, const std::string& what,
                         const std::string& hint)
    : Error(what, fmt::format("{}:{}:{}", file_name, place.line, place.column), hint),
      place_(place) {}

void Diagnostics::error(Place place, std::string message, std::string hint) {
  for (const Diagnostic& known : all_) {
    if (known.is_error && known.place == place && known.message == message) return;
  }
  if (is_full()) return;
  ++error_count_;
  all_.push_back({true, place, std::move(message), std::move(hint)});
}

void Diagnostics::warning(Place place, std::string message, std::string hint) {
  all_.push_back({false, place, std::move(message), std::move(hint)});
}

std::vector<Diagnostic> Diagnostics::take(std::size_t first) {
  const auto start = all_.begin() + static_cast<std::ptrdiff_t>(first);
  std::vector<Diagnostic> taken(start, all_.end());
  all_.erase(start, all_.end());
  for (const Diagnostic& diagnostic : taken) error_count_ -= diagnostic.is_error ? 1 : 0;
  return taken;
}

void Diagnostics::put(const std::vector<Diagnostic>& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.is_error)
      error(diagnostic.place, diagnostic.message, diagnostic.hint);
    else
      all_.push_back(diagnostic);
  }
}

std::string Diagnostics::body(const Diagnostic& diagnostic) const {
  const std::string_view line = sources_->line_text(diagnostic.place);
  std::string text =
      fmt::format("{}: {}", diagnostic.is_error ? "error" : "warning", diagnostic.message);
  if (!line.empty() && diagnostic.place.column <= line.size() + 1) {
    std::string pad;  // tabs stay, so that the caret stands below what it means
    for (std::size_t i = 0; i + 1 < diagnostic.place.column; ++i)
      pad += line[i] == '\t' ? '\t' : ' ';
    const std::size_t room = line.size() + 1 - diagnostic.place.column;
    const std::size_t length =
        std::clamp<std::size_t>(diagnostic.place.length, 1, std::max<std::size_t>(room, 1));
    text += fmt::format("\n  {}\n  {}^{}", line, pad, std::string(length - 1, '~'));
  }
  return text;
}

std::string Diagnostics::render(const Diagnostic& diagnostic) const {
  std::string text = fmt::format("{}: {}", sources_->where(diagnostic.place), body(diagnostic));
  if (!diagnostic.hint.empty()) text += "\nhint: " + diagnostic.hint;
  return text;
}

void Diagnostics::throw_if_errors() const {
  if (!has_errors()) return;
  std::vector<const Diagnostic*> errors;
  for (const Diagnostic& diagnostic : all_) {
    if (diagnostic.is_error) errors.push_back(&diagnostic);
  }
  std::stable_sort(errors.begin(), errors.end(), [](const Diagnostic* a, const Diagnostic* b) {
    return std::tuple(a->place.file, a->place.line, a->place.column) <
           std::tuple(b->place.file, b->place.line, b->place.column);
  });
  // An Error has one place and one hint: the first fault's place and the last one's hint.
  std::string what = body(*errors.front());
  for (std::size_t i = 1; i < errors.size(); ++i) {
    const std::string& hint = errors[i - 1]->hint;
    if (!hint.empty()) what += "\nhint: " + hint;
    what += fmt::format("\n{}: {}", sources_->where(errors[i]->place), body(*errors[i]));
  }
  if (is_full()) what += fmt::format("\nonly the first {} errors are shown", kMaxErrors);
  throw Error(what, sources_->where(errors.front()->place), errors.back()->hint);
}

void Diagnostics::throw_shown(const PlacedError& error) {
  this->error(error.place(), error.what(), error.hint());
  throw_if_errors();
  throw error;  // not reached: there is at least that one
}

}  // namespace raddle::cg
