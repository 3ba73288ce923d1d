#include "host/kernel_facts.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "kernel/analysis/register_allocation.h"
#include "machine/block_occupancy.h"

namespace raddle::host {
namespace {

using kernel::FunctionRef;
using kernel::Instruction;
using kernel::Operand;
using kernel::SymbolKind;

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

using Key = std::pair<std::uint32_t, std::uint32_t>;

// Follows a kernel into everything it can call and gathers what that needs.
class FactFinder {
 public:
  FactFinder(const kernel::Program& program, FunctionRef entry,
             const machine::DeviceDescription& device)
      : program_(program), limits_(machine::register_limits(program.function(entry), device)) {}

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
    registers_ =
        std::max(registers_, kernel::allocate_registers(function, limits_).registers_per_thread);
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
  const kernel::RegisterLimits limits_;
  std::set<Key> visited_;
  std::set<Key> shared_;
  std::uint32_t registers_ = 0;
  std::uint32_t local_bytes_ = 0;
};

}  // namespace

KernelFacts find_kernel_facts(const kernel::Program& program, FunctionRef kernel,
                              const machine::DeviceDescription& device) {
  return FactFinder(program, kernel, device).find(kernel);
}

}  // namespace raddle::host
