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
#include "machine/machine.h"
#include "machine/program_machine.h"

namespace raddle::machine {
namespace {

namespace fs = std::filesystem;

// Written only while static objects are made, before there is a second thread.
std::map<std::string, MachineFactory, std::less<>>& factories() {
  static std::map<std::string, MachineFactory, std::less<>> known;
  return known;
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

ParameterTable read_table(const fs::path& file) {
  return ParameterTable::from_toml(read_file(file), file.string());
}

}  // namespace

MachineRegistration::MachineRegistration(const char* implementation, MachineFactory factory) {
  const bool is_new = factories().emplace(implementation, factory).second;
  RADDLE_ASSERT(is_new);
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

ParameterTable load_parameters(std::string_view name_or_file) {
  if (name_or_file.ends_with(".toml")) return read_table(name_or_file);
  std::vector<std::string> known;
  for (const fs::path& file : machine_files()) {
    known.push_back(file.stem().string());
    if (known.back() == name_or_file) return read_table(file);
  }
  const std::string near = suggestion(name_or_file, known);
  throw Error(fmt::format("unknown machine '{}'", name_or_file), {},
              fmt::format("{}{}`raddle machines` lists them", near, near.empty() ? "" : " "));
}

std::unique_ptr<Machine> make_machine(const ParameterTable& parameters) {
  const auto found = factories().find(parameters.machine());
  if (found != factories().end()) return found->second(parameters);
  if (const ProgramMachine* other = find_program_machine(parameters.machine())) {
    throw Error(
        fmt::format("machine '{}' runs {}, no CUDA kernels", parameters.name(), other->programs),
        {}, "choose another machine with -m; `raddle machines` lists them");
  }
  std::vector<std::string> known;
  for (const auto& [name, factory] : factories()) known.push_back(name);
  const std::string near = suggestion(parameters.machine(), known);
  throw Error(fmt::format("there is no machine implementation '{}'", parameters.machine()),
              parameters.file(),
              near.empty() ? fmt::format("known: {}", fmt::join(known, ", ")) : near);
}

}  // namespace raddle::machine
