#include "ddm/plugin/block_cost.h"

#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "ddm/recording/recording.h"

namespace raddle::ddm::plugin {
namespace {

using recording::kTicksPerCycle;

constexpr std::uint64_t kRenamedPerCycle = 3;

struct Cost {
  std::uint64_t latency = 0;
  std::uint64_t interval = 0;
};

namespace costs {
#define RADDLE_COST(name, latency, interval) constexpr Cost name{latency, interval};
#define RADDLE_LIBRARY_COST(name, cycles)
#include "ddm/plugin/instruction_costs.def"
#undef RADDLE_COST
#undef RADDLE_LIBRARY_COST
}  // namespace costs

struct LibraryCost {
  llvm::StringRef name;
  std::uint64_t cycles;
};

const auto kLibraryCosts = std::to_array<LibraryCost>({
#define RADDLE_COST(name, latency, interval)
#define RADDLE_LIBRARY_COST(name, cycles) {#name, cycles},
#include "ddm/plugin/instruction_costs.def"
#undef RADDLE_COST
#undef RADDLE_LIBRARY_COST
});

// Execution units that can be a block's bottleneck.
enum Unit { kNone, kLoads, kStores, kIntegers, kFloats, kDivider, kUnits };
constexpr std::array<std::uint64_t, kUnits> kCopies = {1, 1, 1, 2, 1, 1};

struct Operation {
  Cost cost;
  Unit unit = kNone;
  std::uint64_t instructions = 1;
};

std::optional<std::uint64_t> library_cycles(llvm::StringRef name) {
  for (const LibraryCost& entry : kLibraryCosts) {
    if (name == entry.name) return entry.cycles;
    if (name.size() == entry.name.size() + 1 && name.starts_with(entry.name) &&
        name.back() == 'f') {
      return entry.cycles;
    }
  }
  return std::nullopt;
}

Operation of_cycles(std::uint64_t cycles) { return {{cycles, cycles}, kDivider}; }

Operation operation_of(const llvm::IntrinsicInst& call) {
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::sqrt: return {costs::float_root, kDivider};
    case llvm::Intrinsic::sin: return of_cycles(*library_cycles("sin"));
    case llvm::Intrinsic::cos: return of_cycles(*library_cycles("cos"));
    case llvm::Intrinsic::exp: return of_cycles(*library_cycles("exp"));
    case llvm::Intrinsic::log: return of_cycles(*library_cycles("log"));
    case llvm::Intrinsic::pow: return of_cycles(*library_cycles("pow"));
    case llvm::Intrinsic::fmuladd:
    case llvm::Intrinsic::fma:
      return {{costs::float_multiply.latency + costs::float_add.latency,
               costs::float_multiply.interval + costs::float_add.interval},
              kFloats,
              2};
    case llvm::Intrinsic::fabs:
    case llvm::Intrinsic::minnum:
    case llvm::Intrinsic::maxnum:
    case llvm::Intrinsic::floor:
    case llvm::Intrinsic::ceil: return {costs::float_add, kFloats};
    case llvm::Intrinsic::memcpy:
    case llvm::Intrinsic::memmove:
    case llvm::Intrinsic::memset: {
      // Eight bytes a cycle where the length is known, else as a call.
      if (const auto* length = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(2))) {
        const std::uint64_t words = (length->getZExtValue() + 7) / 8;
        return {{words, words}, kStores, 2 * words};
      }
      return {costs::library_call, kStores, 10};
    }
    case llvm::Intrinsic::umin:
    case llvm::Intrinsic::umax:
    case llvm::Intrinsic::smin:
    case llvm::Intrinsic::smax:
    case llvm::Intrinsic::abs:
    case llvm::Intrinsic::ctpop:
    case llvm::Intrinsic::ctlz:
    case llvm::Intrinsic::cttz:
    case llvm::Intrinsic::fshl:
    case llvm::Intrinsic::fshr:
    case llvm::Intrinsic::uadd_with_overflow:
    case llvm::Intrinsic::usub_with_overflow:
    case llvm::Intrinsic::sadd_with_overflow:
    case llvm::Intrinsic::ssub_with_overflow: return {costs::integer, kIntegers, 2};
    case llvm::Intrinsic::umul_with_overflow:
    case llvm::Intrinsic::smul_with_overflow: return {costs::integer_multiply, kIntegers, 2};
    default: return {{0, 0}, kNone, 0};  // markers, assumptions and the like
  }
}

Operation operation_of(const llvm::CallBase& call) {
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
    return operation_of(*intrinsic);
  }
  if (call.isInlineAsm()) return {costs::integer, kIntegers};
  const llvm::Function* callee = call.getCalledFunction();
  if (callee != nullptr && callee->isDeclaration()) {
    if (const auto cycles = library_cycles(callee->getName())) return of_cycles(*cycles);
    return {costs::library_call, kDivider, 10};
  }
  return {costs::call, kNone, 2 + call.arg_size()};
}

