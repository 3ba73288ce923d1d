// Textures and surfaces as the device sees them: a descriptor for each handle, and what a fetch at
// some coordinates returns. The CUDA runtime fills the table; tex, tld4, txq, suld and sust read
// it.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

#include "kernel/device_memory.h"

namespace raddle::kernel {

// CUDA's numbering.
enum class TextureAddressing : std::uint8_t { kWrap, kClamp, kMirror, kBorder };
enum class TextureFilter : std::uint8_t { kPoint, kLinear };
enum class ChannelKind : std::uint8_t { kSigned, kUnsigned, kFloat };

struct TextureDescriptor {
  std::uint64_t address = 0;  // of the first element
  // In elements; height and depth 0 for 1-D and 2-D.
  std::uint32_t width = 0, height = 0, depth = 0;
  std::uint32_t layers = 0;     // layered textures
  std::uint64_t row_bytes = 0;  // pitch
  std::uint64_t slice_bytes = 0;
  std::array<std::uint8_t, 4> channel_bits{};  // 0: channel absent
  ChannelKind channel_kind = ChannelKind::kFloat;
  std::array<TextureAddressing, 3> addressing{TextureAddressing::kClamp, TextureAddressing::kClamp,
                                              TextureAddressing::kClamp};
  std::array<float, 4> border{};
  TextureFilter filter = TextureFilter::kPoint;
  bool normalized_coordinates = false;
  bool read_as_normalized_float = false;
  bool cube = false;           // its layers are faces, and nothing lies beside a face
  bool linear_memory = false;  // tex1Dfetch on cudaMalloc'ed memory

  std::uint32_t element_bytes() const {
    return (channel_bits[0] + channel_bits[1] + channel_bits[2] + channel_bits[3]) / 8u;
  }
};

using TextureTable = std::unordered_map<std::uint64_t, TextureDescriptor>;  // by handle

// The four components as raw 32-bit patterns (floats as their bits). `coordinates` are in texels or
// normalized, as the descriptor says; integer fetches pass whole numbers. Also reports the address
// read, for memory statistics.
struct TexelResult {
  std::array<std::uint32_t, 4> component{};
  std::uint64_t address = 0;
};
TexelResult fetch_texel(const TextureDescriptor& texture, const DeviceMemory& memory,
                        const std::array<float, 3>& coordinates, int dimensions,
                        std::uint32_t layer);
TexelResult fetch_texel_integer(const TextureDescriptor& texture, const DeviceMemory& memory,
                                const std::array<std::int32_t, 3>& coordinates, int dimensions,
                                std::uint32_t layer);

}  // namespace raddle::kernel
