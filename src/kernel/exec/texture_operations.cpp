// Textures and surfaces: coordinates from registers, the descriptor from the handle, texels back
// into registers.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "kernel/exec/memory_operations.h"
#include "kernel/exec/warp.h"

namespace raddle::kernel::exec {
namespace {

struct Geometry {
  int dimensions = 1;
  bool layered = false;
};

Geometry geometry_of(Mode mode) {
  switch (mode) {
    case Mode::kTexture2D:
    case Mode::kTexture2DLevel: return {2, false};
    case Mode::kTexture3D:
    case Mode::kTexture3DLevel: return {3, false};
    case Mode::kTextureArray1D: return {1, true};
    case Mode::kTextureArray2D: return {2, true};
    default: return {1, false};
  }
}

const TextureDescriptor* descriptor(const DecodedInstruction& d, Warp& warp, int lane) {
  const std::uint64_t handle = warp.lanes<std::uint64_t>(d.source[0])[lane];
  const auto found = warp.device->textures->find(handle);
  if (found != warp.device->textures->end()) return &found->second;
  AccessFault fault;
  fault.fatal = true;
  fault.lane = static_cast<std::uint8_t>(lane);
  fault.address = handle;
  fault.space = Space::kNone;  // an unbound texture
  warp.faults.push_back(fault);
  return nullptr;
}

void begin_access(Warp& warp, LaneMask mask) {
  warp.access().space = Space::kNone;
  warp.access().mask = mask;
  warp.access().linear = false;
}

void put(Warp& warp, const DecodedInstruction& d, std::size_t component, int lane,
         std::uint64_t value) {
  if (component >= d.destination_count || d.destination[component] == kNoSlot) return;
  std::memcpy(
      warp.frame + d.destination[component] + static_cast<std::size_t>(lane) * d.register_bytes,
      &value, d.register_bytes);
}

void fetch(const DecodedInstruction& d, Warp& warp, LaneMask mask) {
  const Geometry geometry = geometry_of(d.ir->mode);
  begin_access(warp, mask);
  for (LaneMask left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const TextureDescriptor* texture = descriptor(d, warp, lane);
    if (texture == nullptr) continue;
    std::size_t source = 1;
    std::uint32_t layer = 0;
    if (geometry.layered) layer = warp.lanes<std::uint32_t>(d.source[source++])[lane];
    std::array<std::uint32_t, 3> bits{};
    for (int i = 0; i < geometry.dimensions; ++i) {
      bits[static_cast<std::size_t>(i)] = warp.lanes<std::uint32_t>(d.source[source++])[lane];
    }
    TexelResult result;
    if (d.ir->source_type == Type::kF32) {
      result = fetch_texel(*texture, *warp.device->memory,
                           std::bit_cast<std::array<float, 3>>(bits), geometry.dimensions, layer);
    } else {
      result = fetch_texel_integer(*texture, *warp.device->memory,
                                   std::bit_cast<std::array<std::int32_t, 3>>(bits),
                                   geometry.dimensions, layer);
    }
    warp.access().bytes = texture->element_bytes();
    warp.access().address[static_cast<std::size_t>(lane)] = result.address;
    for (std::size_t c = 0; c < 4; ++c) put(warp, d, c, lane, result.component[c]);
  }
}

// The lower neighbour of a coordinate; far outside, any texel far outside; for NaN, the first.
std::int32_t lower_texel(float coordinate) {
  const float limited =
      coordinate != coordinate ? 0.0f : std::min(std::max(coordinate, -1e9f), 1e9f);
  return static_cast<std::int32_t>(std::floor(limited - 0.5f));
}

// tld4: one component of the four texels that linear filtering would use, in the order of the PTX
// manual.
void gather(const DecodedInstruction& d, Warp& warp, LaneMask mask) {
  const auto component =
      static_cast<std::size_t>(static_cast<int>(d.ir->mode) - static_cast<int>(Mode::kGatherRed));
  begin_access(warp, mask);
  for (LaneMask left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const TextureDescriptor* texture = descriptor(d, warp, lane);
    if (texture == nullptr) continue;
    const float scale_x =
        texture->normalized_coordinates ? static_cast<float>(texture->width) : 1.0f;
    const float scale_y =
        texture->normalized_coordinates ? static_cast<float>(texture->height) : 1.0f;
    const std::int32_t x = lower_texel(warp.lanes<float>(d.source[1])[lane] * scale_x);
    const std::int32_t y = lower_texel(warp.lanes<float>(d.source[2])[lane] * scale_y);
    constexpr std::array<std::array<std::int32_t, 2>, 4> kOrder{{{0, 1}, {1, 1}, {1, 0}, {0, 0}}};
    for (std::size_t corner = 0; corner < 4; ++corner) {
      const TexelResult texel = fetch_texel_integer(
          *texture, *warp.device->memory, {x + kOrder[corner][0], y + kOrder[corner][1], 0}, 2, 0);
      put(warp, d, corner, lane, texel.component[component]);
      warp.access().address[static_cast<std::size_t>(lane)] = texel.address;
    }
    warp.access().bytes = texture->element_bytes();
  }
}

void query(const DecodedInstruction& d, Warp& warp, LaneMask mask) {
  begin_access(warp, 0);
  for (LaneMask left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const TextureDescriptor* texture = descriptor(d, warp, lane);
    if (texture == nullptr) continue;
    std::uint32_t value = texture->width;
    if (d.ir->mode == Mode::kQueryHeight) value = texture->height;
    if (d.ir->mode == Mode::kQueryDepth) value = texture->depth;
    put(warp, d, 0, lane, value);
  }
}

// One coordinate of a surface access. PTX: clamp takes the nearest place inside; what else lies
// outside is told by the result.
bool settle_coordinate(const DecodedInstruction& d, std::uint64_t size, std::uint32_t bytes,
                       std::int64_t& coordinate) {
  if (size < bytes) return false;
  const auto last = static_cast<std::int64_t>(size - bytes);
  if (d.ir->clamp_mode == Mode::kSurfaceClamp)
    coordinate = std::clamp<std::int64_t>(coordinate, 0, last);
  return coordinate >= 0 && coordinate <= last;
}

// The bytes of a surface element; null if it lies outside.
std::byte* surface_place(const DecodedInstruction& d, Warp& warp, const TextureDescriptor& surface,
                         int lane, std::uint32_t bytes, std::size_t& source) {
  const Geometry geometry = geometry_of(d.ir->mode);
  bool inside = true;
  std::uint64_t address = surface.address;
  source = 1;
  const auto advance = [&](std::uint64_t size, std::uint32_t extent, std::uint64_t step) {
    std::int64_t coordinate = warp.lanes<std::int32_t>(d.source[source++])[lane];
    inside &= settle_coordinate(d, size, extent, coordinate);
    address += static_cast<std::uint64_t>(coordinate) * step;
  };
  if (geometry.layered) advance(surface.layers, 1, surface.slice_bytes);
  advance(std::uint64_t{surface.width} * surface.element_bytes(), bytes, 1);
  if (geometry.dimensions > 1) advance(std::max(1u, surface.height), 1, surface.row_bytes);
  if (geometry.dimensions > 2) advance(std::max(1u, surface.depth), 1, surface.slice_bytes);
  if (!inside || !warp.device->memory->in_arena(address, bytes)) {
    if (d.ir->clamp_mode == Mode::kSurfaceTrap || d.ir->clamp_mode == Mode::kNone) {
      AccessFault fault;
      fault.fatal = true;
      fault.store = d.ir->opcode == Opcode::kSust;
      fault.lane = static_cast<std::uint8_t>(lane);
      fault.bytes = bytes;
      fault.address = address;
      warp.faults.push_back(fault);
    }
    return nullptr;
  }
  warp.access().address[static_cast<std::size_t>(lane)] = address;
  warp.access().bytes = bytes;
  return warp.device->memory->view(address);
}

void load_surface(const DecodedInstruction& d, Warp& warp, LaneMask mask) {
  begin_access(warp, mask);
  const auto element = static_cast<std::uint32_t>(size_of(d.ir->type));
  for (LaneMask left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const TextureDescriptor* surface = descriptor(d, warp, lane);
    if (surface == nullptr) continue;
    std::size_t source = 1;
    const std::byte* place =
        surface_place(d, warp, *surface, lane, element * d.destination_count, source);
    for (std::size_t c = 0; c < d.destination_count; ++c) {
      std::uint64_t value = 0;
      if (place != nullptr) std::memcpy(&value, place + c * element, element);
      put(warp, d, c, lane, value);
    }
  }
}

void store_surface(const DecodedInstruction& d, Warp& warp, LaneMask mask) {
  begin_access(warp, mask);
  const auto element = static_cast<std::uint32_t>(size_of(d.ir->type));
  const Geometry geometry = geometry_of(d.ir->mode);
  const auto coordinates =
      static_cast<std::uint32_t>(geometry.dimensions + (geometry.layered ? 1 : 0));
  const std::uint32_t values = d.source_count - 1u - coordinates;
  for (LaneMask left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const TextureDescriptor* surface = descriptor(d, warp, lane);
    if (surface == nullptr) continue;
    std::size_t source = 1;
    std::byte* place = surface_place(d, warp, *surface, lane, element * values, source);
    if (place == nullptr) continue;
    for (std::size_t c = 0; c < values; ++c) {
      const std::byte* in =
          warp.frame + d.source[source + c] + static_cast<std::size_t>(lane) * d.register_bytes;
      std::memcpy(place + c * element, in, element);
    }
  }
}

}  // namespace

WarpFunction select_texture_function(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kTex: return instruction.mode == Mode::kTextureCube ? nullptr : &fetch;
    case Opcode::kTld4: return &gather;
    case Opcode::kTxq: {
      const Mode mode = instruction.mode;
      const bool known =
          mode == Mode::kQueryWidth || mode == Mode::kQueryHeight || mode == Mode::kQueryDepth;
      return known ? &query : nullptr;
    }
    case Opcode::kSuld: return &load_surface;
    case Opcode::kSust: return &store_surface;
    default: return nullptr;
  }
}

}  // namespace raddle::kernel::exec
