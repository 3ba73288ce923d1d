// Everything this file of CUDA is included for is in cuda_runtime.h: the machine itself says what
// fits on it (cudaOccupancyMaxActiveBlocksPerMultiprocessor).
#include "cuda_runtime.h"
