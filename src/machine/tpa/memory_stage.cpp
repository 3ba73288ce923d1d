#include "machine/tpa/memory_stage.h"

#include <fmt/format.h>

namespace raddle::machine::tpa {

using kernel::exec::FaultKind;

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

bool MemoryStage::prepare_references(const MemoryBatch& batch, const Word* addresses,
                                     IssueItem flags) const {
  modules_.place(addresses, batch.count, flags, batch.items);
  // The top bit tells of addresses behind the end, of negative ones and of the sink, which is 0.
  static_assert(kSinkAddress == 0);
  const Word last = memory_.bytes() - 1;
  Word beyond = 0;
  Word low = 0;
  for (std::size_t i = 0; i < batch.count; ++i) {
    const Word address = addresses[i];
    beyond |= (last - address) | address | (address - 1);
    low |= address;
  }
  return beyond >> 63 == 0 && (low & (kWordBytes - 1)) == 0;
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
  const bool plain = prepare_references(batch, addresses, kWantsReply);
  Word last = kSinkAddress;
  std::uint64_t repeated = 0;
  for (std::size_t i = 0; i < batch.count; ++i) {
    const Word address = addresses[i];
    if (!plain) {
      if (address == kSinkAddress) {
        batch.items[i] = kNoReference;
        batch.result[i] = 0;
        continue;
      }
      check(batch, i, address);
    }
    batch.result[i] = memory_.at(address);
    if (address == last) {
      ++repeated;
      batch.items[i] = kNoReference;
      continue;
    }
    last = address;
    if (unit.step_cache.look_up(key_of(batch, address, ReferenceKind::kRead)).hit)
      batch.items[i] = kNoReference;
  }
  unit.step_cache.add_hits(repeated);
}

void MemoryStage::write(MemoryUnit& unit, const MemoryBatch& batch, const Word* addresses,
                        const Word* values) {
  const bool plain = prepare_references(batch, addresses, 0);
  for (std::size_t i = 0; i < batch.count; ++i) {
    const Word address = addresses[i];
    if (!plain) {
      if (address == kSinkAddress) {
        batch.items[i] = kNoReference;
        continue;
      }
      check(batch, i, address);
    }
    // Paper §2: a write that finds its address has been done already.
    if (unit.step_cache.look_up(key_of(batch, address, ReferenceKind::kWrite)).hit) {
      batch.items[i] = kNoReference;
    } else {
      log_.store(address, values[i], unit.backend);
    }
  }
}

void MemoryStage::store(MemoryUnit& unit, const MemoryBatch& batch) {
  write(unit, batch, batch.operands[1], batch.operands[0]);
}

}  // namespace raddle::machine::tpa
