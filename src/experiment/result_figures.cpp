#include "experiment/result_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

namespace raddle::experiment {

namespace {

using machine::LaunchResult;
using machine::MemoryTraffic;
using machine::Share;
using machine::Utilisation;

constexpr auto kAllClasses = static_cast<std::size_t>(kernel::kInstructionClasses);
using ClassCounts = std::array<std::uint64_t, kAllClasses>;

// --- from a result -----------------------------------------------------------------------------

class Collector {
 public:
  void add(std::string name, std::string unit, std::string sentence, double value) {
    figures_.push_back({std::move(name), std::move(unit), std::move(sentence), value});
  }
  void add_count(std::string name, std::string unit, std::string sentence, std::uint64_t value) {
    add(std::move(name), std::move(unit), std::move(sentence), static_cast<double>(value));
  }

  template <class Figures>
  void add_common(const Figures& figures) {
#define RADDLE_COUNT(name, unit, sentence) add_count(#name, unit, sentence, figures.name);
#include "experiment/figures.def"
    add("seconds", "seconds", "simulated time", figures.seconds);
    add("ipc", "thread instructions per cycle", "thread instructions by cycles", figures.ipc());
    add_classes("thread_instructions_by_class", figures.thread_instructions_by_class);
    add_classes("warp_instructions_by_class", figures.warp_instructions_by_class);
    for (const MemoryTraffic& traffic : figures.memory) add_traffic(traffic);
    for (const Share& share : figures.stalls)
      add("stall." + share.name, "cycles", "cycles of issuing units", share.value);
    if (!figures.stalls.empty())
      add("stall", "cycles", "all cycles of issuing units", total_of(figures.stalls));
    for (const Share& share : figures.energy)
      add("energy." + share.name, "picojoules", "a part of the energy", share.value);
    if (!figures.energy.empty())
      add("energy", "picojoules", "all parts of the energy", total_of(figures.energy));
    for (const Utilisation& unit : figures.utilisation) add_utilisation(unit);
    for (const sim::StatValue& stat : figures.stats)
      add(fmt::format("stat.{}.{}", stat.component, stat.name), stat.unit, stat.sentence,
          stat.value);
    for (const machine::Histogram& histogram : figures.histograms)
      add_count(fmt::format("histogram.{}.total", histogram.name), "values", histogram.sentence,
                histogram.total());
  }

  void add_occupancy(const machine::Occupancy& occupancy) {
    if (occupancy.limited_by.empty()) return;
    add("occupancy.warps", "warps", "resident on a core, averaged over cores and time",
        occupancy.warps);
    add_count("occupancy.warps_limit", "warps", "what a core could hold", occupancy.warps_limit);
    add_count("occupancy.blocks_per_core", "blocks", "blocks that fit a core at once",
              occupancy.blocks_per_core);
    add("occupancy.limited_by." + occupancy.limited_by, "1", "what keeps more from being resident",
        1);
  }

  void add_split(const machine::L1Split& split) {
    if (split.preferred.empty()) return;
    add_count("l1_split.l1_bytes", "bytes", "the L1 of a core", split.l1_bytes);
    add_count("l1_split.shared_bytes", "bytes", "the shared memory of a core", split.shared_bytes);
    add("l1_split.preferred." + split.preferred, "1", "what the kernel would rather have more of",
        1);
  }

  std::vector<Figure> take() { return std::move(figures_); }

 private:
  // As in the document, classes without any instruction are left out.
  void add_classes(std::string_view name, const ClassCounts& counts) {
    for (std::size_t i = 0; i < kAllClasses; ++i) {
      if (counts[i] == 0) continue;
      add_count(fmt::format("{}.{}", name, name_of(static_cast<kernel::InstructionClass>(i))),
                "instructions", "instructions of one class", counts[i]);
    }
  }

