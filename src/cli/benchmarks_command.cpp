#include <fmt/format.h>

#include <algorithm>
#include <cctype>
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
  // A point within a sentence, as in "Fig. 19", is followed by something else than a capital.
  for (std::size_t end = text.find(". "); end != std::string::npos;
       end = text.find(". ", end + 1)) {
    if (end + 2 < text.size() && std::isupper(static_cast<unsigned char>(text[end + 2])) == 0)
      continue;
    text.resize(end + 1);
    break;
  }
  // What follows the colon of a long sentence says how it is done.
  constexpr std::size_t kShort = 100;
  const std::size_t colon = text.rfind(": ");
  if (text.size() > kShort && colon != std::string::npos && colon > kShort / 3)
    text = text.substr(0, text.find(": ", kShort / 3)) + ".";
  return text;
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
