#include "machine/tpa/technique_log.h"

#include <algorithm>
#include <bit>

namespace raddle::machine::tpa {

namespace {

using enum MemoryOperation;

enum class Part : std::uint8_t { kNone, kWhole, kFirst, kMiddle, kLast };

Part part_of(MemoryOperation operation) {
  if (operation == kMulti || operation == kPrefix || operation == kBackendFrontend)
    return Part::kWhole;
  if (operation == kBeginMulti || operation == kBeginSymmetric || operation == kMultiLoad ||
      begins_prefix(operation))
    return Part::kFirst;
  if (orders_prefix(operation)) return Part::kMiddle;
  if (operation == kEndMulti || operation == kEndSymmetric || ends_prefix(operation))
    return Part::kLast;
  return Part::kNone;
}

struct Formula {
  std::string name;
  std::string text;
  // Multiples of T/B, B, M and W, and synchronisations; what is more is told by close().
  std::uint64_t shares = 0, backends = 0, targets = 0, segments = 0, steps = 0;
};

// tcf, Figure 10. ML has its W from claims 6 and 7, which T/B+M alone does not meet.
Formula multioperation_formula(MemoryOperation first) {
  switch (first) {
    case kMulti: return {"FS", "T/B, or what one module serves", 0, 0, 0, 0, 1};
    case kPrefix: return {"FMP", "T/B, or what one module serves", 0, 0, 0, 0, 1};
    case kBeginSymmetric: return {"S2", "2T/B", 2, 0, 0, 0, 2};
    case kBackendFrontend: return {"BF", "T/B+B+Lf", 1, 1, 0, 0, 1};
    case kBeginMulti: return {"O2", "T/B+M", 1, 0, 1, 0, 2};
    default: return {"ML", "T/B+M+W", 1, 0, 1, 1, 2};
  }
}

Formula prefix_formula(MemoryOperation first, MemoryOperation last, MemoryOperation order) {
  const bool loads_first = loads(first);
  const bool stores_last = stores(last);
  Formula formula{loads_first ? (stores_last ? "MMP" : "MPL") : (stores_last ? "MPS" : "3MP"),
                  "2T/B",
                  2,
                  order == kOrderPrefix ? 1U : 0U,
                  order == kOrderBalanced ? 0U : 1U,
                  (loads_first ? 1U : 0U) + (stores_last ? 1U : 0U),
                  3};
  if (first == kBeginConditional || first == kConditionalLoad)
    formula.name = "conditional " + formula.name;
  if (order == kOrderPrefix) {
    formula.text += "+B+M";
  } else if (order == kOrderBalanced) {
    formula.text += "+B(M+1)";
    formula.name += ", balanced";
  } else {
    formula.text += "+log B+M";
    formula.name = formula.name == "3MP" ? "O3M" : formula.name + ", logarithmic";
  }
  if (formula.segments == 1) formula.text += "+W";
  if (formula.segments == 2) formula.text += "+2W";
  return formula;
}

Formula formula_of(MemoryOperation first, MemoryOperation last, MemoryOperation order) {
  return begins_prefix(first) ? prefix_formula(first, last, order) : multioperation_formula(first);
}

}  // namespace

void TechniqueLog::add(const Work& work, std::uint64_t waves, std::uint64_t entries) {
  // A technique of one instruction and the frontend lasts until its flow goes on.
  const Part part = part_of(work.operation());
  if (part == Part::kNone) return;
  if (part == Part::kWhole || part == Part::kFirst) {
    Execution execution;
    execution.first_work = work.number;
    execution.flow = work.flow->id;
    execution.first = execution.last = work.operation();
    execution.place = work.line->place;
    execution.fibers = work.thickness;
    execution.backends = work.backends;
    const bool is_known = part == Part::kWhole && work.operation() != kBackendFrontend;
    if (is_known) execution.waves = waves;
    open_.push_back(execution);
    return;
  }
  const auto found = std::ranges::find_if(open_, [&](const Execution& execution) {
    return execution.flow == work.flow->id && execution.waves == kUnknown &&
           part_of(execution.first) == Part::kFirst;
  });
  if (found == open_.end()) return;
  found->targets = std::max(found->targets, entries);
  if (part == Part::kMiddle) {
    found->order = work.operation();
  } else {
    found->last = work.operation();
    found->waves = waves;
  }
}

void TechniqueLog::begins(const Work& work, Cycle cycle) {
  for (std::size_t i = 0; i < open_.size();) {
    Execution& execution = open_[i];
    if (execution.first_work == work.number) execution.start = cycle;
    const bool is_over = execution.first == kBackendFrontend && execution.flow == work.flow->id &&
                         execution.first_work < work.number;
    if (!is_over) {
      ++i;
      continue;
    }
    close(execution, cycle, 0);
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void TechniqueLog::wave_passed(std::uint64_t waves, Cycle cycle, std::uint64_t most_served) {
  std::erase_if(open_, [&](const Execution& execution) {
    if (execution.waves > waves) return false;
    close(execution, cycle, most_served);
    return true;
  });
}

void TechniqueLog::finish(Cycle cycle) {
  for (const Execution& execution : open_)
    if (execution.first == kBackendFrontend) close(execution, cycle, 0);
  open_.clear();
}

void TechniqueLog::close(const Execution& execution, Cycle cycle, std::uint64_t most_served) {
  if (execution.start == kUnknownTime || cycle < execution.start) return;
  const Formula formula = formula_of(execution.first, execution.last, execution.order);
  const std::uint64_t backends = execution.backends;
  const std::uint64_t share = (execution.fibers + backends - 1) / backends;
  // Each of them takes a cycle.
  std::uint64_t slots = formula.shares * share + formula.backends * backends +
                        formula.targets * execution.targets + formula.steps;
  if (execution.first == kMulti || execution.first == kPrefix)
    slots += std::max(share, most_served);
  if (execution.order == kOrderLogarithmic)
    slots += static_cast<std::uint64_t>(std::bit_width(backends - 1));
  if (execution.order == kOrderBalanced) slots += backends * (execution.targets + 1);
  Cycle expected = Cycle(slots) + formula.segments * parameters_.back.memory_segment;
  if (execution.first == kBackendFrontend) expected += parameters_.front.shared_write_cycles;
  const std::uint64_t place = std::uint64_t{execution.place.file} << 32 | execution.place.line;
  TechniqueUse& use = uses_[{place, std::string(formula.name)}];
  use.name = formula.name;
  use.formula = formula.text;
  use.place = execution.place;
  ++use.executions;
  use.fibers = std::max(use.fibers, execution.fibers);
  use.targets = std::max(use.targets, execution.targets);
  use.cycles += cycle - execution.start;
  use.formula_cycles += expected;
}

std::vector<TechniqueUse> TechniqueLog::uses() const {
  std::vector<TechniqueUse> all;
  for (const auto& [place, use] : uses_) all.push_back(use);
  return all;
}

}  // namespace raddle::machine::tpa
