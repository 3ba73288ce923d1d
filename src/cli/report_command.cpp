#include <fmt/format.h>

#include <filesystem>

#include "base/atomic_file.h"
#include "base/console.h"
#include "base/error.h"
#include "cli/commands.h"
#include "experiment/result_json.h"
#include "report/page/html_report.h"

namespace raddle::cli {

int report_command(const ReportOptions& options) {
  std::vector<experiment::RunResult> results;
  for (const std::string& file : options.results)
    results.push_back(experiment::read_result_file(file));
  // The folder that results go to is made when there is a first result; any other the user names.
  const std::filesystem::path path = options.output;
  if (options.output == ReportOptions{}.output) {
    std::error_code failed;
    std::filesystem::create_directories(path.parent_path(), failed);  // writing says what is wrong
  }
  write_file_atomically(path, report::html_report(results));
  print(fmt::format("report: {}\n", options.output));
  return 0;
}

}  // namespace raddle::cli
