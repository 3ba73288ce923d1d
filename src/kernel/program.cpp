#include "kernel/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace raddle::kernel {
namespace {

constexpr std::array<std::pair<std::string_view, SystemFunction>, 4> kSystemFunctions{{
    {"vprintf", SystemFunction::kVprintf},
    {"__assertfail", SystemFunction::kAssertFail},
    {"malloc", SystemFunction::kMalloc},
    {"free", SystemFunction::kFree},
}};

// A shared variable that no address of shared memory, which has 32 bits, reaches the end of.
bool beyond_shared_memory(const Variable& variable) {
  return variable.space == Space::kShared && variable.size >> 32 != 0;
}

bool lives_in_arena(const Variable& variable) {
  return variable.space == Space::kGlobal || variable.space == Space::kConst;
}

}  // namespace

Program::Program(DeviceMemory& memory) : memory_(memory) {
  static std::atomic<std::uint64_t> programs{0};
  identity_ = ++programs;
}

std::uint32_t Program::load(Module module) {
  const auto index = static_cast<std::uint32_t>(modules_.size());
  modules_.push_back(std::make_unique<Module>(std::move(module)));
  const Module& loaded = *modules_.back();

  std::vector<std::uint64_t> addresses(loaded.variables.size(), 0);
  for (std::size_t i = 0; i < loaded.variables.size(); ++i) {
    const Variable& variable = loaded.variables[i];
    if (beyond_shared_memory(variable)) {
      throw Error(
          fmt::format("the shared variable {} has {} bytes; addresses of shared memory have "
                      "32 bits",
                      variable.name, variable.size),
          loaded.name);
    }
    if (!lives_in_arena(variable) || variable.linkage == Linkage::kExtern) continue;
    if (variable.linkage == Linkage::kWeak) {
      const auto earlier = defined_variables_.find(variable.name);
      if (earlier != defined_variables_.end()) {
        addresses[i] = earlier->second;
        continue;
      }
    }
    const auto kind = variable.managed ? AllocationKind::kManaged : AllocationKind::kVariable;
    const auto address =
        memory_.allocate(std::max<std::uint64_t>(variable.size, 8), kind,
                         std::max<std::uint32_t>(variable.alignment, 16), variable.name);
    if (!address) {
      throw Error(fmt::format("the variable {} ({} bytes) does not fit in device memory",
                              variable.name, variable.size),
                  loaded.name, "choose a larger memory with --set memory_bytes=…");
    }
    addresses[i] = *address;
    std::memset(memory_.view(*address), 0, variable.size);
    std::copy(variable.initial.begin(), variable.initial.end(), memory_.view(*address));
    if (variable.linkage != Linkage::kInternal)
      defined_variables_.try_emplace(variable.name, *address);
  }
  variable_addresses_.push_back(std::move(addresses));

  std::vector<std::uint32_t> numbers;
  for (std::uint32_t f = 0; f < loaded.functions.size(); ++f) {
    numbers.push_back(static_cast<std::uint32_t>(all_functions_.size()));
    all_functions_.push_back({index, f});
    const Function& function = loaded.functions[f];
    if (!function.is_declaration && function.linkage != Linkage::kInternal) {
      defined_functions_.try_emplace(function.name, FunctionRef{index, f});
    }
  }
  function_numbers_.push_back(std::move(numbers));
  return index;
}

