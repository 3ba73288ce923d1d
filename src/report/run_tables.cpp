#include "report/run_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <tuple>

#include "base/demangle.h"
#include "base/number_format.h"
#include "report/figure_text.h"

namespace raddle::report {

namespace {

using machine::LaunchResult;
using machine::Share;

constexpr unsigned kWarpLanes = 32;

using machine::MemoryTraffic;
using Figure = std::optional<double>;

Figure unless_zero(std::uint64_t value) {
  return value == 0 ? Figure() : static_cast<double>(value);
}

std::uint64_t memory_instructions(const MemoryTraffic& traffic) {
  return traffic.load_instructions + traffic.store_instructions + traffic.atomic_instructions;
}

std::string count_of(double value) { return count_text(static_cast<std::uint64_t>(value)); }
std::string bytes_of(double value) { return byte_size(static_cast<std::uint64_t>(value)); }

constexpr MemoryColumn kMemoryColumns[]{
    {"loads", [](const MemoryTraffic& traffic) { return unless_zero(traffic.load_accesses); },
     count_of},
    {"stores", [](const MemoryTraffic& traffic) { return unless_zero(traffic.store_accesses); },
     count_of},
    {"atomics", [](const MemoryTraffic& traffic) { return unless_zero(traffic.atomic_accesses); },
     count_of},
    {"read",
     [](const MemoryTraffic& traffic) { return Figure(static_cast<double>(traffic.bytes_read)); },
     bytes_of},
    {"written",
     [](const MemoryTraffic& traffic) {
       return Figure(static_cast<double>(traffic.bytes_written));
     },
     bytes_of},
    {"hit rate",
     [](const MemoryTraffic& traffic) {
       return hit_rate(traffic) < 0 ? Figure() : hit_rate(traffic);
     },
     [](double share) { return fmt::format("{:.1f} %", 100 * share); }},
    {"segments/access",
     [](const MemoryTraffic& traffic) {
       const std::uint64_t instructions = memory_instructions(traffic);
       if (traffic.segments == 0 || instructions == 0) return Figure();
       return Figure(static_cast<double>(traffic.segments) / static_cast<double>(instructions));
     },
     [](double value) { return fmt::format("{:.2f}", value); }},
    {"bank conflicts",
     [](const MemoryTraffic& traffic) {
       const bool has_banks = traffic.banked || traffic.bank_conflicts != 0;
       return has_banks ? Figure(static_cast<double>(traffic.bank_conflicts)) : Figure();
     },
     count_of},
};

void add_launch(KernelTotals& row, const machine::KernelLaunch& launch, std::uint64_t cycles) {
  const auto before = static_cast<double>(row.totals.cycles);
  const auto more = static_cast<double>(cycles);
  machine::Occupancy& mean = row.launch->occupancy;
  mean.warps = quotient(mean.warps * before + launch.occupancy.warps * more, before + more);
  const std::string& preferred = launch.l1_split.preferred;
  if (!preferred.empty() && preferred != "none") row.launch->l1_split = launch.l1_split;
}

void add_line(machine::LineCost& sum, const machine::LineCost& line) {
  sum.warp_instructions += line.warp_instructions;
  sum.thread_instructions += line.thread_instructions;
  sum.stall_cycles += line.stall_cycles;
  for (const machine::Stall& stall : line.stalls) {
    const auto same = [&](const machine::Stall& other) { return other.name == stall.name; };
    const auto place = std::find_if(sum.stalls.begin(), sum.stalls.end(), same);
    if (place == sum.stalls.end()) {
      sum.stalls.push_back(stall);
    } else {
      place->cycles += stall.cycles;
    }
  }
}

// What lines are ranked by. Where there are no warps, units fire for single threads.
double slots_of(const machine::LineCost& line) {
  const std::uint64_t issued =
      line.warp_instructions > 0 ? line.warp_instructions : line.thread_instructions;
  return static_cast<double>(issued) + line.stall_cycles;
}

}  // namespace

MemoryTable memory_levels(const experiment::RunResult& result) {
  MemoryTable table;
  for (const MemoryTraffic& traffic : result.totals.memory) {
    const bool counted = memory_instructions(traffic) + traffic.bytes_read + traffic.bytes_written +
                             traffic.hits + traffic.misses !=
                         0;
    if (counted) table.levels.push_back(traffic);
  }
  for (const MemoryColumn& column : kMemoryColumns) {
    const bool used = std::any_of(
        table.levels.begin(), table.levels.end(),
        [&](const MemoryTraffic& traffic) { return column.value(traffic).has_value(); });
    if (used) table.columns.push_back(column);
  }
  return table;
}

unsigned warp_lanes(const experiment::RunResult& result) {
  if (result.launches.empty() || !result.launches.front().fragment_program) return kWarpLanes;
  return static_cast<unsigned>(result.launches.front().fragment_program->batch.count());
}

bool has_occupancy(const KernelTotals& row) {
  return row.launch && row.launch->occupancy.warps > 0;
}

const char* launched_heading(const std::vector<KernelTotals>& rows) {
  const bool kernels = std::any_of(rows.begin(), rows.end(),
                                   [](const KernelTotals& row) { return row.launch.has_value(); });
  return kernels ? "kernel" : "program";
}

double lanes_active(const experiment::RunTotals& totals, unsigned lanes) {
  return quotient(static_cast<double>(totals.thread_instructions),
                  lanes * static_cast<double>(totals.warp_instructions));
}

std::vector<KernelTotals> kernel_totals(const experiment::RunResult& result) {
  using Key = std::tuple<std::string, std::array<std::uint32_t, 6>>;
  std::map<Key, std::size_t> places;
  std::vector<KernelTotals> rows;
  for (const LaunchResult& launch : result.launches) {
    Key key{launch.kernel, {}};
    if (const auto& shape = launch.kernel_launch)
      std::get<1>(key) = {shape->grid.x,  shape->grid.y,  shape->grid.z,
                          shape->block.x, shape->block.y, shape->block.z};
    const auto [place, fresh] = places.try_emplace(key, rows.size());
    if (fresh) {
      KernelTotals& row = rows.emplace_back();
      row.kernel = function_name(launch.kernel);
      row.launch = launch.kernel_launch;
      row.fragments = launch.fragment_program;
    }
    KernelTotals& row = rows[place->second];
    if (launch.kernel_launch) add_launch(row, *launch.kernel_launch, launch.added_cycles());
    experiment::add_to_totals(row.totals, launch);
    row.complete = row.complete && launch.complete;
  }
  std::stable_sort(rows.begin(), rows.end(), [](const KernelTotals& a, const KernelTotals& b) {
    return std::tie(b.totals.cycles, b.totals.thread_instructions) <
           std::tie(a.totals.cycles, a.totals.thread_instructions);
  });
  return rows;
}

std::vector<machine::LineCost> line_totals(const experiment::RunResult& result) {
  std::map<std::string, machine::LineCost> lines;
  for (const LaunchResult& launch : result.launches) {
    for (const machine::LineCost& line : launch.lines) {
      machine::LineCost& sum = lines[line.location];
      sum.location = line.location;
      add_line(sum, line);
    }
  }
  std::vector<machine::LineCost> sorted;
  for (const auto& [location, line] : lines) sorted.push_back(line);
  const bool waits = has_stalls(sorted);
  std::sort(sorted.begin(), sorted.end(), [waits](const auto& a, const auto& b) {
    const double slots_a = waits ? slots_of(a) : 0;
    const double slots_b = waits ? slots_of(b) : 0;
    return std::tie(slots_b, b.thread_instructions, a.location) <
           std::tie(slots_a, a.thread_instructions, b.location);
  });
  return sorted;
}

bool has_warps(const std::vector<machine::LineCost>& lines) {
  return std::any_of(lines.begin(), lines.end(),
                     [](const machine::LineCost& line) { return line.warp_instructions > 0; });
}

bool has_stalls(const std::vector<machine::LineCost>& lines) {
  return std::any_of(lines.begin(), lines.end(),
                     [](const machine::LineCost& line) { return line.stall_cycles > 0; });
}

std::vector<Share> instruction_classes(const experiment::RunResult& result) {
  std::vector<Share> classes;
  for (int i = 0; i < kernel::kInstructionClasses; ++i) {
    const std::uint64_t value =
        result.totals.thread_instructions_by_class[static_cast<std::size_t>(i)];
    if (value == 0) continue;
    classes.push_back({std::string(name_of(static_cast<kernel::InstructionClass>(i))),
                       static_cast<double>(value)});
  }
  std::sort(classes.begin(), classes.end(), [](const Share& a, const Share& b) {
    return std::tie(b.value, a.name) < std::tie(a.value, b.name);
  });
  return classes;
}

std::vector<Share> largest_parts(const std::vector<Share>& parts, std::size_t most) {
  std::vector<double> values;
  for (const Share& part : parts) {
    if (part.value > 0) values.push_back(part.value);
  }
  std::sort(values.begin(), values.end(), std::greater<>());
  // A rest of one part is no shorter than the part itself.
  if (values.size() <= most + 1) most = values.size();
  const double least = most == 0 ? 0 : values[most - 1];
  auto ties = std::count(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(most), least);
  std::vector<Share> largest;
  double rest = 0;
  for (const Share& part : parts) {
    if (part.value <= 0) continue;
    if (part.value > least || (part.value == least && ties-- > 0)) {
      largest.push_back(part);
    } else {
      rest += part.value;
    }
  }
  if (rest > 0) largest.push_back({"others", rest});
  return largest;
}

}  // namespace raddle::report
