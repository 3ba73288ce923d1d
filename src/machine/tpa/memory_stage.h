// The memory unit of a backend, as far as it is not a matter of time: step cache, pre-ALU, post-ALU
// and scratchpad decide what each fiber refers to and what it gets. Execution is apart from timing:
// values are right at once, what is referred to goes into the backend's issue stream.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "machine/tpa/flow.h"
#include "machine/tpa/issue_stream.h"
#include "machine/tpa/machine_fault.h"
#include "machine/tpa/multi_scratchpad.h"
#include "machine/tpa/shared_memory.h"
#include "machine/tpa/step_cache.h"
#include "machine/tpa/store_log.h"

namespace raddle::machine::tpa {

// What the fibers of a fast multiprefix asked for, until the modules answer.
struct PendingPrefixes {
  std::vector<Word> addresses;
  std::vector<Word> values;  // then: results
  std::vector<Operator> ops;
};

// What one backend keeps for its memory unit.
struct MemoryUnit {
  MemoryUnit(std::uint32_t number, const TpaParameters& parameters)
      : backend(number),
        step_cache(parameters.step_cache_lines, parameters.step_cache_ways,
                   parameters.step_cache_seed + number, parameters.step_cache_folded),
        scratchpad(parameters.scratchpad_entries) {}

  std::uint32_t backend;
  StepCache step_cache;
  MultiScratchpad scratchpad;
  PendingPrefixes pending;
  std::uint64_t pre_alu = 0;  // operations
  std::uint64_t post_alu = 0;
  std::uint64_t active_alu = 0;  // of memory modules, for this backend
};

// Columns of one batch of fibers.
struct MemoryBatch {
  static constexpr std::size_t kMaxFibers = 256;

  const Work* work = nullptr;
  Word first_fiber = 0, stride = 1;
  std::size_t count = 0;
  std::array<const Word*, kMaxOperands> operands{};
  Word* result = nullptr;     // M0
  Word* condition = nullptr;  // M1
  IssueItem* items = nullptr;

  Operator op() const { return work->line->memory->op; }
};

class MemoryStage {
 public:
  MemoryStage(const TpaParameters& parameters, WordMemory& memory, StoreLog& log);

  // Throws MachineFault.
  void execute(MemoryUnit& unit, const MemoryBatch& batch);

  // EM: the entries of a flow go to memory, by the stream, and are free.
  void send_entries(MemoryUnit& unit, const Work& work, IssueStream& stream);
  // OMP: entries of one backend are exchanged for its offsets, in memory's order.
  void order_entries(MemoryUnit& unit, const Work& work);
  // Where the entries of a flow lie, as items that want replies.
  void entry_items(MemoryUnit& unit, const Work& work, bool wants_reply, IssueStream& stream) const;
  IssueItem item_of(Word address, bool wants_reply) const {
    return static_cast<IssueItem>(modules_.module_of(address) | (wants_reply ? kWantsReply : 0));
  }

  [[noreturn]] static void fault(kernel::exec::FaultKind kind, const MemoryBatch& batch,
                                 std::size_t i, const std::string& what);

 private:
  void load(MemoryUnit& unit, const MemoryBatch& batch);
  void store(MemoryUnit& unit, const MemoryBatch& batch);
  void multi(MemoryUnit& unit, const MemoryBatch& batch);
  void spill(MemoryUnit& unit, const MemoryBatch& batch, std::size_t i);
  void begin_multi(MemoryUnit& unit, const MemoryBatch& batch);
  void begin_symmetric(MemoryUnit& unit, const MemoryBatch& batch);
  void end_symmetric(MemoryUnit& unit, const MemoryBatch& batch);
  void backend_frontend(MemoryUnit& unit, const MemoryBatch& batch);
  void multi_load(MemoryUnit& unit, const MemoryBatch& batch);
  void fast_prefix(MemoryUnit& unit, const MemoryBatch& batch);
  void begin_prefix(MemoryUnit& unit, const MemoryBatch& batch, bool inclusive, bool from_memory);
  void begin_conditional(MemoryUnit& unit, const MemoryBatch& batch, bool from_memory);
  void end_prefix(MemoryUnit& unit, const MemoryBatch& batch);
  void prefix_store(MemoryUnit& unit, const MemoryBatch& batch);
  void end_conditional(MemoryUnit& unit, const MemoryBatch& batch);
  void conditional_store(MemoryUnit& unit, const MemoryBatch& batch);

  // Items that refer to the addresses. Gives back whether all are words of shared memory and none
  // is the sink, so that nobody has to look at each.
  bool prepare_references(const MemoryBatch& batch, const Word* addresses, IssueItem flags) const;
  void check(const MemoryBatch& batch, std::size_t i, Word address) const;
  // The word that a prepared reference of a fiber reads; the sink is 0.
  Word load_word(const MemoryBatch& batch, std::size_t i, Word address, bool plain) const {
    if (!plain) {
      if (address == kSinkAddress) {
        batch.items[i] = kNoReference;
        return 0;
      }
      check(batch, i, address);
    }
    return memory_.at(address);
  }
  static std::size_t look_up(MemoryUnit& unit, const MemoryBatch& batch, const Word* addresses,
                             ReferenceKind kind, bool run);
  // Every fiber's value to its address.
  void write(MemoryUnit& unit, const MemoryBatch& batch, const Word* addresses, const Word* values);
  void finish_prefixes(MemoryUnit& unit, const MemoryBatch& batch, Word* prefixes);
  static std::uint64_t key_of(const MemoryBatch& batch, Word address, ReferenceKind kind) {
    // Reads and writes of all flows are the same references; what is reduced is each flow's own.
    const bool own = kind == ReferenceKind::kMulti || kind == ReferenceKind::kPrefix;
    return StepCache::key_of(address, kind, own ? batch.work->flow->id : 0);
  }
  std::uint32_t multi_entry(MemoryUnit& unit, FlowEntries& flow, const MemoryBatch& batch,
                            std::size_t i, Word target);
  ScratchEntry& prefix_entry(MemoryUnit& unit, FlowEntries& flow, const MemoryBatch& batch,
                             std::size_t i, Word target);
  Word offset(FlowEntries& flow, const MemoryBatch& batch, std::size_t i, Word target) const;

  const TpaParameters& parameters_;
  WordMemory& memory_;
  StoreLog& log_;
  ModuleMap modules_;
};

}  // namespace raddle::machine::tpa
