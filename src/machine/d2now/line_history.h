// What a node's L2 has seen of each line, so that a miss can be told by its cause: never seen, sent
// by another node since it was last looked for, or replaced by other lines.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace raddle::machine::d2now {

enum class LinePast : std::uint8_t {
  kNew,     // never in the L2
  kSeen,    // was there
  kWritten  // another node's data was written to memory since
};

class LineHistory {
 public:
  LinePast& of(std::uint32_t line) {
    const std::uint32_t number = line / kLines;
    if (chunk_ == nullptr || number != number_) {
      std::unique_ptr<Chunk>& found = chunks_[number];
      if (!found) found = std::make_unique<Chunk>();
      chunk_ = found.get();
      number_ = number;
    }
    return (*chunk_)[line % kLines];
  }

 private:
  static constexpr std::uint32_t kLines = 4096;
  using Chunk = std::array<LinePast, kLines>;

  std::unordered_map<std::uint32_t, std::unique_ptr<Chunk>> chunks_;
  Chunk* chunk_ = nullptr;  // the one used last
  std::uint32_t number_ = 0;
};

}  // namespace raddle::machine::d2now
