// The coordinate generator (Section 4.1): goes over the compute domain from top left to bottom
// right and gives each batch of four threads its coordinates.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "machine/overlay/batch_state.h"
#include "machine/overlay/configuration.h"

namespace raddle::machine::overlay {

struct BatchCoordinates {
  std::array<std::uint32_t, kBatchThreads> x{}, y{};
  ThreadMask covered = 0;
};

class CoordinateGenerator {
 public:
  // Without squares four threads in a row, over the ends of lines; with squares blocks of 2x2,
  // whose threads outside the domain are uncovered.
  CoordinateGenerator(const Domain& domain, bool squares);
  std::optional<BatchCoordinates> next();
  std::uint64_t batches() const;
  bool makes_squares() const { return squares_; }

 private:
  BatchCoordinates row(std::uint64_t number) const;
  BatchCoordinates square(std::uint64_t number) const;

  Domain domain_;
  bool squares_;
  std::uint64_t next_ = 0;
};

// Register r0 and everything else of a batch that begins.
void start_batch(const BatchCoordinates& coordinates, BatchState& batch);

}  // namespace raddle::machine::overlay
