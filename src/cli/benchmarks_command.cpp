#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>

#include "base/atomic_file.h"
#include "base/console.h"
#include "cli/commands.h"
#include "driver/driver.h"
#include "report/text/text_wrap.h"

namespace raddle::cli {

namespace {

// The first sentence of the comment that the program begins with.
std::string purpose_of(const std::string& source) {
  std::istringstream lines(source);
  std::string text;
  for (std::string line; std::getline(lines, line) && line.starts_with("//");) {
    const std::size_t begin = line.find_first_not_of("/ ");
    if (begin == std::string::npos) break;
    text += (text.empty() ? "" : " ") + line.substr(begin);
  }
  const std::size_t end = text.find(". ");
  return end == std::string::npos ? text : text.substr(0, end + 1);
}

}  // namespace

int benchmarks_command() {
  const std::vector<std::string> names = driver::bundled_programs();
  std::size_t width = 0;
  for (const std::string& name : names) width = std::max(width, name.size() + 2);
  for (const std::string& name : names) {
    const std::string purpose = purpose_of(read_file(driver::find_program(name).path));
    print(fmt::format("{:<{}}{}\n", name, width, report::wrap_text(purpose, width)));
  }
  print("\nraddle run NAME runs one; raddle machines lists what they can run on.\n");
  return 0;
}

}  // namespace raddle::cli
