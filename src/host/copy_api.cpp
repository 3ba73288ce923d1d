// Copies and fills of linear and pitched memory. Streams run in order and nothing overlaps, so the
// asynchronous forms are the plain ones.
#include "host/api_call.h"
#include "host/copying.h"
#include "host/stream_capture.h"

using namespace raddle::host;

namespace {

cudaError_t copy_2d(void* destination, size_t destination_pitch, const void* source,
                    size_t source_pitch, size_t width, size_t height, cudaMemcpyKind kind,
                    cudaStream_t stream) {
  return stream_call(stream, cudaGraphNodeTypeMemcpy, [=](Session& session) -> cudaError_t {
    if (width > destination_pitch || width > source_pitch) return cudaErrorInvalidPitchValue;
    return copy_box(session, {address_of(destination), destination_pitch, 0},
                    {address_of(source), source_pitch, 0}, {width, height, 1}, kind);
  });
}

cudaError_t fill(void* pointer, size_t pitch, size_t slice_pitch, int value, const Box& box,
                 cudaStream_t stream) {
  return stream_call(stream, cudaGraphNodeTypeMemset, [=](Session& session) -> cudaError_t {
    return fill_box(session, {address_of(pointer), pitch, slice_pitch},
                    {static_cast<std::uint8_t>(value), 1}, box);
  });
}

// A row that is longer than the pitch is refused even where there is but one.
cudaError_t fill_pitched(const cudaPitchedPtr& pointer, int value, const Box& box,
                         cudaStream_t stream) {
  if (box.width > pointer.pitch) return Session::record(cudaErrorInvalidValue);
  return fill(pointer.ptr, pointer.pitch, pointer.pitch * pointer.ysize, value, box, stream);
}

// One side of a 3-D copy: an array or pitched memory, and where in it the copy starts.
struct Side3D {
  Side side;
  std::size_t element_bytes = 0;  // 0: pitched memory, whose unit is the byte
};

std::optional<Side3D> side_of(Session& session, cudaArray_t array, const cudaPitchedPtr& pointer,
                              const cudaPos& position, const cudaExtent& extent) {
  Side3D result;
  std::size_t x = position.x;
  std::size_t rows = 0;
  if (array != nullptr) {
    if (!session.device().owns(array)) return std::nullopt;
    const bool inside = position.x + extent.width <= array->extent.width &&
                        position.y + extent.height <= array->rows() &&
                        position.z + extent.depth <= array->slices();
    if (!inside) return std::nullopt;
    result.side = {array->address, array->row_bytes, array->slice_bytes};
    result.element_bytes = array->element_bytes;
    x *= array->element_bytes;
  } else {
    rows = pointer.ysize != 0 ? pointer.ysize : extent.height;
    result.side = {address_of(pointer.ptr), pointer.pitch, pointer.pitch * rows};
  }
  result.side.address += position.z * result.side.slice_pitch + position.y * result.side.pitch + x;
  return result;
}

}  // namespace

cudaError_t raddle::host::copy_3d(Session& session, const cudaMemcpy3DParms& parameters) {
  const bool one_source = (parameters.srcArray != nullptr) != (parameters.srcPtr.ptr != nullptr);
  const bool one_destination =
      (parameters.dstArray != nullptr) != (parameters.dstPtr.ptr != nullptr);
  if (!one_source || !one_destination) return cudaErrorInvalidValue;
  const cudaExtent& extent = parameters.extent;
  if (extent.width == 0 || extent.height == 0 || extent.depth == 0) return cudaSuccess;
  const std::optional<Side3D> source =
      side_of(session, parameters.srcArray, parameters.srcPtr, parameters.srcPos, extent);
  const std::optional<Side3D> destination =
      side_of(session, parameters.dstArray, parameters.dstPtr, parameters.dstPos, extent);
  if (!source || !destination) return cudaErrorInvalidValue;
  // The extent counts elements as soon as an array takes part.
  const std::size_t unit =
      std::max({source->element_bytes, destination->element_bytes, static_cast<std::size_t>(1)});
  const bool both_arrays = source->element_bytes != 0 && destination->element_bytes != 0;
  if (both_arrays && source->element_bytes != destination->element_bytes) {
    return cudaErrorInvalidValue;
  }
  return copy_box(session, destination->side, source->side,
                  {extent.width * unit, extent.height, extent.depth}, parameters.kind);
}

