#include "machine/simt/issue_table.h"

#include <algorithm>

#include "kernel/analysis/register_allocation.h"
#include "kernel/matrix_shape.h"

namespace raddle::machine::simt {

namespace {

using kernel::Instruction;
using kernel::Opcode;
using kernel::Operand;
using kernel::Space;
using kernel::Type;

enum class Domain : std::uint8_t { kInteger, kFloat, kDouble };

Domain domain_of(const Instruction& i) {
  if (i.type == Type::kF64) return Domain::kDouble;
  return kernel::is_float(i.type) ? Domain::kFloat : Domain::kInteger;
}

Operation pick(Domain domain, Operation integer) {
  // The three families stand in the same order.
  constexpr auto kFamily = static_cast<int>(Operation::kFloatAdd);
  return static_cast<Operation>(static_cast<int>(integer) + kFamily * static_cast<int>(domain));
}

Operation operation_of(const Instruction& i) {
  const Domain domain = domain_of(i);
  switch (i.opcode) {
    case Opcode::kAdd:
    case Opcode::kSub: return pick(domain, Operation::kIntegerAdd);
    case Opcode::kMin:
    case Opcode::kMax: return pick(domain, Operation::kIntegerMax);
    case Opcode::kMul:
    case Opcode::kMul24: return pick(domain, Operation::kIntegerMultiply);
    case Opcode::kMad:
    case Opcode::kMad24:
    case Opcode::kSad:
    case Opcode::kDp4a:
    case Opcode::kDp2a:
    case Opcode::kFma: return pick(domain, Operation::kIntegerMad);
    case Opcode::kDiv:
    case Opcode::kRem: return pick(domain, Operation::kIntegerDivide);
    case Opcode::kShfl:
    case Opcode::kMatch:
    case Opcode::kRedux:
    case Opcode::kMovMatrix: return Operation::kShuffle;
    case Opcode::kMma: return Operation::kMatrix;
    default: break;
  }
  // Roots and reciprocals of doubles as well: approximations that arithmetic refines.
  return kernel::group_of(i.opcode) == kernel::OpcodeGroup::kSpecial ? Operation::kSpecial
                                                                     : Operation::kSimple;
}

// Fermi has no units of their own for the arithmetic of doubles: it runs on the SFU (SM2_GTX480 of
// GPGPU-Sim says the same), as do divisions. Doubles are converted, compared and moved as anything
// else is.
Unit unit_of(Operation operation) {
  switch (operation) {
    case Operation::kIntegerDivide:
    case Operation::kFloatDivide:
    case Operation::kSpecial:
    case Operation::kDoubleAdd:
    case Operation::kDoubleMax:
    case Operation::kDoubleMultiply:
    case Operation::kDoubleMad:
    case Operation::kDoubleDivide: return Unit::kSfu;
    default: return Unit::kSp;
  }
}

MemoryPath path_of(const Instruction& i, bool in_kernel) {
  switch (kernel::group_of(i.opcode)) {
    case kernel::OpcodeGroup::kTexture:
      return i.opcode == Opcode::kTxq ? MemoryPath::kNone : MemoryPath::kTexture;
    case kernel::OpcodeGroup::kMemory: break;
    default: return MemoryPath::kNone;
  }
  if (i.opcode == Opcode::kFence || i.opcode == Opcode::kCpAsyncWait ||
      i.opcode == Opcode::kPrefetch)
    return MemoryPath::kNone;
  switch (i.space) {
    case Space::kShared:
      return i.opcode == Opcode::kCpAsync ? MemoryPath::kData : MemoryPath::kShared;
    case Space::kConst: return MemoryPath::kConstant;
    // Parameters of calls are in registers, those of a kernel in constant memory.
    case Space::kParam:
      return in_kernel && i.opcode == Opcode::kLd && i.sources[0].kind == Operand::Kind::kSymbol &&
                     i.sources[0].symbol == kernel::SymbolKind::kParameter
                 ? MemoryPath::kConstant
                 : MemoryPath::kNone;
    default: return MemoryPath::kData;
  }
}

bool calls_device_library(const kernel::exec::DecodedKernel& kernel,
                          const kernel::exec::DecodedInstruction& d) {
  if (d.handler != kernel::exec::Handler::kCall) return false;
  const Operand& callee = d.ir->sources[0];
  if (callee.kind != Operand::Kind::kSymbol) return false;  // through a pointer: never the library
  return d.number < kernel.call_targets.size() &&
         kernel.call_targets[d.number].system != kernel::SystemFunction::kNone;
}

// The registers of one function as the scoreboard and the banks know them.
class FunctionRegisters {
 public:
  FunctionRegisters(const kernel::Function& function, const kernel::RegisterLimits& limits,
                    std::uint32_t first_entry)
      : function_(function),
        allocation_(kernel::allocate_registers(function, limits)),
        first_(first_entry),
        entry_(function.registers.size(), kernel::kNoId) {
    next_ = first_ + allocation_.registers_used + 8;
  }

