// cudaCreateChannelDesc<T>(): what a texel of type T looks like.
#ifndef RADDLE_CUDA_CHANNEL_DESCRIPTOR_H
#define RADDLE_CUDA_CHANNEL_DESCRIPTOR_H
#define __CHANNEL_DESCRIPTOR_H__  // programs test for it

#include "cuda_runtime_api.h"

#ifdef __cplusplus

template <class T>
__inline__ __host__ cudaChannelFormatDesc cudaCreateChannelDesc() {
  return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}

#define RADDLE_CHANNEL(type, x, y, z, w, kind)                              \
  template <>                                                               \
  __inline__ __host__ cudaChannelFormatDesc cudaCreateChannelDesc<type>() { \
    return cudaCreateChannelDesc(x, y, z, w, cudaChannelFormatKind##kind);  \
  }
#define RADDLE_CHANNELS(base, bits, kind)            \
  RADDLE_CHANNEL(base##1, bits, 0, 0, 0, kind)       \
  RADDLE_CHANNEL(base##2, bits, bits, 0, 0, kind)    \
  RADDLE_CHANNEL(base##3, bits, bits, bits, 0, kind) \
  RADDLE_CHANNEL(base##4, bits, bits, bits, bits, kind)

RADDLE_CHANNEL(char, 8, 0, 0, 0, Signed)
RADDLE_CHANNEL(signed char, 8, 0, 0, 0, Signed)
RADDLE_CHANNEL(unsigned char, 8, 0, 0, 0, Unsigned)
RADDLE_CHANNEL(short, 16, 0, 0, 0, Signed)
RADDLE_CHANNEL(unsigned short, 16, 0, 0, 0, Unsigned)
RADDLE_CHANNEL(int, 32, 0, 0, 0, Signed)
RADDLE_CHANNEL(unsigned int, 32, 0, 0, 0, Unsigned)
RADDLE_CHANNEL(float, 32, 0, 0, 0, Float)
RADDLE_CHANNELS(char, 8, Signed)
RADDLE_CHANNELS(uchar, 8, Unsigned)
RADDLE_CHANNELS(short, 16, Signed)
RADDLE_CHANNELS(ushort, 16, Unsigned)
RADDLE_CHANNELS(int, 32, Signed)
RADDLE_CHANNELS(uint, 32, Unsigned)
RADDLE_CHANNELS(float, 32, Float)

#undef RADDLE_CHANNELS
#undef RADDLE_CHANNEL

static __inline__ __host__ cudaChannelFormatDesc cudaCreateChannelDescHalf() {
  return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}
static __inline__ __host__ cudaChannelFormatDesc cudaCreateChannelDescHalf1() {
  return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}
static __inline__ __host__ cudaChannelFormatDesc cudaCreateChannelDescHalf2() {
  return cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat);
}
static __inline__ __host__ cudaChannelFormatDesc cudaCreateChannelDescHalf4() {
  return cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat);
}

#endif
#endif
