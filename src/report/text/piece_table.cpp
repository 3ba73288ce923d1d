#include "report/text/piece_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/demangle.h"
#include "base/number_format.h"
#include "base/text_table.h"
#include "report/page/html_table.h"

namespace raddle::report {

namespace {

// One piece of one kernel, over all launches.
struct Row {
  std::string kernel;
  std::size_t number = 0;
  machine::FabricPiece piece;
};

std::vector<Row> rows_of(const experiment::RunResult& result) {
  std::vector<Row> rows;
  for (const machine::LaunchResult& launch : result.launches) {
    if (!launch.fabric) continue;
    const std::string kernel = function_name(launch.kernel);
    for (std::size_t number = 0; number < launch.fabric->pieces.size(); ++number) {
      const machine::FabricPiece& piece = launch.fabric->pieces[number];
      const auto same = [&](const Row& row) {
        return row.kernel == kernel && row.number == number && row.piece.copies == piece.copies;
      };
      auto row = std::ranges::find_if(rows, same);
      if (row == rows.end()) row = rows.insert(row, {kernel, number, {.copies = piece.copies}});
      row->piece.threads += piece.threads;
      row->piece.cycles += piece.cycles;
    }
  }
  return rows;
}

std::string cycles_text(const Row& row) { return fmt::format("{:.0f}", row.piece.cycles); }

}  // namespace

std::string piece_table(const experiment::RunResult& result) {
  const std::vector<Row> rows = rows_of(result);
  if (rows.empty()) return {};
  TextTable table({"kernel", "piece", "copies", "threads", "cycles configured"});
  for (std::size_t column = 1; column < 5; ++column) table.align(column, TextTable::Align::kRight);
  for (const Row& row : rows)
    table.add_row({row.kernel, std::to_string(row.number), with_thousands(row.piece.copies),
                   with_thousands(row.piece.threads), cycles_text(row)});
  return "\n" + table.to_string();
}

std::string pieces_html(const experiment::RunResult& result) {
  const std::vector<Row> rows = rows_of(result);
  if (rows.empty()) return {};
  HtmlTable table("Pieces of kernels on the fabric", {{"kernel"},
                                                      {"piece", true},
                                                      {"copies", true},
                                                      {"threads", true},
                                                      {"cycles configured", true}});
  const auto counted = [](std::uint64_t value) {
    return HtmlCell{with_thousands(value), static_cast<double>(value)};
  };
  for (const Row& row : rows)
    table.add_row({{row.kernel, {}, true},
                   counted(row.number),
                   counted(row.piece.copies),
                   counted(row.piece.threads),
                   {cycles_text(row), row.piece.cycles}});
  return "<h3 class=\"part\">Pieces</h3>\n" + table.to_html();
}

}  // namespace raddle::report
