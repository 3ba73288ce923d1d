// cuRAND's device interface: generators whose state each thread keeps, and distributions.
// XORWOW is Marsaglia's (Xorshift RNGs, 2003), Philox4x32-10 that of Salmon et al. (Parallel Random
// Numbers: As Easy as 1, 2, 3, 2011), MRG32k3a L'Ecuyer's (1999). Subsequences of XORWOW are 2^67
// apart, those of Philox 2^66 and those of MRG32k3a 2^76 numbers. Seeds are spread over the state
// by splitmix64, so that sequences of a seed differ from those of NVIDIA's library. Direction
// vectors of Sobol's sequences come from the host interface (curand.h).
#ifndef RADDLE_CURAND_KERNEL_H
#define RADDLE_CURAND_KERNEL_H
#define CURAND_KERNEL_H_  // programs test for it

#include "cuda_runtime.h"
#include "curand/states.h"
#ifdef __CUDACC__  // the host's compiler sees the states alone
#include "curand/distributions.h"
#include "curand/generators.h"
#include "curand/sobol.h"
#endif

#endif
