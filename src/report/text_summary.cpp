#include "report/text_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include "base/number_format.h"
#include "base/text_table.h"
#include "report/text_style.h"
#include "report/text_wrap.h"

namespace raddle::report {

namespace {

using experiment::RunResult;
using machine::Dim3;
using machine::LaunchResult;
using machine::MemoryTraffic;

constexpr std::size_t kMaxKernels = 12;
constexpr std::size_t kMaxFaults = 5;
constexpr std::size_t kMaxDetails = 16;
constexpr std::size_t kMaxLines = 12;
constexpr std::size_t kMaxClasses = 6;
constexpr double kWarpLanes = 32;
constexpr const char* kAbsent = "–";

double quotient(double value, double base) { return base == 0 ? 0 : value / base; }

std::string dimensions(const Dim3& dim) {
  if (dim.z != 1) return fmt::format("{}×{}×{}", dim.x, dim.y, dim.z);
  if (dim.y != 1) return fmt::format("{}×{}", dim.x, dim.y);
  return std::to_string(dim.x);
}

std::string count(std::uint64_t value) {
  return value < 1'000'000 ? with_thousands(value) : si_scaled(static_cast<double>(value));
}

std::string seconds(double value) { return value == 0 ? "0 s" : si_scaled(value, "s"); }

// Launches of one kernel with one shape, added up.
struct KernelRow {
  std::string kernel;
  Dim3 grid, block;
  std::uint64_t launches = 0;
  std::uint64_t thread_instructions = 0, warp_instructions = 0, cycles = 0;
  bool complete = true;
  std::size_t first = 0;  // which was launched first, to break ties
};

std::vector<KernelRow> kernel_rows(const RunResult& result) {
  using Key = std::tuple<std::string, std::array<std::uint32_t, 6>>;
  std::map<Key, std::size_t> places;
  std::vector<KernelRow> rows;
  for (const LaunchResult& launch : result.launches) {
    const Key key{launch.kernel,
                  {launch.grid.x, launch.grid.y, launch.grid.z, launch.block.x, launch.block.y,
                   launch.block.z}};
    const auto [place, fresh] = places.try_emplace(key, rows.size());
    if (fresh) rows.push_back({short_kernel_name(launch.kernel), launch.grid, launch.block});
    KernelRow& row = rows[place->second];
    row.first = place->second;
    ++row.launches;
    row.thread_instructions += launch.thread_instructions;
    row.warp_instructions += launch.warp_instructions;
    row.cycles += launch.cycles;
    row.complete = row.complete && launch.complete;
  }
  std::sort(rows.begin(), rows.end(), [](const KernelRow& a, const KernelRow& b) {
    return std::tie(b.thread_instructions, a.first) < std::tie(a.thread_instructions, b.first);
  });
  return rows;
}

std::string heading(const RunResult& result, const TextStyle& style) {
  std::string text = style.bold(fmt::format("{} on {}", result.program, result.machine));
  std::string changed;
  for (const machine::Parameter& parameter : result.parameters) {
    if (!parameter.overridden) continue;
    changed += fmt::format("{}{}={}", changed.empty() ? "" : ", ", parameter.key,
                           machine::to_string(parameter.value));
  }
  if (!changed.empty()) text += fmt::format(" with {}", changed);
  text += "\n";
  if (result.partial) {
    text += style.red(fmt::format(
                "partial: {}; the figures end there",
                result.partial_reason.empty() ? "stopped before its end" : result.partial_reason)) +
            "\n";
  }
  const experiment::RunTotals& totals = result.totals;
  const std::string sentence =
      fmt::format("{} {}, {} cycles, {} simulated, {} thread instructions, IPC {:.1f}",
                  with_thousands(totals.launches), totals.launches == 1 ? "launch" : "launches",
                  with_thousands(totals.cycles), seconds(totals.seconds),
                  with_thousands(totals.thread_instructions), totals.ipc());
  text += wrap_text(sentence, 0) + "\n";
  text +=
      style.dim(fmt::format("this took {} and {} of memory here", seconds(result.host.wall_seconds),
                            byte_size(result.host.peak_memory_bytes))) +
      "\n";
  return text;
}

std::string kernel_table(const RunResult& result) {
  const std::vector<KernelRow> rows = kernel_rows(result);
  if (rows.empty()) return "\nno kernel was launched\n";
  TextTable table({"kernel", "launches", "grid", "block", "thread instr", "warp instr", "cycles",
                   "IPC", "lanes active"});
  for (std::size_t i = 0; i < std::min(rows.size(), kMaxKernels); ++i) {
    const KernelRow& row = rows[i];
    const double lanes = quotient(static_cast<double>(row.thread_instructions),
                                  kWarpLanes * static_cast<double>(row.warp_instructions));
    table.add_row({row.complete ? row.kernel : row.kernel + " (stopped)",
                   with_thousands(row.launches), dimensions(row.grid), dimensions(row.block),
                   count(row.thread_instructions), count(row.warp_instructions), count(row.cycles),
                   fmt::format("{:.1f}", quotient(static_cast<double>(row.thread_instructions),
                                                  static_cast<double>(row.cycles))),
                   fmt::format("{:.1f} %", 100 * lanes)});
  }
  std::string text = "\n" + table.to_string();
  if (rows.size() > kMaxKernels) text += fmt::format("and {} more\n", rows.size() - kMaxKernels);
  return text;
}

std::string memory_table(const RunResult& result) {
  TextTable table({"memory", "loads", "stores", "atomics", "read", "written", "segments/access",
                   "bank conflicts"});
  for (const MemoryTraffic& traffic : result.totals.memory) {
    const std::uint64_t instructions =
        traffic.load_instructions + traffic.store_instructions + traffic.atomic_instructions;
    if (instructions == 0) continue;
    const bool has_segments = traffic.segments != 0;
    const bool is_shared = traffic.level == "shared";
    table.add_row({traffic.level, count(traffic.load_accesses), count(traffic.store_accesses),
                   count(traffic.atomic_accesses), byte_size(traffic.bytes_read),
                   byte_size(traffic.bytes_written),
                   has_segments
                       ? fmt::format("{:.2f}", quotient(static_cast<double>(traffic.segments),
                                                        static_cast<double>(instructions)))
                       : kAbsent,
                   is_shared ? count(traffic.bank_conflicts) : kAbsent});
  }
  return table.rows() == 0 ? std::string() : "\n" + table.to_string();
}

// Classes by share, the largest first, each with a bar.
std::string instruction_mix(const RunResult& result) {
  std::vector<std::pair<std::uint64_t, std::string>> classes;
  for (int i = 0; i < kernel::kInstructionClasses; ++i) {
    const std::uint64_t value =
        result.totals.thread_instructions_by_class[static_cast<std::size_t>(i)];
    if (value != 0)
      classes.emplace_back(value, std::string(name_of(static_cast<kernel::InstructionClass>(i))));
  }
  if (classes.empty()) return {};
  std::sort(classes.begin(), classes.end(), [](const auto& a, const auto& b) {
    return std::tie(b.first, a.second) < std::tie(a.first, b.second);
  });
  std::uint64_t total = 0, rest = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    total += classes[i].first;
    if (i >= kMaxClasses) rest += classes[i].first;
  }
  classes.resize(std::min(classes.size(), kMaxClasses));
  if (rest != 0) classes.emplace_back(rest, "others");
  constexpr double kBarColumns = 50;
  std::string text = "\ninstruction mix\n";
  for (const auto& [value, name] : classes) {
    const double share = static_cast<double>(value) / static_cast<double>(total);
    std::string bar;
    for (int i = 0; i < std::lround(share * kBarColumns); ++i) bar += "█";
    text += fmt::format("  {:<14}{:5.1f} %{}{}\n", name, 100 * share, bar.empty() ? "" : "  ", bar);
  }
  return text;
}

std::string shares(const char* title, const std::vector<machine::Share>& parts, const char* unit) {
  double total = 0;
  for (const machine::Share& part : parts) total += part.value;
  if (parts.empty() || total == 0) return {};
  std::string text = fmt::format("\n{}: {}\n", title, si_scaled(total, unit));
  for (const machine::Share& part : parts) {
    if (part.value != 0)
      text += fmt::format("  {:<30}{:5.1f} %\n", part.name, 100 * part.value / total);
  }
  return text;
}

std::string line_table(const RunResult& result) {
  std::map<std::string, machine::LineCost> lines;
  for (const LaunchResult& launch : result.launches) {
    for (const machine::LineCost& line : launch.lines) {
      machine::LineCost& sum =
          lines.try_emplace(line.location, machine::LineCost{line.location, 0, 0, 0}).first->second;
      sum.warp_instructions += line.warp_instructions;
      sum.thread_instructions += line.thread_instructions;
      sum.stall_cycles += line.stall_cycles;
    }
  }
  if (lines.empty()) return {};
  std::vector<machine::LineCost> sorted;
  for (const auto& [location, line] : lines) sorted.push_back(line);
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return std::tie(b.thread_instructions, a.location) <
           std::tie(a.thread_instructions, b.location);
  });
  TextTable table({"line", "thread instr", "warp instr", "share"});
  for (std::size_t i = 0; i < std::min(sorted.size(), kMaxLines); ++i) {
    const double share = quotient(static_cast<double>(sorted[i].thread_instructions),
                                  static_cast<double>(result.totals.thread_instructions));
    table.add_row({sorted[i].location, count(sorted[i].thread_instructions),
                   count(sorted[i].warp_instructions), fmt::format("{:.1f} %", 100 * share)});
  }
  return "\n" + table.to_string();
}

