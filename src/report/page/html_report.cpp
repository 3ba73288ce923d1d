#include "report/page/html_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/version.h"
#include "experiment/result_json.h"
#include "report/bottleneck.h"
#include "report/charts/svg_text.h"
#include "report/figure_text.h"
#include "report/page/comparison_figures.h"
#include "report/page/html_page.h"
#include "report/page/html_sections.h"
#include "report/page/html_table.h"
#include "report/page/sample_figures.h"
#include "report/text/comparison.h"
#include "report/text/node_table.h"
#include "report/text/piece_table.h"
#include "report/text/technique_table.h"

namespace raddle::report {

namespace {

using experiment::RunResult;

std::string figures_html(const std::vector<ReportFigure>& figures) {
  std::string html = "<div class=\"figures\">\n";
  for (const ReportFigure& figure : figures) {
    const char* css_class = figure.svg.empty() ? " class=\"none\""
                            : figure.wide      ? " class=\"wide\""
                                               : "";
    html += fmt::format("<figure{}>\n<figcaption><h3>{}</h3><p>{}</p></figcaption>\n", css_class,
                        xml_escaped(figure.title), xml_escaped(figure.note));
    if (!figure.svg.empty()) html += fmt::format("<div class=\"chart-box\">{}</div>\n", figure.svg);
    html += "</figure>\n";
  }
  return html + "</div>\n";
}

std::vector<ReportFigure> run_figures(const RunResult& result) {
  std::vector<ReportFigure> figures{issue_slots_figure(result), memory_figure(result),
                                    energy_figure(result),      instruction_figure(result),
                                    roofline_figure(result),    utilisation_figure(result)};
  for (ReportFigure& figure : histogram_figures(result)) figures.push_back(std::move(figure));
  for (ReportFigure& figure : sample_figures(result)) figures.push_back(std::move(figure));
  // What there is first, then what there is not.
  std::stable_partition(figures.begin(), figures.end(),
                        [](const ReportFigure& figure) { return !figure.svg.empty(); });
  return figures;
}

std::string data_html(const RunResult& result, std::size_t number) {
  const std::string name =
      fmt::format("{}-{}.json", std::filesystem::path(result.program).stem().string(),
                  std::filesystem::path(result.machine).stem().string());
  return fmt::format(
      "<p id=\"result-{0}-place\"><noscript>The whole result document is in the source of this "
      "page, "
      "in the element \"result-{0}\".</noscript></p>\n<script type=\"application/json\" "
      "id=\"result-{0}\" data-name=\"{1}\">{2}</script>\n",
      number, xml_escaped(name), script_safe(experiment::to_json(result)));
}

std::string run_html(const RunResult& result, std::size_t number, const std::string& title,
                     bool alone) {
  std::string html = fmt::format("<section class=\"run\" id=\"run-{}\">\n", number);
  html += fmt::format("<h{0}>{1}</h{0}>\n", alone ? 1 : 2, xml_escaped(title));
  html += facts_html(result);
  const std::string bottleneck = bottleneck_sentence(result);
  if (!bottleneck.empty())
    html += fmt::format("<p class=\"bottleneck\">{}</p>\n", xml_escaped(bottleneck));
  html += tiles_html(result);
  html += figures_html(run_figures(result));
  html += kernels_html(result) + faults_html(result) + lines_html(result) + memory_html(result);
  html += techniques_html(result) + pieces_html(result) + nodes_html(result) +
          parameters_html(result) + stats_html(result);
  return html + data_html(result, number) + "</section>\n";
}

HtmlTable side_by_side_table(const std::vector<RunResult>& results) {
  const ComparisonCells cells = comparison_cells(results);
  std::vector<HtmlTable::Column> columns;
  for (const std::string& heading : cells.headings) columns.push_back({heading, !columns.empty()});
  HtmlTable table("All figures side by side, with ratios to the first", columns);
  for (const std::vector<std::string>& row : cells.rows) {
    std::vector<HtmlCell> texts;
    for (const std::string& text : row) texts.push_back({text});
    table.add_row(std::move(texts));
  }
  return table;
}

std::string comparison_html(const std::vector<RunResult>& results) {
  std::string html = "<section id=\"comparison\">\n";
  html += figures_html(comparison_figures(results));
  html += "<h3 class=\"part\">Side by side</h3>\n";
  const std::vector<std::vector<RunResult>> groups = comparison_groups(results);
  for (const std::vector<RunResult>& group : groups) {
    if (groups.size() > 1)
      html += fmt::format("<h4>{}</h4>\n", xml_escaped(comparison_title(group)));
    html += side_by_side_table(group).to_html();
  }
  return html + "</section>\n";
}

// "matmul on fermi", as short as tells the results apart.
std::vector<std::string> run_titles(const std::vector<RunResult>& results) {
  std::vector<std::string> titles;
  for (const ResultLabel& label : result_labels(results))
    titles.push_back(fmt::format("{} on {}", label.program, label.machine));
  return titles;
}

}  // namespace

std::string html_report(const std::vector<RunResult>& results) {
  const std::vector<std::string> titles = run_titles(results);
  const bool alone = results.size() == 1;
  const std::string title =
      alone ? titles[0] : fmt::format("{} results side by side", results.size());
  std::string body;
  if (!alone) {
    body += fmt::format("<header>\n<h1>{}</h1>\n</header>\n<nav aria-label=\"Results\"><ul>\n",
                        xml_escaped(title));
    for (std::size_t i = 0; i < titles.size(); ++i)
      body += fmt::format("<li><a href=\"#run-{}\">{}</a></li>\n", i + 1, xml_escaped(titles[i]));
    body += "</ul></nav>\n";
  }
  body += "<main>\n";
  if (!alone) body += comparison_html(results);
  for (std::size_t i = 0; i < results.size(); ++i)
    body += run_html(results[i], i + 1, titles[i], alone);
  body += fmt::format(
      "</main>\n<footer>Made by Raddle {}. All figures are simulated except the time and memory "
      "that simulating took.</footer>\n",
      kVersion);
  return html_page(title, body);
}

}  // namespace raddle::report
