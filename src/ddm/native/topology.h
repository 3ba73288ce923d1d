// Which memory (NUMA node) each core of this machine is near to.
#pragma once

#include <string>
#include <vector>

namespace raddle::ddm::native {

// By core of the list: its NUMA node, numbered from 0 among those that the list has. All 0 where
// the system does not say.
std::vector<int> memory_nodes_of(const std::vector<int>& cores,
                                 const std::string& directory = "/sys/devices/system/node");

}  // namespace raddle::ddm::native
