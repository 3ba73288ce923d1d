#include "report/claims_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/number_format.h"
#include "base/text_table.h"
#include "report/text_style.h"
#include "report/text_wrap.h"

namespace raddle::report {

namespace {

using experiment::Claim;
using experiment::Judgement;
using experiment::Verdict;

constexpr std::size_t kTextColumns = 44;
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
    return all_equal ? number(judgement.expected[0]) : numbers(judgement.expected);
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

}  // namespace

std::string claims_report(const experiment::Paper& paper, const std::vector<Judgement>& judgements,
                          const ClaimsOptions& options) {
  const TextStyle style(options.colour);
  TextTable table({"claim", "", "unit", "paper", "measured", "error", "verdict"});
  for (const Judgement& judgement : judgements) {
    const Claim& claim = *judgement.claim;
    table.add_row({claim.id, shortened(claim.text, kTextColumns), shortened(claim.unit, 8),
                   shortened(paper_cell(judgement), 12),
                   shortened(judgement.measured.empty() ? "–" : numbers(judgement.measured), 12),
                   error_cell(judgement), shortened(verdict_text(judgement), 16)});
  }
  return style.bold(paper.title) + "\n" + style.dim(paper.authors + ", " + paper.venue) + "\n\n" +
         table.to_string() + details(judgements, style) + "\n" + totals(judgements);
}

std::string paper_list(const std::vector<experiment::Paper>& papers) {
  TextTable table({"paper", "title", "claims", "measured"});
  for (const experiment::Paper& paper : papers) {
    const auto measured = std::ranges::count_if(
        paper.claims, [](const Claim& claim) { return !claim.measure.empty(); });
    table.add_row({paper.name, shortened(paper.title, 66), std::to_string(paper.claims.size()),
                   std::to_string(measured)});
  }
  return table.to_string() + "raddle reproduce PAPER measures what can be measured\n";
}

}  // namespace raddle::report