void Program::link() {
  if (linked_modules_ == modules_.size()) return;
  for (std::size_t m = 0; m < modules_.size(); ++m) {
    const Module& module = *modules_[m];
    for (std::size_t i = 0; i < module.variables.size(); ++i) {
      const Variable& variable = module.variables[i];
      if (!lives_in_arena(variable) || variable.linkage != Linkage::kExtern) continue;
      const auto found = defined_variables_.find(variable.name);
      if (found != defined_variables_.end()) variable_addresses_[m][i] = found->second;
    }
  }
  for (std::size_t m = linked_modules_; m < modules_.size(); ++m) {
    apply_relocations(static_cast<std::uint32_t>(m));
  }
  linked_modules_ = modules_.size();

  // Every function whose address is stored or moved may be the target of an indirect call.
  address_taken_.clear();
  std::vector<bool> taken(all_functions_.size(), false);
  auto take = [&](FunctionRef ref) {
    const std::uint32_t number = function_numbers_[ref.module][ref.function];
    if (!taken[number]) address_taken_.push_back(ref);
    taken[number] = true;
  };
  for (std::uint32_t m = 0; m < modules_.size(); ++m) {
    const Module& module = *modules_[m];
    for (const Variable& variable : module.variables) {
      for (const Relocation& relocation : variable.relocations) {
        for (std::uint32_t f = 0; f < module.functions.size(); ++f) {
          if (module.functions[f].name == relocation.symbol) take(resolve_function(m, f));
        }
      }
    }
    for (const Function& function : module.functions) {
      for (const Block& block : function.blocks) {
        for (const Instruction& instruction : block.instructions) {
          if (instruction.opcode == Opcode::kCall) continue;
          for (const Operand& source : instruction.sources) {
            if (source.kind == Operand::Kind::kSymbol && source.symbol == SymbolKind::kFunction) {
              take(resolve_function(m, source.index));
            }
          }
        }
      }
    }
  }
}

void Program::apply_relocations(std::uint32_t m) {
  const Module& module = *modules_[m];
  for (std::size_t i = 0; i < module.variables.size(); ++i) {
    for (const Relocation& relocation : module.variables[i].relocations) {
      std::uint64_t value = 0;
      bool found = false;
      for (std::uint32_t v = 0; v < module.variables.size() && !found; ++v) {
        if (module.variables[v].name != relocation.symbol) continue;
        value = variable_addresses_[m][v];
        found = true;
      }
      for (std::uint32_t f = 0; f < module.functions.size() && !found; ++f) {
        if (module.functions[f].name != relocation.symbol) continue;
        value = code_address(resolve_function(m, f));
        found = true;
      }
      if (!found) {
        throw Error(fmt::format("the initialiser of {} names the unknown symbol {}",
                                module.variables[i].name, relocation.symbol),
                    module.name);
      }
      value = (value + static_cast<std::uint64_t>(relocation.addend)) >> relocation.shift;
      std::memcpy(memory_.view(variable_addresses_[m][i] + relocation.offset), &value,
                  relocation.bytes);
    }
  }
}

FunctionRef Program::resolve_function(std::uint32_t module, std::uint32_t function) const {
  const Function& wanted = modules_[module]->functions[function];
  if (!wanted.is_declaration) return {module, function};
  const Module& own = *modules_[module];
  for (std::uint32_t f = 0; f < own.functions.size(); ++f) {
    if (!own.functions[f].is_declaration && own.functions[f].name == wanted.name)
      return {module, f};
  }
  const auto found = defined_functions_.find(wanted.name);
  return found == defined_functions_.end() ? FunctionRef{module, function} : found->second;
}

SystemFunction Program::system_function(std::uint32_t module, std::uint32_t function) const {
  const FunctionRef resolved = resolve_function(module, function);
  const Function& target = this->function(resolved);
  if (!target.is_declaration) return SystemFunction::kNone;
  for (const auto& [name, kind] : kSystemFunctions) {
    if (target.name == name) return kind;
  }
  return SystemFunction::kUnresolved;
}

std::uint64_t Program::variable_address(std::uint32_t module, std::uint32_t variable) const {
  return variable_addresses_[module][variable];
}

std::uint64_t Program::code_address(FunctionRef ref) const {
  return kCodeBase + std::uint64_t{16} * (function_numbers_[ref.module][ref.function] + 1u);
}

const FunctionRef* Program::function_at(std::uint64_t code_address) const {
  const std::uint64_t offset = code_address - kCodeBase;
  if (offset % 16 != 0 || offset == 0 || offset / 16 > all_functions_.size()) return nullptr;
  return &all_functions_[offset / 16 - 1];
}

}  // namespace raddle::kernel
