#include "report/text/text_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/demangle.h"
#include "base/number_format.h"
#include "report/bottleneck.h"
#include "report/figure_text.h"
#include "report/run_tables.h"
#include "report/text/fault_list.h"
#include "report/text/node_table.h"
#include "report/text/piece_table.h"
#include "report/text/sample_table.h"
#include "report/text/split_bar.h"
#include "report/text/summary_tables.h"
#include "report/text/technique_table.h"
#include "report/text/text_style.h"
#include "report/text/text_wrap.h"

namespace raddle::report {

namespace {

using experiment::RunResult;

constexpr std::size_t kMaxUnits = 6;
constexpr std::size_t kMaxKernels = 3;
constexpr double kJoulesPerPicojoule = 1e-12;

std::string simulated_text(const RunResult& result) {
  std::string time = seconds_text(result.totals.seconds) + " simulated";
  if (result.peaks.clock_hz <= 0) return time;
  return fmt::format("{} at {}", time, si_scaled(result.peaks.clock_hz, "Hz"));
}

// A machine without a clock that launched nothing is this host.
bool is_simulated(const RunResult& result) {
  return result.peaks.clock_hz > 0 || result.totals.launches != 0;
}

std::string title(const RunResult& result, const TextStyle& style) {
  std::string text = style.bold(fmt::format("{} on {}", result.program, result.machine));
  const std::string changed = changed_parameters(result);
  if (!changed.empty()) text += fmt::format(" with {}", changed);
  text += "\n";
  if (result.partial) {
    text += style.red(fmt::format(
                "partial: {}; figures cover the run up to that point",
                result.partial_reason.empty() ? "stopped before its end" : result.partial_reason)) +
            "\n";
  }
  return text;
}

std::string heading(const RunResult& result, const TextStyle& style) {
  std::string text = title(result, style);
  if (!is_simulated(result)) {
    return text + fmt::format("measured on this host in {}; nothing was simulated\n",
                              seconds_text(result.host.wall_seconds));
  }
  const experiment::RunTotals& totals = result.totals;
  text += fmt::format("{} {}, {} cycles, {}\n", with_thousands(totals.launches),
                      totals.launches == 1 ? "launch" : "launches", with_thousands(totals.cycles),
                      simulated_text(result));
  if (totals.thread_instructions != 0 || totals.warp_instructions == 0) {  // else not counted
    text +=
        fmt::format("{} thread instructions, IPC {}\n", with_thousands(totals.thread_instructions),
                    ipc_text(totals.ipc(), result.peaks));
  }
  const std::string bottleneck = bottleneck_sentence(result);
  if (!bottleneck.empty()) text += style.bold(wrap_text(bottleneck, 0)) + "\n";
  text += style.dim(fmt::format("simulated in {} with {} of memory",
                                seconds_text(result.host.wall_seconds),
                                byte_size(result.host.peak_memory_bytes))) +
          "\n";
  return text;
}

// "DRAM 91%, L2 41%": the busiest units.
std::string utilisation_line(const RunResult& result) {
  std::vector<machine::Utilisation> units = result.totals.utilisation;
  std::stable_sort(units.begin(), units.end(),
                   [](const auto& a, const auto& b) { return a.share() > b.share(); });
  std::string text;
  for (std::size_t i = 0; i < std::min(units.size(), kMaxUnits); ++i)
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", units[i].name, percent(units[i].share()));
  return text.empty() ? text : "busy          " + wrap_text(text, 14) + "\n";
}

// One text for each kernel, by name where there are several; those with most cycles first.
template <class TextOf>
std::string line_by_kernel(std::string_view heading, const RunResult& result, TextOf&& text_of) {
  std::vector<std::string> texts;
  const std::vector<KernelTotals> kernels = kernel_totals(result);
  for (const KernelTotals& row : kernels) {
    const std::string text = text_of(row);
    if (text.empty()) continue;
    texts.push_back(kernels.size() == 1 ? text : fmt::format("{} {}", row.kernel, text));
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(texts.size(), kMaxKernels); ++i)
    text += (i == 0 ? "" : "; ") + texts[i];
  if (texts.size() > kMaxKernels) text += fmt::format("; and {} more", texts.size() - kMaxKernels);
  return text.empty() ? text : fmt::format("{:<14}{}\n", heading, wrap_text(text, 14));
}

std::string occupancy_text(const KernelTotals& row) {
  if (const auto& fragments = row.fragments)
    return fmt::format("{:.1f} of {} batches, limited by {}", fragments->resident_batches,
                       fragments->contexts, fragments->limited_by);
  if (!has_occupancy(row)) return {};
  const machine::Occupancy& occupancy = row.launch->occupancy;
  return fmt::format("{:.1f} of {} warps, limited by {}", occupancy.warps, occupancy.warps_limit,
                     occupancy.limited_by);
}

// "power         681 mW on average".
std::string power_line(const experiment::RunTotals& totals) {
  if (totals.seconds <= 0) return {};
  const double watts = sum_of(totals.energy) * kJoulesPerPicojoule / totals.seconds;
  return fmt::format("power         {} on average\n", si_scaled(watts, "W"));
}

// "sharing       fan1: half, 127 launches (bound by latency, …)": what a machine chose by launch.
std::string sharing_lines(const RunResult& result) {
  struct Row {
    std::string choice, reason;  // the first
    std::size_t launches = 0;
  };
  std::vector<Row> rows;
  for (const machine::LaunchResult& launch : result.launches) {
    if (!launch.kernel_launch || !launch.kernel_launch->sharing) continue;
    const machine::SharingDecision& sharing = *launch.kernel_launch->sharing;
    const std::string choice = fmt::format("{}: {}", function_name(launch.kernel), sharing.mode);
    auto row = std::ranges::find(rows, choice, &Row::choice);
    if (row == rows.end()) row = rows.insert(row, {choice, sharing.reason});
    ++row->launches;
  }
  std::string text;
  for (const Row& row : rows)
    text += fmt::format("{:<14}{}, {} launch{} ({})\n", text.empty() ? "sharing" : "", row.choice,
                        row.launches, row.launches == 1 ? "" : "es", row.reason);
  return text;
}

// What the cycles of warp schedulers, or of units, were spent on.
std::string cycles_bar(const experiment::RunTotals& totals, const TextStyle& style) {
  return split_bar({has_warps(totals) ? "issue slots" : "unit cycles",
                    si_scaled(sum_of(totals.stalls)) + " cycles", labelled(totals.stalls)},
                   style);
}

std::string splits(const RunResult& result, const TextStyle& style) {
  const experiment::RunTotals& totals = result.totals;
  if (totals.launches == 0) return {};
  std::string text =
      split_bar({"instructions", si_scaled(static_cast<double>(totals.thread_instructions)),
                 instruction_classes(result)},
                style);
  text += cycles_bar(totals, style);
  text += line_by_kernel("occupancy", result,
                         [](const KernelTotals& row) { return occupancy_text(row); });
  text += line_by_kernel("L1 split", result, [](const KernelTotals& row) {
    return row.launch ? split_text(row.launch->l1_split) : std::string();
  });
  text += sharing_lines(result);
  text += utilisation_line(result);
  if (totals.energy.empty()) {
    text += style.dim(fmt::format("energy        not modelled by {}", result.machine)) + "\n";
  } else {
    text += split_bar(
        {"energy",
         fmt::format("{} ({})", picojoules_text(sum_of(totals.energy)), totals.energy_set),
         totals.energy},
        style);
    text += split_bar({"  by class",
                       picojoules_text(quotient(sum_of(totals.energy),
                                                static_cast<double>(totals.thread_instructions))) +
                           " a thread instr",
                       totals.energy_by_class},
                      style);
    text += power_line(totals);
  }
  return "\n" + text;
}

}  // namespace

std::string text_summary(const RunResult& result, const SummaryOptions& options) {
  const TextStyle style(options.colour);
  std::string text = heading(result, style);
  if (is_simulated(result)) {
    const Extent extent = options.in_full ? Extent::kAll : Extent::kScreen;
    text += kernel_table(result, extent);
    text += memory_table(result);
    text += splits(result, style);
    text += technique_table(result);
    text += line_table(result, extent);
    if (options.in_full) text += piece_table(result) + node_table(result) + sample_tables(result);
  }
  text += fault_list(result, style);
  if (!options.result_file.empty())
    text += "\n" + style.dim(fmt::format("result: {}", options.result_file)) + "\n";
  if (!options.trace_file.empty())
    text +=
        style.dim(fmt::format("trace: {}, open it in ui.perfetto.dev", options.trace_file)) + "\n";
  return text;
}

}  // namespace raddle::report
