// How many cycles an element of a blocking prefix takes on this computer: the host's side of claim
// 31 of the TCF paper, see src/experiment/multicore_prefix.h.
//   multicore_prefix [ELEMENTS [THREADS [ROUNDS]]]
#include "experiment/multicore_prefix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

int main(int argc, char** argv) {
  const auto argument = [&](int i, std::size_t otherwise) {
    const std::size_t value =
        argc > i ? static_cast<std::size_t>(std::strtoull(argv[i], nullptr, 10)) : otherwise;
    return std::max<std::size_t>(1, value);
  };
  const std::size_t elements = argument(1, 262144);
  const std::size_t threads = argument(2, 4);
  const raddle::experiment::MulticorePrefix measured =
      raddle::experiment::measure_multicore_prefix(elements, threads, argument(3, 1000));
  fmt::print(
      "{} elements, {} threads on {} hardware threads of this host: {:.0f} cycles a prefix, "
      "{:.3f} cycles an element{}\n",
      elements, threads, std::thread::hardware_concurrency(), measured.cycles,
      measured.cycles / static_cast<double>(elements), measured.is_right ? "" : ", WRONG RESULT");
  return measured.is_right ? 0 : 1;
}
