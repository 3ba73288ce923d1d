// What every machine promises, whatever programs it executes: it is built from a parameter table,
// registered by name, keeps no global state, and gives the same result for the same input. What
// users may ask of it before a run (which programs, which options) is answered from its table
// without building it. How a run ends early is said by the options that each run is given.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/checks.h"
#include "base/error.h"
#include "machine/parameter_binder.h"
#include "machine/parameters.h"

namespace raddle::machine {

// What the machine could do at best; zero: not modelled. Reports measure a run against these.
struct Peaks {
  double clock_hz = 0;
  double thread_instructions_per_cycle = 0;
  double memory_bytes_per_second = 0;
};

// What a machine executes.
enum class ProgramForm : std::uint8_t {
  kKernels,           // kernel IR: CUDA and PTX
  kThickControlFlow,  // TPA assembly
  kFragmentPrograms,  // r5xx programs
  kDataDriven,        // data-driven threads
};
std::string_view name_of(ProgramForm form);  // "kernels", "thick control flow programs" …

// What the user may ask for beside the plain run.
enum class RunOption : std::uint8_t {
  kCheck,
  kLines,
  kSample,
  kTrace,
  kMaxCycles,
  kTimeout,
  kHostThreads,
};

class RunOptionSet {
 public:
  constexpr RunOptionSet(std::initializer_list<RunOption> options) {
    for (const RunOption option : options) add(option);
  }
  constexpr void add(RunOption option) { bits_ |= bit(option); }
  constexpr void remove(RunOption option) { bits_ &= ~bit(option); }
  constexpr bool contains(RunOption option) const { return (bits_ & bit(option)) != 0; }

 private:
  static constexpr std::uint32_t bit(RunOption option) {
    return 1u << static_cast<std::uint32_t>(option);
  }

  std::uint32_t bits_ = 0;
};

struct Traits {
  std::vector<ProgramForm> forms = {ProgramForm::kKernels};  // the machine's own first
  RunOptionSet honours = {};
  Checks finds = true;                         // of what --check can look for in kernels
  bool passes_values_between_threads = false;  // runs kernels that use raddle/dmt.h
  bool simulated = true;                       // false: programs run on this host itself

  bool takes(ProgramForm form) const { return std::ranges::find(forms, form) != forms.end(); }
};

class Machine {
 public:
  virtual ~Machine() = default;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  std::string name() const { return table_.name(); }
  const ParameterTable& table() const { return table_; }
  virtual Peaks peaks() const = 0;
  // What the user should hear when the program has ended, though nothing failed: settings that met
  // no launch.
  virtual std::vector<Error> remarks() const { return {}; }

 protected:
  explicit Machine(const ParameterTable& table) : table_(table) {}

 private:
  ParameterTable table_;
};

// Of a machine that has nothing to set.
struct NoParameters {
  explicit NoParameters(const ParameterBinder& /*binder*/) {}
};

// What the registry knows of a class of machines.
struct MachineClass {
  Traits (*traits)(const ParameterTable&);
  void (*declare)(const ParameterBinder&);  // its parameters, all of them
  void (*check)(const ParameterTable&);     // throws Error for values that it cannot be built with
  std::unique_ptr<Machine> (*make)(const ParameterTable&);
};

template <class Class>
constexpr MachineClass machine_class() {
  using Parameters = typename Class::Parameters;
  return {.traits = &Class::traits,
          .declare = [](const ParameterBinder& binder) { Parameters{binder}; },
          .check =
              [](const ParameterTable& table) {
                const Parameters parameters{ParameterBinder(table)};
                if constexpr (requires { Class::check_parameters(parameters); })
                  Class::check_parameters(parameters);
              },
          .make = [](const ParameterTable& table) -> std::unique_ptr<Machine> {
            return std::make_unique<Class>(table);
          }};
}

// One line next to the class: RADDLE_REGISTER_MACHINE("ref", ReferenceMachine). The class has
// - Parameters, a struct that is built from a ParameterBinder and so declares every parameter;
// - a constructor from a table, and a static traits(table);
// - if ranges do not say all, a static check_parameters(const Parameters&) that throws Error.
class MachineRegistration {
 public:
  MachineRegistration(const char* implementation, MachineClass machine_class);
};
#define RADDLE_REGISTER_MACHINE(implementation, Class)                              \
  static const ::raddle::machine::MachineRegistration kMachineRegistration_##Class( \
      implementation, ::raddle::machine::machine_class<Class>())

// Of the implementation that the table names; an unknown one is an Error that suggests the nearest.
Traits traits_of(const ParameterTable& table);
void check_parameters(const ParameterTable& table);
std::unique_ptr<Machine> make_machine(const ParameterTable& table);

// Names of machines/*.toml, sorted; and the table of one by name or by a path ending in .toml, with
// assignments "key=value". An unknown name is an Error that suggests the nearest.
struct MachineName {
  std::string name;
  std::string sentence;  // the `description` entry of its TOML
};
std::vector<MachineName> machine_names();
ParameterTable load_parameters(std::string_view name_or_file,
                               const std::vector<std::string>& assignments = {});

}  // namespace raddle::machine
