#include "machine/simt/energy_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "machine/energy_coefficients.h"
#include "machine/unit_energy.h"

namespace raddle::machine::simt {

namespace {

using energy::Event;
using energy::EventCounts;
using kernel::Instruction;

using energy::StaticPower;

// In the order of CorePart.
constexpr std::array kPartPowers{StaticPower::front_end_power,
                                 StaticPower::registers_power,
                                 StaticPower::simd_power,
                                 StaticPower::load_store_power,
                                 StaticPower::undifferentiated_power,
                                 StaticPower::l1_shared_power,
                                 StaticPower::texture_constant_power};

// Sleepers are without what the mode switches off.
EventCounts powered_parts(Seconds time, const SharingParameters& sharing, const SharingPlan& plan) {
  EventCounts events;
  const auto& off = sharing.off[static_cast<std::size_t>(plan.mode)];
  for (std::size_t part = 0; part < kPartPowers.size(); ++part) {
    const double cores = plan.count_awake() + (off[part] ? 0 : plan.count(CoreRole::kInactive));
    events.add(kPartPowers[part], Seconds(time.count() * cores));
  }
  return events;
}

bool wires_leak(const SharingParameters& sharing, SharingMode mode) {
  if (mode == SharingMode::kBaseline) return sharing.offered && sharing.baseline_wires;
  return mode != SharingMode::kHalf;
}

// Those of a group; in the baseline, where none is formed, all.
double wired_cores(const SharingPlan& plan) {
  return static_cast<double>(plan.roles.size()) -
         (plan.mode == SharingMode::kBaseline ? 0 : plan.count(CoreRole::kAlone));
}

EventCounts memory_events(const GpuCounts& counts) {
  EventCounts events;
  events.add(Event::shared_access, counts.load_store.shared_passes);
  // The sets have no figures of their own for constant and texture caches.
  for (const memory::CacheStats* cache : {&counts.l1, &counts.constant, &counts.texture})
    add_cache(events, *cache, Event::l1_read, Event::l1_write);
  add_memory_system(events, {.request_network = counts.request_network,
                             .reply_network = counts.reply_network,
                             .l2 = counts.l2,
                             .partitions = counts.partitions,
                             .dram = counts.dram});
  return events;
}

double picojoules(const EventCounts& events, const energy::CoefficientSet& set) {
  double sum = 0;
  for (const energy::EnergyPart& part : energy_by_part(events, set)) sum += part.energy.count();
  return sum;
}

// The same for a set without a figure for it as for one that says 0.
EventCounts powered(Seconds time, const GpuParameters& gpu, const SharingPlan& sharing,
                    const energy::CoefficientSet& set) {
  EventCounts events = sharing.mode == SharingMode::kBaseline
                           ? powered_cores(time, gpu.cores, set)
                           : powered_parts(time, gpu.sharing, sharing);
  if (wires_leak(gpu.sharing, sharing.mode))
    events.add(StaticPower::sharing_wires_power, Seconds(time.count() * wired_cores(sharing)));
  for (const StaticPower power :
       {StaticPower::l2_power, StaticPower::network_power, StaticPower::memory_controllers_power,
        StaticPower::constant_power}) {
    if (set.watts[static_cast<std::size_t>(power)]) events.add(power, time);
  }
  return events;
}

}  // namespace

EventCounts LaunchEnergy::total() const {
  EventCounts sum = fetch;
  sum += memory;
  sum += powered;
  for (const EventCounts& events : classes) sum += events;
  return sum;
}

LaunchEnergy energy_events(const KernelRun& run, const GpuCounts& counts, const GpuParameters& gpu,
                           const SharingPlan& sharing, Seconds time,
                           const energy::CoefficientSet& set) {
  LaunchEnergy spent;
  const IssueTable& table = *run.prepared().table;
  for (const auto& core : run.on_cores()) {
    if (core == nullptr) continue;
    for (std::size_t place = 0; place < table.size(); ++place) {
      const InstructionCounts& executed = core->counts[place];
      if (executed.warps == 0) continue;
      const IssueInfo& info = table[place];
      const Instruction& instruction = *info.instruction->ir;
      EventCounts& events = spent.classes[static_cast<std::size_t>(class_of(instruction))];
      events.add(Event::instruction_decode, executed.warps);
      events.add(Event::instruction_schedule, executed.warps);
      events.add(Event::register_read, executed.threads * info.read_count);
      events.add(Event::register_write, executed.threads * info.write_bank_count);
      const EventCounts in_units = unit_events(instruction);
      for (std::size_t e = 0; e < energy::kEvents; ++e)
        events.events[e] += in_units.events[e] * executed.threads;
    }
  }
  spent.fetch.add(Event::instruction_fetch, counts.instruction.loads);
  spent.memory = memory_events(counts);
  spent.powered = powered(time, gpu, sharing, set);
  return spent;
}

void add_energy(const LaunchEnergy& spent, const energy::CoefficientSet& set,
                LaunchResult& result) {
  charge_energy(spent.total(), set, result);
  const auto add = [&](std::string_view name, const EventCounts& events) {
    const double energy = picojoules(events, set);
    if (energy > 0) result.energy_by_class.push_back({std::string(name), energy});
  };
  for (std::size_t c = 0; c < spent.classes.size(); ++c)
    add(name_of(static_cast<kernel::InstructionClass>(c)), spent.classes[c]);
  add("instruction fetch", spent.fetch);
  add("memory system", spent.memory);
  add("static power", spent.powered);
}

}  // namespace raddle::machine::simt
