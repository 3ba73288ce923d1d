#include "base/nearest_name.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include <fmt/format.h>

namespace raddle {
namespace {

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::string_view last_part(std::string_view dotted) {
  const std::size_t dot = dotted.rfind('.');
  return dot == std::string_view::npos ? dotted : dotted.substr(dot + 1);
}

// The one name that `matches` holds for; nothing where there are none or several.
template <class Predicate>
std::optional<std::string> only(std::span<const std::string> known, Predicate matches) {
  const auto first = std::ranges::find_if(known, matches);
  if (first == known.end() || std::find_if(first + 1, known.end(), matches) != known.end())
    return std::nullopt;
  return *first;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::string from = lower_case(a);
  const std::string to = lower_case(b);
  // Three rows of the optimal-string-alignment table: two rows back is needed for a swap.
  std::vector<std::size_t> before(to.size() + 1);
  std::vector<std::size_t> previous(to.size() + 1);
  std::vector<std::size_t> current(to.size() + 1);
  for (std::size_t j = 0; j <= to.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = previous[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (swapped) current[j] = std::min(current[j], before[j - 2] + 1);
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return previous[to.size()];
}

std::optional<std::string> nearest_name(std::string_view wanted,
                                        std::span<const std::string> known) {
  if (wanted.empty()) return std::nullopt;
  const std::size_t allowed = std::max<std::size_t>(1, wanted.size() / 3);
  const std::string* best = nullptr;
  std::size_t best_distance = allowed + 1;
  for (const std::string& name : known) {
    const std::size_t distance = edit_distance(wanted, name);
    // A name of one or two letters is not "near" another that shares none of them.
    if (distance >= best_distance || distance >= name.size()) continue;
    best = &name;
    best_distance = distance;
  }
  if (best != nullptr) return *best;

  const std::string lower = lower_case(wanted);
  if (const auto whole = only(
          known, [&](const std::string& name) { return lower_case(last_part(name)) == lower; })) {
    return whole;
  }
  if (lower.size() < 3) return std::nullopt;
  return only(known, [&](const std::string& name) {
    return lower_case(name).starts_with(lower) || lower_case(last_part(name)).starts_with(lower);
  });
}

std::string suggestion(std::string_view wanted, std::span<const std::string> known) {
  const auto name = nearest_name(wanted, known);
  return name ? fmt::format("did you mean '{}'?", *name) : std::string();
}

}  // namespace raddle
