// Files compiled with -rdc=true carry their device code even if they have neither kernels nor
// variables: clang registers what a file carries only where it has something to register. For the
// host's half alone; the device needs no such variable.
#ifndef RADDLE_CUDA_DEVICE_REGISTERED_IMAGE_H
#define RADDLE_CUDA_DEVICE_REGISTERED_IMAGE_H

__attribute__((used)) static __device__ char __raddle_registered_image;

#endif
