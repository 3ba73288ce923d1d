// The multicore side of the TCF paper's last comparison (Section 5.1): a memory-to-memory additive
// prefix by the blocking algorithm of Figure 2, with threads, on the computer that this runs on. It
// is a measurement of this host, not of a simulated machine, so it is different every time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/run_result.h"

namespace raddle::experiment {

struct MulticorePrefix {
  double cycles = 0;  // of the time stamp counter, for one prefix
  bool is_right = false;
};
MulticorePrefix measure_multicore_prefix(std::size_t elements, std::size_t threads,
                                         std::size_t rounds);

// The same for papers, whose groups may name this host as their machine: the program
// "multicore-prefix" with elements=N and threads=N. Throws Error for other programs and arguments.
inline constexpr std::string_view kHostMachine = "host";
RunResult run_on_host(const std::string& program, const std::vector<std::string>& arguments);

}  // namespace raddle::experiment
