// Executes backend instructions for many fibers at once: a column of words for each result of the
// chain, one loop an operation. What fibers refer to goes into their backend's issue stream; when
// they do is up to the backend.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "machine/tpa/flow.h"
#include "machine/tpa/memory_stage.h"

namespace raddle::machine::tpa {

struct ExecutionStats {
  std::array<std::uint64_t, static_cast<std::size_t>(AluOperation::kCount)> alu{};
  std::uint64_t register_reads = 0;
  std::uint64_t register_writes = 0;
  std::uint64_t fibers = 0;
};

class FiberExecutor {
 public:
  static constexpr std::size_t kBatch = MemoryBatch::kMaxFibers;

  explicit FiberExecutor(MemoryStage& memory) : memory_(memory), columns_(new Columns) {}

  // Executes `count` fibers of the backend's part of the work, from its `first`-th on, and appends
  // an item for each to the stream. Returns how many of them are masked. Throws MachineFault.
  std::uint64_t execute(Work& work, MemoryUnit& unit, Word first, Word count, IssueStream& stream);

  // The second half of a fast multiprefix, when the modules have answered; its results lie in the
  // unit's pending ones from `base` on.
  void finish_prefixes(Work& work, MemoryUnit& unit, std::size_t base);

  const ExecutionStats& stats() const { return stats_; }

 private:
  using Column = std::array<Word, kBatch>;
  struct Columns {
    std::array<Column, kSlots> slots;
    std::array<Column, kAlus> alus;
    std::array<Column, kMaxReads> registers;
    std::array<Column, 2> memory;
    Column fiber_ids;
  };

  void set_slots(const Work& work);
  void read_operands(const Work& work, const FiberRange& fibers, ZeroedWords& block, Word first,
                     std::size_t count);
  void run(const std::vector<AluCommand>& commands, const FiberRange& fibers, Word first,
           std::size_t count);
  void write_back(Work& work, const FiberRange& fibers, ZeroedWords& block, Word first,
                  std::size_t count);
  const Word* column(const Operand& operand) const;
  static std::uint64_t count_masked(Work& work, std::uint32_t backend, const FiberRange& fibers,
                                    const ZeroedWords& block, Word first, Word count);
  MemoryBatch memory_batch(const Work& work, const FiberRange& fibers, Word first,
                           std::size_t count);
  ZeroedWords& block_of(const Work& work, const FiberRange& fibers, std::uint32_t backend);

  MemoryStage& memory_;
  std::unique_ptr<Columns> columns_;
  std::array<std::uint8_t, kMaxFiberRegisters> register_column_{};
  std::uint64_t slots_of_ = ~std::uint64_t{0};  // whose slots are in the columns
  ExecutionStats stats_;
};

}  // namespace raddle::machine::tpa
