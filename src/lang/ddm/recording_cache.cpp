#include "lang/ddm/recording_cache.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "base/atomic_file.h"
#include "base/content_hash.h"
#include "base/error.h"
#include "lang/cuda/dependency_manifest.h"
#include "lang/cuda/process.h"
#include "lang/ddm/compressed_file.h"

namespace raddle::ddm_lang {
namespace {

namespace fs = std::filesystem;

// The machine sizes of the DDM paper, so that one recording serves them all.
std::vector<std::uint32_t> node_counts(std::uint32_t wanted) {
  std::vector<std::uint32_t> counts = {1, 2, 4, 8, 16, 32};
  if (std::ranges::find(counts, wanted) == counts.end()) counts.push_back(wanted);
  return counts;
}

std::vector<std::string> environment_for(const RecordRequest& request, const fs::path& file) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!std::string_view(*variable).starts_with("RADDLE_DDM_")) variables.emplace_back(*variable);
  }
  variables.push_back("RADDLE_DDM_RECORD=" + file.string());
  variables.push_back("RADDLE_DDM_PROGRAM=" + request.program);
  variables.push_back(
      fmt::format("RADDLE_DDM_NODES={}", fmt::join(node_counts(request.nodes), ",")));
  return variables;
}

std::string key_of(const RecordRequest& request) {
  ContentHash hash;
  hash.add("raddle recording 4").add(read_file(request.executable)).add(request.program);
  for (const std::string& argument : request.arguments) hash.add(argument);
  for (const std::uint32_t nodes : node_counts(request.nodes)) hash.add(std::to_string(nodes));
  return hash.hex();
}

ddm::recording::Recording read_recording(const fs::path& file, const std::string& program) {
  try {
    std::istringstream in(read_compressed(file));
    return ddm::recording::read(in);
  } catch (const std::runtime_error& error) {
    throw Error(fmt::format("the program wrote no readable recording: {}", error.what()), program,
                "a program must end normally and run a ddm::Program");
  }
}

// A recording is a third to an eighth as large after this.
void compress(const fs::path& file) {
  if (!fs::is_regular_file(file)) return;  // the program has recorded nothing: told when it is read
  const std::string plain = read_file(file);
  fs::remove(file);
  write_compressed(file, plain);
}

Recorded run_recorder(const RecordRequest& request, const fs::path& folder) {
  cuda::Command command;
  command.arguments.push_back(request.executable);
  command.arguments.insert(command.arguments.end(), request.arguments.begin(),
                           request.arguments.end());
  command.environment = environment_for(request, folder / "recording");
  cuda::Streams streams;
  streams.error_file = (folder / "output").string();
  streams.output_to_error = true;
  cuda::Process process(command, streams);
  Recorded recorded;
  recorded.status = process.wait("recording the program");
  recorded.signal = process.signal();
  return recorded;
}

}  // namespace

Recorded record_cached(const RecordRequest& request, const std::string& cache_folder) {
  const fs::path recordings = fs::path(cache_folder) / "recordings";
  const std::string key = key_of(request);
  const fs::path entry = recordings / key;
  Recorded recorded;
  std::error_code ignored;
  if (!fs::is_regular_file(entry / "recording", ignored)) {
    const fs::path fresh = cuda::make_fresh_folder(recordings.string(), key);
    try {
      recorded = run_recorder(request, fresh);
      if (recorded.status == 0) compress(fresh / "recording");
    } catch (...) {
      fs::remove_all(fresh, ignored);
      throw;
    }
    if (recorded.status != 0) {
      recorded.output = read_file(fresh / "output");
      fs::remove_all(fresh, ignored);
      return recorded;
    }
    fs::rename(fresh, entry, ignored);
    if (fs::exists(fresh, ignored)) fs::remove_all(fresh, ignored);
  }
  recorded.output = read_file(entry / "output");
  recorded.recording = read_recording(entry / "recording", request.program);
  return recorded;
}

}  // namespace raddle::ddm_lang
