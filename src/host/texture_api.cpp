// Textures and surfaces: references that are bound, objects that are made. Both become an entry in
// the device's texture table; a reference's handle is the address of its variable in the image.
#include <algorithm>
#include <unordered_map>

#include "host/api_call.h"
#include "host/copying.h"
#include "host/registry.h"

using namespace raddle::host;

namespace {

using raddle::kernel::Allocation;
using raddle::kernel::ChannelKind;
using raddle::kernel::TextureAddressing;
using raddle::kernel::TextureDescriptor;
using raddle::kernel::TextureFilter;

// What objects were made from, for those who ask.
struct ObjectOrigin {
  cudaResourceDesc resource;
  cudaTextureDesc texture;
};
std::unordered_map<cudaTextureObject_t, ObjectOrigin>& origins() {
  static auto* const all = new std::unordered_map<cudaTextureObject_t, ObjectOrigin>;
  return *all;
}

bool set_channels(TextureDescriptor& descriptor, const cudaChannelFormatDesc& desc) {
  const std::array<int, 4> bits{desc.x, desc.y, desc.z, desc.w};
  for (std::size_t i = 0; i < 4; ++i) {
    const bool known = bits[i] == 0 || bits[i] == 8 || bits[i] == 16 || bits[i] == 32;
    if (!known || (i > 0 && bits[i] != 0 && bits[i] != bits[0])) return false;
    descriptor.channel_bits[i] = static_cast<std::uint8_t>(bits[i]);
  }
  switch (desc.f) {
    case cudaChannelFormatKindSigned: descriptor.channel_kind = ChannelKind::kSigned; break;
    case cudaChannelFormatKindUnsigned: descriptor.channel_kind = ChannelKind::kUnsigned; break;
    case cudaChannelFormatKindFloat: descriptor.channel_kind = ChannelKind::kFloat; break;
    case cudaChannelFormatKindNone: return false;
  }
  return descriptor.channel_bits[0] != 0;
}

cudaError_t set_linear(Session& session, TextureDescriptor& descriptor, const void* pointer,
                       const cudaChannelFormatDesc& desc, std::size_t bytes) {
  if (!set_channels(descriptor, desc)) return cudaErrorInvalidChannelDescriptor;
  const Allocation* allocation = session.device().memory().find(address_of(pointer));
  if (allocation == nullptr) return cudaErrorInvalidValue;
  const std::size_t rest = allocation->bytes - (address_of(pointer) - allocation->address);
  descriptor.address = address_of(pointer);
  descriptor.width = static_cast<std::uint32_t>(std::min(bytes, rest) / descriptor.element_bytes());
  descriptor.row_bytes = std::size_t{descriptor.width} * descriptor.element_bytes();
  descriptor.slice_bytes = descriptor.row_bytes;
  descriptor.linear_memory = true;
  return cudaSuccess;
}

cudaError_t set_pitched(Session& session, TextureDescriptor& descriptor, const void* pointer,
                        const cudaChannelFormatDesc& desc, std::size_t width, std::size_t height,
                        std::size_t pitch) {
  if (!set_channels(descriptor, desc)) return cudaErrorInvalidChannelDescriptor;
  const Allocation* allocation = session.device().memory().find(address_of(pointer));
  const std::size_t row = width * descriptor.element_bytes();
  if (allocation == nullptr || width == 0 || height == 0 || pitch < row) {
    return cudaErrorInvalidValue;
  }
  const std::size_t rest = allocation->bytes - (address_of(pointer) - allocation->address);
  if ((height - 1) * pitch + row > rest) return cudaErrorInvalidValue;
  descriptor.address = address_of(pointer);
  descriptor.width = static_cast<std::uint32_t>(width);
  descriptor.height = static_cast<std::uint32_t>(height);
  descriptor.row_bytes = pitch;
  descriptor.slice_bytes = pitch * height;
  return cudaSuccess;
}

cudaError_t set_array(Session& session, TextureDescriptor& descriptor, cudaArray_const_t array) {
  if (!session.device().owns(array)) return cudaErrorInvalidResourceHandle;
  if (!set_channels(descriptor, array->desc)) return cudaErrorInvalidChannelDescriptor;
  descriptor.address = array->address;
  descriptor.width = static_cast<std::uint32_t>(array->extent.width);
  descriptor.height = static_cast<std::uint32_t>(array->extent.height);
  descriptor.row_bytes = array->row_bytes;
  descriptor.slice_bytes = array->slice_bytes;
  descriptor.cube = (array->flags & cudaArrayCubemap) != 0;
  const bool layered = descriptor.cube || (array->flags & cudaArrayLayered) != 0;
  (layered ? descriptor.layers : descriptor.depth) =
      static_cast<std::uint32_t>(array->extent.depth);
  return cudaSuccess;
}

// Sampling settings, and the two combinations that CUDA refuses.
cudaError_t set_sampling(TextureDescriptor& descriptor, const cudaTextureAddressMode (&modes)[3],
                         cudaTextureFilterMode filter, bool normalized_coordinates,
                         bool normalized_read) {
  for (std::size_t i = 0; i < 3; ++i) {
    descriptor.addressing[i] = static_cast<TextureAddressing>(modes[i]);
    // Wrapping and mirroring need normalized coordinates; without, they clamp.
    const bool repeats = modes[i] == cudaAddressModeWrap || modes[i] == cudaAddressModeMirror;
    if (repeats && !normalized_coordinates) descriptor.addressing[i] = TextureAddressing::kClamp;
    if (descriptor.cube) descriptor.addressing[i] = TextureAddressing::kClamp;
  }
  const bool is_float = descriptor.channel_kind == ChannelKind::kFloat;
  descriptor.filter =
      filter == cudaFilterModeLinear ? TextureFilter::kLinear : TextureFilter::kPoint;
  descriptor.normalized_coordinates = normalized_coordinates;
  descriptor.read_as_normalized_float = normalized_read && !is_float;
  if (descriptor.read_as_normalized_float && descriptor.channel_bits[0] == 32) {
    return cudaErrorInvalidNormSetting;
  }
  const bool filterable = is_float || descriptor.read_as_normalized_float;
  if (descriptor.filter == TextureFilter::kLinear && !filterable) {
    return cudaErrorInvalidFilterSetting;
  }
  return cudaSuccess;
}

// Binds a reference once `set_storage` has filled in where the texels are.
template <class SetStorage>
cudaError_t bind(Session& session, const textureReference* reference, SetStorage set_storage) {
  const RegisteredTexture* registered = Registry::get().texture(reference);
  if (registered == nullptr) return cudaErrorInvalidTexture;
  const std::optional<VariablePlace> place = session.device().variable(registered->device);
  if (!place) return cudaErrorInvalidTexture;
  TextureDescriptor descriptor;
  cudaError_t status = set_storage(descriptor);
  if (status != cudaSuccess) return status;
  status = set_sampling(descriptor, reference->addressMode, reference->filterMode,
                        reference->normalized != 0, registered->normalized_read);
  if (status != cudaSuccess) return status;
  session.device().textures().insert_or_assign(place->address, descriptor);
  return cudaSuccess;
}

cudaError_t set_resource(Session& session, TextureDescriptor& descriptor,
                         const cudaResourceDesc& resource) {
  switch (resource.resType) {
    case cudaResourceTypeArray: return set_array(session, descriptor, resource.res.array.array);
    case cudaResourceTypeMipmappedArray: return cudaErrorNotSupported;
    case cudaResourceTypeLinear:
      return set_linear(session, descriptor, resource.res.linear.devPtr, resource.res.linear.desc,
                        resource.res.linear.sizeInBytes);
    case cudaResourceTypePitch2D:
      return set_pitched(session, descriptor, resource.res.pitch2D.devPtr,
                         resource.res.pitch2D.desc, resource.res.pitch2D.width,
                         resource.res.pitch2D.height, resource.res.pitch2D.pitchInBytes);
  }
  return cudaErrorInvalidValue;
}

}  // namespace

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* desc, cudaArray_const_t array) {
  return api_call([=](Session& session) -> cudaError_t {
    if (desc == nullptr) return cudaErrorInvalidValue;
    if (!session.device().owns(array)) return cudaErrorInvalidResourceHandle;
    *desc = array->desc;
    return cudaSuccess;
  });
}

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                            cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

