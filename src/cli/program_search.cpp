#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/nearest_name.h"
#include "base/resource_paths.h"
#include "cli/program_family.h"
#include "cli/program_runner.h"

namespace raddle::cli {

namespace {

namespace fs = std::filesystem;

// Benchmarks that are called by their folder, too: dmt/scan is not scan.
constexpr std::string_view kBetweenThreads = "dmt/";

// NAME is benchmarks/cuda/NAME.cu or benchmarks/cuda/NAME/NAME.cu; dmt/NAME is
// benchmarks/dmt/NAME.cu.
fs::path bundled_source(const std::string& name) {
  const fs::path all = resource_paths().benchmarks;
  const fs::path folder = all / "cuda";
  const fs::path by_folder = name.starts_with(kBetweenThreads) ? all / (name + ".cu") : fs::path();
  std::error_code ignored;
  for (const fs::path& candidate :
       {folder / (name + ".cu"), folder / name / (name + ".cu"), by_folder}) {
    if (fs::is_regular_file(candidate, ignored)) return candidate;
  }
  return {};
}

// FOLDER/NAME of a family is benchmarks/FOLDER/NAME with the first of its endings that exists.
fs::path bundled_file(const ProgramFamily& family, const std::string& name) {
  if (!name.starts_with(family.folder + "/")) return {};
  std::error_code ignored;
  // With its ending where there are several of a name.
  fs::path whole = resource_paths().benchmarks / name;
  if (family_of(name) == &family && fs::is_regular_file(whole, ignored)) return whole;
  for (const std::string& ending : family.endings) {
    const fs::path candidate = resource_paths().benchmarks / (name + ending);
    if (fs::is_regular_file(candidate, ignored)) return candidate;
  }
  return {};
}

bool is_elf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 4> magic{};
  return file.read(magic.data(), magic.size()) &&
         magic == std::array<char, 4>{'\x7f', 'E', 'L', 'F'};
}

FoundProgram found(ProgramKind kind, const fs::path& path) {
  return {kind, path.string(), path.stem().string(), nullptr};
}

// The file's name without the ending that makes it one of the family.
std::string name_in(const ProgramFamily& family, const fs::path& path) {
  std::string name = path.filename().string();
  for (const std::string& ending : family.endings) {
    if (!name.ends_with(ending)) continue;
    name.resize(name.size() - ending.size());
    break;
  }
  return name;
}

FoundProgram found(const ProgramFamily& family, const fs::path& path) {
  FoundProgram program{ProgramKind::kOther, path.string(), name_in(family, path), &family};
  // As one file may be both: csort.e and csort.tpa.
  if (!path.string().ends_with(family.endings.front())) {
    program.name += path.extension().string();
  }
  return program;
}

void must_exist(const std::string& program) {
  std::error_code ignored;
  if (!fs::exists(program, ignored)) throw Error("there is no such file", program);
  if (fs::is_directory(program, ignored)) throw Error("this is a folder, not a program", program);
}

}  // namespace

std::vector<std::string> bundled_programs() {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& [folder, prefix] :
       {std::pair("cuda", std::string_view()), std::pair("dmt", kBetweenThreads)}) {
    for (const fs::directory_entry& entry :
         fs::directory_iterator(resource_paths().benchmarks / folder, ignored)) {
      const std::string name = std::string(prefix) + entry.path().stem().string();
      if (!bundled_source(name).empty()) names.push_back(name);
    }
  }
  for (const ProgramFamily& family : program_families()) {
    for (const fs::directory_entry& entry :
         fs::directory_iterator(resource_paths().benchmarks / family.folder, ignored)) {
      if (family_of(entry.path().string()) == &family)
        names.push_back(family.folder + "/" + name_in(family, entry.path()));
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

FoundProgram find_program(const std::string& program) {
  const std::string ending = fs::path(program).extension().string();
  if (ending == ".cu" || ending == ".cup" || ending == ".ptx") {
    must_exist(program);
    return found(ending == ".ptx" ? ProgramKind::kPtx : ProgramKind::kCuda, program);
  }
  std::error_code ignored;
  if (const ProgramFamily* family = family_of(program)) {
    const fs::path bundled = bundled_file(*family, program);
    if (!fs::exists(program, ignored) && !bundled.empty()) return found(*family, bundled);
    must_exist(program);
    return found(*family, program);
  }
  if (fs::is_regular_file(program, ignored)) {
    if (is_elf(program) && access(program.c_str(), X_OK) == 0)
      return found(ProgramKind::kExecutable, program);
    throw Error("not known how to run this file", program,
                "programs are .cu, .ptx, .e, .tpa, .cg, .ctm and .ddm.cpp files, and executables "
                "made by raddle cc");
  }
  if (const fs::path bundled = bundled_source(program); !bundled.empty()) {
    FoundProgram benchmark = found(ProgramKind::kCuda, bundled);
    if (program.starts_with(kBetweenThreads)) benchmark.name = "dmt-" + benchmark.name;
    return benchmark;
  }
  for (const ProgramFamily& family : program_families()) {
    const fs::path file = bundled_file(family, program);
    if (!file.empty()) return found(family, file);
  }
  std::string hint = suggestion(program, bundled_programs());
  if (hint.empty())
    hint =
        "programs are .cu, .ptx, .e, .tpa, .cg, .ctm and .ddm.cpp files, executables made by "
        "raddle "
        "cc, and the names of bundled benchmarks";
  throw Error(fmt::format("there is no program '{}'", program), {}, hint);
}

}  // namespace raddle::cli
