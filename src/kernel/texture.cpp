#include "kernel/texture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace raddle::kernel {
namespace {

// A texel as four numbers: floats for filtering, raw patterns otherwise.
struct Texel {
  std::array<float, 4> value{};
  std::array<std::uint32_t, 4> raw{};
  std::uint64_t address = 0;
};

bool reads_float(const TextureDescriptor& texture) {
  return texture.channel_kind == ChannelKind::kFloat || texture.read_as_normalized_float;
}

float half_bits_to_float(std::uint32_t bits) {
  const std::uint32_t exponent = bits >> 10 & 0x1fu;
  const auto fraction = static_cast<float>(bits & 0x3ffu);
  const float sign = (bits & 0x8000u) != 0 ? -1.0f : 1.0f;
  if (exponent == 0) return sign * fraction * 0x1p-24f;
  if (exponent == 31) return fraction == 0 ? sign * INFINITY : NAN;
  return sign * std::ldexp(1024.0f + fraction, static_cast<int>(exponent) - 25);
}

Texel decode_element(const TextureDescriptor& texture, const DeviceMemory& memory,
                     std::uint64_t address) {
  Texel texel;
  texel.address = address;
  std::uint64_t place = address;
  for (std::size_t c = 0; c < 4; ++c) {
    const std::uint32_t bits = texture.channel_bits[c];
    if (bits == 0) continue;
    std::uint32_t raw = 0;
    if (memory.in_arena(place, bits / 8)) std::memcpy(&raw, memory.view(place), bits / 8);
    place += bits / 8;
    if (texture.channel_kind == ChannelKind::kFloat) {
      const float value = bits == 16 ? half_bits_to_float(raw) : std::bit_cast<float>(raw);
      texel.value[c] = value;
      texel.raw[c] = std::bit_cast<std::uint32_t>(value);
      continue;
    }
    const bool is_signed = texture.channel_kind == ChannelKind::kSigned;
    const auto shift = 32 - bits;
    const auto extended = static_cast<std::int32_t>(raw << shift) >> shift;
    texel.raw[c] = is_signed ? static_cast<std::uint32_t>(extended) : raw;
    if (texture.read_as_normalized_float) {
      const auto largest =
          static_cast<float>((std::uint64_t{1} << (bits - (is_signed ? 1 : 0))) - 1);
      texel.value[c] = is_signed ? std::max(static_cast<float>(extended) / largest, -1.0f)
                                 : static_cast<float>(raw) / largest;
      texel.raw[c] = std::bit_cast<std::uint32_t>(texel.value[c]);
    }
  }
  return texel;
}

// Brings an index into range; false: outside, use the border.
bool wrap_index(std::int64_t& index, std::int64_t size, TextureAddressing mode, bool normalized) {
  if (index >= 0 && index < size) return true;
  // CUDA: wrap and mirror need normalized coordinates and are clamp otherwise.
  if (!normalized && (mode == TextureAddressing::kWrap || mode == TextureAddressing::kMirror))
    mode = TextureAddressing::kClamp;
  switch (mode) {
    case TextureAddressing::kBorder: return false;
    case TextureAddressing::kClamp:
      index = std::clamp<std::int64_t>(index, 0, size - 1);
      return true;
    case TextureAddressing::kWrap: index = (index % size + size) % size; return true;
    case TextureAddressing::kMirror: {
      const std::int64_t period = 2 * size;
      const std::int64_t position = (index % period + period) % period;
      index = position < size ? position : period - 1 - position;
      return true;
    }
  }
  return false;
}

std::array<std::uint32_t, 3> extent_of(const TextureDescriptor& texture) {
  return {texture.width, std::max(1u, texture.height), std::max(1u, texture.depth)};
}

Texel texel_at(const TextureDescriptor& texture, const DeviceMemory& memory,
               std::array<std::int64_t, 3> index, int dimensions, std::uint32_t layer) {
  const auto extent = extent_of(texture);
  bool inside = true;
  for (int d = 0; d < dimensions; ++d) {
    const auto i = static_cast<std::size_t>(d);
    inside &=
        wrap_index(index[i], extent[i], texture.addressing[i], texture.normalized_coordinates);
  }
  if (!inside) {
    Texel border;
    for (std::size_t c = 0; c < 4; ++c) {
      border.value[c] = texture.border[c];
      border.raw[c] =
          reads_float(texture)
              ? std::bit_cast<std::uint32_t>(texture.border[c])
              : static_cast<std::uint32_t>(static_cast<std::int64_t>(texture.border[c]));
    }
    return border;
  }
  std::uint64_t address =
      texture.address + static_cast<std::uint64_t>(index[0]) * texture.element_bytes();
  if (dimensions > 1) address += static_cast<std::uint64_t>(index[1]) * texture.row_bytes;
  if (dimensions > 2) address += static_cast<std::uint64_t>(index[2]) * texture.slice_bytes;
  if (texture.layers > 0) {
    address += std::uint64_t{std::min(layer, texture.layers - 1)} * texture.slice_bytes;
  }
  return decode_element(texture, memory, address);
}

TexelResult as_result(const Texel& texel) { return {texel.raw, texel.address}; }

// Linear filtering with weights of eight fraction bits, as the CUDA programming guide describes it.
TexelResult filter_linear(const TextureDescriptor& texture, const DeviceMemory& memory,
                          const std::array<double, 3>& position, int dimensions,
                          std::uint32_t layer) {
  std::array<std::int64_t, 3> base{};
  std::array<float, 3> weight{};
  for (int d = 0; d < dimensions; ++d) {
    const auto i = static_cast<std::size_t>(d);
    const double shifted = position[i] - 0.5;
    base[i] = static_cast<std::int64_t>(std::floor(shifted));
    weight[i] =
        static_cast<float>(std::floor((shifted - std::floor(shifted)) * 256.0 + 0.5) / 256.0);
  }
  std::array<float, 4> sum{};
  TexelResult result;
  for (int corner = 0; corner < 1 << dimensions; ++corner) {
    std::array<std::int64_t, 3> index = base;
    float share = 1;
    for (int d = 0; d < dimensions; ++d) {
      const auto i = static_cast<std::size_t>(d);
      const bool upper = (corner >> d & 1) != 0;
      index[i] += upper ? 1 : 0;
      share *= upper ? weight[i] : 1 - weight[i];
    }
    const Texel texel = texel_at(texture, memory, index, dimensions, layer);
    if (corner == 0) result.address = texel.address;
    for (std::size_t c = 0; c < 4; ++c) sum[c] += share * texel.value[c];
  }
  for (std::size_t c = 0; c < 4; ++c) result.component[c] = std::bit_cast<std::uint32_t>(sum[c]);
  return result;
}

}  // namespace

