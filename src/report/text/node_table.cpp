#include "report/text/node_table.h"

#include <fmt/format.h>

#include <vector>

#include "base/text_table.h"
#include "report/figure_text.h"
#include "report/page/html_table.h"

namespace raddle::report {

namespace {

using Nodes = std::vector<std::vector<machine::Share>>;

// All nodes have the same parts, in the same order.
Nodes nodes_of(const experiment::RunResult& result) {
  if (result.launches.empty() || !result.launches.front().data_driven) return {};
  return result.launches.front().data_driven->node_cycles;
}

}  // namespace

std::string node_table(const experiment::RunResult& result) {
  const Nodes nodes = nodes_of(result);
  if (nodes.empty()) return {};
  std::vector<std::string> headings{"node"};
  for (const machine::Share& part : nodes.front()) headings.push_back(part.name);
  TextTable table(headings);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    std::vector<std::string> cells{fmt::format("{}", i)};
    for (const machine::Share& part : nodes[i])
      cells.push_back(percent(quotient(part.value, sum_of(nodes[i]))));
    table.add_row(std::move(cells));
  }
  return "\n" + table.to_string();
}

std::string nodes_html(const experiment::RunResult& result) {
  const Nodes nodes = nodes_of(result);
  if (nodes.empty()) return {};
  std::vector<HtmlTable::Column> columns{{"node", true}};
  for (const machine::Share& part : nodes.front()) columns.push_back({part.name, true});
  HtmlTable table("Cycles of each node", columns);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    std::vector<HtmlCell> cells{{fmt::format("{}", i), static_cast<double>(i)}};
    for (const machine::Share& part : nodes[i])
      cells.push_back({percent(quotient(part.value, sum_of(nodes[i]))), part.value});
    table.add_row(std::move(cells));
  }
  return "<h3 class=\"part\">Nodes</h3>\n" + table.to_html();
}

}  // namespace raddle::report
