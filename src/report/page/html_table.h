// Tables of a page: numbers to the right, a key after each cell so that a script can sort by value
// rather than by what is written.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace raddle::report {

struct HtmlCell {
  std::string text;                   // escaped when it is written
  std::optional<double> number = {};  // to the right, and sorted by this
  bool is_code = false;
};

class HtmlTable {
 public:
  struct Column {
    std::string heading;
    bool is_number = false;
  };

  HtmlTable(std::string caption, std::vector<Column> columns);

  // As many cells as columns.
  void add_row(std::vector<HtmlCell> cells);
  bool empty() const { return rows_.empty(); }
  // In a box of its own that scrolls sideways on a narrow screen.
  std::string to_html() const;

 private:
  std::string caption_;  // for screen readers
  std::vector<Column> columns_;
  std::vector<std::vector<HtmlCell>> rows_;
};

}  // namespace raddle::report
