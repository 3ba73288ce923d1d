#include "epilogue.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

namespace raddle_libraries {

bool is_real_type(cudaDataType type) {
  switch (type) {
    case CUDA_R_8F_E4M3:
    case CUDA_R_8F_E5M2:
    case CUDA_R_16F:
    case CUDA_R_16BF:
    case CUDA_R_32F:
    case CUDA_R_64F:
    case CUDA_R_8I:
    case CUDA_R_32I: return true;
    default: return false;
  }
}

size_t bytes_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_8F_E4M3:
    case CUDA_R_8F_E5M2:
    case CUDA_R_8I: return 1;
    case CUDA_R_16F:
    case CUDA_R_16BF: return 2;
    case CUDA_R_64F:
    case CUDA_C_32F: return 8;
    case CUDA_C_64F: return 16;
    default: return 4;
  }
}

namespace {

constexpr int kThreads = 256, kMaxBlocks = 1024;

int blocks_for(long long count) {
  const long long blocks = (count + kThreads - 1) / kThreads;
  return blocks < kMaxBlocks ? (int)blocks : kMaxBlocks;
}

template <typename Real>
__device__ Real load(const void* data, cudaDataType type, long long i) {
  switch (type) {
    case CUDA_R_8F_E4M3: return Real(float(((const __nv_fp8_e4m3*)data)[i]));
    case CUDA_R_8F_E5M2: return Real(float(((const __nv_fp8_e5m2*)data)[i]));
    case CUDA_R_16F: return Real(float(((const __half*)data)[i]));
    case CUDA_R_16BF: return Real(float(((const __nv_bfloat16*)data)[i]));
    case CUDA_R_64F: return Real(((const double*)data)[i]);
    case CUDA_R_8I: return Real(((const signed char*)data)[i]);
    case CUDA_R_32I: return Real(((const int*)data)[i]);
    default: return Real(((const float*)data)[i]);
  }
}

// Bytes are rounded to the nearest and saturate; whole numbers of 32 bits wrap, as their sums do.
template <typename Real>
__device__ void store(void* data, cudaDataType type, long long i, Real x) {
  switch (type) {
    case CUDA_R_8F_E4M3: ((__nv_fp8_e4m3*)data)[i] = __nv_fp8_e4m3(x); break;
    case CUDA_R_8F_E5M2: ((__nv_fp8_e5m2*)data)[i] = __nv_fp8_e5m2(x); break;
    case CUDA_R_16F: ((__half*)data)[i] = __half(float(x)); break;
    case CUDA_R_16BF: ((__nv_bfloat16*)data)[i] = __nv_bfloat16(float(x)); break;
    case CUDA_R_64F: ((double*)data)[i] = double(x); break;
    case CUDA_R_8I:
      ((signed char*)data)[i] = (signed char)(fmin(fmax(rint(x), Real(-128)), Real(127)));
      break;
    case CUDA_R_32I: ((int*)data)[i] = (int)(long long)(rint(x)); break;
    default: ((float*)data)[i] = float(x); break;
  }
}

__device__ double scale_of(const float* scale) { return scale != nullptr ? *scale : 1.0; }

// GELU is approximated with tanh.
template <typename Real>
__device__ Real activated(Activation activation, Real x) {
  if (activation == Activation::kRelu) return x > Real(0) ? x : Real(0);
  if (activation == Activation::kNone) return x;
  const Real inner = Real(0.7978845608028654) * (x + Real(0.044715) * x * x * x);
  return Real(0.5) * x * (Real(1) + tanh(inner));
}

template <typename Sum, typename Real>
__global__ void finish_kernel(const Sum* product, Epilogue e) {
  const long long elements = (long long)e.rows * e.columns * e.batches;
  const Real scale = Real(scale_of(e.a_scale) * scale_of(e.b_scale));
  const Real c_scale = Real(e.beta * scale_of(e.c_scale)), d_scale = Real(scale_of(e.d_scale));
  float largest = 0;
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < elements;
       i += (long long)gridDim.x * blockDim.x) {
    const long long row = i % e.rows, column = i / e.rows % e.columns;
    const long long batch = i / e.rows / e.columns;
    const Real alpha = e.alphas != nullptr
                           ? load<Real>(e.alphas, e.scale_type, batch * e.alpha_distance + row)
                           : Real(e.alpha);
    Real x = alpha * scale * Real(product[i]);
    const auto place = [&](const TypedMatrix& m) {
      return batch * m.distance + row * m.row_step + column * m.column_step;
    };
    // What C holds is not read with beta 0: it may not be a number.
    if (e.beta != 0) x += c_scale * load<Real>(e.c.data, e.c.type, place(e.c));
    if (e.bias.data != nullptr) x += load<Real>(e.bias.data, e.bias.type, place(e.bias));
    if (e.aux.data != nullptr) store(e.aux.data, e.aux.type, place(e.aux), x);
    x = activated(e.activation, x);
    largest = fmaxf(largest, fabsf(float(x)));
    store(e.d.data, e.d.type, place(e.d), x * d_scale);
  }
  // The bits of floats above 0 are ordered as the floats are.
  if (e.amax != nullptr) atomicMax((int*)e.amax, __float_as_int(largest));
}

__global__ void widen_kernel(TypedMatrix from, long long rows, long long columns, int batches,
                             __half* to) {
  const long long elements = rows * columns * batches;
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < elements;
       i += (long long)gridDim.x * blockDim.x) {
    const long long row = i % rows, column = i / rows % columns, batch = i / rows / columns;
    to[i] = __half(
        load<float>(from.data, from.type,
                    batch * from.distance + row * from.row_step + column * from.column_step));
  }
}

// Sums of bytes and their multiples are exact in double.
template <typename Sum>
struct WorkingType {
  using Type = Sum;
};
template <>
struct WorkingType<int> {
  using Type = double;
};

}  // namespace

template <typename Sum>
cudaError_t finish_product(const Sum* product, const Epilogue& epilogue, cudaStream_t stream) {
  if (epilogue.amax != nullptr) cudaMemsetAsync(epilogue.amax, 0, sizeof(float), stream);
  const long long elements = (long long)epilogue.rows * epilogue.columns * epilogue.batches;
  finish_kernel<Sum, typename WorkingType<Sum>::Type>
      <<<blocks_for(elements), kThreads, 0, stream>>>(product, epilogue);
  return cudaGetLastError();
}
template cudaError_t finish_product(const float*, const Epilogue&, cudaStream_t);
template cudaError_t finish_product(const double*, const Epilogue&, cudaStream_t);
template cudaError_t finish_product(const int*, const Epilogue&, cudaStream_t);

cudaError_t widen_to_half(TypedMatrix from, long long rows, long long columns, int batches,
                          void* to, cudaStream_t stream) {
  widen_kernel<<<blocks_for(rows * columns * batches), kThreads, 0, stream>>>(from, rows, columns,
                                                                              batches, (__half*)to);
  return cudaGetLastError();
}

}  // namespace raddle_libraries
