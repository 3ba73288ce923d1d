// Rounding modes and other enumerations of the device functions.
#ifndef RADDLE_CUDA_DEVICE_TYPES_H
#define RADDLE_CUDA_DEVICE_TYPES_H
#define __DEVICE_TYPES_H__  // programs test for it

enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };

#endif