// Any address can be bound, so the offset that fetches would have to add is always 0.
cudaError_t cudaBindTexture(size_t* offset, const textureReference* texture, const void* pointer,
                            const cudaChannelFormatDesc* desc, size_t size) {
  return api_call([=](Session& session) -> cudaError_t {
    if (texture == nullptr || desc == nullptr) return cudaErrorInvalidValue;
    if (offset != nullptr) *offset = 0;
    return bind(session, texture, [&](TextureDescriptor& descriptor) {
      return set_linear(session, descriptor, pointer, *desc, size);
    });
  });
}

cudaError_t cudaBindTexture2D(size_t* offset, const textureReference* texture, const void* pointer,
                              const cudaChannelFormatDesc* desc, size_t width, size_t height,
                              size_t pitch) {
  return api_call([=](Session& session) -> cudaError_t {
    if (texture == nullptr || desc == nullptr) return cudaErrorInvalidValue;
    if (offset != nullptr) *offset = 0;
    return bind(session, texture, [&](TextureDescriptor& descriptor) {
      return set_pitched(session, descriptor, pointer, *desc, width, height, pitch);
    });
  });
}

cudaError_t cudaBindTextureToArray(const textureReference* texture, cudaArray_const_t array,
                                   const cudaChannelFormatDesc* desc) {
  return api_call([=](Session& session) -> cudaError_t {
    if (texture == nullptr || desc == nullptr) return cudaErrorInvalidValue;
    return bind(session, texture, [&](TextureDescriptor& descriptor) {
      return set_array(session, descriptor, array);
    });
  });
}

