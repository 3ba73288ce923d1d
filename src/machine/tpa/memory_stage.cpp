#include "machine/tpa/memory_stage.h"

#include <fmt/format.h>

#include "base/host_versions.h"

namespace raddle::machine::tpa {

using kernel::exec::FaultKind;

namespace {

// Whether the words lie one after the other.
RADDLE_HOST_VERSIONS bool is_run(const Word* addresses, std::size_t count) {
  Word differs = 0;
  for (std::size_t i = 0; i < count; ++i) differs |= addresses[i] ^ (addresses[0] + i * kWordBytes);
  return differs == 0;
}

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

bool MemoryStage::prepare_references(const MemoryBatch& batch, const Word* addresses,
                                     IssueItem flags) const {
  modules_.place(addresses, batch.count, flags, batch.items);
  // The top bit tells of addresses after the end, of negative ones and of the sink, which is 0.
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
  if (plain) {
    for (std::size_t i = 0; i < batch.count; ++i) batch.result[i] = memory_.at(addresses[i]);
    look_up(unit, batch, addresses, ReferenceKind::kRead, is_run(addresses, batch.count));
    return;
  }
  for (std::size_t i = 0; i < batch.count; ++i) {
    batch.result[i] = load_word(batch, i, addresses[i], plain);
    if (addresses[i] != kSinkAddress &&
        unit.step_cache.look_up(key_of(batch, addresses[i], ReferenceKind::kRead)).hit)
      batch.items[i] = kNoReference;
  }
}

// Asks the step cache for all addresses; those that it knows are not referred to. Gives back how
// many these are.
std::size_t MemoryStage::look_up(MemoryUnit& unit, const MemoryBatch& batch, const Word* addresses,
                                 ReferenceKind kind, bool run) {
  const auto hit = [&](std::size_t i) { batch.items[i] = kNoReference; };
  return run ? unit.step_cache.look_up_run(addresses, batch.count, kind, hit)
             : unit.step_cache.look_up_all(addresses, batch.count, kind, hit);
}

void MemoryStage::write(MemoryUnit& unit, const MemoryBatch& batch, const Word* addresses,
                        const Word* values) {
  // Paper §2: a write that finds its address has been done already.
  const bool plain = prepare_references(batch, addresses, 0);
  if (plain) {
    const bool run = is_run(addresses, batch.count);
    if (look_up(unit, batch, addresses, ReferenceKind::kWrite, run) == 0 && run) {
      log_.store_run(addresses[0], values, batch.count, unit.backend);
      return;
    }
    for (std::size_t i = 0; i < batch.count; ++i)
      if (batch.items[i] != kNoReference) log_.store(addresses[i], values[i], unit.backend);
    return;
  }
  for (std::size_t i = 0; i < batch.count; ++i) {
    const Word address = addresses[i];
    if (address != kSinkAddress) check(batch, i, address);
    if (address == kSinkAddress ||
        unit.step_cache.look_up(key_of(batch, address, ReferenceKind::kWrite)).hit) {
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
