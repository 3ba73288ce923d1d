#include "machine/ref/communication.h"

#include <bit>
#include <cmath>
#include <cstdlib>

namespace raddle::machine::ref {

using kernel::exec::DecodedInstruction;
using kernel::exec::LaneMask;
using kernel::exec::WarpState;

namespace {

constexpr std::uint64_t kWordBytes = 4;

Histogram to_histogram(const char* name, const char* unit, const char* sentence,
                       const std::map<double, std::uint64_t>& counts) {
  Histogram histogram{name, unit, sentence, {}};
  for (const auto& [value, count] : counts) histogram.bins.push_back({value, count});
  return histogram;
}

}  // namespace

void Communication::note(const DecodedInstruction& instruction, const WarpState& warp,
                         Writers& writers) {
  const kernel::exec::MemoryAccess& access = warp.lanes.access();
  if (access.space != kernel::Space::kShared) return;
  const kernel::Opcode opcode = instruction.ir->opcode;
  const bool reads = opcode != kernel::Opcode::kSt;
  const bool writes = opcode != kernel::Opcode::kLd;
  // All lanes read before any writes, as they move in lockstep.
  for (const bool writing : {false, true}) {
    if (writing ? !writes : !reads) continue;
    for (LaneMask left = access.mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
      const std::uint32_t thread = warp.lanes.warp_index * kernel::exec::kLanes + lane;
      const std::uint64_t first = access.address[lane] / kWordBytes;
      const std::uint64_t last = (access.address[lane] + access.bytes - 1) / kWordBytes;
      for (std::uint64_t word = first; word <= last && word < writers.size(); ++word) {
        if (writing) {
          writers[word] = thread + 1;
        } else if (writers[word] != 0 && writers[word] != thread + 1) {
          read(instruction, thread, writers[word] - 1);
        }
      }
    }
  }
}

void Communication::read(const DecodedInstruction& instruction, std::uint32_t reader,
                         std::uint32_t writer) {
  const auto difference = [](std::uint32_t a, std::uint32_t b) {
    return static_cast<std::int32_t>(a) - static_cast<std::int32_t>(b);
  };
  const std::uint32_t plane = block_.x * block_.y;
  const Offset offset{difference(writer % block_.x, reader % block_.x),
                      difference(writer / block_.x % block_.y, reader / block_.x % block_.y),
                      difference(writer / plane, reader / plane)};
  ++values_[offset];
  sources_.emplace(&instruction, offset);
}

void Communication::note_receive(const DecodedInstruction& instruction, LaneMask lanes) {
  const auto& delta = instruction.ir->inter_thread.delta;
  const Offset offset{delta[0], delta[1], delta[2]};
  values_[offset] += static_cast<std::uint64_t>(std::popcount(lanes));
  sources_.emplace(&instruction, offset);
}

Histogram Communication::linear(const char* name, const char* sentence,
                                const std::map<Offset, std::uint64_t>& counts) const {
  std::map<double, std::uint64_t> by_distance;
  for (const auto& [offset, count] : counts) {
    const auto row = static_cast<std::int64_t>(block_.x);
    const std::int64_t distance =
        offset.x + row * (offset.y + static_cast<std::int64_t>(block_.y) * offset.z);
    by_distance[static_cast<double>(std::abs(distance))] += count;
  }
  return to_histogram(name, "threads", sentence, by_distance);
}

Histogram Communication::euclidean(const char* name, const char* sentence,
                                   const std::map<Offset, std::uint64_t>& counts) {
  std::map<double, std::uint64_t> by_distance;
  for (const auto& [offset, count] : counts) {
    const double squares = static_cast<double>(offset.x) * offset.x +
                           static_cast<double>(offset.y) * offset.y +
                           static_cast<double>(offset.z) * offset.z;
    by_distance[std::sqrt(squares)] += count;
  }
  return to_histogram(name, "threads", sentence, by_distance);
}

std::vector<Histogram> Communication::histograms() const {
  std::map<Offset, std::uint64_t> pairs;
  for (const auto& [instruction, offset] : sources_) ++pairs[offset];
  constexpr const char* kValues =
      "words read from shared memory that another thread wrote last, and "
      "values received from another thread";
  constexpr const char* kPairs =
      "pairs of a load from shared memory, or a receive, and an offset to the other thread";
  return {linear("linear_distance", kValues, values_),
          euclidean("euclidean_distance", kValues, values_),
          linear("static_linear_distance", kPairs, pairs),
          euclidean("static_euclidean_distance", kPairs, pairs)};
}

}  // namespace raddle::machine::ref
