#include "host/copying.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>

namespace raddle::host {
namespace {

using kernel::Allocation;
using kernel::AllocationKind;
using kernel::DeviceMemory;

enum class Location { kHost, kDevice, kBoth };  // managed and pinned memory is both

Location location_of(const DeviceMemory& memory, std::uint64_t address) {
  if (!memory.in_arena(address, 1)) return Location::kHost;
  const Allocation* allocation = memory.find(address);
  if (allocation == nullptr) return Location::kDevice;
  const bool both = allocation->kind == AllocationKind::kManaged ||
                    allocation->kind == AllocationKind::kPinnedHost;
  return both ? Location::kBoth : Location::kDevice;
}

// Whether the allocation that holds the first byte holds them all. Host memory is the program's own
// affair.
bool holds(const DeviceMemory& memory, std::uint64_t address, std::size_t bytes) {
  if (!memory.in_arena(address, 1)) return true;
  const Allocation* allocation = memory.find(address);
  return allocation != nullptr && bytes <= allocation->bytes - (address - allocation->address);
}

void explain_range(const Session& session, const DeviceMemory& memory, const char* what,
                   const char* side, std::uint64_t address, std::size_t bytes) {
  const Allocation* allocation = memory.find(address);
  if (allocation == nullptr) {
    session.explain(fmt::format("{}: the {} {:#x} is not in any allocation", what, side, address));
    return;
  }
  session.explain(fmt::format("{}: {} bytes at the {} {:#x} go beyond its allocation of {} bytes",
                              what, bytes, side, address, allocation->bytes));
}

std::optional<CopyDirection> direction_of(cudaMemcpyKind kind, Location destination,
                                          Location source) {
  const bool to_device = destination != Location::kHost;
  const bool from_device = source != Location::kHost;
  const bool to_host = destination != Location::kDevice;
  const bool from_host = source != Location::kDevice;
  switch (kind) {
    case cudaMemcpyHostToHost:
      if (to_host && from_host) return CopyDirection::kHostToHost;
      break;
    case cudaMemcpyHostToDevice:
      if (to_device && from_host) return CopyDirection::kHostToDevice;
      break;
    case cudaMemcpyDeviceToHost:
      if (to_host && from_device) return CopyDirection::kDeviceToHost;
      break;
    case cudaMemcpyDeviceToDevice:
      if (to_device && from_device) return CopyDirection::kDeviceToDevice;
      break;
    case cudaMemcpyDefault:
      if (to_device) {
        return from_device ? CopyDirection::kDeviceToDevice : CopyDirection::kHostToDevice;
      }
      return from_device ? CopyDirection::kDeviceToHost : CopyDirection::kHostToHost;
  }
  return std::nullopt;
}

std::byte* bytes_at(DeviceMemory& memory, std::uint64_t address) {
  return memory.in_arena(address, 1) ? memory.view(address) : reinterpret_cast<std::byte*>(address);
}

void fill_row(std::byte* row, const Pattern& pattern, std::size_t width) {
  if (pattern.bytes == 1) {
    std::memset(row, static_cast<int>(pattern.value), width);
    return;
  }
  for (std::size_t i = 0; i < width; i += pattern.bytes)
    std::memcpy(row + i, &pattern.value, pattern.bytes);
}

// Rows without gaps between them are one stretch.
void tell_machine(Session& session, const Side& destination, const Box& box) {
  const bool rows_touch = box.rows == 1 || destination.pitch == box.width;
  const bool slices_touch =
      rows_touch && (box.slices == 1 || destination.slice_pitch == box.rows * box.width);
  if (slices_touch) return session.host_wrote(destination.address, box.bytes());
  for (std::size_t slice = 0; slice < box.slices; ++slice) {
    const std::uint64_t start = destination.address + slice * destination.slice_pitch;
    if (rows_touch) {
      session.host_wrote(start, box.rows * box.width);
      continue;
    }
    for (std::size_t row = 0; row < box.rows; ++row)
      session.host_wrote(start + row * destination.pitch, box.width);
  }
}

}  // namespace

cudaError_t copy_box(Session& session, const char* what, const Side& destination,
                     const Side& source, const Box& box, cudaMemcpyKind kind) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
    return cudaErrorInvalidMemcpyDirection;
  }
  if (box.empty()) return cudaSuccess;
  if (destination.address == 0 || source.address == 0) return cudaErrorInvalidValue;
  DeviceMemory& memory = session.device().memory();
  const std::optional<CopyDirection> direction = direction_of(
      kind, location_of(memory, destination.address), location_of(memory, source.address));
  if (!direction) {
    session.explain(fmt::format("{}: the pointers do not match the direction of the copy", what));
    return cudaErrorInvalidValue;
  }
  if (!holds(memory, destination.address, destination.span(box))) {
    explain_range(session, memory, what, "destination", destination.address, destination.span(box));
    return cudaErrorInvalidValue;
  }
  if (!holds(memory, source.address, source.span(box))) {
    explain_range(session, memory, what, "source", source.address, source.span(box));
    return cudaErrorInvalidValue;
  }

  session.device().copy_mirrors_in();
  std::byte* to = bytes_at(memory, destination.address);
  const std::byte* from = bytes_at(memory, source.address);
  for (std::size_t slice = 0; slice < box.slices; ++slice) {
    for (std::size_t row = 0; row < box.rows; ++row) {
      std::memmove(to + slice * destination.slice_pitch + row * destination.pitch,
                   from + slice * source.slice_pitch + row * source.pitch, box.width);
    }
  }
  session.count_copy(*direction, box.bytes());
  if (*direction == CopyDirection::kHostToDevice) tell_machine(session, destination, box);
  if (*direction != CopyDirection::kDeviceToHost) session.device().copy_mirrors_out();
  return cudaSuccess;
}

cudaError_t fill_box(Session& session, const char* what, const Side& destination,
                     const Pattern& pattern, const Box& box) {
  if (box.empty()) return cudaSuccess;
  DeviceMemory& memory = session.device().memory();
  if (location_of(memory, destination.address) == Location::kHost) {
    session.explain(fmt::format("{}: {:#x} is not device memory", what, destination.address));
    return cudaErrorInvalidValue;
  }
  if (!holds(memory, destination.address, destination.span(box))) {
    explain_range(session, memory, what, "destination", destination.address, destination.span(box));
    return cudaErrorInvalidValue;
  }
  session.device().copy_mirrors_in();
  std::byte* to = memory.view(destination.address);
  for (std::size_t slice = 0; slice < box.slices; ++slice) {
    for (std::size_t row = 0; row < box.rows; ++row) {
      fill_row(to + slice * destination.slice_pitch + row * destination.pitch, pattern, box.width);
    }
  }
  tell_machine(session, destination, box);
  session.device().copy_mirrors_out();
  return cudaSuccess;
}

cudaError_t copy_bytes(Session& session, const char* what, std::uint64_t destination,
                       std::uint64_t source, std::size_t count, cudaMemcpyKind kind) {
  return copy_box(session, what, {destination, 0, 0}, {source, 0, 0}, {count, 1, 1}, kind);
}

}  // namespace raddle::host
