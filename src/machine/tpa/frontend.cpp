#include "machine/tpa/frontend.h"

#include <fmt/format.h>

#include <utility>

namespace raddle::machine::tpa {

using kernel::exec::FaultKind;

namespace {

constexpr std::uint64_t kLookInterval = 1 << 14;  // lines
constexpr Word kMaxThickness = Word{1} << 40;

}  // namespace

Frontend::Frontend(std::uint32_t number, const TpaParameters& parameters,
                   const std::vector<DecodedLine>& program, WordMemory& local, WordMemory& shared)
    : number_(number),
      parameters_(parameters),
      program_(program),
      local_(local),
      shared_(shared),
      caches_(parameters_.front) {
  if (parameters.front.warm_instructions) caches_.warm(program.size());
}

void Frontend::add(FrontCause cause, Cycle cycles) {
  if (cycles == Cycle(0)) return;
  clock_ += cycles;
  if (!events_.empty() && events_.back().kind == FrontEvent::Kind::kCycles &&
      events_.back().cause == cause) {
    events_.back().cycles += cycles;
  } else {
    events_.push_back({FrontEvent::Kind::kCycles, cause, cycles, 0, 0});
  }
}

Word Frontend::value(const Operand& operand, const Flow& flow, const Values& values) const {
  switch (operand.source) {
    case Source::kConstant: return static_cast<Word>(operand.constant);
    case Source::kSlot: return values.slots[operand.number];
    case Source::kFrontRegister: return flow.registers[operand.number];
    case Source::kFrontAlu: return values.alus[operand.number];
    default: return values.memory;
  }
}

void Frontend::run_alus(const DecodedLine& line, const Flow& flow, Values& values,
                        bool before_memory) {
  for (const AluCommand& command : line.front_alus) {
    if ((command.unit < kFrontAlusBeforeMemory) != before_memory) continue;
    const Word a = value(command.operands[0], flow, values);
    const std::uint32_t operands = operands_of(command.operation);
    const Word b = operands > 1 ? value(command.operands[1], flow, values) : 0;
    const Word c = operands > 2 ? value(command.operands[2], flow, values) : 0;
    if (divides_by_zero(command.operation, b))
      throw MachineFault{FaultKind::kTrap, "division by zero, by the frontend"};
    values.alus[command.unit] = alu_result(command.operation, a, b, c);
    ++stats_.alu_operations;
  }
}

void Frontend::check_shared(Word address) const {
  if (shared_.holds(address)) return;
  throw MachineFault{address % kWordBytes != 0 ? FaultKind::kMisaligned : FaultKind::kOutOfBounds,
                     shared_.fault_text(address, "shared memory") + ", by the frontend"};
}

void Frontend::run_memory(const DecodedLine& line, Flow& flow, Values& values,
                          FrontOutcome& outcome) {
  if (!line.front_memory) return;
  const Subinstruction& part = *line.front_memory;
  const auto operation = static_cast<LocalOperation>(part.operation);
  const auto operand = [&](std::size_t i) { return value(part.operands[i], flow, values); };
  const auto local = [&](Word address) -> Word& {
    if (!local_.holds(address))
      throw MachineFault{
          address % kWordBytes != 0 ? FaultKind::kMisaligned : FaultKind::kOutOfBounds,
          local_.fault_text(address, "frontend memory")};
    add(FrontCause::kData, caches_.access(Address(address), clock_));
    return local_.at(address);
  };
  switch (operation) {
    case LocalOperation::kLoad: values.memory = local(operand(0)); break;
    case LocalOperation::kStore: local(operand(1)) = operand(0); break;
    case LocalOperation::kLoadShared:
      check_shared(operand(0));
      events_.push_back({FrontEvent::Kind::kAwaitSteps, FrontCause::kShared, {}, waves_, 0});
      add(FrontCause::kShared, parameters_.front.shared_read_cycles);
      values.memory = operand(0) == kSinkAddress ? 0 : shared_.at(operand(0));
      break;
    case LocalOperation::kStoreShared:
      check_shared(operand(1));
      if (operand(1) != kSinkAddress) outcome.stores.push_back({operand(1), operand(0)});
      add(FrontCause::kShared, parameters_.front.shared_write_cycles);
      break;
    case LocalOperation::kReceive: {
      if (flow.returned.empty())
        throw MachineFault{FaultKind::kDeadlock,
                           "LRCV waits on the return channel, and no RPL is pending"};
      const ReturnedValue returned = flow.returned.front();
      flow.returned.pop_front();
      values.memory = returned.value;
      events_.push_back(
          {FrontEvent::Kind::kReceive, FrontCause::kIssued, {}, returned.work, returned.backend});
      break;
    }
  }
}

void Frontend::write_registers(const DecodedLine& line, Flow& flow, const Values& values) {
  std::array<Word, kMaxWrites> written{};
  for (std::size_t i = 0; i < line.front_writes.size(); ++i)
    written[i] = value(line.front_writes[i].value, flow, values);
  for (std::size_t i = 0; i < line.front_writes.size(); ++i)
    flow.registers[line.front_writes[i].number] = written[i];
  stats_.register_writes += line.front_writes.size();
  const Word thickness = flow.registers[kThicknessRegister];
  if (thickness > kMaxThickness)
    throw MachineFault{FaultKind::kTrap, fmt::format("thickness {} is out of range",
                                                     static_cast<std::int64_t>(thickness))};
  if (flow.registers[kMappingRegister] > 1)
    throw MachineFault{FaultKind::kTrap, fmt::format("unknown mapping {}; 0 is stacked, 1 "
                                                     "interleaved",
                                                     flow.registers[kMappingRegister])};
}

bool Frontend::run_control(const DecodedLine& line, Flow& flow, const Values& values,
                           FrontOutcome& outcome) {
  if (!line.control) return false;
  const Subinstruction& part = *line.control;
  const auto operand = [&](std::size_t i) { return value(part.operands[i], flow, values); };
  const auto jump = [&](Word target) {
    if (target > program_.size())
      throw MachineFault{FaultKind::kTrap,
                         fmt::format("jump target {} is outside the program", target)};
    flow.pc = static_cast<std::uint32_t>(target);
    add(FrontCause::kSwitch, parameters_.front.branch_cycles);
  };
  switch (static_cast<ControlOperation>(part.operation)) {
    case ControlOperation::kJump:
      ++stats_.branches;
      jump(operand(0));
      return false;
    case ControlOperation::kBranchZero:
      ++stats_.branches;
      if (operand(0) == 0) jump(operand(1));
      return false;
    case ControlOperation::kBranchNonZero:
      ++stats_.branches;
      if (operand(0) != 0) jump(operand(1));
      return false;
    case ControlOperation::kCall:
      ++stats_.branches;
      flow.registers[kLinkRegister] = flow.pc;
      jump(operand(0));
      return false;
    case ControlOperation::kJumpTo:
      ++stats_.branches;
      jump(operand(0));
      return false;
    case ControlOperation::kFork: {
      ++stats_.forks;
      const Word thickness = operand(1);
      if (thickness > kMaxThickness)
        throw MachineFault{FaultKind::kTrap, fmt::format("thickness {} is out of range",
                                                         static_cast<std::int64_t>(thickness))};
      outcome.forks.push_back({static_cast<std::uint32_t>(operand(0)), thickness, std::nullopt});
      return false;
    }
    case ControlOperation::kJoin:
      // Children of this very step count, too.
      flow.joining = flow.children + outcome.forks.size() != 0;
      outcome.end = FlowEnd::kJoining;
      return flow.joining;
    case ControlOperation::kExit: outcome.end = FlowEnd::kEnded; return true;
    case ControlOperation::kHalt: outcome.end = FlowEnd::kHalted; return true;
  }
  return false;
}

void Frontend::check_operation(const DecodedLine& line) const {
  if (!line.memory) return;
  const MemoryOperation operation = line.memory->operation;
  if (operation == MemoryOperation::kLoad || operation == MemoryOperation::kStore) return;
  const std::string name =
      mnemonic_of(Unit::kMemory, static_cast<std::uint8_t>(operation), line.memory->op).text;
  if (!parameters_.multioperations)
    throw MachineFault{
        FaultKind::kUnsupported,
        fmt::format("{} has no multioperations, so {} is unavailable (use loads and stores)",
                    parameters_.name, name)};
  const bool simple =
      operation == MemoryOperation::kMulti || operation == MemoryOperation::kPrefix ||
      operation == MemoryOperation::kBeginSymmetric || operation == MemoryOperation::kEndSymmetric;
  if (!parameters_.optimised && !simple)
    throw MachineFault{FaultKind::kUnsupported,
                       fmt::format("{} has only fast and symmetric two-phase multioperations, so "
                                   "{} is unavailable (use FS, S2 or FMP)",
                                   parameters_.name, name)};
}

std::unique_ptr<Work> Frontend::make_work(const DecodedLine& line, Flow& flow, const Values& values,
                                          std::uint64_t number) const {
  check_operation(line);
  for (const std::uint8_t read : line.reads) {
    if (read >= flow.fiber_registers)
      throw MachineFault{FaultKind::kTrap,
                         fmt::format("RD{}, but fibers have {} registers (RT{})", read,
                                     flow.fiber_registers, flow.fiber_registers)};
  }
  for (const RegisterWrite& write : line.writes) {
    if (write.number >= flow.fiber_registers)
      throw MachineFault{FaultKind::kTrap,
                         fmt::format("WB{}, but fibers have {} registers (RT{})", write.number,
                                     flow.fiber_registers, flow.fiber_registers)};
  }
  auto work = std::make_unique<Work>();
  work->number = number;
  work->line = &line;
  work->flow = &flow;
  work->thickness = flow.registers[kThicknessRegister];
  work->interleaved = flow.registers[kMappingRegister] == 1;
  work->fiber_registers = flow.fiber_registers;
  work->backends = parameters_.backends_of_frontend();
  work->first_backend = number_ * work->backends;
  work->slots = values.slots;
  if (line.memory && work->interleaved && needs_scratchpad(line.memory->operation))
    throw MachineFault{FaultKind::kTrap,
                       "multioperations and multiprefixes by scratchpads need the stacked mapping "
                       "(LWB34 0), but fibers are interleaved"};
  return work;
}

FrontOutcome Frontend::run(Flow& flow, std::uint64_t& next_work, Cycle limit,
                           const std::function<void(Cycle)>& look) {
  FrontOutcome outcome;
  const bool fixed = parameters_.is_fixed();
  for (;;) {
    if (++lines_since_look_ == kLookInterval || clock_ > limit) {
      lines_since_look_ = 0;
      look(clock_);
    }
    if (flow.pc >= program_.size()) {
      outcome.end = FlowEnd::kEnded;
      return outcome;
    }
    const DecodedLine& line = program_[flow.pc];
    current_ = outcome.line = &line;
    add(FrontCause::kInstructions, caches_.fetch(flow.pc, clock_));
    ++flow.pc;
    ++stats_.lines;
    Values values;
    for (const Subinstruction& slot : line.slots)
      values.slots[slot.number] = value(slot.operands[0], flow, values);
    run_alus(line, flow, values, true);
    run_memory(line, flow, values, outcome);
    run_alus(line, flow, values, false);
    if (line.registers != 0) flow.fiber_registers = line.registers;
    // All units look at registers as they were before the line.
    for (const Subinstruction& slot : line.slots)
      values.slots[slot.number] = value(slot.operands[0], flow, values);
    const bool ends = run_control(line, flow, values, outcome);
    write_registers(line, flow, values);
    add(FrontCause::kIssued, Cycle(1) + line.front_delay);
    if (!outcome.forks.empty() && !outcome.forks.back().registers)
      outcome.forks.back().registers = flow.registers;
    if (line.has_backend) {
      outcome.work = make_work(line, flow, values, next_work++);
      events_.push_back(
          {FrontEvent::Kind::kSend, FrontCause::kIssued, {}, outcome.work->number, 0});
    }
    if (ends) return outcome;
    if (line.switches || fixed) {
      outcome.end = FlowEnd::kSwitched;
      return outcome;
    }
  }
}

}  // namespace raddle::machine::tpa
