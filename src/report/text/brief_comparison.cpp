#include "report/text/brief_comparison.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text_table.h"
#include "report/bottleneck.h"
#include "report/figure_text.h"
#include "report/page/comparison_figures.h"
#include "report/text/text_style.h"
#include "report/text/text_wrap.h"

namespace raddle::report {

namespace {

using experiment::RunResult;

struct LabelledRun {
  ResultLabel label;
  const RunResult* result = nullptr;

  double seconds() const { return result->totals.seconds; }
};

std::string time_of(const std::vector<LabelledRun>& runs, const std::string& machine,
                    const std::string& program) {
  for (const LabelledRun& run : runs) {
    if (run.label.machine != machine || run.label.program != program) continue;
    const std::string partial = run.result->partial ? " (partial)" : "";
    return run.seconds() > 0 ? seconds_text(run.seconds()) + partial : kAbsent;
  }
  return kAbsent;
}

// ", 2.8× as fast as mt-cgra with 2.2× its energy"
std::string against(const LabelledRun& fastest, const LabelledRun& next) {
  std::string text = fmt::format(", {:.1f}× as fast as {}", next.seconds() / fastest.seconds(),
                                 next.label.machine);
  const experiment::RunTotals& own = fastest.result->totals;
  const experiment::RunTotals& other = next.result->totals;
  if (own.energy_set == other.energy_set && sum_of(own.energy) > 0 && sum_of(other.energy) > 0)
    text += fmt::format(" with {:.1f}× its energy", sum_of(own.energy) / sum_of(other.energy));
  return text;
}

// Empty where no machine has a time for the program.
std::string sentence_about(const std::vector<LabelledRun>& runs, const std::string& program) {
  std::vector<LabelledRun> timed;
  for (const LabelledRun& run : runs) {
    if (run.label.program == program && run.seconds() > 0 && !run.result->partial &&
        is_timed(*run.result))
      timed.push_back(run);
  }
  if (timed.empty()) return {};
  std::stable_sort(timed.begin(), timed.end(), [](const LabelledRun& a, const LabelledRun& b) {
    return a.seconds() < b.seconds();
  });
  std::string text = timed[0].label.machine;
  if (timed.size() > 1) text += against(timed[0], timed[1]);
  const std::string bottleneck = bottleneck_sentence(*timed[0].result);
  return bottleneck.empty() ? text : fmt::format("{}: {}", text, bottleneck);
}

}  // namespace

std::string brief_comparison(const std::vector<RunResult>& results,
                             const ComparisonOptions& options) {
  const std::vector<ResultLabel> labels = result_labels(results);
  std::vector<LabelledRun> runs;
  std::vector<std::string> machines, programs;
  for (std::size_t i = 0; i < results.size(); ++i) {
    runs.push_back({labels[i], &results[i]});
    add_once(machines, labels[i].machine);
    add_once(programs, labels[i].program);
  }
  std::vector<std::string> headings{"simulated time"};
  headings.insert(headings.end(), programs.begin(), programs.end());
  TextTable table(std::move(headings));
  for (std::size_t column = 1; column <= programs.size(); ++column)
    table.align(column, TextTable::Align::kRight);
  for (const std::string& machine : machines) {
    std::vector<std::string> row{machine};
    for (const std::string& program : programs) row.push_back(time_of(runs, machine, program));
    table.add_row(std::move(row));
  }
  std::string text = table.to_string() + "\n";

  std::size_t widest = 0;
  for (const std::string& program : programs) widest = std::max(widest, display_width(program));
  const TextStyle style(options.colour);
  for (const std::string& program : programs) {
    const std::string sentence = sentence_about(runs, program);
    if (sentence.empty()) continue;
    const std::string blanks(widest + 2 - display_width(program), ' ');
    text += style.bold(program) + blanks + wrap_text(sentence, widest + 2) + "\n";
  }
  return text;
}

}  // namespace raddle::report
