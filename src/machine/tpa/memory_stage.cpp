#include "machine/tpa/memory_stage.h"

#include <fmt/format.h>

namespace raddle::machine::tpa {

using kernel::exec::FaultKind;

namespace {

std::uint64_t key(const MemoryBatch& batch, Word address, ReferenceKind kind) {
  // Reads and writes of all flows are the same references; what is reduced is each flow's own.
  const bool own = kind == ReferenceKind::kMulti || kind == ReferenceKind::kPrefix;
  return StepCache::key_of(address, kind, own ? batch.work->flow->id : 0);
}

Operator op_of(const MemoryBatch& batch) { return batch.work->line->memory->op; }

}  // namespace

MemoryStage::MemoryStage(const TpaParameters& parameters, WordMemory& memory, StoreLog& log)
    : parameters_(parameters),
      memory_(memory),
      log_(log),
      modules_(parameters.hash, parameters.back.count) {}

void MemoryStage::fault(FaultKind kind, const MemoryBatch& batch, std::size_t i,
                        const std::string& what) {
  throw MachineFault{kind, fmt::format("{}, by fiber {}", what,
                                       batch.first_fiber + batch.stride * static_cast<Word>(i))};
}

void MemoryStage::check(const MemoryBatch& batch, std::size_t i, Word address) const {
  if (memory_.holds(address)) return;
  const bool misaligned = address % kWordBytes != 0;
  fault(misaligned ? FaultKind::kMisaligned : FaultKind::kOutOfBounds, batch, i,
        memory_.fault_text(address, "shared memory"));
}

Word MemoryStage::read(const MemoryBatch& batch, std::size_t i, Word address) const {
  check(batch, i, address);
  return memory_.at(address);
}

void MemoryStage::execute(MemoryUnit& unit, const MemoryBatch& batch) {
  using enum MemoryOperation;
  switch (batch.work->operation()) {
    case kLoad: return load(unit, batch);
    case kStore: return store(unit, batch);
    case kMulti: return multi(unit, batch);
    case kBeginMulti: return begin_multi(unit, batch);
    case kBeginSymmetric: return begin_symmetric(unit, batch);
    case kEndSymmetric: return end_symmetric(unit, batch);
    case kBackendFrontend: return backend_frontend(unit, batch);
    case kMultiLoad: return multi_load(unit, batch);
    case kPrefix: return fast_prefix(unit, batch);
    case kBeginPrefix: return begin_prefix(unit, batch, false, false);
    case kBeginInclusivePrefix: return begin_prefix(unit, batch, true, false);
    case kPrefixLoad: return begin_prefix(unit, batch, false, true);
    case kInclusivePrefixLoad: return begin_prefix(unit, batch, true, true);
    case kEndPrefix: return end_prefix(unit, batch);
    case kPrefixStore: return prefix_store(unit, batch);
    case kBeginConditional: return begin_conditional(unit, batch, false);
    case kConditionalLoad: return begin_conditional(unit, batch, true);
    case kEndConditional: return end_conditional(unit, batch);
    case kConditionalStore: return conditional_store(unit, batch);
    case kEndMulti:
    case kOrderPrefix:
    case kOrderBalanced:
    case kOrderLogarithmic: break;  // no matter of fibers
  }
}

void MemoryStage::load(MemoryUnit& unit, const MemoryBatch& batch) {
  const Word* const addresses = batch.operands[0];
  Word last = kSinkAddress;
  std::uint64_t repeated = 0;
  for (std::size_t i = 0; i < batch.count; ++i) {
    const Word address = addresses[i];
    batch.items[i] = kNoReference;
    if (address == kSinkAddress) {
      batch.result[i] = 0;
      continue;
    }
    batch.result[i] = read(batch, i, address);
    if (address == last) {
      ++repeated;
      continue;
    }
    last = address;
    if (!unit.step_cache.look_up(key(batch, address, ReferenceKind::kRead)).hit)
      batch.items[i] = item_of(address, true);
  }
  unit.step_cache.add_hits(repeated);
}

IssueItem MemoryStage::write(MemoryUnit& unit, const MemoryBatch& batch, std::size_t i,
                             Word address, Word value) {
  if (address == kSinkAddress) return kNoReference;
  check(batch, i, address);
  // Paper §2: a write that finds its address has been done already.
  if (unit.step_cache.look_up(key(batch, address, ReferenceKind::kWrite)).hit) return kNoReference;
  log_.store(address, value, unit.backend);
  return item_of(address, false);
}

void MemoryStage::store(MemoryUnit& unit, const MemoryBatch& batch) {
  for (std::size_t i = 0; i < batch.count; ++i)
    batch.items[i] = write(unit, batch, i, batch.operands[1][i], batch.operands[0][i]);
}

void MemoryStage::multi(MemoryUnit& unit, const MemoryBatch& batch) {
  const Operator op = op_of(batch);
  unit.active_alu += batch.count;
  for (std::size_t i = 0; i < batch.count; ++i) {
    const Word address = batch.operands[1][i];
    batch.items[i] = kNoReference;
    if (address == kSinkAddress) continue;
    check(batch, i, address);
    log_.apply(op, address, batch.operands[0][i]);
    batch.items[i] = item_of(address, false);
  }
}

void MemoryStage::begin_multi(MemoryUnit& unit, const MemoryBatch& batch) {
  const Operator op = op_of(batch);
  FlowEntries& flow = unit.scratchpad.of(batch.work->flow->id);
  Word last = kSinkAddress;
  std::uint32_t entry = StepCache::kNone;
  for (std::size_t i = 0; i < batch.count; ++i) {
    const Word value = batch.operands[0][i];
    const Word target = batch.operands[1][i];
    batch.items[i] = kNoReference;
    if (target == kSinkAddress) continue;
    if (target != last) {
      check(batch, i, target);
      StepCache::Line* line =
          unit.step_cache.look_up(key(batch, target, ReferenceKind::kMulti)).line;
      // An entry whose line was evicted stays: its target gets a second one, which is harmless.
      if (line->entry == StepCache::kNone)
        line->entry = unit.scratchpad.take(flow, target, identity_of(op));
      entry = line->entry;
      last = target;
    } else {
      unit.step_cache.add_hits(1);
    }
    ++unit.pre_alu;
    if (entry == MultiScratchpad::kFull) {
      if (!parameters_.spill)
        fault(FaultKind::kTrap, batch, i,
              fmt::format("more than {} targets in one multioperation, and spilling is off",
                          unit.scratchpad.capacity()));
      ++unit.scratchpad.stats.spills;
      log_.apply(op, target, value);
      batch.items[i] = item_of(target, false);
      continue;
    }
    ScratchEntry& own = flow.entries[entry];
    own.data = combined(op, own.data, value);
    ++unit.scratchpad.stats.reads;
    ++unit.scratchpad.stats.writes;
  }
}

void MemoryStage::begin_symmetric(MemoryUnit& unit, const MemoryBatch& batch) {
  const Operator op = op_of(batch);
  FlowEntries& flow = unit.scratchpad.of(batch.work->flow->id);
  for (std::size_t i = 0; i < batch.count; ++i) {
    const Word target = batch.operands[1][i];
    batch.items[i] = kNoReference;
    if (target == kSinkAddress) continue;
    check(batch, i, target);
    const StepCache::Found found =
        unit.step_cache.look_up(key(batch, target, ReferenceKind::kMulti));
    if (found.line->entry == StepCache::kNone) {
      // The scratchpad is addressed as the step cache is: what had the line gives its entry up, and
      // its partial result goes to memory, which is legal as operators are commutative.
      const bool multi_entry = found.evicted_line && found.evicted != StepCache::kNone;
      if (multi_entry) {
        ScratchEntry& victim = flow.entries[found.evicted];
        if (!parameters_.spill)
          fault(FaultKind::kTrap, batch, i,
                "more targets in one set of the step cache than it has ways, and spilling is off");
        ++unit.scratchpad.stats.spills;
        log_.apply(op, victim.target, victim.data);
        batch.items[i] = item_of(victim.target, false);
        flow.by_target.erase(victim.target);
        unit.scratchpad.give_back(flow, found.evicted);
      }
      found.line->entry = unit.scratchpad.take(flow, target, identity_of(op));
      if (found.line->entry == MultiScratchpad::kFull)
        fault(FaultKind::kTrap, batch, i, "the scratchpad is full of other flows' entries");
      flow.by_target[target] = found.line->entry;
    }
    ScratchEntry& own = flow.entries[found.line->entry];
    own.data = combined(op, own.data, batch.operands[0][i]);
    ++unit.pre_alu;
    ++unit.scratchpad.stats.reads;
    ++unit.scratchpad.stats.writes;
  }
}

void MemoryStage::end_symmetric(MemoryUnit& unit, const MemoryBatch& batch) {
  const Operator op = op_of(batch);
  FlowEntries& flow = unit.scratchpad.of(batch.work->flow->id);
  for (std::size_t i = 0; i < batch.count; ++i) {
    const Word target = batch.operands[1][i];
    batch.items[i] = kNoReference;
    if (target == kSinkAddress) continue;
    check(batch, i, target);
    if (unit.step_cache.look_up(key(batch, target, ReferenceKind::kMulti)).hit) continue;
    const auto found = flow.by_target.find(target);
    if (found == flow.by_target.end()) continue;  // it was spilled, or sent already
    log_.apply(op, target, flow.entries[found->second].data);
    batch.items[i] = item_of(target, false);
    ++unit.scratchpad.stats.reads;
    unit.scratchpad.give_back(flow, found->second);
    flow.by_target.erase(found);
  }
}

void MemoryStage::backend_frontend(MemoryUnit& unit, const MemoryBatch& batch) {
  const Operator op = op_of(batch);
  FlowEntries& flow = unit.scratchpad.of(batch.work->flow->id);
  for (std::size_t i = 0; i < batch.count; ++i) {
    const Word target = batch.operands[1][i];
    batch.items[i] = kNoReference;
    if (target == kSinkAddress) continue;
    if (flow.entries.empty()) {
      check(batch, i, target);
      if (unit.scratchpad.take(flow, target, identity_of(op)) == MultiScratchpad::kFull)
        fault(FaultKind::kTrap, batch, i, "the scratchpad is full of other flows' entries");
    }
    ScratchEntry& own = flow.entries.front();
    if (own.target != target)
      fault(FaultKind::kTrap, batch, i,
            fmt::format("a backend-frontend multioperation has one target, and there are {} and {}",
                        own.target, target));
    own.data = combined(op, own.data, batch.operands[0][i]);
    ++unit.pre_alu;
    ++unit.scratchpad.stats.reads;
    ++unit.scratchpad.stats.writes;
  }
}

void MemoryStage::multi_load(MemoryUnit& unit, const MemoryBatch& batch) {
  const Operator op = op_of(batch);
  FlowEntries& flow = unit.scratchpad.of(batch.work->flow->id);
  Word last = kSinkAddress;
  std::uint32_t entry = StepCache::kNone;
  for (std::size_t i = 0; i < batch.count; ++i) {
    const Word target = batch.operands[0][i];
    const Word address = batch.operands[1][i];
    batch.items[i] = kNoReference;
    batch.result[i] = 0;
    if (address != kSinkAddress) {
      batch.result[i] = read(batch, i, address);
      batch.items[i] = item_of(address, true);
    }
    if (target == kSinkAddress) continue;
    if (target != last) {
      check(batch, i, target);
      StepCache::Line* line =
          unit.step_cache.look_up(key(batch, target, ReferenceKind::kMulti)).line;
      if (line->entry == StepCache::kNone)
        line->entry = unit.scratchpad.take(flow, target, identity_of(op));
      entry = line->entry;
      last = target;
    }
    if (entry == MultiScratchpad::kFull)
      fault(FaultKind::kTrap, batch, i,
            fmt::format("a multioperation load has more than {} targets; nothing can be spilled, "
                        "as loads take the way to memory (use O2, S2 or FS)",
                        unit.scratchpad.capacity()));
    ScratchEntry& own = flow.entries[entry];
    own.data = combined(op, own.data, batch.result[i]);
    ++unit.post_alu;
    ++unit.scratchpad.stats.reads;
    ++unit.scratchpad.stats.writes;
  }
}

void MemoryStage::fast_prefix(MemoryUnit& unit, const MemoryBatch& batch) {
  unit.active_alu += batch.count;
  for (std::size_t i = 0; i < batch.count; ++i) {
    const Word address = batch.operands[1][i];
    unit.pending.addresses.push_back(address);
    unit.pending.ops.push_back(op_of(batch));
    unit.pending.values.push_back(address == kSinkAddress ? 0 : batch.operands[0][i]);
    if (address != kSinkAddress) check(batch, i, address);
    batch.items[i] = address == kSinkAddress ? kNoReference : item_of(address, true);
  }
}

// The entry of a prefix's target. What has once been given away can never be merged in order, so
// there is no spilling.
Word* MemoryStage::prefix_entry(MemoryUnit& unit, FlowEntries& flow, const MemoryBatch& batch,
                                std::size_t i, Word target) {
  ++unit.scratchpad.stats.reads;
  ++unit.scratchpad.stats.writes;
  if (target == flow.last_target) {
    unit.step_cache.add_hits(1);
    return &flow.entries[flow.last_entry].data;
  }
  check(batch, i, target);
  const StepCache::Found found =
      unit.step_cache.look_up(key(batch, target, ReferenceKind::kPrefix));
  if (found.evicted_line)
    fault(FaultKind::kTrap, batch, i,
          fmt::format(
              "a multiprefix has more targets than the step cache can hold: set {} has {} "
              "ways (use a fast multiprefix, which keeps no order)",
              target / kWordBytes % (parameters_.step_cache_lines / parameters_.step_cache_ways),
              parameters_.step_cache_ways));
  const auto before = flow.by_target.find(target);  // of a step before
  if (found.line->entry == StepCache::kNone && before != flow.by_target.end())
    found.line->entry = before->second;
  if (found.line->entry == StepCache::kNone) {
    found.line->entry = unit.scratchpad.take(flow, target, identity_of(op_of(batch)));
    if (found.line->entry == MultiScratchpad::kFull)
      fault(FaultKind::kTrap, batch, i,
            fmt::format("a multiprefix has more than {} targets, as many as the scratchpad has "
                        "entries (use a fast multiprefix, which keeps no order)",
                        unit.scratchpad.capacity()));
    flow.by_target[target] = found.line->entry;
  }
  flow.last_target = target;
  flow.last_entry = found.line->entry;
  return &flow.entries[flow.last_entry].data;
}

void MemoryStage::begin_prefix(MemoryUnit& unit, const MemoryBatch& batch, bool inclusive,
                               bool from_memory) {
  const Operator op = op_of(batch);
  FlowEntries& flow = unit.scratchpad.of(batch.work->flow->id);
  const Word* const targets = batch.operands[from_memory ? 0 : 1];
  const Word* const sources = batch.operands[from_memory ? 1 : 0];
  for (std::size_t i = 0; i < batch.count; ++i) {
    batch.items[i] = kNoReference;
    Word value = sources[i];
    if (from_memory) {
      const Word address = value;
      value = 0;
      if (address != kSinkAddress) {
        value = read(batch, i, address);
        batch.items[i] = item_of(address, true);
      }
    }
    if (targets[i] == kSinkAddress) {
      batch.result[i] = 0;
      continue;
    }
    Word* const own = prefix_entry(unit, flow, batch, i, targets[i]);
    const Word after = combined(op, *own, value);
    batch.result[i] = inclusive ? after : *own;
    *own = after;
  }
  (from_memory ? unit.post_alu : unit.pre_alu) += batch.count;
}

void MemoryStage::begin_conditional(MemoryUnit& unit, const MemoryBatch& batch, bool from_memory) {
  FlowEntries& flow = unit.scratchpad.of(batch.work->flow->id);
  const std::size_t first = from_memory ? 0 : 1;
  for (std::size_t i = 0; i < batch.count; ++i) {
    batch.items[i] = kNoReference;
    Word condition = batch.operands[from_memory ? 2 : 0][i];
    if (from_memory) {
      const Word address = condition;
      condition = 0;
      if (address != kSinkAddress) {
        condition = read(batch, i, address);
        batch.items[i] = item_of(address, true);
      }
      batch.condition[i] = condition;
    }
    const Word target = batch.operands[condition != 0 ? first : first + 1][i];
    if (target == kSinkAddress) {
      batch.result[i] = 0;
      continue;
    }
    Word* const own = prefix_entry(unit, flow, batch, i, target);
    batch.result[i] = (*own)++;
  }
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

void MemoryStage::end_prefix(MemoryUnit& unit, const MemoryBatch& batch) {
  const Operator op = op_of(batch);
  FlowEntries& flow = unit.scratchpad.of(batch.work->flow->id);
  for (std::size_t i = 0; i < batch.count; ++i) {
    const Word target = batch.operands[1][i];
    batch.items[i] = kNoReference;
    batch.result[i] = target == kSinkAddress
                          ? 0
                          : applied(op, offset(flow, batch, i, target), batch.operands[0][i]);
  }
  unit.post_alu += batch.count;
  unit.scratchpad.stats.reads += batch.count;
}

void MemoryStage::prefix_store(MemoryUnit& unit, const MemoryBatch& batch) {
  const Operator op = op_of(batch);
  FlowEntries& flow = unit.scratchpad.of(batch.work->flow->id);
  for (std::size_t i = 0; i < batch.count; ++i) {
    const Word target = batch.operands[1][i];
    const Word value = target == kSinkAddress
                           ? 0
                           : applied(op, offset(flow, batch, i, target), batch.operands[0][i]);
    batch.items[i] = write(unit, batch, i, batch.operands[2][i], value);
  }
  unit.pre_alu += batch.count;
  unit.scratchpad.stats.reads += batch.count;
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
  for (std::size_t i = 0; i < batch.count; ++i) {
    const bool first = batch.operands[2][i] != 0;
    const Word target = batch.operands[first ? 3 : 4][i];
    const Word destination = batch.operands[first ? 5 : 6][i];
    batch.items[i] = kNoReference;
    if (target == kSinkAddress || destination == kSinkAddress) continue;
    const Word place = offset(flow, batch, i, target) + batch.operands[1][i];
    batch.items[i] = write(unit, batch, i, destination + place * kWordBytes, batch.operands[0][i]);
  }
  unit.pre_alu += batch.count;
  unit.scratchpad.stats.reads += batch.count;
}

void MemoryStage::entry_items(MemoryUnit& unit, const Work& work, bool wants_reply,
                              IssueStream& stream) const {
  for (const ScratchEntry& entry : unit.scratchpad.of(work.flow->id).entries)
    if (entry.valid) stream.push(item_of(entry.target, wants_reply));
}

void MemoryStage::send_entries(MemoryUnit& unit, const Work& work, IssueStream& stream) {
  FlowEntries& flow = unit.scratchpad.of(work.flow->id);
  entry_items(unit, work, false, stream);
  for (const ScratchEntry& entry : flow.entries) {
    if (!entry.valid) continue;
    log_.apply(work.line->memory->op, entry.target, entry.data);
    ++unit.active_alu;
    ++unit.scratchpad.stats.reads;
  }
  unit.scratchpad.release(flow);
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
