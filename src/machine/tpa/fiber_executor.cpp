#include "machine/tpa/fiber_executor.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/host_versions.h"
#include "machine/tpa/word_arithmetic.h"

namespace raddle::machine::tpa {

using kernel::exec::FaultKind;

namespace {

// One loop for each operation, so that the compiler can make vectors of it.
RADDLE_HOST_VERSIONS void run_alu(AluOperation operation, const Word* x, const Word* y,
                                  const Word* z, Word* out, std::size_t count) {
  switch (operation) {
#define RADDLE_TPA_ALU(enumerator, text, operands, expression, sentence) \
  case AluOperation::enumerator:                                         \
    for (std::size_t i = 0; i < count; ++i) {                            \
      const Word a = x[i];                                               \
      const Word b = y[i];                                               \
      const Word c = z[i];                                               \
      [[maybe_unused]] const auto sa = static_cast<std::int64_t>(a);     \
      [[maybe_unused]] const auto sb = static_cast<std::int64_t>(b);     \
      static_cast<void>(c);                                              \
      out[i] = expression;                                               \
    }                                                                    \
    break;
#define RADDLE_TPA_FLOAT(enumerator, text, operands, unit, expression, sentence) \
  case AluOperation::enumerator:                                                 \
    for (std::size_t i = 0; i < count; ++i) {                                    \
      const Word a = x[i];                                                       \
      const Word b = y[i];                                                       \
      const Word c = z[i];                                                       \
      [[maybe_unused]] const auto sa = static_cast<std::int64_t>(a);             \
      [[maybe_unused]] const double da = as_double(a);                           \
      [[maybe_unused]] const double db = as_double(b);                           \
      [[maybe_unused]] const double dc = as_double(c);                           \
      [[maybe_unused]] const float fa = as_single(a);                            \
      [[maybe_unused]] const float fb = as_single(b);                            \
      [[maybe_unused]] const float fc = as_single(c);                            \
      out[i] = expression;                                                       \
    }                                                                            \
    break;
#include "machine/tpa/isa.def"
    case AluOperation::kCount: break;
  }
}

}  // namespace

void FiberExecutor::set_slots(const Work& work) {
  if (slots_of_ == work.number) return;
  slots_of_ = work.number;
  for (const Subinstruction& slot : work.line->slots)
    columns_->slots[slot.number].fill(work.slots[slot.number]);
}

const Word* FiberExecutor::column(const Operand& operand) const {
  switch (operand.source) {
    case Source::kSlot: return columns_->slots[operand.number].data();
    case Source::kAlu: return columns_->alus[operand.number].data();
    case Source::kMemory: return columns_->memory[operand.number].data();
    case Source::kFiberRegister:
      return columns_->registers[register_column_[operand.number]].data();
    default: return columns_->fiber_ids.data();
  }
}

ZeroedWords& FiberExecutor::block_of(const Work& work, const FiberRange& fibers,
                                     std::uint32_t backend) {
  ZeroedWords& block = work.flow->blocks[backend - work.first_backend];
  const bool used =
      !work.line->reads.empty() || !work.line->writes.empty() || work.line->mask.has_value();
  const std::size_t needed = fibers.count * work.fiber_registers;
  if (used && !block.grow(needed))
    throw Error(fmt::format("cannot allocate {} bytes of fiber registers", needed * kWordBytes), {},
                "use thinner flows");
  return block;
}

void FiberExecutor::read_operands(const Work& work, const FiberRange& fibers, ZeroedWords& block,
                                  Word first, std::size_t count) {
  Word* const ids = columns_->fiber_ids.data();
  const Word start = fibers.first + first * fibers.stride;
  Word id = start;
  for (std::size_t i = 0; i < count; ++i, id += fibers.stride) ids[i] = id;
  const std::size_t k = work.fiber_registers;
  for (std::size_t r = 0; r < work.line->reads.size(); ++r) {
    const std::uint8_t number = work.line->reads[r];
    register_column_[number] = static_cast<std::uint8_t>(r);
    Word* const out = columns_->registers[r].data();
    const Word* const in = &block[first * k + number];
    if (k == 1) {
      std::copy_n(in, count, out);
    } else {
      for (std::size_t i = 0; i < count; ++i) out[i] = in[i * k];
    }
  }
}

void FiberExecutor::run(const std::vector<AluCommand>& commands, const FiberRange& fibers,
                        Word first, std::size_t count) {
  for (const AluCommand& command : commands) {
    const Word* const x = column(command.operands[0]);
    const std::uint32_t operands = operands_of(command.operation);
    const Word* const y = operands > 1 ? column(command.operands[1]) : x;
    const Word* const z = operands > 2 ? column(command.operands[2]) : x;
    if (command.operation == AluOperation::kDiv || command.operation == AluOperation::kMod) {
      const Word* const zero = std::find(y, y + count, Word{0});
      if (zero != y + count)
        throw MachineFault{
            FaultKind::kTrap,
            fmt::format("fiber {}: division by zero",
                        fibers.first + (first + static_cast<Word>(zero - y)) * fibers.stride)};
    }
    run_alu(command.operation, x, y, z, columns_->alus[command.unit].data(), count);
    stats_.alu[static_cast<std::size_t>(command.operation)] += count;
  }
}

void FiberExecutor::write_back(Work& work, const FiberRange& fibers, ZeroedWords& block, Word first,
                               std::size_t count) {
  const std::size_t k = work.fiber_registers;
  for (const RegisterWrite& write : work.line->writes) {
    const Word* const in = column(write.value);
    Word* const out = &block[first * k + write.number];
    if (k == 1) {
      std::copy_n(in, count, out);
    } else {
      for (std::size_t i = 0; i < count; ++i) out[i * k] = in[i];
    }
  }
  if (work.line->reply && first == 0 && fibers.first == 0)
    work.reply = column(*work.line->reply)[0];
}

MemoryBatch FiberExecutor::memory_batch(const Work& work, const FiberRange& fibers, Word first,
                                        std::size_t count) {
  MemoryBatch batch;
  batch.work = &work;
  batch.first_fiber = fibers.first + first * fibers.stride;
  batch.stride = fibers.stride;
  batch.count = count;
  const MemoryCommand& command = *work.line->memory;
  for (std::size_t i = 0; i < kMaxOperands && command.operands[i].source != Source::kNone; ++i)
    batch.operands[i] = column(command.operands[i]);
  batch.result = columns_->memory[0].data();
  batch.condition = columns_->memory[1].data();
  return batch;
}

// A block's last lines write the register that its first line is asked about.
std::uint64_t FiberExecutor::count_masked(Work& work, std::uint32_t backend,
                                          const FiberRange& fibers, const ZeroedWords& block,
                                          Word first, Word count) {
  if (!work.line->mask) return 0;
  std::vector<std::uint8_t>& masked = work.flow->masked[backend - work.first_backend];
  if (work.line->mask->begins) {
    masked.resize(fibers.count);
    for (Word i = first; i < first + count; ++i)
      masked[i] = block[i * work.fiber_registers] == work.line->mask->block ? 0 : 1;
  }
  const auto begin = masked.begin() + static_cast<std::ptrdiff_t>(first);
  return static_cast<std::uint64_t>(
      std::count(begin, begin + static_cast<std::ptrdiff_t>(count), 1));
}

std::uint64_t FiberExecutor::execute(Work& work, MemoryUnit& unit, Word first, Word count,
                                     IssueStream& stream) {
  const FiberRange fibers = work.fibers_of(unit.backend);
  ZeroedWords& block = block_of(work, fibers, unit.backend);
  set_slots(work);
  const std::uint64_t masked = count_masked(work, unit.backend, fibers, block, first, count);
  const bool deferred = work.has_memory() && work.operation() == MemoryOperation::kPrefix;
  stats_.fibers += count;
  stats_.register_reads += count * work.line->reads.size();
  stats_.register_writes += count * work.line->writes.size();
  for (Word done = 0; done < count;) {
    const std::size_t n = std::min<Word>(kBatch, count - done);
    read_operands(work, fibers, block, first + done, n);
    run(work.line->before, fibers, first + done, n);
    if (work.has_memory()) {
      MemoryBatch batch = memory_batch(work, fibers, first + done, n);
      batch.items = stream.extend(n);
      memory_.execute(unit, batch);
    } else {
      stream.push(kNoReference, n);
    }
    if (!deferred) {
      run(work.line->after, fibers, first + done, n);
      write_back(work, fibers, block, first + done, n);
    }
    done += n;
  }
  return masked;
}

void FiberExecutor::finish_prefixes(Work& work, MemoryUnit& unit, std::size_t base) {
  const FiberRange fibers = work.fibers_of(unit.backend);
  ZeroedWords& block = block_of(work, fibers, unit.backend);
  set_slots(work);
  for (Word done = 0; done < fibers.count;) {
    const std::size_t n = std::min<Word>(kBatch, fibers.count - done);
    read_operands(work, fibers, block, done, n);
    const ExecutionStats before = stats_;  // these operations were counted when they came first
    run(work.line->before, fibers, done, n);
    stats_ = before;
    std::copy_n(unit.pending.values.begin() + static_cast<std::ptrdiff_t>(base + done), n,
                columns_->memory[0].begin());
    run(work.line->after, fibers, done, n);
    write_back(work, fibers, block, done, n);
    done += n;
  }
}

}  // namespace raddle::machine::tpa
