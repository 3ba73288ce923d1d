// What happens to a product before it becomes D: factors, C, a bias, a function, scales and the
// largest magnitude. The types of matrices are known at run time only.
#ifndef RADDLE_CUBLASLT_EPILOGUE_H
#define RADDLE_CUBLASLT_EPILOGUE_H

#include <cuda_runtime.h>
#include <library_types.h>

namespace raddle_libraries {

struct TypedMatrix {
  void* data = nullptr;
  cudaDataType type = CUDA_R_32F;
  long long row_step = 0, column_step = 0, distance = 0;
};

enum class Activation { kNone, kRelu, kGelu };

struct Epilogue {
  int rows, columns, batches;
  TypedMatrix c, d;
  double alpha, beta;
  const void* alphas;  // one for each row, of the type of scaling, or null
  cudaDataType scale_type;
  long long alpha_distance;
  const float *a_scale, *b_scale, *c_scale, *d_scale;  // on the device, or null
  TypedMatrix bias;                                    // one for each row of D
  TypedMatrix aux;                                     // what goes into the function
  Activation activation;
  float* amax;
};

bool is_real_type(cudaDataType type);
size_t bytes_of(cudaDataType type);

// Sum is the type of the product's elements: columns of `rows` elements, one after the other.
template <typename Sum>
cudaError_t finish_product(const Sum* product, const Epilogue& epilogue, cudaStream_t stream);

// The same numbers as halves, which hold those of 8 bits exactly.
cudaError_t widen_to_half(TypedMatrix from, long long rows, long long columns, int batches,
                          void* to, cudaStream_t stream);

}  // namespace raddle_libraries

#endif
