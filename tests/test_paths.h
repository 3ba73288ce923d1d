// Where the repository and the build lie that a test belongs to. In a file of its own, so that no
// other object depends on them and ccache serves any checkout.
#pragma once

#include <string>

namespace raddle {

const std::string& test_root();
const std::string& test_build_root();

}  // namespace raddle