cudaError_t cudaUnbindTexture(const textureReference* texture) {
  return api_call([=](Session& session) -> cudaError_t {
    const RegisteredTexture* registered = Registry::get().texture(texture);
    if (registered == nullptr) return cudaErrorInvalidTexture;
    const std::optional<VariablePlace> place = session.device().variable(registered->device);
    if (place) session.device().textures().erase(place->address);
    return cudaSuccess;
  });
}

cudaError_t cudaGetTextureAlignmentOffset(size_t* offset, const textureReference* texture) {
  return api_call([=](Session& session) -> cudaError_t {
    if (offset == nullptr) return cudaErrorInvalidValue;
    const RegisteredTexture* registered = Registry::get().texture(texture);
    if (registered == nullptr) return cudaErrorInvalidTexture;
    const std::optional<VariablePlace> place = session.device().variable(registered->device);
    if (!place || !session.device().textures().contains(place->address)) {
      return cudaErrorInvalidTextureBinding;
    }
    *offset = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaGetTextureReference(const textureReference** texture, const void* symbol) {
  return api_call([=](Session&) -> cudaError_t {
    if (texture == nullptr) return cudaErrorInvalidValue;
    if (Registry::get().texture(symbol) == nullptr) return cudaErrorInvalidTexture;
    *texture = static_cast<const textureReference*>(symbol);
    return cudaSuccess;
  });
}

cudaError_t cudaBindSurfaceToArray(const surfaceReference* surface, cudaArray_const_t array,
                                   const cudaChannelFormatDesc*) {
  return api_call([=](Session& session) -> cudaError_t {
    const DeviceName* registered = Registry::get().surface(surface);
    if (registered == nullptr) return cudaErrorInvalidSurface;
    const std::optional<VariablePlace> place = session.device().variable(*registered);
    if (!place) return cudaErrorInvalidSurface;
    TextureDescriptor descriptor;
    const cudaError_t status = set_array(session, descriptor, array);
    if (status != cudaSuccess) return status;
    session.device().textures().insert_or_assign(place->address, descriptor);
    return cudaSuccess;
  });
}

cudaError_t cudaGetSurfaceReference(const surfaceReference** surface, const void* symbol) {
  return api_call([=](Session&) -> cudaError_t {
    if (surface == nullptr) return cudaErrorInvalidValue;
    if (Registry::get().surface(symbol) == nullptr) return cudaErrorInvalidSurface;
    *surface = static_cast<const surfaceReference*>(symbol);
    return cudaSuccess;
  });
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* texture,
                                    const cudaResourceViewDesc* view) {
  return api_call([=](Session& session) -> cudaError_t {
    if (object == nullptr || resource == nullptr || texture == nullptr) {
      return cudaErrorInvalidValue;
    }
    if (view != nullptr && view->format != cudaResViewFormatNone) return cudaErrorNotSupported;
    TextureDescriptor descriptor;
    cudaError_t status = set_resource(session, descriptor, *resource);
    if (status != cudaSuccess) return status;
    std::copy_n(texture->borderColor, 4, descriptor.border.begin());
    status = set_sampling(descriptor, texture->addressMode, texture->filterMode,
                          texture->normalizedCoords != 0,
                          texture->readMode == cudaReadModeNormalizedFloat);
    if (status != cudaSuccess) return status;
    *object = session.device().new_texture_handle();
    session.device().textures().emplace(*object, descriptor);
    origins()[*object] = {*resource, *texture};
    return cudaSuccess;
  });
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  return api_call([=](Session& session) -> cudaError_t {
    origins().erase(object);
    return session.device().textures().erase(object) != 0 ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaTextureObject_t object) {
  return api_call([=](Session&) -> cudaError_t {
    const auto found = origins().find(object);
    if (resource == nullptr || found == origins().end()) return cudaErrorInvalidValue;
    *resource = found->second.resource;
    return cudaSuccess;
  });
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* texture, cudaTextureObject_t object) {
  return api_call([=](Session&) -> cudaError_t {
    const auto found = origins().find(object);
    if (texture == nullptr || found == origins().end()) return cudaErrorInvalidValue;
    *texture = found->second.texture;
    return cudaSuccess;
  });
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource) {
  return api_call([=](Session& session) -> cudaError_t {
    if (object == nullptr || resource == nullptr) return cudaErrorInvalidValue;
    if (resource->resType != cudaResourceTypeArray) return cudaErrorInvalidValue;
    TextureDescriptor descriptor;
    const cudaError_t status = set_array(session, descriptor, resource->res.array.array);
    if (status != cudaSuccess) return status;
    *object = session.device().new_texture_handle();
    session.device().textures().emplace(*object, descriptor);
    return cudaSuccess;
  });
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
  return api_call([=](Session& session) -> cudaError_t {
    return session.device().textures().erase(object) != 0 ? cudaSuccess : cudaErrorInvalidValue;
  });
}
