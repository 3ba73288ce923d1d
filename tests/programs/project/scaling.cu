// Defines and instantiates what scaling.h declares. No file sees both a definition and its use.
#include "project.h"
#include "scaling.h"

static __device__ int hidden = 3;  // kernels.cu has another one of this name

template <typename T>
__device__ T Scaling<T>::apply(T x) const
{
    atomicAdd(&uses, 1);
    return factor * x;
}

template <typename T>
__device__ T offset_by(T x)
{
    return x + offset<T> + hidden;
}

template struct Scaling<float>;
template __device__ float offset_by<float>(float);

int scaling_uses()
{
    int value = -1;
    const float changed = 7;
    cudaMemcpyFromSymbol(&value, uses, sizeof value);
    cudaMemcpyToSymbol(offset<float>, &changed, sizeof changed);
    return value;
}

// Launched by another file, which only declares it.
__global__ void negate_all(float *data) { data[threadIdx.x] = -data[threadIdx.x]; }
