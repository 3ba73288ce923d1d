#include "host/kernel_facts.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "kernel/analysis/register_allocation.h"

namespace raddle::host {
namespace {

using kernel::FunctionRef;
using kernel::Instruction;
using kernel::Operand;
using kernel::SymbolKind;

// Registers are given to warps in units of 256, as on every NVIDIA architecture since Kepler.
constexpr std::uint32_t kRegisterUnit = 256;
constexpr std::uint32_t kSharedUnit = 256;

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

using Key = std::pair<std::uint32_t, std::uint32_t>;

// Follows a kernel into everything it can call and gathers what that needs.
class FactFinder {
 public:
  explicit FactFinder(const kernel::Program& program) : program_(program) {}

  KernelFacts find(FunctionRef entry) {
    visit(entry);
    const kernel::Function& function = program_.function(entry);
    KernelFacts facts;
    facts.registers = registers_;
    facts.local_bytes = local_bytes_;
    facts.target = program_.module(entry.module).target;
    const auto& limit =
        function.required_threads[0] != 0 ? function.required_threads : function.max_threads;
    if (limit[0] != 0) {
      facts.max_threads = limit[0] * std::max(1u, limit[1]) * std::max(1u, limit[2]);
    }
    std::uint64_t offset = 0;
    for (const auto& [module, index] : shared_) {
      const kernel::Variable& variable = program_.module(module).variables[index];
      offset = round_up(offset, std::max(1u, variable.alignment)) + variable.size;
    }
    facts.static_shared_bytes = static_cast<std::uint32_t>(offset);
    return facts;
  }

 private:
  void visit(FunctionRef ref) {
    if (!visited_.insert({ref.module, ref.function}).second) return;
    const kernel::Function& function = program_.function(ref);
    if (function.is_declaration) return;
    registers_ = std::max(registers_, kernel::allocate_registers(function).registers_per_thread);
    local_bytes_ += function.local_bytes();
    for (const kernel::Block& block : function.blocks) {
      for (const Instruction& instruction : block.instructions) visit_operands(ref, instruction);
    }
  }

  void visit_operands(FunctionRef ref, const Instruction& instruction) {
    bool indirect = instruction.opcode == kernel::Opcode::kCall;
    for (const Operand& source : instruction.sources) {
      if (source.kind != Operand::Kind::kSymbol) continue;
      if (source.symbol == SymbolKind::kFunction) {
        indirect = false;
        if (program_.system_function(ref.module, source.index) == kernel::SystemFunction::kNone) {
          visit(program_.resolve_function(ref.module, source.index));
        }
      } else if (source.symbol == SymbolKind::kVariable) {
        const kernel::Variable& variable = program_.module(ref.module).variables[source.index];
        if (variable.space == kernel::Space::kShared) shared_.insert({ref.module, source.index});
      }
    }
    if (!indirect) return;
    for (const FunctionRef& target : program_.address_taken_functions()) visit(target);
  }

  const kernel::Program& program_;
  std::set<Key> visited_;
  std::set<Key> shared_;
  std::uint32_t registers_ = 0;
  std::uint32_t local_bytes_ = 0;
};

}  // namespace

KernelFacts find_kernel_facts(const kernel::Program& program, FunctionRef kernel) {
  return FactFinder(program).find(kernel);
}

int max_threads_per_block(const KernelFacts& facts, const machine::DeviceDescription& device) {
  auto threads = static_cast<std::uint64_t>(device.max_threads_per_block);
  if (facts.max_threads != 0) threads = std::min<std::uint64_t>(threads, facts.max_threads);
  const auto warp = static_cast<std::uint64_t>(device.warp_size);
  const std::uint64_t warp_registers =
      round_up(std::max(1u, facts.registers) * warp, kRegisterUnit);
  const std::uint64_t warps =
      static_cast<std::uint64_t>(device.registers_per_block) / warp_registers;
  return static_cast<int>(std::min(threads, warps * warp));
}

int resident_blocks(const KernelFacts& facts, const machine::DeviceDescription& device,
                    int threads_per_block, std::size_t dynamic_shared_bytes) {
  if (threads_per_block <= 0 || threads_per_block > max_threads_per_block(facts, device)) return 0;
  const auto warp = static_cast<std::uint64_t>(device.warp_size);
  const std::uint64_t warps = round_up(static_cast<std::uint64_t>(threads_per_block), warp) / warp;
  std::uint64_t blocks = static_cast<std::uint64_t>(device.max_blocks_per_multiprocessor);
  blocks = std::min(
      blocks, static_cast<std::uint64_t>(device.max_threads_per_multiprocessor) / (warps * warp));
  const std::uint64_t registers =
      warps * round_up(std::max(1u, facts.registers) * warp, kRegisterUnit);
  blocks =
      std::min(blocks, static_cast<std::uint64_t>(device.registers_per_multiprocessor) / registers);
  const std::uint64_t shared =
      round_up(facts.static_shared_bytes + dynamic_shared_bytes, kSharedUnit);
  if (shared != 0) {
    blocks = std::min(blocks,
                      static_cast<std::uint64_t>(device.shared_bytes_per_multiprocessor) / shared);
  }
  return static_cast<int>(std::min<std::uint64_t>(blocks, std::numeric_limits<int>::max()));
}

}  // namespace raddle::host