  std::uint32_t registers_per_thread() const { return allocation_.registers_per_thread; }
  std::uint32_t end() const { return next_; }

  bool is_predicate(kernel::RegisterId id) const {
    return function_.registers[id].type == Type::kPred;
  }
  bool is_wide(kernel::RegisterId id) const {
    return kernel::size_of(function_.registers[id].type) == 8 && !allocation_.narrow[id];
  }
  // In the register file; constants and predicates are not.
  bool in_file(kernel::RegisterId id) const {
    return !is_predicate(id) && allocation_.physical[id] != kernel::kNoId;
  }
  std::uint32_t physical(kernel::RegisterId id) const { return allocation_.physical[id]; }

  std::uint16_t scoreboard_entry(kernel::RegisterId id) {
    if (entry_[id] == kernel::kNoId) {
      const std::uint32_t physical = allocation_.physical[id];
      if (physical == kernel::kNoId) {
        entry_[id] = next_++;  // a constant or a spilled value
      } else if (is_predicate(id)) {
        entry_[id] = first_ + allocation_.registers_used + physical % 8;
      } else {
        entry_[id] = first_ + physical;
      }
    }
    return static_cast<std::uint16_t>(entry_[id]);
  }

 private:
  const kernel::Function& function_;
  kernel::RegisterAllocation allocation_;
  std::uint32_t first_;
  std::uint32_t next_;
  std::vector<std::uint32_t> entry_;
};

void add_use(IssueInfo& info, std::uint16_t entry) {
  const auto end = info.uses.begin() + info.use_count;
  if (info.use_count < IssueInfo::kMaxUses && std::find(info.uses.begin(), end, entry) == end)
    info.uses[info.use_count++] = entry;
}

// A register that is an operand twice is read once.
void add_read(IssueInfo& info, std::uint8_t physical) {
  const auto end = info.read_registers.begin() + info.read_count;
  if (info.read_count < IssueInfo::kMaxReads &&
      std::find(info.read_registers.begin(), end, physical) == end)
    info.read_registers[info.read_count++] = physical;
}

void add_operands(const Instruction& i, FunctionRegisters& registers, IssueInfo& info) {
  const auto read = [&](kernel::RegisterId id) {
    add_use(info, registers.scoreboard_entry(id));
    if (!registers.in_file(id)) return;
    for (std::uint32_t half = 0; half < (registers.is_wide(id) ? 2u : 1u); ++half)
      add_read(info, static_cast<std::uint8_t>(registers.physical(id) + half));
  };
  for (const Operand& source : i.sources) {
    if (source.is_register()) read(source.index);
  }
  if (i.guard.present()) add_use(info, registers.scoreboard_entry(i.guard.predicate));
  for (const Operand& destination : i.destinations) {
    if (!destination.is_register() || info.write_count == IssueInfo::kMaxWrites) continue;
    const std::uint16_t entry = registers.scoreboard_entry(destination.index);
    add_use(info, entry);
    info.writes[info.write_count++] = entry;
    if (!registers.in_file(destination.index)) continue;
    for (std::uint32_t half = 0; half < (registers.is_wide(destination.index) ? 2u : 1u); ++half)
      info.write_registers[info.write_bank_count++] =
          static_cast<std::uint8_t>(registers.physical(destination.index) + half);
  }
}

// The table's figure is for 2,048 multiply-adds, as m16n8k16 has.
ShortCycle matrix_interval(const Instruction& i, const OperationTiming& timing) {
  constexpr std::uint64_t kProducts = 2048;
  const kernel::MatrixShape shape = kernel::shape_of(i.mode);
  const int in_all = shape.m * shape.n * shape.k;
  const auto products = static_cast<std::uint64_t>(in_all);
  const std::uint64_t cycles = (timing.interval.count() * products + kProducts - 1) / kProducts;
  return ShortCycle(static_cast<std::uint32_t>(std::max<std::uint64_t>(1, cycles)));
}

IssueInfo describe(const kernel::exec::DecodedKernel& kernel,
                   const kernel::exec::DecodedFunction& function,
                   const kernel::exec::DecodedInstruction& d, FunctionRegisters& registers,
                   const CoreParameters& parameters) {
  const Instruction& i = *d.ir;
  IssueInfo info;
  info.instruction = &d;
  add_operands(i, registers, info);
  const Operation operation = operation_of(i);
  const OperationTiming& timing = parameters.timing[static_cast<std::size_t>(operation)];
  info.unit = unit_of(operation);
  info.latency = ShortCycle(static_cast<std::uint32_t>(timing.latency.count()));
  info.interval = ShortCycle(static_cast<std::uint32_t>(timing.interval.count()));
  if (operation == Operation::kMatrix) info.interval = matrix_interval(i, timing);
  info.path = path_of(i, function.ir->is_entry);
  if (info.path != MemoryPath::kNone) info.unit = Unit::kMemory;
  info.is_fence = i.opcode == Opcode::kFence || i.opcode == Opcode::kCpAsyncWait;
  info.is_barrier = d.handler == kernel::exec::Handler::kBarrier;
  info.is_branch = d.handler == kernel::exec::Handler::kBranch ||
                   d.handler == kernel::exec::Handler::kIndexedBranch;
  info.ends_threads = i.opcode == Opcode::kExit || i.opcode == Opcode::kRet;
  info.is_atomic = i.opcode == Opcode::kAtom;
  info.is_store = i.opcode == Opcode::kSt || i.opcode == Opcode::kSust ||
                  i.opcode == Opcode::kStMatrix || (info.is_atomic && info.write_count == 0);
  info.sleeps = i.opcode == Opcode::kNanosleep;
  info.past_l1 =
      info.path == MemoryPath::kData && (info.is_atomic || i.order != kernel::MemoryOrder::kWeak);
  const bool touches_others = info.path == MemoryPath::kData || i.opcode == Opcode::kSust;
  info.is_ordered = (touches_others && (info.is_atomic || d.polls || i.opcode == Opcode::kSust ||
                                        i.opcode == Opcode::kCpAsync)) ||
                    calls_device_library(kernel, d);
  return info;
}

}  // namespace

IssueTable::IssueTable(const kernel::exec::DecodedKernel& kernel,
                       const CoreParameters& parameters) {
  kernel::RegisterLimits limits =
      kernel::launch_bounds_limits(*kernel.entry().ir, {.registers = parameters.registers,
                                                        .unit = parameters.register_unit,
                                                        .warp_size = kernel::exec::kLanes});
  limits.as_compiled = parameters.registers_as_compiled;
  for (const auto& function : kernel.functions) {
    bases_.push_back(static_cast<std::uint32_t>(infos_.size()));
    FunctionRegisters registers(*function->ir, limits, scoreboard_entries_);
    for (const kernel::exec::DecodedInstruction& d : function->code)
      infos_.push_back(describe(kernel, *function, d, registers, parameters));
    scoreboard_entries_ = registers.end();
    registers_per_thread_ = std::max(registers_per_thread_, registers.registers_per_thread());
  }
}

std::size_t IssueTable::function_of(std::size_t index) const {
  const auto after = std::upper_bound(bases_.begin(), bases_.end(), index);
  return static_cast<std::size_t>(after - bases_.begin()) - 1;
}

}  // namespace raddle::machine::simt
