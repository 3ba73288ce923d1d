#include "report/page/html_table.h"

#include <fmt/format.h>

#include "base/error.h"
#include "report/charts/svg_text.h"

namespace raddle::report {

namespace {

std::string cell_html(const HtmlCell& cell, bool is_number, bool is_first) {
  const char* tag = is_first ? "th" : "td";
  std::string attributes = is_first ? " scope=\"row\"" : "";
  if (is_number) attributes += " class=\"number\"";
  if (cell.number) attributes += fmt::format(" data-key=\"{}\"", *cell.number);
  const std::string text = xml_escaped(cell.text);
  return fmt::format("<{0}{1}>{2}</{0}>", tag, attributes,
                     cell.is_code ? fmt::format("<code>{}</code>", text) : text);
}

}  // namespace

HtmlTable::HtmlTable(std::string caption, std::vector<Column> columns)
    : caption_(std::move(caption)), columns_(std::move(columns)) {}

void HtmlTable::add_row(std::vector<HtmlCell> cells) {
  RADDLE_ASSERT(cells.size() == columns_.size());
  rows_.push_back(std::move(cells));
}

std::string HtmlTable::to_html() const {
  std::string html = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\"><table "
      "class=\"sortable\">\n<caption>{0}</caption>\n<thead><tr>",
      xml_escaped(caption_));
  for (const Column& column : columns_) {
    html += fmt::format("<th scope=\"col\"{}>{}</th>", column.is_number ? " class=\"number\"" : "",
                        xml_escaped(column.heading));
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const std::vector<HtmlCell>& row : rows_) {
    html += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i)
      html += cell_html(row[i], columns_[i].is_number, i == 0);
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

}  // namespace raddle::report
