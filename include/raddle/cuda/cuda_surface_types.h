// The template `surface`: a surface reference at file scope, made like `texture`.
#ifndef RADDLE_CUDA_SURFACE_REFERENCE_H
#define RADDLE_CUDA_SURFACE_REFERENCE_H

#ifdef __cplusplus

#include "channel_descriptor.h"
#include "surface_types.h"

#if defined(__CUDA__) && defined(__clang__)
#define __RADDLE_SURFACE_TYPE__ __attribute__((device_builtin_surface_type))
#else
#define __RADDLE_SURFACE_TYPE__
#endif

template <class T, int dim = 1>
struct __RADDLE_SURFACE_TYPE__ surface : public surfaceReference {
  surface() { channelDesc = cudaCreateChannelDesc<T>(); }
};

template <int dim>
struct __RADDLE_SURFACE_TYPE__ surface<void, dim> : public surfaceReference {
  surface() { channelDesc = cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone); }
};

#undef __RADDLE_SURFACE_TYPE__

#endif
#endif
