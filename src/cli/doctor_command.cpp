#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "base/cache_folder.h"
#include "base/console.h"
#include "base/exit_status.h"
#include "base/resource_paths.h"
#include "base/text_table.h"
#include "base/version.h"
#include "cli/commands.h"
#include "driver/driver.h"

namespace raddle::cli {

namespace {

namespace fs = std::filesystem;

struct Finding {
  std::string what;
  std::string purpose;
  std::string found;   // empty: it is missing
  std::string remedy;  // what to do then
  bool is_optional = false;
};

std::vector<Finding> find_tools() {
  std::vector<Finding> findings;
  for (const driver::Driver* driver : driver::drivers())
    for (const driver::HostTool& tool : driver->host_tools())
      findings.push_back({tool.name, tool.purpose, tool.path,
                          fmt::format("apt-get install {}", tool.package), tool.is_optional});
  return findings;
}

Finding find_file(const fs::path& file, const std::string& purpose) {
  std::error_code ignored;
  return {file.filename().string(), purpose, fs::exists(file, ignored) ? file.string() : "",
          fmt::format("build or install all of Raddle: {} is not there", file.string())};
}

// A folder that is not there is made when it is needed: then its parent must be writable.
Finding find_writable(const std::string& folder, const std::string& purpose) {
  std::error_code ignored;
  fs::path existing = fs::absolute(folder, ignored);
  while (!fs::exists(existing, ignored) && existing.has_parent_path() &&
         existing != existing.parent_path())
    existing = existing.parent_path();
  const bool writable =
      fs::is_directory(existing, ignored) && access(existing.c_str(), W_OK | X_OK) == 0;
  return {folder, purpose, writable ? "writable" : "",
          fmt::format("'{}' cannot be written to: choose another folder", existing.string())};
}

}  // namespace

int doctor_command(const std::string& output_folder) {
  const ResourcePaths paths = resource_paths();
  std::vector<Finding> findings = find_tools();
  findings.push_back(find_file(paths.library / "libraddle-cudart.so", "runs CUDA programs"));
  findings.push_back(find_file(paths.library / "libraddle-ddm.a", "runs data-driven programs"));
  findings.push_back(find_file(paths.machines, "the tables of the machines"));
  findings.push_back(find_file(paths.benchmarks, "the bundled programs"));
  findings.push_back(find_writable(output_folder, "results"));
  findings.push_back(find_writable(cache_folder(output_folder), "compiled programs"));

  constexpr std::size_t kWidth = 160;  // paths are of no use when they are shortened
  TextTable table({"", "what", "for", "found"});
  std::set<std::string> remedies;
  bool is_well = true;
  for (const Finding& finding : findings) {
    const bool missing = finding.found.empty();
    const char* const mark = !missing ? "ok" : finding.is_optional ? "optional" : "MISSING";
    table.add_row({mark, finding.what, finding.purpose, missing ? "no" : finding.found});
    if (missing) remedies.insert(finding.remedy);
    is_well = is_well && (!missing || finding.is_optional);
  }
  print(fmt::format("Raddle {}\n\n{}", kVersion, table.to_string({.width = kWidth})));
  if (!remedies.empty()) print("\nTo mend it:\n");
  for (const std::string& remedy : remedies) print(fmt::format("  {}\n", remedy));
  return is_well ? 0 : kUserFault;
}

}  // namespace raddle::cli
