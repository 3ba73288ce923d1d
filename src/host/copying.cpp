#include "host/copying.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <optional>
#include <string>

#include "base/number_format.h"
#include "kernel/allocation_text.h"

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

// "the destination 0x… is host memory", "… is device memory, 0 bytes into the 400-byte allocation
// …".
std::string place_text(const DeviceMemory& memory, const char* side, std::uint64_t address) {
  constexpr std::array<const char*, 3> kNames = {"host memory", "device memory", "memory of both"};
  const std::string where = kernel::whereabouts(memory, address);
  return fmt::format("the {} {:#x} is {}{}{}", side, address,
                     kNames[static_cast<std::size_t>(location_of(memory, address))],
                     where.empty() ? "" : ", ", where);
}

void explain_range(const DeviceMemory& memory, const char* side, std::uint64_t address,
                   std::size_t bytes) {
  const Allocation* allocation = memory.find(address);
  if (allocation == nullptr) {
    const std::string where = kernel::whereabouts(memory, address);
    Session::explain(fmt::format("the {} {:#x} is not in any allocation{}{}", side, address,
                                 where.empty() ? "" : ": ", where));
    return;
  }
  Session::explain(fmt::format("{} bytes at the {} {:#x} go beyond {}", with_thousands(bytes), side,
                               address, kernel::allocation_text(memory, *allocation)));
}

void explain_direction(const DeviceMemory& memory, cudaMemcpyKind kind, std::uint64_t destination,
                       std::uint64_t source) {
  constexpr std::array<const char*, 5> kKinds = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice",
                                                 "cudaMemcpyDeviceToHost",
                                                 "cudaMemcpyDeviceToDevice", "cudaMemcpyDefault"};
  Session::explain(fmt::format("the pointers do not match {}: {}; {}", kKinds[kind],
                               place_text(memory, "destination", destination),
                               place_text(memory, "source", source)));
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

// Calls visit(offset of the row from the box's first byte on each side, its bytes): rows without
// gaps between them, on both sides, are one.
template <class Visit>
void each_stretch(const Side& a, const Side& b, const Box& box, Visit visit) {
  const auto touch = [&](const Side& side) { return box.rows == 1 || side.pitch == box.width; };
  const auto slices_touch = [&](const Side& side) {
    return box.slices == 1 || side.slice_pitch == box.rows * box.width;
  };
  const bool rows_touch = touch(a) && touch(b);
  if (rows_touch && slices_touch(a) && slices_touch(b)) return visit(0, 0, box.bytes());
  for (std::size_t slice = 0; slice < box.slices; ++slice) {
    if (rows_touch) {
      visit(slice * a.slice_pitch, slice * b.slice_pitch, box.rows * box.width);
      continue;
    }
    for (std::size_t row = 0; row < box.rows; ++row) {
      visit(slice * a.slice_pitch + row * a.pitch, slice * b.slice_pitch + row * b.pitch,
            box.width);
    }
  }
}

// The machine and the checks hear of what the host wrote to the device.
void tell_of_writes(Session& session, const Side& destination, const Box& box) {
  DeviceMemory& memory = session.device().memory();
  each_stretch(destination, destination, box, [&](std::size_t at, std::size_t, std::size_t bytes) {
    session.host_wrote(destination.address + at, bytes);
    if (memory.watches_writes()) memory.mark_written(destination.address + at, bytes);
  });
}

// Structures have gaps between their members that nobody writes; what is shorter than the widest
// alignment counts as such.
constexpr std::uint64_t kLongestPadding = 15;

// The first byte of a longer stretch that nobody has written.
std::optional<std::uint64_t> first_missing(DeviceMemory& memory, std::uint64_t address,
                                           std::uint64_t bytes) {
  for (const std::uint64_t end = address + bytes; address < end;) {
    const auto missing = memory.first_unwritten(address, end - address);
    if (!missing) return std::nullopt;
    std::uint64_t after = *missing + 1;
    while (after < end && after - *missing <= kLongestPadding && memory.first_unwritten(after, 1))
      ++after;
    if (after - *missing > kLongestPadding) return missing;
    address = after;
  }
  return std::nullopt;
}

