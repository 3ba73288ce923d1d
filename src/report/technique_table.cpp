#include "report/technique_table.h"

#include <fmt/format.h>

#include <string_view>

#include "base/number_format.h"
#include "base/text_table.h"
#include "report/figure_text.h"
#include "report/html_table.h"

namespace raddle::report {

namespace {

constexpr std::string_view kComponent = "technique ";  // "technique MMP in prefix.e:9"
constexpr std::string_view kPlace = " in ";

TechniqueRow row_called(std::string_view component) {
  component.remove_prefix(kComponent.size());
  const std::size_t place = component.find(kPlace);
  TechniqueRow row;
  row.technique = component.substr(0, place);
  if (place != std::string_view::npos) row.where = component.substr(place + kPlace.size());
  return row;
}

std::string ratio_text(const TechniqueRow& row) {
  return row.formula_cycles == 0 ? kAbsent : fmt::format("{:.3f}", row.cycles / row.formula_cycles);
}

std::string number(double value) {
  return value == 0 ? kAbsent : with_thousands(static_cast<std::uint64_t>(value));
}

}  // namespace

std::vector<TechniqueRow> technique_rows(const experiment::RunResult& result) {
  std::vector<TechniqueRow> rows;
  std::string_view last;
  for (const sim::StatValue& stat : result.totals.stats) {
    if (!stat.component.starts_with(kComponent)) continue;
    if (stat.component != last) rows.push_back(row_called(stat.component));
    last = stat.component;
    TechniqueRow& row = rows.back();
    if (stat.name == "executions") row.executions = stat.value;
    if (stat.name == "fibers") row.fibers = stat.value;
    if (stat.name == "targets") row.targets = stat.value;
    if (stat.name == "cycles") row.cycles = stat.value;
    if (stat.name == "formula") {
      row.formula_cycles = stat.value;
      row.formula = stat.sentence;
    }
  }
  return rows;
}

std::string technique_table(const experiment::RunResult& result) {
  const std::vector<TechniqueRow> rows = technique_rows(result);
  if (rows.empty()) return {};
  TextTable table(
      {"technique", "line", "times", "fibers", "targets", "cycles", "formula", "ratio"});
  for (const TechniqueRow& row : rows)
    table.add_row({row.technique, row.where, number(row.executions), number(row.fibers),
                   number(row.targets), number(row.cycles), number(row.formula_cycles),
                   ratio_text(row)});
  return "\n" + table.to_string();
}

std::string techniques_html(const experiment::RunResult& result) {
  const std::vector<TechniqueRow> rows = technique_rows(result);
  if (rows.empty()) return {};
  HtmlTable table("Techniques: measured cycles beside the formula's", {{"technique"},
                                                                       {"line"},
                                                                       {"executions", true},
                                                                       {"fibers", true},
                                                                       {"targets", true},
                                                                       {"cycles", true},
                                                                       {"formula's cycles", true},
                                                                       {"measured / formula", true},
                                                                       {"formula"}});
  for (const TechniqueRow& row : rows)
    table.add_row({{row.technique, {}, true},
                   {row.where},
                   {number(row.executions), row.executions},
                   {number(row.fibers), row.fibers},
                   {number(row.targets), row.targets},
                   {number(row.cycles), row.cycles},
                   {number(row.formula_cycles), row.formula_cycles},
                   {ratio_text(row)},
                   {row.formula}});
  return "<h3 class=\"part\">Techniques</h3>\n" + table.to_html();
}

}  // namespace raddle::report