cudaError_t cudaMemcpy(void* destination, const void* source, size_t count, cudaMemcpyKind kind) {
  return api_call([=](Session& session) {
    return copy_bytes(session, address_of(destination), address_of(source), count, kind);
  });
}

cudaError_t cudaMemcpyAsync(void* destination, const void* source, size_t count,
                            cudaMemcpyKind kind, cudaStream_t stream) {
  return stream_call(stream, cudaGraphNodeTypeMemcpy, [=](Session& session) -> cudaError_t {
    const cudaError_t status =
        copy_bytes(session, address_of(destination), address_of(source), count, kind);
    if (status == cudaSuccess)
      session.note_async_copy(address_of(destination), address_of(source), count);
    return status;
  });
}

cudaError_t cudaMemcpyPeerAsync(void* destination, int destination_device, const void* source,
                                int source_device, size_t count, cudaStream_t stream) {
  if (destination_device != 0 || source_device != 0) return Session::record(cudaErrorInvalidDevice);
  return cudaMemcpyAsync(destination, source, count, cudaMemcpyDeviceToDevice, stream);
}

cudaError_t cudaMemcpyPeer(void* destination, int destination_device, const void* source,
                           int source_device, size_t count) {
  return cudaMemcpyPeerAsync(destination, destination_device, source, source_device, count,
                             nullptr);
}

cudaError_t cudaMemcpy2D(void* destination, size_t destination_pitch, const void* source,
                         size_t source_pitch, size_t width, size_t height, cudaMemcpyKind kind) {
  return copy_2d(destination, destination_pitch, source, source_pitch, width, height, kind,
                 nullptr);
}

cudaError_t cudaMemcpy2DAsync(void* destination, size_t destination_pitch, const void* source,
                              size_t source_pitch, size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  return copy_2d(destination, destination_pitch, source, source_pitch, width, height, kind, stream);
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
  return cudaMemcpy3DAsync(parameters, nullptr);
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  if (parameters == nullptr) return Session::record(cudaErrorInvalidValue);
  return stream_call(
      stream, cudaGraphNodeTypeMemcpy,
      [copy = *parameters](Session& session) -> cudaError_t { return copy_3d(session, copy); });
}

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* parameters) {
  return api_call([=](Session& session) -> cudaError_t {
    if (parameters == nullptr) return cudaErrorInvalidValue;
    if (parameters->srcDevice != 0 || parameters->dstDevice != 0) return cudaErrorInvalidDevice;
    cudaMemcpy3DParms local{};
    local.srcArray = parameters->srcArray;
    local.srcPos = parameters->srcPos;
    local.srcPtr = parameters->srcPtr;
    local.dstArray = parameters->dstArray;
    local.dstPos = parameters->dstPos;
    local.dstPtr = parameters->dstPtr;
    local.extent = parameters->extent;
    local.kind = cudaMemcpyDeviceToDevice;
    return copy_3d(session, local);
  });
}

cudaError_t cudaMemset(void* pointer, int value, size_t count) {
  return fill(pointer, 0, 0, value, {count, 1, 1}, nullptr);
}

cudaError_t cudaMemsetAsync(void* pointer, int value, size_t count, cudaStream_t stream) {
  return fill(pointer, 0, 0, value, {count, 1, 1}, stream);
}

cudaError_t cudaMemset2D(void* pointer, size_t pitch, int value, size_t width, size_t height) {
  return cudaMemset2DAsync(pointer, pitch, value, width, height, nullptr);
}

cudaError_t cudaMemset2DAsync(void* pointer, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  return fill_pitched({pointer, pitch, width, height}, value, {width, height, 1}, stream);
}

cudaError_t cudaMemset3D(cudaPitchedPtr pointer, int value, cudaExtent extent) {
  return cudaMemset3DAsync(pointer, value, extent, nullptr);
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr pointer, int value, cudaExtent extent,
                              cudaStream_t stream) {
  return fill_pitched(pointer, value, {extent.width, extent.height, extent.depth}, stream);
}