// Multiplying an index is part of an address, and so are additions to it: both are free within a
// load or store; a computation of an address on its own is one instruction.
Operation operation_of(const llvm::Instruction& instruction) {
  using llvm::Instruction;
  switch (instruction.getOpcode()) {
    case Instruction::Load: return {costs::load, kLoads};
    case Instruction::Store: return {costs::store, kStores};
    case Instruction::AtomicRMW:
    case Instruction::AtomicCmpXchg: return {{20, 20}, kStores};
    case Instruction::FAdd:
    case Instruction::FSub:
    case Instruction::FNeg:
    case Instruction::FCmp: return {costs::float_add, kFloats};
    case Instruction::SIToFP:
    case Instruction::UIToFP:
    case Instruction::FPToSI:
    case Instruction::FPToUI:
    case Instruction::FPExt:
    case Instruction::FPTrunc: return {costs::float_add, kFloats};
    case Instruction::FMul: return {costs::float_multiply, kFloats};
    case Instruction::FDiv:
    case Instruction::FRem: return {costs::float_divide, kDivider};
    case Instruction::Mul: return {costs::integer_multiply, kIntegers};
    case Instruction::SDiv:
    case Instruction::UDiv:
    case Instruction::SRem:
    case Instruction::URem: return {costs::integer_divide, kDivider};
    case Instruction::PHI:
    case Instruction::BitCast:
    case Instruction::IntToPtr:
    case Instruction::PtrToInt:
    case Instruction::Trunc:
    case Instruction::Freeze:
    case Instruction::ExtractValue:
    case Instruction::InsertValue:
    case Instruction::Alloca:
    case Instruction::Unreachable:
    case Instruction::LandingPad:
    case Instruction::GetElementPtr: return {{0, 0}, kNone, 0};
    case Instruction::Call:
    case Instruction::Invoke: return operation_of(llvm::cast<llvm::CallBase>(instruction));
    case Instruction::Br:
    case Instruction::Switch:
    case Instruction::Ret: return {costs::branch, kNone};
    default: return {costs::integer, kIntegers};
  }
}

// The longest chain of dependences from a value that comes from the round before to the value that
// goes into the next one: zero for a block that is not itself a loop.
std::uint64_t recurrence(const llvm::BasicBlock& block) {
  std::uint64_t longest = 0;
  for (const llvm::PHINode& phi : block.phis()) {
    const int own = phi.getBasicBlockIndex(&block);
    if (own < 0) continue;
    std::map<const llvm::Value*, std::uint64_t> distance{{&phi, 0}};
    for (const llvm::Instruction& instruction : block) {
      if (llvm::isa<llvm::PHINode>(instruction)) continue;
      std::optional<std::uint64_t> latest;
      for (const llvm::Use& operand : instruction.operands()) {
        const auto found = distance.find(operand.get());
        if (found != distance.end()) latest = std::max(latest.value_or(0), found->second);
      }
      if (latest) distance[&instruction] = *latest + operation_of(instruction).cost.latency;
    }
    const auto end = distance.find(phi.getIncomingValue(static_cast<unsigned>(own)));
    if (end != distance.end()) longest = std::max(longest, end->second);
  }
  return longest;
}

}  // namespace

BlockCost cost_of(const llvm::BasicBlock& block) {
  BlockCost cost;
  std::array<std::uint64_t, kUnits> busy{};
  std::uint64_t around_calls = 0;
  for (const llvm::Instruction& instruction : block) {
    const Operation operation = operation_of(instruction);
    cost.instructions += operation.instructions;
    busy[operation.unit] += operation.cost.interval;
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call != nullptr && is_real_call(*call)) around_calls += operation.cost.latency;
  }
  busy[kNone] = 0;  // no unit of their own
  std::uint64_t ticks = cost.instructions * kTicksPerCycle / kRenamedPerCycle;
  for (std::size_t unit = 0; unit < kUnits; ++unit) {
    ticks = std::max(ticks, busy[unit] * kTicksPerCycle / kCopies[unit]);
  }
  cost.ticks = std::max(ticks, recurrence(block) * kTicksPerCycle) + around_calls * kTicksPerCycle;
  return cost;
}

bool is_real_call(const llvm::CallBase& call) {
  if (call.isInlineAsm() || llvm::isa<llvm::IntrinsicInst>(call)) return false;
  const llvm::Function* callee = call.getCalledFunction();
  return callee == nullptr || !library_cycles(callee->getName());
}

}  // namespace raddle::ddm::plugin