std::string fault_list(const RunResult& result, const TextStyle& style) {
  if (result.totals.fault_count == 0) return {};
  std::string text = "\n" +
                     style.red(fmt::format("{} {}", with_thousands(result.totals.fault_count),
                                           result.totals.fault_count == 1 ? "fault" : "faults")) +
                     "\n";
  std::uint64_t shown = 0;
  for (const LaunchResult& launch : result.launches) {
    for (const machine::Fault& fault : launch.faults) {
      if (shown == kMaxFaults) break;
      ++shown;
      const std::string sentence =
          fmt::format("{}{}{}, in {}, block ({},{},{}), thread ({},{},{})", fault.location,
                      fault.location.empty() ? "" : ": ", fault.message,
                      short_kernel_name(fault.kernel), fault.block.x, fault.block.y, fault.block.z,
                      fault.thread.x, fault.thread.y, fault.thread.z);
      text += "  " + wrap_text(sentence, 4) + "\n";
      for (std::size_t i = 0; i < std::min(fault.details.size(), kMaxDetails); ++i)
        text += "    " + fault.details[i] + "\n";
      if (fault.details.size() > kMaxDetails)
        text += fmt::format("    and {} more\n", fault.details.size() - kMaxDetails);
    }
  }
  if (result.totals.fault_count > shown)
    text += fmt::format("  and {} more\n", with_thousands(result.totals.fault_count - shown));
  return text;
}

}  // namespace

