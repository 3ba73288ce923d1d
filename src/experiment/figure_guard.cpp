#include "experiment/figure_guard.h"

#include <cmath>
#include <cstdint>
#include <limits>

namespace raddle::experiment {

namespace {

constexpr auto kMaxCount = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

class Guard {
 public:
  void check(std::uint64_t& count, const std::string& name) {
    if (count <= kMaxCount) return;
    count = 0;
    note(name);
  }
  void check(std::uint32_t&, const std::string&) {}
  void check(double& value, const std::string& name) {
    if (std::isfinite(value) && value >= 0 && value <= static_cast<double>(kMaxCount)) return;
    value = 0;
    note(name);
  }
  void note(const std::string& name) {
    if (wrong_.empty()) wrong_ = name + " underflowed";
  }
  const std::string& wrong() const { return wrong_; }

 private:
  std::string wrong_;
};

}  // namespace

std::string drop_impossible_figures(machine::LaunchResult& launch) {
  Guard guard;
  const bool had_cycles = launch.cycles <= kMaxCount;
#define RADDLE_COUNT(name, unit, sentence) guard.check(launch.name, #name);
#define RADDLE_LAUNCH(name, unit, sentence) guard.check(launch.name, #name);
#include "experiment/figures.def"
  guard.check(launch.seconds, "simulated_seconds");
  if (!had_cycles) launch.seconds = 0;
  if (launch.overlapped_cycles > launch.cycles) {
    launch.overlapped_cycles = launch.cycles;
    guard.note("added cycles");
  }
  for (machine::MemoryTraffic& traffic : launch.memory) {
#define RADDLE_TRAFFIC(name, unit, sentence) \
  guard.check(traffic.name, "memory." + traffic.level + "." #name);
#include "experiment/figures.def"
  }
  for (machine::Stall& stall : launch.stalls) guard.check(stall.cycles, "stall " + stall.name);
  if (!guard.wrong().empty()) launch.complete = false;
  return guard.wrong();
}

}  // namespace raddle::experiment
