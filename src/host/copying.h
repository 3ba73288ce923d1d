// Copies between host and device memory as CUDA defines them: every byte of the device side is
// checked against its allocation before the first one moves, and a copy in the wrong direction is
// refused.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/cuda_api.h"
#include "host/session.h"

namespace raddle::host {

// `rows` rows of `width` bytes, `pitch` apart, in `slices` groups `slice_pitch` apart.
struct Box {
  std::size_t width = 0;
  std::size_t rows = 1;
  std::size_t slices = 1;
  bool empty() const { return width == 0 || rows == 0 || slices == 0; }
  std::size_t bytes() const { return width * rows * slices; }
};

// One side of a copy.
struct Side {
  std::uint64_t address = 0;
  std::size_t pitch = 0;
  std::size_t slice_pitch = 0;

  // From the first to the last byte of the box.
  std::size_t span(const Box& box) const {
    return (box.slices - 1) * slice_pitch + (box.rows - 1) * pitch + box.width;
  }
};

inline std::uint64_t address_of(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

// Copies a box.
cudaError_t copy_box(Session& session, const Side& destination, const Side& source, const Box& box,
                     cudaMemcpyKind kind);

// What memory is filled with: the low bytes of a value, again and again.
struct Pattern {
  std::uint32_t value = 0;
  std::size_t bytes = 1;  // 1, 2 or 4
};

// Fills a box of device memory, whose width holds the pattern a whole number of times.
cudaError_t fill_box(Session& session, const Side& destination, const Pattern& pattern,
                     const Box& box);

// Between arrays and pitched memory.
cudaError_t copy_3d(Session& session, const cudaMemcpy3DParms& parameters);

// One row.
cudaError_t copy_bytes(Session& session, std::uint64_t destination, std::uint64_t source,
                       std::size_t count, cudaMemcpyKind kind);

}  // namespace raddle::host
