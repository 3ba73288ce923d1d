#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/nearest_name.h"
#include "driver/driver.h"

namespace raddle::driver {
namespace {

namespace fs = std::filesystem;

// "files ending in .cu, .e …", "executables made by raddle cc".
std::vector<std::string> known_kinds() {
  std::vector<std::string> endings, others;
  for (const Driver* driver : drivers()) {
    const Family& family = driver->family();
    endings.insert(endings.end(), family.endings.begin(), family.endings.end());
    if (!family.other_files.empty()) others.push_back(family.other_files);
  }
  others.insert(others.begin(), fmt::format("files ending in {}", fmt::join(endings, ", ")));
  return others;
}

std::string listed(std::vector<std::string> kinds) {
  const std::string last = std::move(kinds.back());
  kinds.pop_back();
  return kinds.empty() ? last : fmt::format("{}, and {}", fmt::join(kinds, ", "), last);
}

void must_be_file(const std::string& program) {
  std::error_code ignored;
  if (!fs::exists(program, ignored)) throw Error(fmt::format("no such file: '{}'", program));
  if (fs::is_directory(program, ignored)) throw Error("this is a folder, not a program", program);
}

FoundProgram search(const std::string& program) {
  std::error_code ignored;
  if (const Driver* driver = driver_of(program)) {
    if (!fs::exists(program, ignored)) {
      if (const auto bundled = driver->bundled(program)) return *bundled;
    }
    must_be_file(program);
    return driver->program_at(program);
  }
  if (fs::is_regular_file(program, ignored)) {
    for (const Driver* driver : drivers())
      if (driver->recognises(program)) return driver->program_at(program);
    throw Error("cannot run this kind of file", program, "programs are " + listed(known_kinds()));
  }
  for (const Driver* driver : drivers())
    if (const auto bundled = driver->bundled(program)) return *bundled;
  if (fs::exists(program, ignored)) must_be_file(program);
  std::string hint = suggestion(program, bundled_programs());
  if (hint.empty()) {
    std::vector<std::string> kinds = known_kinds();
    kinds.emplace_back("the names of bundled benchmarks");
    hint = "programs are " + listed(std::move(kinds));
  }
  throw Error(fmt::format("unknown program '{}'", program), {}, hint);
}

}  // namespace

std::vector<std::string> bundled_programs() {
  std::vector<std::string> names;
  for (const Driver* driver : drivers()) {
    const std::vector<std::string> own = driver->bundled_programs();
    names.insert(names.end(), own.begin(), own.end());
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

FoundProgram find_program(const std::string& program) {
  FoundProgram found = search(program);
  found.asked = program;
  return found;
}

}  // namespace raddle::driver
