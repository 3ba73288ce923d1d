// A program as the device holds it: modules loaded into device memory, their symbols resolved
// across modules, and each kernel linked with the functions it can reach. What machines execute
// starts here.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kernel/device_memory.h"
#include "kernel/module.h"

namespace raddle::kernel {

// A function of some loaded module.
struct FunctionRef {
  std::uint32_t module = 0;
  std::uint32_t function = 0;
  bool operator==(const FunctionRef&) const = default;
};

// Functions that the device library provides and Raddle carries out itself.
enum class SystemFunction : std::uint8_t {
  kNone,
  kVprintf,
  kAssertFail,
  kMalloc,
  kFree,
  kUnresolved
};

class Program {
 public:
  explicit Program(DeviceMemory& memory);

  // Takes the module over, allocates and initialises its variables. Throws Error when memory is
  // out.
  std::uint32_t load(Module module);
  // Resolves what modules declare extern; called before a launch, does nothing when nothing was
  // loaded since.
  void link();

  const Module& module(std::uint32_t index) const { return *modules_[index]; }
  std::size_t module_count() const { return modules_.size(); }
  const Function& function(FunctionRef ref) const {
    return modules_[ref.module]->functions[ref.function];
  }

  // The definition that a (possibly extern) function stands for; kUnresolved if there is none.
  FunctionRef resolve_function(std::uint32_t module, std::uint32_t function) const;
  SystemFunction system_function(std::uint32_t module, std::uint32_t function) const;
  // Device address of a global or constant variable or texture reference.
  std::uint64_t variable_address(std::uint32_t module, std::uint32_t variable) const;
  // Function pointers: a number for each function and back.
  std::uint64_t code_address(FunctionRef ref) const;
  // Null if no function has the address.
  const FunctionRef* function_at(std::uint64_t code_address) const;
  const std::vector<FunctionRef>& address_taken_functions() const { return address_taken_; }

  // Different for every program of a process, so that a machine can keep what it derived from one.
  std::uint64_t identity() const { return identity_; }

  DeviceMemory& memory() { return memory_; }
  const DeviceMemory& memory() const { return memory_; }

 private:
  void apply_relocations(std::uint32_t module);

  DeviceMemory& memory_;
  std::uint64_t identity_;
  std::vector<std::unique_ptr<Module>> modules_;
  std::vector<std::vector<std::uint64_t>> variable_addresses_;
  // By module and function, into all_functions_.
  std::vector<std::vector<std::uint32_t>> function_numbers_;
  std::vector<FunctionRef> all_functions_;
  std::vector<FunctionRef> address_taken_;
  std::unordered_map<std::string, FunctionRef> defined_functions_;  // visible ones by name
  std::unordered_map<std::string, std::uint64_t> defined_variables_;
  std::size_t linked_modules_ = 0;
};

}  // namespace raddle::kernel
