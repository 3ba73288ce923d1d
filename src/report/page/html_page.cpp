#include "report/page/html_page.h"

#include <fmt/format.h>

#include "base/version.h"
#include "report/charts/svg_palette.h"
#include "report/charts/svg_text.h"

namespace raddle::report {

namespace {

constexpr std::string_view kStyle = R"css(
:root{color-scheme:light dark;--paper:#fff;--card:#f7f8fa;--ink:#1f2328;--quiet:#57606a;--line:#d8dee4;--strong-line:#afb8c1;
--accent:#0066a1;--warn:#b42318;--warn-paper:#fff1f0;--shade:#eef1f4}
@media screen and (prefers-color-scheme:dark){:root{--paper:#0f1318;--card:#161b22;--ink:#e3e7ec;--quiet:#9aa4b0;--line:#2a313a;
--strong-line:#4a5460;--accent:#6cb6f5;--warn:#ff8a7a;--warn-paper:#2b1614;--shade:#1e252e}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);line-height:1.5;
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
.page{max-width:1080px;margin:0 auto;padding:28px 24px 48px}
h1{font-size:26px;line-height:1.2;margin:0 0 4px;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{font-size:22px;line-height:1.25;margin:0 0 4px;letter-spacing:-.01em;overflow-wrap:anywhere}
h3{font-size:15px;margin:0;font-weight:600}
p{margin:0 0 8px}
a{color:var(--accent)}
code{font:.92em ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;overflow-wrap:anywhere}
.quiet{color:var(--quiet)}
.facts{color:var(--quiet);margin:0 0 16px}
.facts code{color:var(--ink)}
.warn{color:var(--warn);background:var(--warn-paper);border:1px solid currentColor;border-radius:6px;padding:8px 12px;margin:0 0 16px}
.bottleneck{border-left:4px solid var(--accent);background:var(--card);padding:12px 16px;margin:0 0 20px;font-size:17px;border-radius:0 6px 6px 0}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(138px,1fr));gap:1px;background:var(--line);border:1px solid var(--line);
border-radius:8px;overflow:hidden;margin:0 0 20px}
.tile{background:var(--paper);padding:12px 14px}
.tile dt{color:var(--quiet);font-size:13px}
.tile dd{margin:0;font-size:21px;line-height:1.25;font-weight:600;letter-spacing:-.01em;font-variant-numeric:tabular-nums;white-space:nowrap}
.tile dd small{display:block;font-size:13px;font-weight:400;color:var(--quiet);letter-spacing:0;white-space:normal}
.figures{columns:2 420px;column-gap:20px;margin:0 0 24px}
figure{margin:0 0 20px;border:1px solid var(--line);border-radius:8px;padding:14px 16px 12px;min-width:0;break-inside:avoid}
figure.wide{column-span:all}
figcaption{display:flex;flex-wrap:wrap;align-items:baseline;gap:0 10px;margin:0 0 10px}
figcaption p{flex:1 0 100%;margin:0;color:var(--quiet);font-size:13px}
figure svg{display:block;width:100%;height:auto;max-width:560px}
figure.wide svg{max-width:none}
.none{background:var(--card);border-style:dashed}
.none figcaption{margin:0}
section{margin:0 0 28px}
section.run{border-top:1px solid var(--strong-line);padding-top:28px;margin-top:36px}
section.run:first-of-type{border-top:0;padding-top:0;margin-top:0}
.part{margin:0 0 8px;font-size:17px;font-weight:600}
h4{margin:0 0 4px;font-size:15px;font-weight:600}
.scroll{overflow-x:auto;margin:0 0 24px}
table{border-collapse:separate;border-spacing:0;width:100%;font-size:14px;font-variant-numeric:tabular-nums}
caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
th,td{text-align:left;padding:6px 9px;border-bottom:1px solid var(--line);vertical-align:top;font-weight:400}
th:first-child{padding-left:0}
tbody th{min-width:9em;max-width:24em;overflow-wrap:break-word;position:sticky;left:0;background:var(--paper)}
tbody th code{overflow-wrap:break-word}th:last-child,td:last-child{padding-right:0}
thead th{font-weight:600;border-bottom:1px solid var(--strong-line);white-space:nowrap;vertical-align:bottom}
.number{text-align:right;white-space:nowrap}
tbody tr:hover,tbody tr:hover th{background:var(--shade)}
th button{all:unset;cursor:pointer;font-weight:600}
th button:focus-visible,.action:focus-visible,summary:focus-visible,.scroll:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
th[aria-sort=ascending] button::after{content:" ▲";font-size:.7em}
th[aria-sort=descending] button::after{content:" ▼";font-size:.7em}
details{border:1px solid var(--line);border-radius:8px;margin:0 0 12px;padding:0 16px}
summary{cursor:pointer;padding:10px 0;font-weight:600}
details .scroll{margin-bottom:12px}
.mark{color:var(--accent);font-weight:600}
.action{font:inherit;font-size:13px;color:var(--accent);background:none;border:0;padding:0;cursor:pointer;text-decoration:underline}
figcaption .action{margin-left:auto}
nav{margin:0 0 20px}
nav ul{display:flex;flex-wrap:wrap;gap:4px 18px;list-style:none;margin:0;padding:0}
.faults{padding-left:20px;margin:0 0 20px}
.faults pre{margin:4px 0 0;white-space:pre-wrap;color:var(--quiet);font-size:13px}
footer{color:var(--quiet);font-size:13px;border-top:1px solid var(--line);padding-top:12px;margin-top:36px}
@media (max-width:600px){.page{padding:18px 14px 32px}figure{padding:12px 10px 10px}.tiles{grid-template-columns:1fr 1fr}
h1{font-size:22px}.tile dd{font-size:18px}figure.wide .chart-box{overflow-x:auto}figure.wide svg{min-width:680px}}
@media print{body{font-size:11pt}.page{max-width:none;padding:0}.action{display:none}.scroll{overflow:visible}
tbody tr,.tiles{break-inside:avoid}section.run{break-before:page}section.run:first-of-type{break-before:auto}
.figures{columns:2}details{border:0;padding:0}}
)css";

constexpr std::string_view kScript = R"js(
(function () {
  'use strict';
  function save(name, type, text) {
    var link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], {type: type}));
    link.download = name;
    link.click();
    setTimeout(function () { URL.revokeObjectURL(link.href); }, 1000);
  }
  function action(text, run) {
    var button = document.createElement('button');
    button.type = 'button';
    button.className = 'action';
    button.textContent = text;
    button.addEventListener('click', run);
    return button;
  }
  function key(row, column) {
    var cell = row.cells[column];
    return 'key' in cell.dataset ? Number(cell.dataset.key) : cell.textContent;
  }
  function compare(a, b) {
    if (typeof a !== typeof b) return typeof a === 'number' ? 1 : -1;
    return typeof a === 'number' ? a - b : a.localeCompare(b);
  }
  function sort(table, heading, column) {
    var before = heading.getAttribute('aria-sort');
    var falling = before ? before === 'ascending' : heading.className === 'number';
    table.querySelectorAll('thead th').forEach(function (th) { th.removeAttribute('aria-sort'); });
    heading.setAttribute('aria-sort', falling ? 'descending' : 'ascending');
    var body = table.tBodies[0];
    Array.from(body.rows)
        .sort(function (a, b) { return compare(key(a, column), key(b, column)) * (falling ? -1 : 1); })
        .forEach(function (row) { body.appendChild(row); });
  }
  document.querySelectorAll('table.sortable').forEach(function (table) {
    if (table.tBodies[0].rows.length === 1) return;
    Array.from(table.tHead.rows[0].cells).forEach(function (heading, column) {
      if (heading.textContent === '') return;
      var button = document.createElement('button');
      button.type = 'button';
      button.textContent = heading.textContent;
      button.addEventListener('click', function () { sort(table, heading, column); });
      heading.replaceChildren(button);
    });
  });
  document.querySelectorAll('figure').forEach(function (figure) {
    var chart = figure.querySelector('svg');
    if (!chart) return;
    var title = figure.querySelector('h3');
    var button = action('SVG', function () {
      var copy = chart.cloneNode(true);
      var style = document.createElementNS(chart.namespaceURI, 'style');
      style.textContent = document.getElementById('chart-style').textContent;
      copy.prepend(style);
      save(title.textContent.toLowerCase().replace(/[^a-z0-9]+/g, '-') + '.svg', 'image/svg+xml',
           new XMLSerializer().serializeToString(copy));
    });
    button.title = 'Save this chart as an SVG file';
    title.after(button);
  });
  document.querySelectorAll('script[type="application/json"]').forEach(function (data) {
    document.getElementById(data.id + '-place').append(action('Save the result (JSON)', function () {
      save(data.dataset.name, 'application/json', data.textContent);
    }));
  });
  window.addEventListener('beforeprint', function () {
    document.querySelectorAll('details').forEach(function (part) { part.open = true; });
  });
})();
)js";

// Nothing may be fetched, whatever stands in the page.
constexpr std::string_view kPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; "
    "form-action 'none'";

}  // namespace

std::string script_safe(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

std::string html_page(std::string_view title, std::string_view body) {
  std::string page = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n";
  page += fmt::format("<meta http-equiv=\"Content-Security-Policy\" content=\"{}\" />\n",
                      xml_escaped(kPolicy));
  page += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n";
  page += fmt::format("<meta name=\"generator\" content=\"Raddle {}\" />\n", kVersion);
  page +=
      fmt::format("<title>{}</title>\n<style>{}</style>\n<style id=\"chart-style\">\n{}</style>\n",
                  xml_escaped(title), kStyle, svg_style_sheet());
  page += fmt::format(
      "</head>\n<body>\n<div class=\"page\">\n{}</div>\n<script>{}</script>\n</body>\n</html>\n",
      body, kScript);
  return page;
}

}  // namespace raddle::report
