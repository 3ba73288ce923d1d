// Multioperations at one backend: FS, O2, S2, BF and ML.
#include <fmt/format.h>

#include "machine/tpa/memory_stage.h"

namespace raddle::machine::tpa {

using kernel::exec::FaultKind;

void MemoryStage::multi(MemoryUnit& unit, const MemoryBatch& batch) {
  const Operator op = batch.op();
  const Word* const addresses = batch.operands[1];
  const bool plain = prepare_references(batch, addresses, 0);
  unit.active_alu += batch.count;
  for (std::size_t i = 0; i < batch.count; ++i) {
    const Word address = addresses[i];
    if (!plain) {
      if (address == kSinkAddress) {
        batch.items[i] = kNoReference;
        continue;
      }
      check(batch, i, address);
    }
    log_.apply(op, address, batch.operands[0][i]);
  }
}

// The entry of a multioperation's target, or kFull. An entry whose line was evicted stays: its
// target gets a second one, which is harmless.
std::uint32_t MemoryStage::multi_entry(MemoryUnit& unit, FlowEntries& flow,
                                       const MemoryBatch& batch, std::size_t i, Word target) {
  check(batch, i, target);
  std::uint32_t& entry =
      *unit.step_cache.look_up(key_of(batch, target, ReferenceKind::kMulti)).entry;
  if (entry == StepCache::kNone)
    entry = unit.scratchpad.take(flow, target, identity_of(batch.op()));
  return entry;
}

// A value without an entry goes to memory at once, as in FS.
void MemoryStage::spill(MemoryUnit& unit, const MemoryBatch& batch, std::size_t i) {
  if (!parameters_.spill)
    fault(FaultKind::kTrap, batch, i,
          fmt::format("more than {} targets in one multioperation, and spilling is off",
                      unit.scratchpad.capacity()));
  ++unit.scratchpad.stats.spills;
  log_.apply(batch.op(), batch.operands[1][i], batch.operands[0][i]);
  batch.items[i] = item_of(batch.operands[1][i], false);
}

void MemoryStage::begin_multi(MemoryUnit& unit, const MemoryBatch& batch) {
  const Operator op = batch.op();
  FlowEntries& flow = unit.scratchpad.of(batch.work->flow->id);
  Word last = kSinkAddress;
  std::uint32_t entry = StepCache::kNone;
  for (std::size_t i = 0; i < batch.count; ++i) {
    const Word value = batch.operands[0][i];
    const Word target = batch.operands[1][i];
    batch.items[i] = kNoReference;
    if (target == kSinkAddress) continue;
    if (target != last) {
      entry = multi_entry(unit, flow, batch, i, target);
      last = target;
    } else {
      unit.step_cache.add_hits(1);
    }
    ++unit.pre_alu;
    if (entry == MultiScratchpad::kFull) {
      spill(unit, batch, i);
      continue;
    }
    ScratchEntry& own = flow.entries[entry];
    own.data = combined(op, own.data, value);
    ++unit.scratchpad.stats.reads;
    ++unit.scratchpad.stats.writes;
  }
}

void MemoryStage::begin_symmetric(MemoryUnit& unit, const MemoryBatch& batch) {
  const Operator op = batch.op();
  FlowEntries& flow = unit.scratchpad.of(batch.work->flow->id);
  for (std::size_t i = 0; i < batch.count; ++i) {
    const Word target = batch.operands[1][i];
    batch.items[i] = kNoReference;
    if (target == kSinkAddress) continue;
    check(batch, i, target);
    const StepCache::Found found =
        unit.step_cache.look_up(key_of(batch, target, ReferenceKind::kMulti));
    if (*found.entry == StepCache::kNone) {
      // The scratchpad is addressed as the step cache is: what had the line gives its entry up, and
      // its partial result goes to memory, which is legal as operators are commutative. Other flows
      // are through with their lines in this step, and their entries stay.
      if (found.evicted_own && found.evicted != StepCache::kNone) {
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
      *found.entry = unit.scratchpad.take(flow, target, identity_of(op));
      if (*found.entry == MultiScratchpad::kFull) {
        spill(unit, batch, i);
        continue;
      }
      flow.by_target[target] = *found.entry;
    }
    ScratchEntry& own = flow.entries[*found.entry];
    own.data = combined(op, own.data, batch.operands[0][i]);
    ++unit.pre_alu;
    ++unit.scratchpad.stats.reads;
    ++unit.scratchpad.stats.writes;
  }
}

void MemoryStage::end_symmetric(MemoryUnit& unit, const MemoryBatch& batch) {
  const Operator op = batch.op();
  FlowEntries& flow = unit.scratchpad.of(batch.work->flow->id);
  for (std::size_t i = 0; i < batch.count; ++i) {
    const Word target = batch.operands[1][i];
    batch.items[i] = kNoReference;
    if (target == kSinkAddress) continue;
    check(batch, i, target);
    if (unit.step_cache.look_up(key_of(batch, target, ReferenceKind::kMulti)).hit) continue;
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
  const Operator op = batch.op();
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
            fmt::format("a backend-frontend multioperation takes one target; found {} and {}",
                        own.target, target));
    own.data = combined(op, own.data, batch.operands[0][i]);
    ++unit.pre_alu;
    ++unit.scratchpad.stats.reads;
    ++unit.scratchpad.stats.writes;
  }
}

void MemoryStage::multi_load(MemoryUnit& unit, const MemoryBatch& batch) {
  const Operator op = batch.op();
  FlowEntries& flow = unit.scratchpad.of(batch.work->flow->id);
  const Word* const addresses = batch.operands[1];
  const bool plain = prepare_references(batch, addresses, kWantsReply);
  Word last = kSinkAddress;
  std::uint32_t entry = StepCache::kNone;
  std::uint64_t reduced = 0;
  std::uint64_t repeated = 0;
  for (std::size_t i = 0; i < batch.count; ++i) {
    const Word value = load_word(batch, i, addresses[i], plain);
    batch.result[i] = value;
    const Word target = batch.operands[0][i];
    if (target == kSinkAddress) continue;
    if (target == last) {
      ++repeated;
    } else {
      entry = multi_entry(unit, flow, batch, i, target);
      last = target;
    }
    if (entry == MultiScratchpad::kFull)
      fault(FaultKind::kTrap, batch, i,
            fmt::format("{} more than {} targets; nothing can be spilled, as loads use the path to "
                        "memory (use O2, S2 or FS)",
                        flow.entries.size() == unit.scratchpad.capacity()
                            ? "a multioperation load has"
                            : "the flows of a step have",
                        unit.scratchpad.capacity()));
    ScratchEntry& own = flow.entries[entry];
    own.data = combined(op, own.data, value);
    ++reduced;
  }
  unit.step_cache.add_hits(repeated);
  unit.post_alu += reduced;
  unit.scratchpad.stats.reads += reduced;
  unit.scratchpad.stats.writes += reduced;
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

}  // namespace raddle::machine::tpa