  void add_traffic(const MemoryTraffic& traffic) {
#define RADDLE_TRAFFIC(name, unit, sentence) \
  add_count(fmt::format("memory.{}." #name, traffic.level), unit, sentence, traffic.name);
#include "experiment/figures.def"
  }

  void add_utilisation(const Utilisation& unit) {
    add(fmt::format("utilisation.{}", unit.name), "1", "busy by capacity", unit.share());
    add(fmt::format("utilisation.{}.busy", unit.name), "1", "what it did", unit.busy);
    add(fmt::format("utilisation.{}.capacity", unit.name), "1", "what it could have done",
        unit.capacity);
  }

  std::vector<Figure> figures_;
};

// --- back into a result ------------------------------------------------------------------------

// The text after `prefix`; nothing if it does not begin so.
std::optional<std::string> after(std::string_view prefix, const std::string& name) {
  if (!name.starts_with(prefix)) return std::nullopt;
  return name.substr(prefix.size());
}

// "dram.0.hits" → "dram.0" and "hits".
std::pair<std::string, std::string> split_last(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) return {{}, name};
  return {name.substr(0, dot), name.substr(dot + 1)};
}

template <class Entry, class Same>
Entry& entry_where(std::vector<Entry>& entries, Same same, Entry fresh) {
  const auto found = std::find_if(entries.begin(), entries.end(), same);
  return found != entries.end() ? *found : entries.emplace_back(std::move(fresh));
}

void put_class(ClassCounts& counts, std::string_view name, std::uint64_t value) {
  for (std::size_t i = 0; i < kAllClasses; ++i) {
    if (name_of(static_cast<kernel::InstructionClass>(i)) == name) counts[i] = value;
  }
}

void put_traffic(std::vector<MemoryTraffic>& memory, const std::string& place,
                 std::uint64_t value) {
  const auto parts = split_last(place);
  const std::string& figure = parts.second;
  MemoryTraffic fresh;
  fresh.level = parts.first;
  const auto same = [&](const MemoryTraffic& other) { return other.level == parts.first; };
  MemoryTraffic& traffic = entry_where(memory, same, std::move(fresh));
#define RADDLE_TRAFFIC(name, unit, sentence) \
  if (figure == #name) traffic.name = value;
#include "experiment/figures.def"
}

void put_utilisation(std::vector<Utilisation>& units, const std::string& place, double value) {
  const auto parts = split_last(place);
  const std::string& figure = parts.second;
  if (figure != "busy" && figure != "capacity") return;  // the share follows from these
  const auto same = [&](const Utilisation& other) { return other.name == parts.first; };
  Utilisation& unit = entry_where(units, same, {parts.first, 0, 0});
  (figure == "busy" ? unit.busy : unit.capacity) = value;
}

void put_occupancy(machine::Occupancy& occupancy, const std::string& called, double value) {
  if (called == "warps") occupancy.warps = value;
  if (called == "warps_limit") occupancy.warps_limit = static_cast<std::uint32_t>(value);
  if (called == "blocks_per_core") occupancy.blocks_per_core = static_cast<std::uint32_t>(value);
  if (const auto cause = after("limited_by.", called)) occupancy.limited_by = *cause;
}

void put_split(machine::L1Split& split, const std::string& called, double value) {
  if (called == "l1_bytes") split.l1_bytes = static_cast<std::uint64_t>(value);
  if (called == "shared_bytes") split.shared_bytes = static_cast<std::uint64_t>(value);
  if (const auto what = after("preferred.", called)) split.preferred = *what;
}

// True if the figure is one that launches and totals both have.
template <class Figures>
bool put_common(Figures& figures, const Figure& figure) {
  const auto count = static_cast<std::uint64_t>(figure.value);
  const std::string& called = figure.name;
#define RADDLE_COUNT(name, unit, sentence) \
  if (called == #name) {                   \
    figures.name = count;                  \
    return true;                           \
  }
#include "experiment/figures.def"
  if (called == "seconds") {
    figures.seconds = figure.value;
  } else if (const auto thread_class = after("thread_instructions_by_class.", called)) {
    put_class(figures.thread_instructions_by_class, *thread_class, count);
  } else if (const auto warp_class = after("warp_instructions_by_class.", called)) {
    put_class(figures.warp_instructions_by_class, *warp_class, count);
  } else if (const auto traffic = after("memory.", called)) {
    put_traffic(figures.memory, *traffic, count);
  } else if (const auto stall = after("stall.", called)) {
    figures.stalls.push_back({*stall, figure.value});
  } else if (const auto energy = after("energy.", called)) {
    figures.energy.push_back({*energy, figure.value});
  } else if (const auto unit = after("utilisation.", called)) {
    put_utilisation(figures.utilisation, *unit, figure.value);
  } else if (const auto stat = after("stat.", called)) {
    const auto [component, name] = split_last(*stat);
    figures.stats.push_back({component, name, figure.unit, figure.sentence, figure.value});
  } else {
    return false;
  }
  return true;
}

}  // namespace

double total_of(const std::vector<Share>& shares) {
  double sum = 0;
  for (const Share& share : shares) sum += share.value;
  return sum;
}

std::vector<Figure> figures_of(const LaunchResult& launch) {
  Collector collector;
  collector.add_common(launch);
  collector.add_occupancy(launch.occupancy);
  collector.add_split(launch.l1_split);
#define RADDLE_LAUNCH(name, unit, sentence) collector.add_count(#name, unit, sentence, launch.name);
#include "experiment/figures.def"
  return collector.take();
}

std::vector<Figure> figures_of(const RunResult& result) {
  Collector collector;
  collector.add_count("launches", "launches", "kernel launches", result.totals.launches);
  collector.add_common(result.totals);
#define RADDLE_COPY(name, unit, sentence) \
  collector.add_count("copies." #name, unit, sentence, result.copies.name);
#include "experiment/figures.def"
  const auto add_peak = [&](const char* name, const char* unit, const char* what, double peak) {
    if (peak != 0) collector.add(name, unit, what, peak);
  };
  add_peak("peaks.clock_hz", "hertz", "the machine's clock", result.peaks.clock_hz);
  add_peak("peaks.thread_instructions_per_cycle", "thread instructions per cycle",
           "the most that the machine can do", result.peaks.thread_instructions_per_cycle);
  add_peak("peaks.memory_bytes_per_second", "bytes per second", "the most that its memory can give",
           result.peaks.memory_bytes_per_second);
  collector.add("host.wall_seconds", "seconds", "what the simulation took here",
                result.host.wall_seconds);
  collector.add_count("host.peak_memory_bytes", "bytes", "the memory that it needed here",
                      result.host.peak_memory_bytes);
  return collector.take();
}

void put_figure(LaunchResult& launch, const Figure& figure) {
  if (put_common(launch, figure)) return;
  const std::string& called = figure.name;
  if (const auto occupancy = after("occupancy.", called))
    put_occupancy(launch.occupancy, *occupancy, figure.value);
  if (const auto split = after("l1_split.", called))
    put_split(launch.l1_split, *split, figure.value);
#define RADDLE_LAUNCH(name, unit, sentence) \
  if (called == #name) launch.name = static_cast<decltype(launch.name)>(figure.value);
#include "experiment/figures.def"
}

void put_figure(RunResult& result, const Figure& figure) {
  if (put_common(result.totals, figure)) return;
  const auto count = static_cast<std::uint64_t>(figure.value);
  const std::string& called = figure.name;
#define RADDLE_COPY(name, unit, sentence) \
  if (called == "copies." #name) result.copies.name = count;
#include "experiment/figures.def"
  if (called == "launches") result.totals.launches = count;
  if (called == "peaks.clock_hz") result.peaks.clock_hz = figure.value;
  if (called == "peaks.thread_instructions_per_cycle")
    result.peaks.thread_instructions_per_cycle = figure.value;
  if (called == "peaks.memory_bytes_per_second")
    result.peaks.memory_bytes_per_second = figure.value;
  if (called == "host.wall_seconds") result.host.wall_seconds = figure.value;
  if (called == "host.peak_memory_bytes") result.host.peak_memory_bytes = count;
}

}  // namespace raddle::experiment
