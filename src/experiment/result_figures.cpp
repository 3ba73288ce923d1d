#include "experiment/result_figures.h"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>
#include <utility>

namespace raddle::experiment {

namespace {

using machine::LaunchResult;
using machine::MemoryTraffic;
using machine::Share;
using machine::Stall;
using machine::Utilisation;

constexpr auto kAllClasses = static_cast<std::size_t>(kernel::kInstructionClasses);
using ClassCounts = std::array<std::uint64_t, kAllClasses>;

// Cycles of one kind are a unit of their own.
std::string unit_of(machine::CycleKind kind) { return fmt::format("{} cycles", name_of(kind)); }

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
    double slots = 0;
    for (const Stall& stall : figures.stalls) {
      add("stall." + stall.name, unit_of(stall.kind), stall.sentence, stall.cycles);
      slots += stall.cycles;
    }
    if (!figures.stalls.empty()) add("stall", "cycles", "all cycles of issuing units", slots);
    for (const Share& share : figures.energy)
      add("energy." + share.name, "picojoules", "a part of the energy", share.value);
    for (const Share& share : figures.energy_by_class)
      add("energy_by_class." + share.name, "picojoules", "energy of a class of instructions",
          share.value);
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

  void add_bound(double cycles) {
    add("bound_cycles", "cycles", "lower bound of any mapping to these units", cycles);
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

}  // namespace

double total_of(const std::vector<Share>& shares) {
  double sum = 0;
  for (const Share& share : shares) sum += share.value;
  return sum;
}

std::vector<Figure> figures_of(const LaunchResult& launch) {
  Collector collector;
  collector.add_common(launch);
  if (launch.fabric) collector.add_bound(launch.fabric->bound_cycles);
#define RADDLE_LAUNCH(name, unit, sentence) collector.add_count(#name, unit, sentence, launch.name);
#include "experiment/figures.def"
  return collector.take();
}

std::vector<Figure> figures_of(const RunResult& result) {
  Collector collector;
  collector.add_count("launches", "launches", "kernel launches", result.totals.launches);
  collector.add_common(result.totals);
  if (result.totals.bound_cycles > 0) collector.add_bound(result.totals.bound_cycles);
#define RADDLE_COPY(name, unit, sentence) \
  collector.add_count("copies." #name, unit, sentence, result.copies.name);
#include "experiment/figures.def"
  const auto add_peak = [&](const char* name, const char* unit, const char* what, double peak) {
    if (peak != 0) collector.add(name, unit, what, peak);
  };
  add_peak("peaks.clock_hz", "hertz", "the machine's clock", result.peaks.clock_hz);
  add_peak("peaks.thread_instructions_per_cycle", "thread instructions per cycle",
           "the machine's peak", result.peaks.thread_instructions_per_cycle);
  add_peak("peaks.memory_bytes_per_second", "bytes per second", "the peak of its memory",
           result.peaks.memory_bytes_per_second);
  collector.add("host.wall_seconds", "seconds", "host time that the simulation took",
                result.host.wall_seconds);
  collector.add_count("host.peak_memory_bytes", "bytes", "host memory that the simulation needed",
                      result.host.peak_memory_bytes);
  return collector.take();
}

}  // namespace raddle::experiment
