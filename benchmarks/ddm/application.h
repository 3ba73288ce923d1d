// What the data-driven applications have in common: their arguments, written NAME=NUMBER, how they
// end, and how nodes with memories of their own come to see the whole result. Every application
// computes its result twice, as a data-driven program and in plain C++, and compares; with
// mode=sequential the plain version runs as a single thread, which is what speedups are measured
// against.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "raddle/ddm.h"

namespace application {

namespace ddm = raddle::ddm;

struct Arguments {
  std::size_t size = 0;
  std::size_t grain = 8;  // iterations of a loop that one thread does
  bool sequential = false;
};

// The paper's two problem sizes (DDM §6.3: 64K and 1M numbers "for most applications"), of which
// the first is taken unless said otherwise.
struct DataSizes {
  std::size_t first, second;
};

inline Arguments parse(int count, char** words, DataSizes sizes) {
  Arguments arguments;
  arguments.size = sizes.first;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    const bool is_number =
        !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
    if (name == "size" && is_number && value != "0") {
      arguments.size = std::stoul(value);
    } else if (name == "data" && (value == "1" || value == "2")) {
      arguments.size = value == "1" ? sizes.first : sizes.second;
    } else if (name == "grain" && is_number && value != "0") {
      arguments.grain = std::stoul(value);
    } else if (name == "mode" && (value == "ddm" || value == "sequential")) {
      arguments.sequential = value == "sequential";
    } else {
      std::fprintf(
          stderr,
          "%s: not understood; arguments are size=N, data=1 or data=2, grain=N, mode=ddm or "
          "mode=sequential\n",
          word.c_str());
      std::exit(2);
    }
  }
  return arguments;
}

// Runs the plain version as the only thread of a program; on several nodes, on each by itself.
template <class Body>
void run_sequentially(Body body) {
  ddm::Program<> program("sequential");
  program.thread("all", body);
  program.run();
  if (ddm::node() != 0) body();
}

// A number that stands for a result, to compare runs by: the same bytes, the same digest (FNV-1a).
template <class T>
std::uint64_t digest(std::span<const T> values) {
  static_assert(std::is_trivially_copyable_v<T> && std::is_same_v<T, std::remove_cv_t<T>>);
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const std::byte each : std::as_bytes(values))
    hash = (hash ^ static_cast<std::uint64_t>(each)) * 0x100000001b3u;
  return hash;
}

// On several nodes each has checked for itself; one speaks for all, and so does each that differs.
inline int finish(const char* name, const Arguments& arguments, bool right, std::uint64_t digest) {
  if (!right || ddm::node() == 0) {
    std::printf("%s size=%zu grain=%zu %s: %s, digest %016llx\n", name, arguments.size,
                arguments.grain, arguments.sequential ? "sequential" : "ddm",
                right ? "results agree" : "results DIFFER",
                static_cast<unsigned long long>(digest));
  }
  return right ? 0 : 1;
}

// Where nodes have memories of their own (MPI), brings each of `pieces` from the node that has
// computed it to all others, so that each can check the whole: node_of(piece, nodes) says where it
// is, data_of(piece) gives its operands. Elsewhere nothing is to be done.
template <class NodeOf, class DataOf>
void share(std::size_t pieces, NodeOf node_of, DataOf data_of) {
  if (!ddm::distributed()) return;
  ddm::Program<> program("share");
  auto give = program.thread("give", ddm::range(pieces), [](std::size_t) {});
  auto take = program.thread("take", ddm::range(static_cast<std::size_t>(ddm::nodes())),
                             [](std::size_t) {});
  give.on(node_of);
  take.on([](std::size_t node, int) { return static_cast<int>(node); });
  give.then(take, ddm::all).carries(data_of);
  program.run();
}

// Item i of `count` where these are dealt out in contiguous shares, as threads without on(…) are.
inline int share_of(std::size_t i, std::size_t count, int nodes) {
  return static_cast<int>(i * static_cast<std::size_t>(nodes) / count);
}

// Items dealt out in contiguous shares of equal cost, as the zones of SPLASH-2's costzones.
class CostZones {
 public:
  explicit CostZones(const std::vector<double>& costs) : before_(1) {
    for (const double cost : costs) before_.push_back(before_.back() + cost);
  }
  // Where the middle of items first to last lies.
  [[nodiscard]] int node_of(std::size_t first, std::size_t last, int nodes) const {
    const double middle = (before_[first] + before_[last]) / 2;
    return std::min(nodes - 1, static_cast<int>(middle * nodes / before_.back()));
  }

 private:
  std::vector<double> before_;
};

// Who follows whom, where that is prepared before the run: a list for each producer.
using Lists = std::vector<std::vector<std::uint32_t>>;

// Each consumer once.
inline void make_unique(Lists& lists) {
  for (auto& list : lists) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
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
