// Everything this file of CUDA declares is in cuda_runtime.h.
#include "../cuda_runtime.h"
