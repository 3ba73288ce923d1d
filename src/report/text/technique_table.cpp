#include "report/text/technique_table.h"

#include <fmt/format.h>

#include <cstdint>

#include "base/number_format.h"
#include "base/text_table.h"
#include "report/figure_text.h"
#include "report/page/html_table.h"

namespace raddle::report {

namespace {

using machine::TechniqueCost;

std::string ratio_text(const TechniqueCost& row) {
  if (row.formula_cycles == 0) return kAbsent;
  return fmt::format("{:.3f}",
                     static_cast<double>(row.cycles) / static_cast<double>(row.formula_cycles));
}

std::string number(std::uint64_t value) { return value == 0 ? kAbsent : with_thousands(value); }
HtmlCell counted(std::uint64_t value) { return {number(value), static_cast<double>(value)}; }

std::vector<TechniqueCost> technique_costs(const experiment::RunResult& result) {
  std::vector<TechniqueCost> all;
  for (const machine::LaunchResult& launch : result.launches)
    all.insert(all.end(), launch.techniques.begin(), launch.techniques.end());
  return all;
}

}  // namespace

std::string technique_table(const experiment::RunResult& result) {
  const std::vector<TechniqueCost> rows = technique_costs(result);
  if (rows.empty()) return {};
  TextTable table(
      {"technique", "line", "times", "fibers", "targets", "cycles", "formula", "ratio"});
  for (const TechniqueCost& row : rows)
    table.add_row({row.technique, row.location, number(row.executions), number(row.fibers),
                   number(row.targets), number(row.cycles), number(row.formula_cycles),
                   ratio_text(row)});
  return "\n" + table.to_string();
}

std::string techniques_html(const experiment::RunResult& result) {
  const std::vector<TechniqueCost> rows = technique_costs(result);
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
  for (const TechniqueCost& row : rows)
    table.add_row({{row.technique, {}, true},
                   {row.location},
                   counted(row.executions),
                   counted(row.fibers),
                   counted(row.targets),
                   counted(row.cycles),
                   counted(row.formula_cycles),
                   {ratio_text(row)},
                   {row.formula}});
  return "<h3 class=\"part\">Techniques</h3>\n" + table.to_html();
}

}  // namespace raddle::report