// Copies of what nobody has written: between allocations they stay that, at the host they are
// found.
void follow_unwritten(Session& session, CopyDirection direction, const Side& destination,
                      const Side& source, const Box& box) {
  DeviceMemory& memory = session.device().memory();
  if (!memory.watches_writes()) return;
  std::optional<std::uint64_t> missing;
  each_stretch(destination, source, box, [&](std::size_t to, std::size_t from, std::size_t bytes) {
    if (direction == CopyDirection::kDeviceToDevice) {
      memory.first_unwritten(source.address + from, bytes);  // marks what counts as written
      memory.copy_written(destination.address + to, source.address + from, bytes);
    } else if (direction == CopyDirection::kDeviceToHost && !missing) {
      missing = first_missing(memory, source.address + from, bytes);
    }
  });
  if (missing) session.take_uninitialised_copy(*missing, box.bytes());
}

}  // namespace

cudaError_t copy_box(Session& session, const Side& destination, const Side& source, const Box& box,
                     cudaMemcpyKind kind) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
    return cudaErrorInvalidMemcpyDirection;
  }
  if (box.empty()) return cudaSuccess;
  if (destination.address == 0 || source.address == 0) return cudaErrorInvalidValue;
  DeviceMemory& memory = session.device().memory();
  const std::optional<CopyDirection> direction = direction_of(
      kind, location_of(memory, destination.address), location_of(memory, source.address));
  if (!direction) {
    explain_direction(memory, kind, destination.address, source.address);
    return cudaErrorInvalidValue;
  }
  if (!holds(memory, destination.address, destination.span(box))) {
    explain_range(memory, "destination", destination.address, destination.span(box));
    return cudaErrorInvalidValue;
  }
  if (!holds(memory, source.address, source.span(box))) {
    explain_range(memory, "source", source.address, source.span(box));
    return cudaErrorInvalidValue;
  }

  session.synchronised();
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
  if (*direction == CopyDirection::kHostToDevice)
    session.copies().note(source.address, source.span(box), destination.address);
  if (*direction == CopyDirection::kDeviceToHost)
    session.copies().note(destination.address, destination.span(box), source.address);
  if (*direction == CopyDirection::kHostToDevice) tell_of_writes(session, destination, box);
  follow_unwritten(session, *direction, destination, source, box);
  if (*direction != CopyDirection::kDeviceToHost) session.device().copy_mirrors_out();
  return cudaSuccess;
}

cudaError_t fill_box(Session& session, const Side& destination, const Pattern& pattern,
                     const Box& box) {
  if (box.empty()) return cudaSuccess;
  DeviceMemory& memory = session.device().memory();
  if (location_of(memory, destination.address) == Location::kHost) {
    Session::explain(place_text(memory, "destination", destination.address));
    return cudaErrorInvalidValue;
  }
  if (!holds(memory, destination.address, destination.span(box))) {
    explain_range(memory, "destination", destination.address, destination.span(box));
    return cudaErrorInvalidValue;
  }
  session.device().copy_mirrors_in();
  std::byte* to = memory.view(destination.address);
  for (std::size_t slice = 0; slice < box.slices; ++slice) {
    for (std::size_t row = 0; row < box.rows; ++row) {
      fill_row(to + slice * destination.slice_pitch + row * destination.pitch, pattern, box.width);
    }
  }
  tell_of_writes(session, destination, box);
  session.device().copy_mirrors_out();
  return cudaSuccess;
}

cudaError_t copy_bytes(Session& session, std::uint64_t destination, std::uint64_t source,
                       std::size_t count, cudaMemcpyKind kind) {
  return copy_box(session, {destination, 0, 0}, {source, 0, 0}, {count, 1, 1}, kind);
}

}  // namespace raddle::host
