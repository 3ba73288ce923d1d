// Random data-driven programs whose results can be compared: every instance mixes the values of its
// producers in an order that does not depend on who ran first, so any executor must give the same
// numbers.
#pragma once

#include <raddle/ddm.h>

#include <cstdint>
#include <vector>

namespace raddle::ddm {

struct RandomFrame {
  // By thread and flat index: the value that an instance computed.
  std::vector<std::vector<std::uint64_t>> values;
};

// Where an instance runs when there are several nodes: anywhere, but the same for all who ask.
int random_node(std::size_t thread, std::size_t flat, int nodes);

struct RandomGraph {
  explicit RandomGraph(std::uint32_t seed);

  Program<RandomFrame> program;
  std::vector<Extents> sizes;
  [[nodiscard]] RandomFrame make_frame() const;
};

}  // namespace raddle::ddm
