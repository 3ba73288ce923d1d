#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/nearest_name.h"
#include "base/resource_paths.h"
#include "cli/program_runner.h"

namespace raddle::cli {

namespace {

namespace fs = std::filesystem;

// benchmarks/cuda/NAME.cu or benchmarks/cuda/NAME/NAME.cu.
fs::path bundled_source(const std::string& name) {
  const fs::path folder = resource_paths().benchmarks / "cuda";
  std::error_code ignored;
  for (const fs::path& candidate : {folder / (name + ".cu"), folder / name / (name + ".cu")}) {
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

void refuse_later_endings(const std::string& program) {
  for (const char* ending : {".e", ".tpa", ".cg", ".ctm", ".ddm.cpp"}) {
    if (!program.ends_with(ending)) continue;
    throw Error(fmt::format("machines for {} programs are not part of this version", ending),
                program, "this version runs .cu and .ptx files, and executables made by raddle cc");
  }
}

FoundProgram found(ProgramKind kind, const fs::path& path) {
  return {kind, path.string(), path.stem().string()};
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
  for (const fs::directory_entry& entry :
       fs::directory_iterator(resource_paths().benchmarks / "cuda", ignored)) {
    const std::string name = entry.path().stem().string();
    if (!bundled_source(name).empty()) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

FoundProgram find_program(const std::string& program) {
  refuse_later_endings(program);
  const std::string ending = fs::path(program).extension().string();
  if (ending == ".cu" || ending == ".cup" || ending == ".ptx") {
    must_exist(program);
    return found(ending == ".ptx" ? ProgramKind::kPtx : ProgramKind::kCuda, program);
  }
  std::error_code ignored;
  if (fs::is_regular_file(program, ignored)) {
    if (is_elf(program) && access(program.c_str(), X_OK) == 0)
      return found(ProgramKind::kExecutable, program);
    throw Error("not known how to run this file", program,
                "programs are .cu and .ptx files, and executables made by raddle cc");
  }
  if (const fs::path bundled = bundled_source(program); !bundled.empty())
    return found(ProgramKind::kCuda, bundled);
  std::string hint = suggestion(program, bundled_programs());
  if (hint.empty())
    hint =
        "programs are .cu and .ptx files, executables made by raddle cc, and the names of bundled "
        "benchmarks";
  throw Error(fmt::format("there is no program '{}'", program), {}, hint);
}

}  // namespace raddle::cli
