// Calls of the driver interface that Raddle does not have. They are declared so that the compiler
// can say so, in the line that needs them; included by cuda.h alone.
#ifndef RADDLE_CUDA_DRIVER_UNSUPPORTED_H
#define RADDLE_CUDA_DRIVER_UNSUPPORTED_H

#include "driver_interface_types.h"

typedef struct CUlinkState_st* CUlinkState;
typedef struct CUtexref_st* CUtexref;
typedef struct CUsurfref_st* CUsurfref;

// Any arguments, in C as well.
#ifdef __cplusplus
#define RADDLE_ANY_ARGUMENTS ...
extern "C" {
#else
#define RADDLE_ANY_ARGUMENTS
#endif
#define RADDLE_UNSUPPORTED(name, why) \
  __attribute__((unavailable(why))) CUresult name(RADDLE_ANY_ARGUMENTS)
#define RADDLE_NO_LINKING(name) \
  RADDLE_UNSUPPORTED(           \
      name, "linking at run time is not supported; load one PTX text with cuModuleLoadData")
#define RADDLE_NO_TEXTURES(name)                                                       \
  RADDLE_UNSUPPORTED(name,                                                             \
                     "texture and surface references of the driver interface are not " \
                     "supported; use cuTexObjectCreate and its kin")
#define RADDLE_NO_GRAPHS(name) RADDLE_UNSUPPORTED(name, "CUDA graphs are not supported")

RADDLE_NO_LINKING(cuLinkCreate);
RADDLE_NO_LINKING(cuLinkAddData);
RADDLE_NO_LINKING(cuLinkAddFile);
RADDLE_NO_LINKING(cuLinkComplete);
RADDLE_NO_LINKING(cuLinkDestroy);
RADDLE_UNSUPPORTED(
    cuModuleLoadFatBinary,
    "there is no machine code of a simulated device; load PTX with cuModuleLoadData");

RADDLE_NO_TEXTURES(cuModuleGetTexRef);
RADDLE_NO_TEXTURES(cuModuleGetSurfRef);
RADDLE_NO_TEXTURES(cuTexRefCreate);
RADDLE_NO_TEXTURES(cuTexRefDestroy);
RADDLE_NO_TEXTURES(cuTexRefSetArray);
RADDLE_NO_TEXTURES(cuTexRefSetAddress);
RADDLE_NO_TEXTURES(cuTexRefSetAddress2D);
RADDLE_NO_TEXTURES(cuTexRefSetFormat);
RADDLE_NO_TEXTURES(cuTexRefSetFlags);
RADDLE_NO_TEXTURES(cuTexRefSetAddressMode);
RADDLE_NO_TEXTURES(cuTexRefSetFilterMode);
RADDLE_NO_TEXTURES(cuParamSetTexRef);
RADDLE_NO_TEXTURES(cuSurfRefSetArray);
RADDLE_UNSUPPORTED(cuMipmappedArrayCreate, "mipmaps are not supported");

RADDLE_NO_GRAPHS(cuGraphCreate);
RADDLE_NO_GRAPHS(cuGraphInstantiate);
RADDLE_NO_GRAPHS(cuGraphLaunch);
RADDLE_NO_GRAPHS(cuStreamBeginCapture);
RADDLE_NO_GRAPHS(cuStreamEndCapture);

#undef RADDLE_NO_GRAPHS
#undef RADDLE_NO_TEXTURES
#undef RADDLE_NO_LINKING
#undef RADDLE_UNSUPPORTED
#undef RADDLE_ANY_ARGUMENTS
#ifdef __cplusplus
}
#endif

#endif
