#include "lang/ddm/race_check.h"

#include <unistd.h>

#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/atomic_file.h"
#include "lang/cuda/process.h"

namespace raddle::ddm_lang {

std::optional<std::string> check_for_races(const std::string& executable,
                                           const std::vector<std::string>& arguments) {
  const cuda::TemporaryFolder folder;
  const std::string races = folder.file("races");
  cuda::Command command;
  command.arguments.push_back(executable);
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!std::string_view(*variable).starts_with("RADDLE_DDM_"))
      command.environment.emplace_back(*variable);
  }
  command.environment.push_back("RADDLE_DDM_CHECK=" + races);
  cuda::Streams streams;
  streams.error_file = folder.file("output");
  streams.output_to_error = true;
  cuda::Process process(command, streams);
  process.wait("checking the program");
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(races, ignored)) return std::nullopt;
  return read_file(races);
}

}  // namespace raddle::ddm_lang
