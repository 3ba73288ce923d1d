// Multiprefixes at one backend: FMP, 3MP and its relatives, conditional ones.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "machine/tpa/memory_stage.h"

namespace raddle::machine::tpa {

using kernel::exec::FaultKind;

namespace {

// After the last of the fibers from that one on that have its target.
std::size_t end_of_run(const Word* targets, std::size_t first, std::size_t count) {
  const Word target = targets[first];
  if (targets[count - 1] == target && targets[(first + count) / 2] == target) {
    Word differs = 0;
    for (std::size_t i = first; i < count; ++i) differs |= targets[i] ^ target;
    if (differs == 0) return count;
  }
  std::size_t end = first + 1;
  while (end < count && targets[end] == target) ++end;
  return end;
}

// Values become their prefixes; gives back what comes after the last.
Word scan(Operator op, Word before, std::span<Word> values, bool inclusive) {
  with_operator(op, [&](auto known) {
    for (Word& value : values) {
      const Word after = combined(known, before, value);
      value = inclusive ? after : before;
      before = after;
    }
  });
  return before;
}

}  // namespace

void MemoryStage::fast_prefix(MemoryUnit& unit, const MemoryBatch& batch) {
  unit.active_alu += batch.count;
  for (std::size_t i = 0; i < batch.count; ++i) {
    const Word address = batch.operands[1][i];
    unit.pending.addresses.push_back(address);
    unit.pending.ops.push_back(batch.op());
    unit.pending.values.push_back(address == kSinkAddress ? 0 : batch.operands[0][i]);
    if (address != kSinkAddress) check(batch, i, address);
    batch.items[i] = address == kSinkAddress ? kNoReference : item_of(address, true);
  }
}

// The entry of a prefix's target. What has once been given away can never be merged in order, so
// there is no spilling.
ScratchEntry& MemoryStage::prefix_entry(MemoryUnit& unit, FlowEntries& flow,
                                        const MemoryBatch& batch, std::size_t i, Word target) {
  if (target == flow.last_target) {
    unit.step_cache.add_hits(1);
    return flow.entries[flow.last_entry];
  }
  check(batch, i, target);
  const std::uint64_t key = key_of(batch, target, ReferenceKind::kPrefix);
  const StepCache::Found found = unit.step_cache.look_up(key);
  // Lines of other flows and kinds may go: those flows are through with them in this step.
  if (found.evicted_own)
    fault(FaultKind::kTrap, batch, i,
          fmt::format("a multiprefix has more targets than the step cache can hold: set {} has {} "
                      "ways (use a fast multiprefix, which keeps no order)",
                      unit.step_cache.set_of(key), parameters_.step_cache_ways));
  const auto before = flow.by_target.find(target);  // of a step before
  if (*found.entry == StepCache::kNone && before != flow.by_target.end())
    *found.entry = before->second;
  if (*found.entry == StepCache::kNone) {
    *found.entry = unit.scratchpad.take(flow, target, identity_of(batch.op()));
    if (*found.entry == MultiScratchpad::kFull)
      fault(FaultKind::kTrap, batch, i,
            fmt::format(
                "{} more than {} targets, as many as the scratchpad has entries (use a fast "
                "multiprefix, which keeps no order)",
                flow.entries.size() == unit.scratchpad.capacity() ? "a multiprefix has"
                                                                  : "the flows of a step have",
                unit.scratchpad.capacity()));
    flow.by_target[target] = *found.entry;
  }
  flow.last_target = target;
  flow.last_entry = *found.entry;
  return flow.entries[flow.last_entry];
}

void MemoryStage::begin_prefix(MemoryUnit& unit, const MemoryBatch& batch, bool inclusive,
                               bool from_memory) {
  const Operator op = batch.op();
  FlowEntries& flow = unit.scratchpad.of(batch.work->flow->id);
  const Word* const targets = batch.operands[from_memory ? 0 : 1];
  const Word* const sources = batch.operands[from_memory ? 1 : 0];
  const bool plain = from_memory && prepare_references(batch, sources, kWantsReply);
  if (!from_memory) std::fill_n(batch.items, batch.count, kNoReference);
  if (plain) {
    for (std::size_t i = 0; i < batch.count; ++i) batch.result[i] = memory_.at(sources[i]);
  } else {
    for (std::size_t i = 0; i < batch.count; ++i)
      batch.result[i] = from_memory ? load_word(batch, i, sources[i], plain) : sources[i];
  }
  // Neighbours mostly have the same target.
  for (std::size_t i = 0; i < batch.count;) {
    const std::size_t first = i;
    i = end_of_run(targets, i, batch.count);
    const std::span<Word> values(batch.result + first, i - first);
    if (targets[first] == kSinkAddress) {
      std::ranges::fill(values, 0);
      continue;
    }
    ScratchEntry& entry = prefix_entry(unit, flow, batch, first, targets[first]);
    entry.data = scan(op, entry.data, values, inclusive);
    unit.step_cache.add_hits(values.size() - 1);
    unit.scratchpad.stats.reads += values.size();
    unit.scratchpad.stats.writes += values.size();
  }
  (from_memory ? unit.post_alu : unit.pre_alu) += batch.count;
}

void MemoryStage::begin_conditional(MemoryUnit& unit, const MemoryBatch& batch, bool from_memory) {
  FlowEntries& flow = unit.scratchpad.of(batch.work->flow->id);
  const std::size_t first = from_memory ? 0 : 1;
  const Word* const sources = batch.operands[from_memory ? 2 : 0];
  const bool plain = from_memory && prepare_references(batch, sources, kWantsReply);
  if (!from_memory) std::fill_n(batch.items, batch.count, kNoReference);
  std::uint64_t counted = 0;
  for (std::size_t i = 0; i < batch.count; ++i) {
    Word condition = sources[i];
    if (from_memory) {
      condition = load_word(batch, i, sources[i], plain);
      batch.condition[i] = condition;
    }
    const Word target = batch.operands[condition != 0 ? first : first + 1][i];
    if (target == kSinkAddress) {
      batch.result[i] = 0;
      continue;
    }
    batch.result[i] = prefix_entry(unit, flow, batch, i, target).data++;
    ++counted;
  }
  unit.scratchpad.stats.reads += counted;
  unit.scratchpad.stats.writes += counted;
  (from_memory ? unit.post_alu : unit.pre_alu) += batch.count;
}

Word MemoryStage::offset(FlowEntries& flow, const MemoryBatch& batch, std::size_t i,
                         Word target) const {
  if (target != flow.last_target) {
    const auto found = flow.by_target.find(target);
    if (found == flow.by_target.end())
      fault(FaultKind::kTrap, batch, i,
            fmt::format("the multiprefix to address {} was not begun by this flow's backend",
                        target));
    flow.last_target = target;
    flow.last_entry = found->second;
  }
  return flow.entries[flow.last_entry].data;
}

// What each fiber's prefix is in the end; neighbours mostly have the same target.
void MemoryStage::finish_prefixes(MemoryUnit& unit, const MemoryBatch& batch, Word* prefixes) {
  const Operator op = batch.op();
  FlowEntries& flow = unit.scratchpad.of(batch.work->flow->id);
  const Word* const targets = batch.operands[1];
  for (std::size_t i = 0; i < batch.count;) {
    const std::size_t first = i;
    i = end_of_run(targets, i, batch.count);
    if (targets[first] == kSinkAddress) {
      std::fill(prefixes + first, prefixes + i, 0);
      continue;
    }
    const Word before = offset(flow, batch, first, targets[first]);
    with_operator(op, [&](auto known) {
      for (std::size_t k = first; k < i; ++k)
        prefixes[k] = applied(known, before, batch.operands[0][k]);
    });
  }
  unit.scratchpad.stats.reads += batch.count;
}

void MemoryStage::end_prefix(MemoryUnit& unit, const MemoryBatch& batch) {
  std::fill_n(batch.items, batch.count, kNoReference);
  finish_prefixes(unit, batch, batch.result);
  unit.post_alu += batch.count;
}

void MemoryStage::prefix_store(MemoryUnit& unit, const MemoryBatch& batch) {
  std::array<Word, MemoryBatch::kMaxFibers> values;
  finish_prefixes(unit, batch, values.data());
  write(unit, batch, batch.operands[2], values.data());
  unit.pre_alu += batch.count;
}

void MemoryStage::end_conditional(MemoryUnit& unit, const MemoryBatch& batch) {
  FlowEntries& flow = unit.scratchpad.of(batch.work->flow->id);
  for (std::size_t i = 0; i < batch.count; ++i) {
    const Word target = batch.operands[batch.operands[1][i] != 0 ? 2 : 3][i];
    batch.items[i] = kNoReference;
    batch.result[i] =
        target == kSinkAddress ? 0 : offset(flow, batch, i, target) + batch.operands[0][i];
  }
  unit.post_alu += batch.count;
  unit.scratchpad.stats.reads += batch.count;
}

void MemoryStage::conditional_store(MemoryUnit& unit, const MemoryBatch& batch) {
  FlowEntries& flow = unit.scratchpad.of(batch.work->flow->id);
  std::array<Word, MemoryBatch::kMaxFibers> addresses;
  for (std::size_t i = 0; i < batch.count; ++i) {
    const bool first = batch.operands[2][i] != 0;
    const Word target = batch.operands[first ? 3 : 4][i];
    const Word destination = batch.operands[first ? 5 : 6][i];
    addresses[i] = kSinkAddress;
    if (target == kSinkAddress || destination == kSinkAddress) continue;
    const Word place = offset(flow, batch, i, target) + batch.operands[1][i];
    addresses[i] = destination + place * kWordBytes;
  }
  write(unit, batch, addresses.data(), batch.operands[0]);
  unit.pre_alu += batch.count;
  unit.scratchpad.stats.reads += batch.count;
}

void MemoryStage::order_entries(MemoryUnit& unit, const Work& work) {
  for (ScratchEntry& entry : unit.scratchpad.of(work.flow->id).entries) {
    if (!entry.valid) continue;
    Word& target = memory_.at(entry.target);
    const Word before = target;
    target = applied(work.line->memory->op, before, entry.data);
    entry.data = before;
    ++unit.active_alu;
    ++unit.scratchpad.stats.reads;
    ++unit.scratchpad.stats.writes;
  }
}

}  // namespace raddle::machine::tpa
