#include "base/text_table.h"

#include <algorithm>
#include <cctype>
#include <numeric>

#include "base/error.h"

namespace raddle {
namespace {

constexpr std::size_t kGap = 2;      // blanks between columns
constexpr std::size_t kMinText = 6;  // a text column is not shortened below this

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

std::string first_characters(std::string_view text, std::size_t count) {
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    if (continues_character(text[end])) continue;
    if (count == 0) break;
    --count;
  }
  return std::string(text.substr(0, end));
}

std::string shortened(std::string_view text, std::size_t width, TextTable::Characters characters) {
  if (display_width(text) <= width) return std::string(text);
  const std::string_view mark = characters == TextTable::Characters::kUnicode ? "…" : "...";
  const std::size_t mark_width = display_width(mark);
  if (width <= mark_width) return first_characters(text, width);
  return first_characters(text, width - mark_width) + std::string(mark);
}

bool looks_like_number(std::string_view cell) {
  if (cell == "-" || cell == "–" || cell == "—") return true;
  const std::size_t start = cell.find_first_not_of("+-<>≥≤~");
  return start != std::string_view::npos &&
         std::isdigit(static_cast<unsigned char>(cell[start])) != 0;
}

void append_cell(std::string& line, const std::string& cell, std::size_t width, bool right) {
  const std::string padding(width - display_width(cell), ' ');
  line += right ? padding + cell : cell + padding;
}

void end_line(std::string& text, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  text += line + "\n";
}

}  // namespace

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return !continues_character(c); }));
}

TextTable::TextTable(std::vector<std::string> headings)
    : headings_(std::move(headings)), align_(headings_.size(), Align::kAutomatic) {
  RADDLE_ASSERT(!headings_.empty());
}

void TextTable::align(std::size_t column, Align align) { align_.at(column) = align; }

void TextTable::add_row(std::vector<std::string> cells) {
  RADDLE_ASSERT(cells.size() <= headings_.size());
  cells.resize(headings_.size());
  rows_.push_back(std::move(cells));
}

void TextTable::add_rule() { rows_.emplace_back(); }

bool TextTable::is_right_aligned(std::size_t column) const {
  if (align_[column] != Align::kAutomatic) return align_[column] == Align::kRight;
  bool any = false;
  for (const Row& row : rows_) {
    if (row.empty() || row[column].empty()) continue;
    if (!looks_like_number(row[column])) return false;
    any = true;
  }
  return any;
}

std::vector<std::size_t> TextTable::column_widths(const Style& style) const {
  std::vector<std::size_t> widths;
  for (const std::string& heading : headings_) widths.push_back(display_width(heading));
  for (const Row& row : rows_) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], display_width(row[column]));
    }
  }
  const std::size_t around = style.indent + kGap * (widths.size() - 1);
  for (;;) {
    const std::size_t total = std::accumulate(widths.begin(), widths.end(), around);
    if (total <= style.width) return widths;
    // Numbers are never cut: only the widest text column gives way, as long as one is left.
    std::size_t widest = widths.size();
    for (std::size_t column = 0; column < widths.size(); ++column) {
      if (is_right_aligned(column) || widths[column] <= kMinText) continue;
      if (widest == widths.size() || widths[column] > widths[widest]) widest = column;
    }
    if (widest == widths.size()) return widths;
    --widths[widest];
  }
}

std::string TextTable::to_string(const Style& style) const {
  const std::vector<std::size_t> widths = column_widths(style);
  const std::string margin(style.indent, ' ');
  const std::string gap(kGap, ' ');

  std::string rule = margin;
  for (std::size_t column = 0; column < widths.size(); ++column) {
    if (column != 0) rule += gap;
    for (std::size_t i = 0; i < widths[column]; ++i)
      rule += style.characters == Characters::kUnicode ? "─" : "-";
  }

  std::string text;
  const auto append_row = [&](const Row& row) {
    std::string line = margin;
    for (std::size_t column = 0; column < row.size(); ++column) {
      if (column != 0) line += gap;
      append_cell(line, shortened(row[column], widths[column], style.characters), widths[column],
                  is_right_aligned(column));
    }
    end_line(text, std::move(line));
  };
  append_row(headings_);
  end_line(text, rule);
  for (const Row& row : rows_) {
    if (row.empty()) {
      end_line(text, rule);
    } else {
      append_row(row);
    }
  }
  return text;
}

}  // namespace raddle
