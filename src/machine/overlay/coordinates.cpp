#include "machine/overlay/coordinates.h"

#include <algorithm>

#include "machine/overlay/flow.h"

namespace raddle::machine::overlay {

CoordinateGenerator::CoordinateGenerator(const Domain& domain, bool squares)
    : domain_(domain), squares_(squares) {}

std::uint64_t CoordinateGenerator::batches() const {
  if (!squares_) return (domain_.threads() + kBatchThreads - 1) / kBatchThreads;
  return ((std::uint64_t{domain_.width} + 1) / 2) * ((std::uint64_t{domain_.height} + 1) / 2);
}

BatchCoordinates CoordinateGenerator::row(std::uint64_t number) const {
  BatchCoordinates batch;
  for (unsigned i = 0; i < kBatchThreads; ++i) {
    const std::uint64_t place = number * kBatchThreads + i;
    if (place >= domain_.threads()) break;
    batch.x[i] = domain_.x + static_cast<std::uint32_t>(place % domain_.width);
    batch.y[i] = domain_.y + static_cast<std::uint32_t>(place / domain_.width);
    batch.covered |= static_cast<ThreadMask>(1U << i);
  }
  return batch;
}

BatchCoordinates CoordinateGenerator::square(std::uint64_t number) const {
  const std::uint64_t across = (std::uint64_t{domain_.width} + 1) / 2;
  BatchCoordinates batch;
  for (unsigned i = 0; i < kBatchThreads; ++i) {
    const std::uint64_t x = number % across * 2 + i % 2;
    const std::uint64_t y = number / across * 2 + i / 2;
    batch.x[i] = domain_.x + static_cast<std::uint32_t>(x);
    batch.y[i] = domain_.y + static_cast<std::uint32_t>(y);
    if (x < domain_.width && y < domain_.height) batch.covered |= static_cast<ThreadMask>(1U << i);
  }
  return batch;
}

std::optional<BatchCoordinates> CoordinateGenerator::next() {
  if (next_ >= batches()) return std::nullopt;
  const std::uint64_t number = next_++;
  return squares_ ? square(number) : row(number);
}

void start_batch(const BatchCoordinates& coordinates, BatchState& batch) {
  std::fill_n(batch.registers, batch.register_count * 4, Lanes{});
  for (unsigned i = 0; i < kBatchThreads; ++i) {
    batch.registers[0][i] = static_cast<float>(coordinates.x[i]);
    batch.registers[1][i] = static_cast<float>(coordinates.y[i]);
  }
  batch.predicates = {};
  batch.alu_result = 0;
  batch.killed = 0;
  batch.outputs = {};
  batch.depth = {};
  start_threads(batch.flow, coordinates.covered);
}

}  // namespace raddle::machine::overlay
