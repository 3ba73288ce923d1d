// The driver interface: texture and surface objects, which are the runtime's.
#include <algorithm>
#include <optional>

#include "host/driver_call.h"

using namespace raddle::host;

namespace {

std::optional<cudaChannelFormatDesc> channels_of(CUarray_format format, unsigned int count) {
  int bits = 0;
  cudaChannelFormatKind kind = cudaChannelFormatKindUnsigned;
  switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8: bits = 8; break;
    case CU_AD_FORMAT_UNSIGNED_INT16: bits = 16; break;
    case CU_AD_FORMAT_UNSIGNED_INT32: bits = 32; break;
    case CU_AD_FORMAT_SIGNED_INT8:
      bits = 8;
      kind = cudaChannelFormatKindSigned;
      break;
    case CU_AD_FORMAT_SIGNED_INT16:
      bits = 16;
      kind = cudaChannelFormatKindSigned;
      break;
    case CU_AD_FORMAT_SIGNED_INT32:
      bits = 32;
      kind = cudaChannelFormatKindSigned;
      break;
    case CU_AD_FORMAT_HALF:
      bits = 16;
      kind = cudaChannelFormatKindFloat;
      break;
    case CU_AD_FORMAT_FLOAT:
      bits = 32;
      kind = cudaChannelFormatKindFloat;
      break;
    default: return std::nullopt;
  }
  if (count != 1 && count != 2 && count != 4) return std::nullopt;
  const auto used = [&](unsigned int channel) { return channel < count ? bits : 0; };
  return cudaChannelFormatDesc{used(0), used(1), used(2), used(3), kind};
}

std::optional<cudaResourceDesc> runtime_resource(const CUDA_RESOURCE_DESC& resource) {
  cudaResourceDesc result{};
  result.resType = static_cast<cudaResourceType>(resource.resType);
  switch (resource.resType) {
    case CU_RESOURCE_TYPE_ARRAY: result.res.array.array = resource.res.array.hArray; return result;
    case CU_RESOURCE_TYPE_LINEAR: {
      const auto& linear = resource.res.linear;
      const auto channels = channels_of(linear.format, linear.numChannels);
      if (!channels) return std::nullopt;
      result.res.linear = {to_pointer(linear.devPtr), *channels, linear.sizeInBytes};
      return result;
    }
    case CU_RESOURCE_TYPE_PITCH2D: {
      const auto& pitched = resource.res.pitch2D;
      const auto channels = channels_of(pitched.format, pitched.numChannels);
      if (!channels) return std::nullopt;
      result.res.pitch2D = {to_pointer(pitched.devPtr), *channels, pitched.width, pitched.height,
                            pitched.pitchInBytes};
      return result;
    }
    default: return std::nullopt;
  }
}

// Integers come out as fractions unless a flag says otherwise; with floats there is no difference.
cudaTextureDesc runtime_texture(const CUDA_TEXTURE_DESC& texture) {
  cudaTextureDesc result{};
  for (int i = 0; i < 3; ++i)
    result.addressMode[i] = static_cast<cudaTextureAddressMode>(texture.addressMode[i]);
  result.filterMode = static_cast<cudaTextureFilterMode>(texture.filterMode);
  result.readMode = (texture.flags & CU_TRSF_READ_AS_INTEGER) != 0 ? cudaReadModeElementType
                                                                   : cudaReadModeNormalizedFloat;
  result.normalizedCoords = (texture.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0 ? 1 : 0;
  result.sRGB = (texture.flags & CU_TRSF_SRGB) != 0 ? 1 : 0;
  std::copy_n(texture.borderColor, 4, result.borderColor);
  result.maxAnisotropy = texture.maxAnisotropy;
  return result;
}

bool is_32_bit_integer(const cudaChannelFormatDesc& channels) {
  return channels.x == 32 && channels.f != cudaChannelFormatKindFloat;
}

}  // namespace

CUresult cuTexObjectCreate(CUtexObject* object, const CUDA_RESOURCE_DESC* resource,
                           const CUDA_TEXTURE_DESC* texture, const CUDA_RESOURCE_VIEW_DESC* view) {
  if (object == nullptr || resource == nullptr || texture == nullptr)
    return CUDA_ERROR_INVALID_VALUE;
  if (view != nullptr) return CUDA_ERROR_NOT_SUPPORTED;
  const std::optional<cudaResourceDesc> storage = runtime_resource(*resource);
  if (!storage) return CUDA_ERROR_INVALID_VALUE;
  cudaTextureDesc sampling = runtime_texture(*texture);
  cudaChannelFormatDesc channels = storage->res.linear.desc;
  if (storage->resType == cudaResourceTypePitch2D) channels = storage->res.pitch2D.desc;
  if (storage->resType == cudaResourceTypeArray) {
    const CUresult known =
        through_runtime([&] { return cudaGetChannelDesc(&channels, storage->res.array.array); });
    if (known != CUDA_SUCCESS) return known;
  }
  // CUDA driver API, CU_TRSF_READ_AS_INTEGER: 32-bit integers are never made into fractions.
  if (is_32_bit_integer(channels)) sampling.readMode = cudaReadModeElementType;
  return through_runtime(
      [&] { return cudaCreateTextureObject(object, &*storage, &sampling, nullptr); });
}

CUresult cuTexObjectDestroy(CUtexObject object) {
  return through_runtime([=] { return cudaDestroyTextureObject(object); });
}

CUresult cuSurfObjectCreate(CUsurfObject* object, const CUDA_RESOURCE_DESC* resource) {
  if (object == nullptr || resource == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const std::optional<cudaResourceDesc> storage = runtime_resource(*resource);
  if (!storage) return CUDA_ERROR_INVALID_VALUE;
  return through_runtime([&] { return cudaCreateSurfaceObject(object, &*storage); });
}

CUresult cuSurfObjectDestroy(CUsurfObject object) {
  return through_runtime([=] { return cudaDestroySurfaceObject(object); });
}
