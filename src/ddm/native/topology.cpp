#include "ddm/native/topology.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace raddle::ddm::native {
namespace {

// "0-3,8-11"
std::vector<int> cores_of(const std::string& list) {
  std::vector<int> cores;
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto dash = part.find('-');
    const int first = std::atoi(part.c_str());
    const int last = dash == std::string::npos ? first : std::atoi(part.c_str() + dash + 1);
    for (int core = first; core <= last; ++core) cores.push_back(core);
  }
  return cores;
}

}  // namespace

std::vector<int> memory_nodes_of(const std::vector<int>& cores, const std::string& directory) {
  std::vector<int> numbers;  // may have gaps
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(directory, none)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("node") && name.find_first_not_of("0123456789", 4) == std::string::npos)
      numbers.push_back(std::atoi(name.c_str() + 4));
  }
  std::ranges::sort(numbers);
  std::vector<int> nodes(cores.size(), 0);
  int next = 0;
  for (const int number : numbers) {
    std::ifstream file(directory + "/node" + std::to_string(number) + "/cpulist");
    std::string list;
    std::getline(file, list);
    const auto near = cores_of(list);
    bool any = false;
    for (std::size_t i = 0; i < cores.size(); ++i) {
      if (std::ranges::find(near, cores[i]) == near.end()) continue;
      nodes[i] = next;
      any = true;
    }
    if (any) ++next;
  }
  return nodes;
}

}  // namespace raddle::ddm::native
