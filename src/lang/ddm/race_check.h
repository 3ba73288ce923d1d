// The missing-arc checker of data-driven programs: runs an instrumented program with all its
// accesses to memory watched, one thread after another.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace raddle::ddm_lang {

// What races, with source lines where the program was compiled with them; empty: nothing does.
// Nothing where the program did not end normally. What it prints is dropped. Throws Stopped.
std::optional<std::string> check_for_races(const std::string& executable,
                                           const std::vector<std::string>& arguments);

}  // namespace raddle::ddm_lang
