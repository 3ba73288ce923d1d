// All types of the CUDA runtime.
#ifndef RADDLE_CUDA_BUILTIN_TYPES_H
#define RADDLE_CUDA_BUILTIN_TYPES_H
#define __BUILTIN_TYPES_H__  // programs test for it

#include "device_types.h"
#include "driver_types.h"
#include "surface_types.h"
#include "texture_types.h"
#include "vector_types.h"

#endif
