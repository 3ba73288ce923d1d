/* Templates of device code that scaling.cu instantiates for all files, and an inline variable that they share. */
#ifndef SCALING_H
#define SCALING_H

#ifdef __CUDACC__
template <typename T>
struct Scaling {
    T factor;
    __device__ T apply(T x) const;
};

template <typename T>
__device__ T offset_by(T x);

extern template struct Scaling<float>;
extern template __device__ float offset_by<float>(float);

template <typename T>
__device__ T offset = T(5);
inline __device__ int uses;
#endif

#ifdef __cplusplus
int scaling_uses();
#endif

#endif
