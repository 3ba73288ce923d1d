// Tables for the terminal: columns as wide as their cells, numbers to the right, text to the left,
// never wider than the page. Cells are UTF-8 and count one column a character. No colour.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace raddle {

// Characters of a UTF-8 text (combining and double-width ones are not told apart).
std::size_t display_width(std::string_view text);

class TextTable {
 public:
  enum class Align { kAutomatic, kLeft, kRight };
  enum class Characters { kUnicode, kAscii };

  struct Style {
    std::size_t width = 100;  // cells of the widest text columns are shortened until the table fits
    std::size_t indent = 0;
    Characters characters = Characters::kUnicode;
  };

  explicit TextTable(std::vector<std::string> headings);

  // Automatic: right where every cell that is not empty begins like a number or is a dash.
  void align(std::size_t column, Align align);
  // Missing cells are empty; more cells than headings are a fault of the caller.
  void add_row(std::vector<std::string> cells);
  // A line between the rows before and after.
  void add_rule();

  std::size_t rows() const { return rows_.size(); }
  // Every line ends in a newline; none ends in a blank.
  std::string to_string(const Style& style) const;
  std::string to_string() const { return to_string(Style{}); }

 private:
  using Row = std::vector<std::string>;  // empty: a rule

  bool is_right_aligned(std::size_t column) const;
  std::vector<std::size_t> column_widths(const Style& style) const;

  Row headings_;
  std::vector<Align> align_;
  std::vector<Row> rows_;
};

}  // namespace raddle
