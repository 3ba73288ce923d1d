// Which machines there are: implementations register themselves before main(), tables lie in
// machines/*.toml.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/nearest_name.h"
#include "base/resource_paths.h"
#include "machine/kernel_machine.h"

namespace raddle::machine {
namespace {

namespace fs = std::filesystem;

// Written only while static objects are made, before there is a second thread.
std::map<std::string, MachineClass, std::less<>>& classes() {
  static std::map<std::string, MachineClass, std::less<>> known;
  return known;
}

const MachineClass& class_of(const ParameterTable& table) {
  const auto found = classes().find(table.machine());
  if (found != classes().end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [name, machine_class] : classes()) known.push_back(name);
  const std::string near = suggestion(table.machine(), known);
  throw Error(fmt::format("unknown machine implementation '{}'", table.machine()), table.file(),
              near.empty() ? fmt::format("known: {}", fmt::join(known, ", ")) : near);
}

std::vector<fs::path> machine_files() {
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(resource_paths().machines, error)) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  // By name: of whole file names, fermi-sm.toml would come before fermi.toml.
  std::ranges::sort(files, {}, [](const fs::path& file) { return file.stem(); });
  return files;
}

fs::path find_table(std::string_view name_or_file) {
  if (name_or_file.ends_with(".toml")) return name_or_file;
  std::vector<std::string> known;
  for (const fs::path& file : machine_files()) {
    known.push_back(file.stem().string());
    if (known.back() == name_or_file) return file;
  }
  const std::string near = suggestion(name_or_file, known);
  throw Error(fmt::format("unknown machine '{}'", name_or_file), {},
              fmt::format("{}{}`raddle machines` lists them", near, near.empty() ? "" : " "));
}

// A table that names a base is read with it, and so on; `above` are the tables that led here.
ParameterTable read_table(const fs::path& file, const std::vector<fs::path>& above = {}) {
  return ParameterTable::from_toml(read_file(file), file.string(), [&](const std::string& base) {
    fs::path found = find_table(base);
    if (found.is_relative() && base.ends_with(".toml")) found = file.parent_path() / found;
    std::vector<fs::path> here = above;
    here.push_back(fs::weakly_canonical(file));
    if (std::ranges::find(here, fs::weakly_canonical(found)) != here.end())
      throw Error(fmt::format("'{}' is based on itself", file.stem().string()), {},
                  "a table cannot be its own base, nor its base's");
    return read_table(found, here);
  });
}

// Whether one of the tables of machines/ names the implementation.
bool has_bundled_table(const std::string& implementation) {
  return std::ranges::any_of(machine_files(), [&](const fs::path& file) {
    return read_table(file).machine() == implementation;
  });
}

}  // namespace

std::string_view name_of(ProgramForm form) {
  switch (form) {
    case ProgramForm::kKernels: return "kernels";
    case ProgramForm::kThickControlFlow: return "thick control flow programs";
    case ProgramForm::kFragmentPrograms: return "fragment programs";
    case ProgramForm::kDataDriven: return "data-driven programs";
  }
  RADDLE_ASSERT(false);
}

MachineRegistration::MachineRegistration(const char* implementation, MachineClass machine_class) {
  const bool is_new = classes().emplace(implementation, machine_class).second;
  RADDLE_ASSERT(is_new);
}

Traits traits_of(const ParameterTable& table) { return class_of(table).traits(table); }

void check_parameters(const ParameterTable& table) { class_of(table).check(table); }

std::optional<std::vector<ParameterDeclaration>> declared_parameters(
    std::string_view implementation) {
  const auto found = classes().find(implementation);
  if (found == classes().end()) return std::nullopt;
  std::vector<ParameterDeclaration> declared;
  found->second.declare(ParameterBinder(declared));
  return declared;
}

std::unique_ptr<Machine> make_machine(const ParameterTable& table) {
  return class_of(table).make(table);
}

std::unique_ptr<KernelMachine> make_kernel_machine(const ParameterTable& table) {
  // The CUDA runtime links no machines for other programs, and does not know what they run.
  if (!classes().contains(table.machine()) && has_bundled_table(table.machine())) {
    throw Error(fmt::format("machine '{}' runs no kernels", table.name()), {},
                "choose another machine; `raddle machines` lists them");
  }
  const Traits traits = traits_of(table);
  if (!traits.takes(ProgramForm::kKernels)) {
    throw Error(fmt::format("machine '{}' runs {}, not kernels", table.name(),
                            name_of(traits.forms.front())),
                {}, "choose another machine with -m; `raddle machines` lists them");
  }
  return std::unique_ptr<KernelMachine>(
      dynamic_cast<KernelMachine*>(make_machine(table).release()));
}

std::vector<MachineName> machine_names() {
  std::vector<MachineName> names;
  for (const fs::path& file : machine_files()) {
    const ParameterTable table = read_table(file);
    names.push_back(
        {table.name(), table.has("description") ? table.text("description") : std::string()});
  }
  return names;
}

ParameterTable load_parameters(std::string_view name_or_file,
                               const std::vector<std::string>& assignments) {
  ParameterTable table = read_table(find_table(name_or_file));
  for (const std::string& assignment : assignments) table.set(assignment);
  return table;
}

}  // namespace raddle::machine