std::string short_kernel_name(const std::string& demangled) {
  // The parameters open at the first parenthesis outside template brackets; "(anonymous namespace)"
  // is no parameter list.
  int depth = 0;
  std::size_t end = demangled.size();
  std::size_t start = 0;
  for (std::size_t i = 0; i < demangled.size(); ++i) {
    const char c = demangled[i];
    if (c == '<') ++depth;
    if (c == '>') --depth;
    if (depth != 0) continue;
    if (c == ' ') start = i + 1;
    if (c != '(') continue;
    if (demangled.compare(i, 21, "(anonymous namespace)") == 0) {
      i += 20;
      continue;
    }
    end = i;
    break;
  }
  return start < end ? demangled.substr(start, end - start) : demangled;
}

std::string text_summary(const RunResult& result, const SummaryOptions& options) {
  const TextStyle style(options.colour);
  std::string text = heading(result, style);
  text += kernel_table(result);
  text += memory_table(result);
  text += instruction_mix(result);
  text += shares("cycles of the issuing units", result.totals.stalls, "cycles");
  text += shares("energy", result.totals.energy, "pJ");
  text += line_table(result);
  text += fault_list(result, style);
  if (!options.result_file.empty())
    text += "\n" + style.dim(fmt::format("result: {}", options.result_file)) + "\n";
  return text;
}

}  // namespace raddle::report
