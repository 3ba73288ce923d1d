// Finds, when a program is compiled, what is wrong with the way its kernels pass values between
// threads.
#pragma once

#include <string>

namespace raddle::driver::cuda {

// Throws Error with the user's line. `source` names the text in messages that have no line.
void check_inter_thread(const std::string& ptx, const std::string& source);

}  // namespace raddle::driver::cuda
