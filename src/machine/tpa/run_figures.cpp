#include "machine/tpa/run_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>

#include "machine/energy_coefficients.h"
#include "machine/run/ratio.h"
#include "machine/tpa/run_energy.h"

namespace raddle::machine::tpa {

namespace {

void add_stalls(const Processor& processor, LaunchResult& result) {
  BackendAccount all;
  for (const Backend& backend : processor.backends()) all += backend.cycles;
  result.stalls = stalls_of(all);
}

// Frontends have slots of their own: they are told apart, so that those of the backends are not
// lost among them, or they among those.
void add_units(const Processor& processor, LaunchResult& result) {
  for (std::size_t f = 0; f < processor.clocks().size(); ++f)
    add_unit_stats(processor.clocks()[f].cycles, fmt::format("frontend.{}", f), result);
  for (const Backend& backend : processor.backends())
    add_unit_stats(backend.cycles, fmt::format("backend.{}", backend.unit.backend), result);
}

struct Totals {
  std::uint64_t step_hits = 0, step_misses = 0, evictions = 0;
  ScratchpadStats scratchpad;
  std::uint64_t pre_alu = 0, post_alu = 0;
  ReferenceNetworkStats network;
};

Totals totals_of(const Processor& processor) {
  Totals t;
  for (const Backend& backend : processor.backends()) {
    const MemoryUnit& unit = backend.unit;
    t.step_hits += unit.step_cache.stats().hits;
    t.step_misses += unit.step_cache.stats().misses;
    t.evictions += unit.step_cache.stats().evictions;
    t.scratchpad.reads += unit.scratchpad.stats.reads;
    t.scratchpad.writes += unit.scratchpad.stats.writes;
    t.scratchpad.spills += unit.scratchpad.stats.spills;
    t.scratchpad.most_entries =
        std::max(t.scratchpad.most_entries, unit.scratchpad.stats.most_entries);
    t.pre_alu += unit.pre_alu;
    t.post_alu += unit.post_alu;
  }
  t.network = processor.network().stats();
  return t;
}

void add_stats(const Processor& processor, const TpaParameters& parameters, const Totals& totals,
               LaunchResult& result) {
  const auto add = [&](const char* component, const char* name, const char* unit,
                       const char* sentence, double value) {
    result.stats.push_back({component, name, unit, sentence, value});
  };
  add("program", "steps", "steps", "steps of the whole machine", of(processor.steps()));
  add("program", "most flows", "flows", "flows alive at the same time", of(processor.most_flows()));
  add("program", "fiber registers", "words", "most words of fiber registers at the same time",
      of(processor.register_words()));
  Cycle synchronisation, issued;
  for (const Backend& backend : processor.backends()) {
    synchronisation += backend.cycles[BackendCause::kSynchronisation];
    issued += backend.cycles[BackendCause::kIssued];
  }
  add("program", "synchronisation share", "ratio",
      "slots that separate steps, for each slot that issued",
      issued == Cycle(0) ? 0 : synchronisation.as_double() / issued.as_double());
  add("step cache", "hits", "references", "references that found their address",
      of(totals.step_hits));
  add("step cache", "misses", "references", "references that did not", of(totals.step_misses));
  add("step cache", "evictions", "lines", "lines of the current step that were evicted",
      of(totals.evictions));
  add("scratchpad", "most entries", "entries", "entries of one backend in use at the same time",
      of(totals.scratchpad.most_entries));
  add("scratchpad", "spills", "references", "partial results sent to memory for lack of space",
      of(totals.scratchpad.spills));
  add("multioperation ALUs", "pre-memory", "operations", "of the pre-ALUs", of(totals.pre_alu));
  add("multioperation ALUs", "post-memory", "operations", "of the post-ALUs", of(totals.post_alu));
  const ReferenceNetworkStats& network = totals.network;
  add("network", "references", "packets", "references that reached a module",
      of(network.references));
  add("network", "replies", "packets", "replies that reached a backend", of(network.replies));
  add("network", "hops", "packets × links", "packets that crossed a link, summed over all links",
      of(network.hops));
  add("network", "blocked", "cycles", "cycles that packets waited for a link or for space after it",
      network.blocked.as_double());
  add("modules", "most served", "references", "references that the busiest module served",
      of(network.most_served));
  add("modules", "waited", "cycles", "cycles that references waited for their module",
      network.waited.as_double());
  const double added =
      of(parameters.back.count) * parameters.scratchpad_entries * parameters.scratchpad_entry_bytes;
  const FrontendParameters& front = parameters.front;
  const Bytes caches = Bytes(front.l1i_bytes) + front.l1d_bytes + front.l2_bytes;
  const double base = of(parameters.memory_bytes) + caches.as_double();
  if (parameters.multioperations)
    add("scratchpad", "memory overhead", "ratio",
        "bytes of all scratchpads for each byte of other on-chip memory", added / base);
}

// What a technique took, and beside it what the paper's formula says.
void add_techniques(const Processor& processor, const TpaParameters& parameters,
                    const Program& program, LaunchResult& result) {
  for (const TechniqueUse& use : processor.techniques()) {
    result.techniques.push_back(
        {.technique = use.name,
         .location = program.short_where(use.place),
         .formula = fmt::format("{} of tcf, Fig. 10, and a cycle of synchronisation a step, with B "
                                "= {}, W = {}, Lf = {}",
                                use.formula, parameters.backends_of_frontend(),
                                parameters.back.memory_segment.count(),
                                parameters.front.shared_write_cycles.count()),
         .executions = use.executions,
         .fibers = use.fibers,
         .targets = use.targets,
         .cycles = use.cycles.count(),
         .formula_cycles = use.formula_cycles.count()});
  }
}

void add_traffic(const Totals& totals, LaunchResult& result) {
  MemoryTraffic shared;
  shared.level = "shared memory";
  shared.load_accesses = totals.network.replies;
  shared.store_accesses = totals.network.references - totals.network.replies;
  shared.bytes_read = shared.load_accesses * kWordBytes;
  shared.bytes_written = shared.store_accesses * kWordBytes;
  result.memory.push_back(shared);
  MemoryTraffic cache;
  cache.level = "step cache";
  cache.hits = totals.step_hits;
  cache.misses = totals.step_misses;
  result.memory.push_back(cache);
}

void add_lines(const Processor& processor, const Program& program, LaunchResult& result) {
  for (std::size_t i = 0; i < program.lines.size(); ++i) {
    if (processor.runs_by_line()[i] == 0) continue;
    LineCost cost;
    cost.location = program.where(program.lines[i].place);
    cost.warp_instructions = processor.runs_by_line()[i];
    const std::uint64_t fibers = processor.fibers_by_line()[i];
    cost.thread_instructions = fibers - std::min(fibers, processor.idle_by_line()[i]);
    result.lines.push_back(std::move(cost));
  }
}

}  // namespace

void add_figures(Processor& processor, const TpaParameters& parameters,
                 const energy::CoefficientSet& coefficients, const Program& program, bool lines,
                 LaunchResult& result) {
  result.cycles = processor.cycles().count();
  result.seconds = of(result.cycles) / parameters.clock_hz;
  result.barriers = processor.steps();
  std::uint64_t front_lines = 0;
  for (const Frontend& frontend : processor.frontends()) {
    front_lines += frontend.stats().lines;
    result.branches += frontend.stats().branches;
  }
  // Fibers that are masked or move from flow to flow have their slots in the account.
  Cycle idle;
  for (const Backend& backend : processor.backends())
    idle += backend.cycles[BackendCause::kMasked] + backend.cycles[BackendCause::kSplit];
  result.thread_instructions = processor.fibers() - idle.count();
  result.stats.push_back(
      {"program", "lines", "instructions", "VLIW lines that frontends executed", of(front_lines)});
  add_stalls(processor, result);
  const Totals totals = totals_of(processor);
  add_traffic(totals, result);
  add_stats(processor, parameters, totals, result);
  add_techniques(processor, parameters, program, result);
  add_units(processor, result);
  const double slots = of(result.cycles) * parameters.back.count;
  result.utilisation.push_back({"backends", result.stalls.front().cycles, slots});
  result.utilisation.push_back({"memory modules", of(totals.network.references), slots});
  charge_energy(energy_events(processor, parameters), coefficients, result);
  add_overhead(processor, coefficients, result);
  if (lines) add_lines(processor, program, result);
}

}  // namespace raddle::machine::tpa
