// Frames on their way between nodes: their bytes, or what their codec makes of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "raddle/ddm/error.h"
#include "raddle/ddm/graph.h"

namespace raddle::ddm::native {

inline std::vector<std::byte> frame_bytes(const FrameType& type, const void* frame) {
  std::vector<std::byte> bytes;
  if (type.codec != nullptr) {
    type.codec->write(frame, bytes);
  } else {
    const auto* first = static_cast<const std::byte*>(frame);
    bytes.assign(first, first + type.size);
  }
  return bytes;
}

// Makes a frame where there is none yet; to be destroyed by the caller.
inline void make_frame(const BlockGraph& block, void* frame, const std::byte* bytes,
                       std::size_t count) {
  const FrameType& type = block.frame;
  bool fits = count == type.size;
  if (type.codec != nullptr) {
    type.make(frame);
    fits = type.codec->read(frame, bytes, count);
    if (!fits) type.destroy(frame);
  } else if (fits) {
    std::copy_n(bytes, count, static_cast<std::byte*>(frame));
  }
  if (!fits)
    throw NetworkError("a frame came in " + std::to_string(count) + " bytes that do not make one",
                       "block '" + block.name + "'", "run the same program on every node");
}

}  // namespace raddle::ddm::native
