#include "cli/sweep_programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/atomic_file.h"
#include "base/console.h"
#include "base/content_hash.h"
#include "base/error.h"
#include "base/version.h"

namespace raddle::cli {

namespace {

using experiment::SweepCell;

std::string hash_of_file(const std::string& path) {
  return ContentHash().add(read_file(path)).hex();
}

// A compiler that writes to a terminal colours its words; logs and tables are plain.
std::string without_colours(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      i = std::min(text.find('m', i), text.size());
    } else {
      plain += text[i];
    }
  }
  return plain;
}

// The line that says what is wrong.
std::string first_error(const std::string& diagnostics) {
  const std::size_t place = diagnostics.find("error: ");
  if (place == std::string::npos) return "does not compile";
  const std::size_t begin = diagnostics.rfind('\n', place) + 1;  // npos + 1 is 0
  const std::size_t end = std::min(diagnostics.find('\n', place), diagnostics.size());
  return "does not compile: " + diagnostics.substr(begin, end - begin);
}

struct ReadyProgram {
  const driver::Driver* driver = nullptr;
  std::string content;  // hash
  std::string failure;
  std::string diagnostics;
};

class Preparation {
 public:
  Preparation(std::string output_folder, const std::function<void(const std::string&)>& starting)
      : output_folder_(std::move(output_folder)), starting_(starting) {}

  ReadyCell prepare(const SweepCell& cell) {
    const ReadyProgram& program = ready(cell);
    experiment::CellIdentity identity;
    identity.program = program.content;
    identity.arguments = cell.arguments;
    identity.parameters_hash = cell.parameters_hash;
    identity.launch = {cell.kernel, cell.grid, cell.block, cell.shared};
    for (const std::string& input : cell.inputs)
      identity.inputs.push_back(hash_of_input(cell, input));
    identity.check = cell.check;
    identity.raddle = simulator(*program.driver);
    return {program.driver, cell_key(identity), program.failure, program.diagnostics};
  }

 private:
  const ReadyProgram& ready(const SweepCell& cell) {
    const auto [place, is_new] = programs_.try_emplace({cell.program, cell.compile_flags});
    if (is_new) place->second = make_ready(cell);
    return place->second;
  }

  ReadyProgram make_ready(const SweepCell& cell) const {
    driver::FoundProgram found;
    try {
      found = driver::find_program(cell.program);
    } catch (const Error& error) {
      const std::string what =
          error.where().empty() ? error.what() : fmt::format("{}: {}", error.where(), error.what());
      throw Error(what, cell.program_place, error.hint());
    }
    ReadyProgram program;
    program.driver = found.driver;
    try {
      prepare(found, cell.compile_flags, program);
    } catch (const Error& error) {
      program.failure = error.what();
      program.diagnostics = error.full_text() + "\n";
    }
    // Its cells need names for their logs, and are run again when the source changes.
    if (!program.failure.empty()) program.content = hash_of_file(found.path);
    return program;
  }

  void prepare(const driver::FoundProgram& found, const std::string& flags,
               ReadyProgram& program) const {
    starting_(found.name);
    const driver::PreparedProgram prepared = found.driver->prepare(found, flags, output_folder_);
    if (!prepared.from_cache) print_error(prepared.diagnostics);
    if (prepared.status == 0) {
      // Flags decide as much as the file does what the machine gets to see.
      program.content = ContentHash().add(read_file(prepared.file)).add(flags).hex();
      return;
    }
    program.diagnostics = without_colours(prepared.diagnostics);
    program.failure = first_error(program.diagnostics);
  }

  const std::string& hash_of_input(const SweepCell& cell, const std::string& input) {
    const auto [place, is_new] = inputs_.try_emplace(input);
    if (!is_new) return place->second;
    try {
      place->second = hash_of_file(input);
    } catch (const Error& error) {
      throw Error(error.what(), cell.inputs_place, error.hint());
    }
    return place->second;
  }

  // A version is released once, but built many times: another build may count otherwise.
  const std::string& simulator(const driver::Driver& driver) {
    std::string& text = simulators_[driver.simulator()];
    if (text.empty()) text = fmt::format("{} {}", kVersion, hash_of_file(driver.simulator()));
    return text;
  }

  std::string output_folder_;
  const std::function<void(const std::string&)>& starting_;
  std::map<std::pair<std::string, std::string>, ReadyProgram> programs_;  // by name and flags
  std::map<std::string, std::string> inputs_;
  std::map<std::string, std::string> simulators_;  // by file
};

}  // namespace

std::vector<ReadyCell> prepare_cells(const std::vector<SweepCell>& cells,
                                     const std::string& output_folder,
                                     const std::function<void(const std::string&)>& starting) {
  Preparation preparation(output_folder, starting);
  std::vector<ReadyCell> ready;
  for (const SweepCell& cell : cells) ready.push_back(preparation.prepare(cell));
  return ready;
}

}  // namespace raddle::cli