TexelResult fetch_texel(const TextureDescriptor& texture, const DeviceMemory& memory,
                        const std::array<float, 3>& coordinates, int dimensions,
                        std::uint32_t layer) {
  const auto extent = extent_of(texture);
  std::array<double, 3> position{};
  for (int d = 0; d < dimensions; ++d) {
    const auto i = static_cast<std::size_t>(d);
    position[i] = static_cast<double>(coordinates[i]);
    if (!(std::abs(position[i]) < 1e9))
      position[i] = position[i] > 0 ? 1e9 : position[i] < 0 ? -1e9 : 0;
    if (texture.normalized_coordinates) position[i] *= extent[i];
  }
  if (texture.filter == TextureFilter::kLinear && reads_float(texture)) {
    return filter_linear(texture, memory, position, dimensions, layer);
  }
  std::array<std::int64_t, 3> index{};
  for (int d = 0; d < dimensions; ++d) {
    const auto i = static_cast<std::size_t>(d);
    index[i] = static_cast<std::int64_t>(std::floor(position[i]));
  }
  return as_result(texel_at(texture, memory, index, dimensions, layer));
}

TexelResult fetch_texel_integer(const TextureDescriptor& texture, const DeviceMemory& memory,
                                const std::array<std::int32_t, 3>& coordinates, int dimensions,
                                std::uint32_t layer) {
  if (texture.linear_memory && dimensions == 1 &&
      static_cast<std::uint32_t>(coordinates[0]) >= texture.width) {
    return {};  // beyond the bound range a card returns zero
  }
  const std::array<std::int64_t, 3> index{coordinates[0], coordinates[1], coordinates[2]};
  return as_result(texel_at(texture, memory, index, dimensions, layer));
}

}  // namespace raddle::kernel
