// The template `texture`: a texture reference at file scope. On the device clang turns it into a
// .texref whose address is the handle that fetches use; on the host it is a textureReference that
// the program fills in before binding it.
#ifndef RADDLE_CUDA_TEXTURE_REFERENCE_H
#define RADDLE_CUDA_TEXTURE_REFERENCE_H

#ifdef __cplusplus

#include "channel_descriptor.h"
#include "texture_types.h"

#if defined(__CUDA__) && defined(__clang__)
#define __RADDLE_TEXTURE_TYPE__ __attribute__((device_builtin_texture_type))
#else
#define __RADDLE_TEXTURE_TYPE__
#endif

template <class T, int texType = cudaTextureType1D,
          enum cudaTextureReadMode mode = cudaReadModeElementType>
struct __RADDLE_TEXTURE_TYPE__ texture : public textureReference {
  texture(int normalized_coordinates = 0, enum cudaTextureFilterMode filter = cudaFilterModePoint,
          enum cudaTextureAddressMode address = cudaAddressModeClamp) {
    initialise(normalized_coordinates, filter, address, cudaCreateChannelDesc<T>());
  }
  texture(int normalized_coordinates, enum cudaTextureFilterMode filter,
          enum cudaTextureAddressMode address, cudaChannelFormatDesc description) {
    initialise(normalized_coordinates, filter, address, description);
  }

 private:
  void initialise(int normalized_coordinates, enum cudaTextureFilterMode filter,
                  enum cudaTextureAddressMode address, cudaChannelFormatDesc description) {
    normalized = normalized_coordinates;
    filterMode = filter;
    addressMode[0] = addressMode[1] = addressMode[2] = address;
    channelDesc = description;
    sRGB = 0;
    maxAnisotropy = 0;
    mipmapFilterMode = cudaFilterModePoint;
    mipmapLevelBias = minMipmapLevelClamp = maxMipmapLevelClamp = 0;
    disableTrilinearOptimization = 0;
  }
};

#undef __RADDLE_TEXTURE_TYPE__

#endif
#endif
