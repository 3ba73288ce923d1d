// Rounding modes and other enumerations of the device functions.
#ifndef RADDLE_CUDA_DEVICE_TYPES_H
#define RADDLE_CUDA_DEVICE_TYPES_H

enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };

#endif
