// Copies to, from and between arrays.
#include <algorithm>

#include "host/api_call.h"
#include "host/copying.h"

using namespace raddle::host;

namespace {

// A rectangle of an array that starts x bytes into row y.
std::optional<Side> rectangle(Session& session, cudaArray_const_t array, std::size_t x,
                              std::size_t y, std::size_t width, std::size_t height) {
  if (!session.device().owns(array)) return std::nullopt;
  const std::size_t row = array->extent.width * array->element_bytes;
  if (x > row || width > row - x || y > array->rows() || height > array->rows() - y) {
    return std::nullopt;
  }
  return Side{array->address + y * array->row_bytes + x, array->row_bytes, array->slice_bytes};
}

// The old linear copies fill an array row after row, starting anywhere in it. `move` copies one run
// that lies within a row: its place in the array, its offset in the linear memory, its length.
template <class Move>
cudaError_t by_rows(Session& session, cudaArray_const_t array, std::size_t x, std::size_t y,
                    std::size_t count, Move move) {
  if (!session.device().owns(array)) return cudaErrorInvalidResourceHandle;
  const std::size_t row = array->extent.width * array->element_bytes;
  if (x >= row || y >= array->rows()) return cudaErrorInvalidValue;
  if (count > row * (array->rows() - y) - x) return cudaErrorInvalidValue;
  std::size_t done = 0;
  while (done < count) {
    const std::size_t length = std::min(row - x, count - done);
    const cudaError_t status = move(array->address + y * array->row_bytes + x, done, length);
    if (status != cudaSuccess) return status;
    done += length;
    x = 0;
    ++y;
  }
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaMemcpyToArray(cudaArray_t destination, size_t w_offset, size_t h_offset,
                              const void* source, size_t count, cudaMemcpyKind kind) {
  return api_call([=](Session& session) {
    return by_rows(session, destination, w_offset, h_offset, count,
                   [&](std::uint64_t place, std::size_t offset, std::size_t length) {
                     return copy_bytes(session, place, address_of(source) + offset, length, kind);
                   });
  });
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t destination, size_t w_offset, size_t h_offset,
                                   const void* source, size_t count, cudaMemcpyKind kind,
                                   cudaStream_t) {
  return cudaMemcpyToArray(destination, w_offset, h_offset, source, count, kind);
}

cudaError_t cudaMemcpyFromArray(void* destination, cudaArray_const_t source, size_t w_offset,
                                size_t h_offset, size_t count, cudaMemcpyKind kind) {
  return api_call([=](Session& session) {
    return by_rows(session, source, w_offset, h_offset, count,
                   [&](std::uint64_t place, std::size_t offset, std::size_t length) {
                     return copy_bytes(session, address_of(destination) + offset, place, length,
                                       kind);
                   });
  });
}

cudaError_t cudaMemcpyFromArrayAsync(void* destination, cudaArray_const_t source, size_t w_offset,
                                     size_t h_offset, size_t count, cudaMemcpyKind kind,
                                     cudaStream_t) {
  return cudaMemcpyFromArray(destination, source, w_offset, h_offset, count, kind);
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t destination, size_t w_offset_dst,
                                   size_t h_offset_dst, cudaArray_const_t source,
                                   size_t w_offset_src, size_t h_offset_src, size_t count,
                                   cudaMemcpyKind kind) {
  return api_call([=](Session& session) {
    const auto copy_run = [&](std::uint64_t to, std::size_t offset, std::size_t length) {
      // The run continues `offset` bytes after the start of the source.
      const std::size_t row = source->extent.width * source->element_bytes;
      const std::size_t linear = h_offset_src * row + w_offset_src + offset;
      return by_rows(session, source, linear % row, linear / row, length,
                     [&](std::uint64_t from, std::size_t part, std::size_t part_length) {
                       return copy_bytes(session, to + part, from, part_length, kind);
                     });
    };
    if (!session.device().owns(source)) return cudaErrorInvalidResourceHandle;
    return by_rows(session, destination, w_offset_dst, h_offset_dst, count, copy_run);
  });
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t destination, size_t w_offset, size_t h_offset,
                                const void* source, size_t source_pitch, size_t width,
                                size_t height, cudaMemcpyKind kind) {
  return api_call([=](Session& session) -> cudaError_t {
    if (width > source_pitch) return cudaErrorInvalidPitchValue;
    const auto side = rectangle(session, destination, w_offset, h_offset, width, height);
    if (!side) return cudaErrorInvalidValue;
    return copy_box(session, *side, {address_of(source), source_pitch, 0}, {width, height, 1},
                    kind);
  });
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t destination, size_t w_offset, size_t h_offset,
                                     const void* source, size_t source_pitch, size_t width,
                                     size_t height, cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpy2DToArray(destination, w_offset, h_offset, source, source_pitch, width, height,
                             kind);
}

cudaError_t cudaMemcpy2DFromArray(void* destination, size_t destination_pitch,
                                  cudaArray_const_t source, size_t w_offset, size_t h_offset,
                                  size_t width, size_t height, cudaMemcpyKind kind) {
  return api_call([=](Session& session) -> cudaError_t {
    if (width > destination_pitch) return cudaErrorInvalidPitchValue;
    const auto side = rectangle(session, source, w_offset, h_offset, width, height);
    if (!side) return cudaErrorInvalidValue;
    return copy_box(session, {address_of(destination), destination_pitch, 0}, *side,
                    {width, height, 1}, kind);
  });
}

cudaError_t cudaMemcpy2DFromArrayAsync(void* destination, size_t destination_pitch,
                                       cudaArray_const_t source, size_t w_offset, size_t h_offset,
                                       size_t width, size_t height, cudaMemcpyKind kind,
                                       cudaStream_t) {
  return cudaMemcpy2DFromArray(destination, destination_pitch, source, w_offset, h_offset, width,
                               height, kind);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t destination, size_t w_offset_dst,
                                     size_t h_offset_dst, cudaArray_const_t source,
                                     size_t w_offset_src, size_t h_offset_src, size_t width,
                                     size_t height, cudaMemcpyKind kind) {
  return api_call([=](Session& session) -> cudaError_t {
    const auto to = rectangle(session, destination, w_offset_dst, h_offset_dst, width, height);
    const auto from = rectangle(session, source, w_offset_src, h_offset_src, width, height);
    if (!to || !from) return cudaErrorInvalidValue;
    return copy_box(session, *to, *from, {width, height, 1}, kind);
  });
}
