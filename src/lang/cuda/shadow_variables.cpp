#include "lang/cuda/shadow_variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <vector>

namespace raddle::cuda {

namespace {

// The parts between the commas of "\t.comm\tname,16,8".
std::vector<std::string_view> operands(std::string_view line) {
  std::vector<std::string_view> parts;
  line.remove_prefix(std::min(line.find('\t', 1), line.size()));
  while (!line.empty()) {
    line.remove_prefix(1);  // the tab or the comma
    const std::size_t end = std::min(line.find(','), line.size());
    parts.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return parts;
}

}  // namespace

// A shadow without an initial value is `.local` and `.comm`, which would be one variable in all
// files however many define it; it becomes a definition. One in a section of its own is one
// already.
std::string make_shadows_shared(std::string_view assembly, const SharedVariables& variables) {
  std::unordered_set<std::string_view> shared(variables.variables.begin(),
                                              variables.variables.end());
  const std::unordered_set<std::string_view> weak(variables.weak_variables.begin(),
                                                  variables.weak_variables.end());
  shared.insert(weak.begin(), weak.end());
  std::string text;
  while (!assembly.empty()) {
    const std::size_t end = std::min(assembly.find('\n'), assembly.size());
    const std::string_view line = assembly.substr(0, end);
    assembly.remove_prefix(std::min(end + 1, assembly.size()));
    const bool is_type = line.starts_with("\t.type\t");
    const bool is_local = line.starts_with("\t.local\t");
    const bool is_common = line.starts_with("\t.comm\t");
    const std::vector<std::string_view> parts =
        is_type || is_local || is_common ? operands(line) : std::vector<std::string_view>();
    const bool concerned = !parts.empty() && shared.contains(parts[0]);
    if (concerned && is_local) continue;
    if (concerned && is_common && parts.size() == 3) {
      text +=
          fmt::format("\t.pushsection\t.bss\n\t.balign\t{2}\n{0}:\n\t.zero\t{1}\n\t.popsection\n",
                      parts[0], parts[1], parts[2]);
      continue;
    }
    if (concerned && is_type) {
      const char* const binding = weak.contains(parts[0]) ? "weak" : "globl";
      text += fmt::format("\t.{1}\t{0}\n\t.hidden\t{0}\n", parts[0], binding);
    }
    text += line;
    text += '\n';
  }
  return text;
}

}  // namespace raddle::cuda
