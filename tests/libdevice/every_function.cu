// Takes the address of every device math function, so that compiling this file for the device
// proves that all of them are defined, with the signatures that clang declares. The PTX that
//     clang++-19 -x cuda -nocudainc -nocudalib --cuda-path=/nonexistent --cuda-device-only
//       -Xclang -target-sdk-version=12.3 --cuda-feature=+ptx75 --cuda-gpu-arch=sm_70
//       -O2 -S -I include tests/libdevice/every_function.cu -o every_function.ptx
// makes must hold no `.extern .func`, and as many fma with -ffp-contract=off as without.
#define __device__ __attribute__((device))
#define CUDA_VERSION 9000  // clang declares the SIMD video functions for this version only

#include <__clang_cuda_libdevice_declares.h>

#include "raddle/cuda/libdevice/libdevice.h"

#define RADDLE_FUNCTION(name) reinterpret_cast<const void*>(&name),
extern "C" __device__ const void* const raddle_device_math_functions[] = {
#include "every_function.inc"
};
