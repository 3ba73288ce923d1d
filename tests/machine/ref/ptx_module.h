// PTX text of a test's kernels with the lines every module begins with.
#pragma once

#include <string>
#include <string_view>

namespace raddle::machine::ref {

inline std::string module_of(std::string_view body) {
  return ".version 7.5\n.target sm_70\n.address_size 64\n" + std::string(body);
}

}  // namespace raddle::machine::ref
