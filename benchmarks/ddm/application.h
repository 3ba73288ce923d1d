// What the data-driven applications have in common: their arguments, written NAME=NUMBER, and how
// they end. Every application computes its result twice, as a data-driven program and in plain C++,
// and compares; with mode=sequential the plain version runs as a single thread, which is what
// speedups are measured against.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "raddle/ddm.h"

namespace application {

namespace ddm = raddle::ddm;

struct Arguments {
  std::size_t size = 0;
  std::size_t grain = 8;  // iterations of a loop that one thread does
  bool sequential = false;
};

inline Arguments parse(int count, char** words, std::size_t default_size) {
  Arguments arguments;
  arguments.size = default_size;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    const bool is_number =
        !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
    if (name == "size" && is_number && value != "0") {
      arguments.size = std::stoul(value);
    } else if (name == "grain" && is_number && value != "0") {
      arguments.grain = std::stoul(value);
    } else if (name == "mode" && (value == "ddm" || value == "sequential")) {
      arguments.sequential = value == "sequential";
    } else {
      std::fprintf(
          stderr,
          "%s: not understood; arguments are size=N, grain=N, mode=ddm or mode=sequential\n",
          word.c_str());
      std::exit(2);
    }
  }
  return arguments;
}

// Runs the plain version as the only thread of a program.
template <class Body>
void run_sequentially(Body body) {
  ddm::Program<> program("sequential");
  program.thread("all", body);
  program.run();
}

inline int finish(const char* name, const Arguments& arguments, bool right) {
  std::printf("%s size=%zu grain=%zu %s: %s\n", name, arguments.size, arguments.grain,
              arguments.sequential ? "sequential" : "ddm",
              right ? "results agree" : "results DIFFER");
  return right ? 0 : 1;
}

inline bool close(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance * (std::abs(a) + std::abs(b) + 1e-300) || a == b;
}

// The same numbers on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

constexpr std::size_t divide_up(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

}  // namespace application
