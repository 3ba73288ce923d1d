#include "report/text/split_bar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/text_table.h"
#include "report/figure_text.h"
#include "report/run_tables.h"
#include "report/text/text_wrap.h"

namespace raddle::report {

namespace {

constexpr std::size_t kIndent = 14;
constexpr std::size_t kMaxParts = 6;
constexpr std::array<const char*, kMaxParts + 1> kShades{"█", "▓", "▒", "░", "▚", "─", "·"};
constexpr const char* kBetweenEntries = "   ";

const char* shade_of(std::size_t part, const TextStyle& style) {
  return style.has_colour() ? kShades[0] : kShades[std::min(part, kShades.size() - 1)];
}

}  // namespace

std::vector<std::size_t> columns_of(const std::vector<machine::Share>& parts, std::size_t columns) {
  const double total = sum_of(parts);
  std::vector<std::size_t> whole(parts.size());
  std::vector<double> rest(parts.size());
  for (std::size_t i = 0; i < parts.size() && total > 0; ++i) {
    const double exact = parts[i].value / total * static_cast<double>(columns);
    whole[i] = static_cast<std::size_t>(exact);
    rest[i] = exact - std::floor(exact);
  }
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rest[a] > rest[b]; });
  std::size_t given = std::accumulate(whole.begin(), whole.end(), std::size_t{0});
  for (std::size_t i = 0; i < order.size() && given < columns && total > 0; ++i, ++given)
    ++whole[order[i]];
  return whole;
}

std::string split_bar(const SplitBar& bar, const TextStyle& style) {
  const std::vector<machine::Share> parts = largest_parts(bar.parts, kMaxParts);
  const double total = sum_of(parts);
  if (parts.empty() || total <= 0) return {};
  const std::vector<std::size_t> columns = columns_of(parts, kBarColumns);
  std::string text = bar.title;
  text.append(kIndent - std::min(kIndent, display_width(bar.title)), ' ');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::string blocks;
    for (std::size_t column = 0; column < columns[i]; ++column) blocks += shade_of(i, style);
    if (!blocks.empty()) text += style.part(i, blocks);
  }
  text += fmt::format("  {}\n", bar.total);

  std::size_t column = kIndent;
  text += std::string(kIndent, ' ');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string entry =
        fmt::format(" {} {:.1f} %", parts[i].name, 100 * parts[i].value / total);
    const std::size_t width = 1 + display_width(entry);
    if (i != 0) {
      const bool fits = column + display_width(kBetweenEntries) + width <= kScreenColumns;
      text += fits ? kBetweenEntries : "\n" + std::string(kIndent, ' ');
      column = fits ? column + display_width(kBetweenEntries) : kIndent;
    }
    text += style.part(i, shade_of(i, style)) + entry;
    column += width;
  }
  return text + "\n";
}

}  // namespace raddle::report
