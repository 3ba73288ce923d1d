#include "driver/driver.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/resource_paths.h"

namespace raddle::driver {
namespace {

namespace fs = std::filesystem;

// Written only while static objects are made, before there is a second thread.
std::vector<const Driver*>& known_drivers() {
  static std::vector<const Driver*> known;
  return known;
}

std::string described_signal(const ProgramRun& run) {
  const std::string known = signal_text(run.status);
  return known.empty() ? fmt::format("signal {}", run.signal) : known;
}

}  // namespace

DriverRegistration::DriverRegistration(const Driver& driver) {
  std::vector<const Driver*>& known = known_drivers();
  known.push_back(&driver);
  std::ranges::sort(known, {}, [](const Driver* each) { return each->family().name; });
}

std::span<const Driver* const> drivers() { return known_drivers(); }

std::string drawable_files() {
  std::vector<std::string> endings;
  for (const Driver* driver : drivers())
    endings.insert(endings.end(), driver->family().drawn.begin(), driver->family().drawn.end());
  const std::string last = endings.back();
  endings.pop_back();
  return fmt::format("a {} or {} file", fmt::join(endings, ", "), last);
}

const Driver* driver_of(std::string_view path) {
  for (const Driver* driver : drivers())
    if (driver->has_ending(path)) return driver;
  return nullptr;
}

std::string signal_text(int status) {
  if (status <= 128) return {};
  const char* name = sigabbrev_np(status - 128);
  const char* description = sigdescr_np(status - 128);
  if (name == nullptr || description == nullptr) return {};
  return fmt::format("SIG{} ({})", name, description);
}

bool Driver::has_ending(std::string_view path) const {
  return std::ranges::any_of(family_.endings,
                             [&](const std::string& ending) { return path.ends_with(ending); });
}

FoundProgram Driver::program_at(const std::string& path) const {
  FoundProgram program{this, path, path, fs::path(path).filename().string()};
  for (const std::string& ending : family_.endings) {
    if (!program.name.ends_with(ending)) continue;
    program.name.resize(program.name.size() - ending.size());
    // As one name may have files of both: csort.e and csort.tpa.
    if (ending != family_.endings.front()) program.name += ending;
    return program;
  }
  program.name = fs::path(path).stem().string();
  return program;
}

std::optional<FoundProgram> Driver::bundled(const std::string& name) const {
  if (family_.folder.empty() || !name.starts_with(family_.folder + "/")) return std::nullopt;
  std::error_code ignored;
  // With its ending where there are several of a name.
  const fs::path whole = resource_paths().benchmarks / name;
  if (has_ending(name) && fs::is_regular_file(whole, ignored)) return program_at(whole.string());
  for (const std::string& ending : family_.endings) {
    const fs::path candidate = resource_paths().benchmarks / (name + ending);
    if (fs::is_regular_file(candidate, ignored)) return program_at(candidate.string());
  }
  return std::nullopt;
}

std::vector<std::string> Driver::bundled_programs() const {
  std::vector<std::string> names;
  if (family_.folder.empty()) return names;
  std::error_code ignored;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(resource_paths().benchmarks / family_.folder, ignored)) {
    const std::string file = entry.path().filename().string();
    for (const std::string& ending : family_.endings) {
      if (file.ends_with(ending))
        names.push_back(family_.folder + "/" + file.substr(0, file.size() - ending.size()));
    }
  }
  return names;
}

PreparedProgram Driver::prepare(const FoundProgram& program, const std::string& /*compile_flags*/,
                                const std::string& /*output_folder*/) const {
  return {.file = program.path};
}

std::string Driver::explain_end(const FoundProgram& program, const ProgramRun& run) const {
  if (run.out_of_time) return "raddle: error: stopped by --timeout\n  in the program\n";
  if (run.signal != 0) {
    return fmt::format("raddle: {}: the program was terminated by {}\n", program.asked,
                       described_signal(run));
  }
  if (run.result) return {};
  return fmt::format("raddle: {}: the program ended with status {}; no result was written\n",
                     program.asked, run.status);
}

std::optional<std::string> Driver::draw(const FoundProgram& program,
                                        const DrawRequest& /*request*/) const {
  throw Error("cannot draw this kind of file", program.asked,
              fmt::format("give {}", drawable_files()));
}

std::string Driver::assemble(const FoundProgram& program,
                             const AssemblyRequest& /*request*/) const {
  throw Error("this kind of program has no assembly language", program.asked);
}

std::string Driver::disassemble(const FoundProgram& program) const {
  throw Error("this kind of program has no assembly language", program.asked);
}

}  // namespace raddle::driver
