#include "report/text/claims_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/number_format.h"
#include "base/text_table.h"
#include "report/text/text_style.h"
#include "report/text/text_wrap.h"

namespace raddle::report {

namespace {

using experiment::Claim;
using experiment::Judgement;
using experiment::Verdict;

constexpr std::size_t kMinTextColumns = 24;
constexpr std::size_t kColumnGap = 2;
constexpr std::size_t kShownValues = 4;

std::string number(double value) {
  const bool whole = value == std::floor(value) && std::abs(value) < 1e15;
  if (whole && std::abs(value) >= 10'000) return with_thousands(static_cast<std::int64_t>(value));
  return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

std::string numbers(const std::vector<double>& values) {
  std::string text;
  for (std::size_t i = 0; i < std::min(values.size(), kShownValues); ++i)
    text += (i == 0 ? "" : ", ") + number(values[i]);
  return values.size() > kShownValues ? text + ", …" : text;
}

// Cuts at a character, not within one.
std::string shortened(const std::string& text, std::size_t columns) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool starts_character = (static_cast<unsigned char>(text[i]) & 0xc0U) != 0x80U;
    if (starts_character && ++count > columns - 1) return text.substr(0, i) + "…";
  }
  return text;
}

std::string paper_cell(const Judgement& judgement) {
  const Claim& claim = *judgement.claim;
  if (claim.kind == experiment::ClaimKind::kOrder) return "order";
  if (!judgement.expected.empty()) {
    const bool all_equal = std::ranges::all_of(
        judgement.expected, [&](double value) { return value == judgement.expected[0]; });
    const std::string text =
        all_equal ? number(judgement.expected[0]) : numbers(judgement.expected);
    return claim.maximum ? fmt::format("{}, max {}", text, number(*claim.maximum)) : text;
  }
  return claim.paper_words.empty() ? "" : shortened(claim.paper_words[0], 14);
}

std::string error_cell(const Judgement& judgement) {
  if (!judgement.error) return "–";
  if (!std::isfinite(*judgement.error)) return "∞";
  return fmt::format("{:+.1f} %", 100 * *judgement.error);
}

std::string verdict_text(const Judgement& judgement) {
  std::string text(name_of(judgement.verdict));
  return judgement.claim->fitted && judgement.verdict != Verdict::kNotMeasured ? text + ", fitted"
                                                                               : text;
}

std::string totals(const std::vector<Judgement>& judgements) {
  std::array<int, 4> counts{};
  for (const Judgement& judgement : judgements)
    ++counts[static_cast<std::size_t>(judgement.verdict)];
  return fmt::format("{} claims: {} met, {} missed, {} contradictory, {} not measured\n",
                     judgements.size(), counts[0], counts[1], counts[2], counts[3]);
}

std::string details(const std::vector<Judgement>& judgements, const TextStyle& style) {
  std::string text;
  for (const Judgement& judgement : judgements) {
    const bool measured_parts = judgement.measured.size() > 1;
    const bool explained =
        judgement.verdict == Verdict::kMissed || judgement.verdict == Verdict::kContradictory;
    if (!measured_parts && (!explained || judgement.why.empty())) continue;
    text += fmt::format("\n{} {}\n", style.bold(judgement.claim->id), judgement.claim->text);
    const std::vector<std::string>& labels =
        judgement.claim->labels.size() == judgement.measured.size() ? judgement.claim->labels
                                                                    : judgement.labels;
    for (std::size_t i = 0; measured_parts && i < judgement.measured.size(); ++i) {
      text += fmt::format("  {:<30} measured {}", labels[i], number(judgement.measured[i]));
      if (judgement.expected.size() == judgement.measured.size())
        text += fmt::format(", paper {}", number(judgement.expected[i]));
      text += "\n";
    }
    if (explained && !judgement.why.empty())
      text +=
          "  " + wrap_text(fmt::format("{}: {}", verdict_text(judgement), judgement.why), 4) + "\n";
  }
  return text;
}

std::string measured_cell(const Judgement& judgement) {
  if (judgement.measured.empty()) return "–";
  const std::string text = numbers(judgement.measured);
  return judgement.maximum ? fmt::format("{}, max {}", text, number(*judgement.maximum)) : text;
}

// The words of a claim go over as many lines as they need: a claim cut short says nothing.
std::string claims_table(const std::vector<Judgement>& judgements) {
  TextTable table({"claim", "", "unit", "paper", "measured", "error", "verdict"});
  constexpr std::size_t kTextColumn = 1;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::size_t> widths{5, 0, 4, 5, 8, 5, 7};  // of the headings
  for (const Judgement& judgement : judgements) {
    const Claim& claim = *judgement.claim;
    rows.push_back({claim.id, claim.text, shortened(claim.unit, 10),
                    shortened(paper_cell(judgement), 14), shortened(measured_cell(judgement), 14),
                    error_cell(judgement), shortened(verdict_text(judgement), 16)});
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (i != kTextColumn) widths[i] = std::max(widths[i], display_width(rows.back()[i]));
    }
  }
  std::size_t taken = kColumnGap * (widths.size() - 1);
  for (const std::size_t width : widths) taken += width;
  const std::size_t columns = std::max(kMinTextColumns, kScreenColumns - taken);
  for (std::vector<std::string>& row : rows) {
    const std::vector<std::string> lines = wrapped_lines(row[kTextColumn], columns);
    row[kTextColumn] = lines[0];
    table.add_row(std::move(row));
    for (std::size_t i = 1; i < lines.size(); ++i) table.add_row({"", lines[i]});
  }
  return table.to_string();
}

}  // namespace

std::string claims_report(const experiment::Paper& paper, const std::vector<Judgement>& judgements,
                          const ClaimsOptions& options) {
  const TextStyle style(options.colour);
  return style.bold(paper.title) + "\n" +
         style.dim(wrap_text(paper.authors + ", " + paper.venue, 0)) + "\n\n" +
         claims_table(judgements) + details(judgements, style) + "\n" + totals(judgements);
}

std::string paper_list(const std::vector<experiment::Paper>& papers) {
  TextTable table({"paper", "title", "claims", "measured"});
  for (const experiment::Paper& paper : papers) {
    const auto measured = std::ranges::count_if(
        paper.claims, [](const Claim& claim) { return !claim.measure.text.empty(); });
    table.add_row({paper.name, shortened(paper.title, 66), std::to_string(paper.claims.size()),
                   std::to_string(measured)});
  }
  return table.to_string() + "raddle reproduce PAPER measures what can be measured\n";
}

}  // namespace raddle::report
