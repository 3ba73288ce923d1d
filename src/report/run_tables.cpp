#include "report/run_tables.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <tuple>

#include "report/figure_text.h"

namespace raddle::report {

namespace {

using machine::LaunchResult;
using machine::Share;

constexpr double kWarpLanes = 32;

}  // namespace

double lanes_active(const experiment::RunTotals& totals) {
  return quotient(static_cast<double>(totals.thread_instructions),
                  kWarpLanes * static_cast<double>(totals.warp_instructions));
}

std::vector<KernelTotals> kernel_totals(const experiment::RunResult& result) {
  using Key = std::tuple<std::string, std::array<std::uint32_t, 6>>;
  std::map<Key, std::size_t> places;
  std::vector<KernelTotals> rows;
  for (const LaunchResult& launch : result.launches) {
    const Key key{launch.kernel,
                  {launch.grid.x, launch.grid.y, launch.grid.z, launch.block.x, launch.block.y,
                   launch.block.z}};
    const auto [place, fresh] = places.try_emplace(key, rows.size());
    if (fresh) {
      KernelTotals& row = rows.emplace_back();
      row.kernel = short_kernel_name(launch.kernel);
      row.grid = launch.grid;
      row.block = launch.block;
    }
    KernelTotals& row = rows[place->second];
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
      machine::LineCost& sum =
          lines.try_emplace(line.location, machine::LineCost{line.location, 0, 0, 0}).first->second;
      sum.warp_instructions += line.warp_instructions;
      sum.thread_instructions += line.thread_instructions;
      sum.stall_cycles += line.stall_cycles;
    }
  }
  std::vector<machine::LineCost> sorted;
  for (const auto& [location, line] : lines) sorted.push_back(line);
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return std::tie(b.thread_instructions, a.location) <
           std::tie(a.thread_instructions, b.location);
  });
  return sorted;
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
