#include "machine/tpa/run_energy.h"

namespace raddle::machine::tpa {

using energy::Event;
using energy::EventCounts;

namespace {

constexpr std::uint64_t kHalves = 2;  // 32-bit operations of a word

// As docs/energy.md counts them: a double's product is four single ones, all else two; a
// conversion is an addition.
void add_float(EventCounts& events, AluOperation operation, std::uint64_t count) {
  using enum AluOperation;
  const bool single = mnemonic_of(Unit::kAlu, static_cast<std::uint8_t>(operation), Operator::kAdd)
                          .text.ends_with('S');
  const std::uint64_t words = count * (single ? 1 : kHalves);
  switch (operation) {
    case kFloatMul:
    case kFloatMulSingle: return events.add(Event::float_multiply, count * (single ? 1 : 4));
    case kFloatFma:
    case kFloatFmaSingle:
      events.add(Event::float_multiply, count * (single ? 1 : 4));
      return events.add(Event::float_add, words);
    default: break;
  }
  switch (float_unit_of(operation)) {
    case FloatUnit::kDivide:
    case FloatUnit::kRoot: return events.add(Event::special_root, words);
    case FloatUnit::kCompare: return events.add(Event::compare, words);
    case FloatUnit::kConvert: return events.add(Event::float_add, count);
    default: return events.add(Event::float_add, words);
  }
}

Event event_of(AluOperation operation) {
  using enum AluOperation;
  switch (operation) {
    case kAdd:
    case kSub: return Event::integer_add;
    case kMul:
    case kDiv:
    case kMod: return Event::integer_multiply;
    case kAnd:
    case kOr:
    case kXor:
    case kAnn:
    case kSel: return Event::bitwise;
    case kShl:
    case kShr:
    case kSar: return Event::shift;
    default: return Event::compare;
  }
}

// Scratchpads, pre- and post-ALUs, active memory units.
EventCounts multioperation_events(const Processor& processor) {
  EventCounts events;
  std::uint64_t alus = 0;
  for (const Backend& backend : processor.backends()) {
    const MemoryUnit& unit = backend.unit;
    events.add(Event::scratchpad_word_read, unit.scratchpad.stats.reads * kHalves);
    events.add(Event::scratchpad_word_write, unit.scratchpad.stats.writes * kHalves);
    alus += unit.pre_alu + unit.post_alu + unit.active_alu;
  }
  events.add(Event::integer_add, alus * kHalves);
  return events;
}

}  // namespace

EventCounts energy_events(const Processor& processor, const TpaParameters& parameters) {
  EventCounts events = multioperation_events(processor);
  for (const Frontend& frontend : processor.frontends()) {
    const FrontendStats& stats = frontend.stats();
    events.add(Event::instruction_fetch, stats.lines);
    events.add(Event::instruction_decode, stats.lines);
    events.add(Event::integer_add, stats.alu_operations * kHalves);
    events.add(Event::register_read, stats.alu_operations * 2 * kHalves);
    events.add(Event::register_write, stats.register_writes * kHalves);
    const FrontCacheStats& data = frontend.caches().data();
    events.add(Event::l1_read, data.hits + data.misses);
    const FrontCacheStats& second = frontend.caches().second();
    events.add(Event::l2_read, second.hits + second.misses);
  }
  const ExecutionStats& executed = processor.executor().stats();
  for (std::size_t i = 0; i < executed.alu.size(); ++i) {
    const auto operation = static_cast<AluOperation>(i);
    if (float_unit_of(operation) != FloatUnit::kNone) {
      add_float(events, operation, executed.alu[i]);
    } else {
      events.add(event_of(operation), executed.alu[i] * kHalves);
    }
  }
  events.add(Event::register_read, executed.register_reads * kHalves);
  events.add(Event::register_write, executed.register_writes * kHalves);
  for (const Backend& backend : processor.backends()) {
    // A step cache is looked up in all ways, and written on a miss.
    const StepCacheStats& cache = backend.unit.step_cache.stats();
    events.add(Event::scratchpad_word_read,
               (cache.hits + cache.misses) * parameters.step_cache_ways * kHalves);
    events.add(Event::scratchpad_word_write, cache.misses * kHalves);
  }
  const ReferenceNetworkStats network = processor.network().stats();
  events.add(Event::network_flit, network.hops + network.references + network.replies);
  events.add(Event::l2_read, network.replies);
  events.add(Event::l2_write, network.references - network.replies);
  return events;
}

void add_overhead(const Processor& processor, const energy::CoefficientSet& coefficients,
                  LaunchResult& result) {
  double overhead = 0;
  for (const energy::EnergyPart& part :
       energy::energy_by_part(multioperation_events(processor), coefficients))
    overhead += part.energy.count();
  double whole = 0;
  for (const Share& part : result.energy) whole += part.value;
  if (whole <= overhead || overhead == 0) return;
  result.stats.push_back(
      {"scratchpad", "energy overhead", "ratio",
       "energy of scratchpads and multioperation ALUs for each joule of the rest",
       overhead / (whole - overhead)});
}

}  // namespace raddle::machine::tpa
