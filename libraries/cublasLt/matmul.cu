// cublasLtMatmul: cuBLAS multiplies, into D where nothing else is to be done, else into memory of
// the handle from which the epilogue makes D.
#include <stdio.h>

#include "../cublas/context.h"
#include "descriptors.h"
#include "epilogue.h"

namespace raddle_libraries {
namespace {

struct Operand {
  const void* data;
  MatrixLayout layout;
};

struct Call {
  cublasLtHandle_t handle;
  MatmulDescription description;
  Operand a, b, c;
  void* d;
  MatrixLayout d_layout;
  cudaStream_t stream;
};

bool is_fp8(uint32_t type) { return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2; }

// The type in which the products of A and B are summed.
cudaDataType sum_type(uint32_t type) {
  switch (type) {
    case CUDA_R_8I: return CUDA_R_32I;
    case CUDA_R_64F:
    case CUDA_C_32F:
    case CUDA_C_64F: return (cudaDataType)type;
    default: return CUDA_R_32F;
  }
}

cublasComputeType_t compute_type(cudaDataType sum) {
  if (sum == CUDA_R_32I) return CUBLAS_COMPUTE_32I;
  return sum == CUDA_R_64F || sum == CUDA_C_64F ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F;
}

// Rows and columns of op(A) and op(B).
uint64_t rows_of(const MatrixLayout& layout, int32_t operation) {
  return operation == CUBLAS_OP_N ? layout.rows : layout.columns;
}
uint64_t columns_of(const MatrixLayout& layout, int32_t operation) {
  return operation == CUBLAS_OP_N ? layout.columns : layout.rows;
}

bool is_plain(const MatrixLayout& layout) {
  const bool is_row_major = layout.order == CUBLASLT_ORDER_ROW;
  const uint64_t least = is_row_major ? layout.columns : layout.rows;
  return (is_row_major || layout.order == CUBLASLT_ORDER_COL) && layout.plane == 0 &&
         layout.leading >= (int64_t)least && layout.leading <= 0x7fffffff &&
         layout.rows <= 0x7fffffff && layout.columns <= 0x7fffffff && layout.batches >= 1;
}

cublasStatus_t check_shapes(const Call& call) {
  const MatmulDescription& what = call.description;
  const MatrixLayout &a = call.a.layout, &b = call.b.layout, &c = call.c.layout;
  const MatrixLayout& d = call.d_layout;
  for (const MatrixLayout* layout : {&a, &b, &c, &d}) {
    if (!is_plain(*layout)) return not_supported("cublasLtMatmul with this layout");
  }
  if (rows_of(a, what.transa) != d.rows || columns_of(b, what.transb) != d.columns ||
      columns_of(a, what.transa) != rows_of(b, what.transb) || c.rows != d.rows ||
      c.columns != d.columns)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (a.batches != d.batches || b.batches != d.batches || c.batches != d.batches)
    return CUBLAS_STATUS_INVALID_VALUE;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t check_types(const Call& call) {
  const uint32_t a = call.a.layout.type, b = call.b.layout.type;
  const bool is_complex = a == CUDA_C_32F || a == CUDA_C_64F;
  const bool is_input = is_complex || (a != CUDA_R_32I && is_real_type((cudaDataType)a));
  if (!is_input || (a != b && !(is_fp8(a) && is_fp8(b))))
    return not_supported("cublasLtMatmul with these types of A and B");
  for (const uint32_t type : {call.c.layout.type, call.d_layout.type}) {
    if (is_complex ? type != a : !is_real_type((cudaDataType)type))
      return not_supported("cublasLtMatmul with these types of C and D");
  }
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t check_operation(const Call& call) {
  const MatmulDescription& what = call.description;
  if (what.transc != CUBLAS_OP_N) return not_supported("cublasLtMatmul with C transposed");
  switch (what.epilogue) {
    case CUBLASLT_EPILOGUE_DEFAULT:
    case CUBLASLT_EPILOGUE_RELU:
    case CUBLASLT_EPILOGUE_BIAS:
    case CUBLASLT_EPILOGUE_RELU_BIAS:
    case CUBLASLT_EPILOGUE_GELU:
    case CUBLASLT_EPILOGUE_GELU_AUX:
    case CUBLASLT_EPILOGUE_GELU_BIAS:
    case CUBLASLT_EPILOGUE_GELU_AUX_BIAS: break;
    default: return not_supported("cublasLtMatmul with an epilogue of gradients or a mask of ReLU");
  }
  if (what.aux_scale != nullptr || what.aux_amax != nullptr)
    return not_supported("cublasLtMatmul with a scale of what the epilogue keeps");
  if (what.pointer_mode < CUBLASLT_POINTER_MODE_HOST ||
      what.pointer_mode > CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST ||
      what.pointer_mode == CUBLASLT_POINTER_MODE_DEVICE_VECTOR)
    return not_supported("cublasLtMatmul with a vector of beta");
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t check(const Call& call) {
  RADDLE_CHECK_HANDLE(call.handle);
  for (const auto step : {check_shapes, check_types, check_operation}) {
    if (const cublasStatus_t status = step(call)) return status;
  }
  return CUBLAS_STATUS_SUCCESS;
}

// A factor of any type; complex ones are the only ones with a second part.
struct Factor {
  double re = 0, im = 0;
};

cublasStatus_t read_factor(const Call& call, const void* p, bool is_on_device, Factor* factor) {
  const cudaDataType type = (cudaDataType)call.description.scale_type;
  alignas(16) char bytes[16];
  if (is_on_device) {
    cudaMemcpyAsync(bytes, p, bytes_of(type), cudaMemcpyDeviceToHost, call.stream);
    if (const cudaError_t error = cudaStreamSynchronize(call.stream)) return status_of(error);
    p = bytes;
  }
  switch (type) {
    case CUDA_R_16F: factor->re = float(*(const __half*)p); break;
    case CUDA_R_16BF: factor->re = float(*(const __nv_bfloat16*)p); break;
    case CUDA_R_32F: factor->re = *(const float*)p; break;
    case CUDA_R_64F: factor->re = *(const double*)p; break;
    case CUDA_R_32I: factor->re = *(const int*)p; break;
    case CUDA_C_32F: *factor = {((const float*)p)[0], ((const float*)p)[1]}; break;
    case CUDA_C_64F: *factor = {((const double*)p)[0], ((const double*)p)[1]}; break;
    default: return not_supported("cublasLtMatmul with this type of scaling");
  }
  return CUBLAS_STATUS_SUCCESS;
}

// The same as cuBLAS takes it.
struct FactorBytes {
  alignas(16) char bytes[16];
  FactorBytes(Factor factor, cudaDataType type) {
    switch (type) {
      case CUDA_R_64F: *(double*)bytes = factor.re; break;
      case CUDA_R_32I: *(int*)bytes = (int)factor.re; break;
      case CUDA_C_32F: *(float2*)bytes = {(float)factor.re, (float)factor.im}; break;
      case CUDA_C_64F: *(double2*)bytes = {factor.re, factor.im}; break;
      default: *(float*)bytes = (float)factor.re; break;
    }
  }
};

TypedMatrix typed(const void* data, const MatrixLayout& layout) {
  TypedMatrix matrix;
  matrix.data = (void*)data;
  matrix.type = (cudaDataType)layout.type;
  matrix.row_step = layout.order == CUBLASLT_ORDER_ROW ? layout.leading : 1;
  matrix.column_step = layout.order == CUBLASLT_ORDER_ROW ? 1 : layout.leading;
  matrix.distance = layout.distance;
  return matrix;
}

// Numbers of 8 bits become halves, column by column.
cublasStatus_t widen(const Call& call, Operand* operand, void* to) {
  MatrixLayout& layout = operand->layout;
  const cudaError_t error = widen_to_half(typed(operand->data, layout), layout.rows, layout.columns,
                                          layout.batches, to, call.stream);
  layout.type = CUDA_R_16F;
  layout.order = CUBLASLT_ORDER_COL;
  layout.leading = layout.rows;
  layout.distance = layout.rows * layout.columns;
  operand->data = to;
  return status_of(error);
}

// A matrix by rows is a transposed one by columns.
cublasOperation_t by_columns(const Operand& operand, int32_t operation) {
  if (operand.layout.order != CUBLASLT_ORDER_ROW) return (cublasOperation_t)operation;
  if (operation == CUBLAS_OP_N) return CUBLAS_OP_T;
  const bool is_real = is_real_type((cudaDataType)operand.layout.type);
  return operation == CUBLAS_OP_T || is_real ? CUBLAS_OP_N : CUBLAS_OP_CONJG;
}

cublasStatus_t multiply_into(const Call& call, Factor alpha, Factor beta, void* to,
                             cudaDataType type, int leading, long long distance) {
  const MatrixLayout &a = call.a.layout, &b = call.b.layout;
  const cublasOperation_t transa = by_columns(call.a, call.description.transa);
  const cublasOperation_t transb = by_columns(call.b, call.description.transb);
  if (transa == CUBLAS_OP_CONJG || transb == CUBLAS_OP_CONJG)
    return not_supported("cublasLtMatmul with a conjugated matrix by rows");
  const cudaDataType sum = sum_type(a.type);
  const FactorBytes left(alpha, sum), right(beta, sum);
  cublasContext inner;
  inner.stream = call.stream;
  return cublasGemmStridedBatchedEx(
      &inner, transa, transb, (int)call.d_layout.rows, (int)call.d_layout.columns,
      (int)columns_of(a, call.description.transa), left.bytes, call.a.data, (cudaDataType)a.type,
      (int)a.leading, a.distance, call.b.data, (cudaDataType)b.type, (int)b.leading, b.distance,
      right.bytes, to, type, leading, distance, call.d_layout.batches, compute_type(sum),
      CUBLAS_GEMM_DEFAULT);
}

// Whether cuBLAS can leave the product in D.
bool is_direct(const Call& call, Factor beta) {
  const MatmulDescription& what = call.description;
  const MatrixLayout &c = call.c.layout, &d = call.d_layout;
  const uint32_t in = call.a.layout.type, out = d.type;
  const bool has_types = out == in ||
                         ((in == CUDA_R_16F || in == CUDA_R_16BF) && out == CUDA_R_32F) ||
                         (in == CUDA_R_8I && out == CUDA_R_32I && what.scale_type == CUDA_R_32I);
  if (!has_types || is_fp8(in) || (in == CUDA_R_8I && out == CUDA_R_8I)) return false;
  if (d.order != CUBLASLT_ORDER_COL || what.epilogue != CUBLASLT_EPILOGUE_DEFAULT) return false;
  if (what.pointer_mode >= CUBLASLT_POINTER_MODE_DEVICE_VECTOR) return false;
  for (const void* scale :
       {(const void*)what.a_scale, (const void*)what.b_scale, (const void*)what.c_scale,
        (const void*)what.d_scale, (const void*)what.d_amax}) {
    if (scale != nullptr) return false;
  }
  if (beta.re == 0 && beta.im == 0) return true;
  return call.c.data == call.d && c.type == d.type && c.order == d.order &&
         c.leading == d.leading && c.distance == d.distance;
}

Epilogue epilogue_of(const Call& call, const void* alpha_place, Factor alpha, Factor beta) {
  const MatmulDescription& what = call.description;
  Epilogue e = {};
  e.rows = (int)call.d_layout.rows;
  e.columns = (int)call.d_layout.columns;
  e.batches = call.d_layout.batches;
  e.c = typed(call.c.data, call.c.layout);
  e.d = typed(call.d, call.d_layout);
  e.alpha = alpha.re;
  e.beta = beta.re;
  if (what.pointer_mode >= CUBLASLT_POINTER_MODE_DEVICE_VECTOR) e.alphas = alpha_place;
  e.scale_type = (cudaDataType)what.scale_type;
  e.alpha_distance = what.alpha_distance;
  e.a_scale = what.a_scale, e.b_scale = what.b_scale;
  e.c_scale = what.c_scale, e.d_scale = what.d_scale;
  e.amax = what.d_amax;
  if ((what.epilogue & CUBLASLT_EPILOGUE_BIAS) != 0) {
    const cudaDataType usual = is_fp8(call.d_layout.type) ? CUDA_R_16BF : e.d.type;
    e.bias.data = (void*)what.bias;
    e.bias.type = what.bias_type < 0 ? usual : (cudaDataType)what.bias_type;
    e.bias.row_step = 1;
    e.bias.distance = what.bias_distance;
  }
  if (what.epilogue == CUBLASLT_EPILOGUE_GELU_AUX ||
      what.epilogue == CUBLASLT_EPILOGUE_GELU_AUX_BIAS) {
    e.aux = e.d;
    e.aux.data = what.aux;
    if (what.aux_type >= 0) e.aux.type = (cudaDataType)what.aux_type;
    (e.aux.row_step == 1 ? e.aux.column_step : e.aux.row_step) = what.aux_leading;
    e.aux.distance = what.aux_distance;
  }
  e.activation = (what.epilogue & CUBLASLT_EPILOGUE_GELU) != 0   ? Activation::kGelu
                 : (what.epilogue & CUBLASLT_EPILOGUE_RELU) != 0 ? Activation::kRelu
                                                                 : Activation::kNone;
  return e;
}

size_t elements_of(const MatrixLayout& layout) {
  return (size_t)layout.rows * layout.columns * layout.batches;
}

// The long way: the product, and A and B if they have to be widened, lie in the handle's memory.
cublasStatus_t multiply_and_finish(Call call, const void* alpha_place, Factor alpha, Factor beta) {
  const cudaDataType sum = sum_type(call.a.layout.type);
  if (sum == CUDA_C_32F || sum == CUDA_C_64F)
    return not_supported("cublasLtMatmul of complex numbers with another C or an epilogue");
  const size_t product_bytes = (elements_of(call.d_layout) * bytes_of(sum) + 15) / 16 * 16;
  const bool widens = is_fp8(call.a.layout.type);
  const size_t a_bytes = widens ? (elements_of(call.a.layout) * 2 + 15) / 16 * 16 : 0;
  const size_t b_bytes = widens ? elements_of(call.b.layout) * 2 : 0;
  char* memory = (char*)workspace(call.handle, product_bytes + a_bytes + b_bytes);
  if (memory == nullptr) return CUBLAS_STATUS_ALLOC_FAILED;
  if (widens) {
    for (const cublasStatus_t status : {widen(call, &call.a, memory + product_bytes),
                                        widen(call, &call.b, memory + product_bytes + a_bytes)}) {
      if (status != CUBLAS_STATUS_SUCCESS) return status;
    }
  }
  const long long distance = (long long)call.d_layout.rows * call.d_layout.columns;
  const cublasStatus_t status =
      multiply_into(call, {1, 0}, {0, 0}, memory, sum, (int)call.d_layout.rows, distance);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  const Epilogue e = epilogue_of(call, alpha_place, alpha, beta);
  if (sum == CUDA_R_32I) return status_of(finish_product((const int*)memory, e, call.stream));
  if (sum == CUDA_R_64F) return status_of(finish_product((const double*)memory, e, call.stream));
  return status_of(finish_product((const float*)memory, e, call.stream));
}

}  // namespace
}  // namespace raddle_libraries

using namespace raddle_libraries;

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) { return cublasCreate(handle); }
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) { return cublasDestroy(handle); }
size_t cublasLtGetVersion(void) { return CUBLAS_VERSION; }
const char* cublasLtGetStatusName(cublasStatus_t status) { return cublasGetStatusName(status); }
const char* cublasLtGetStatusString(cublasStatus_t status) { return cublasGetStatusString(status); }

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle,
                                              cublasLtMatmulDesc_t description,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int requested,
                                              cublasLtMatmulHeuristicResult_t results[],
                                              int* returned) {
  if (returned == nullptr || preference == nullptr || description == nullptr || a == nullptr ||
      b == nullptr || c == nullptr || d == nullptr || requested < 1 || results == nullptr)
    return CUBLAS_STATUS_INVALID_VALUE;
  *returned = 0;
  const cublasStatus_t status = check({handle,
                                       contents(description),
                                       {nullptr, contents(a)},
                                       {nullptr, contents(b)},
                                       {nullptr, contents(c)},
                                       nullptr,
                                       contents(d),
                                       nullptr});
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  results[0] = {};
  results[0].wavesCount = 1;
  *returned = 1;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t description,
                              const void* alpha, const void* a, cublasLtMatrixLayout_t a_layout,
                              const void* b, cublasLtMatrixLayout_t b_layout, const void* beta,
                              const void* c, cublasLtMatrixLayout_t c_layout, void* d,
                              cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t*, void*,
                              size_t, cudaStream_t stream) {
  if (description == nullptr || a_layout == nullptr || b_layout == nullptr || d_layout == nullptr ||
      c_layout == nullptr || alpha == nullptr)
    return CUBLAS_STATUS_INVALID_VALUE;
  const Call call = {handle,
                     contents(description),
                     {a, contents(a_layout)},
                     {b, contents(b_layout)},
                     {c, contents(c_layout)},
                     d,
                     contents(d_layout),
                     stream};
  if (const cublasStatus_t status = check(call)) return status;
  const int mode = call.description.pointer_mode;
  Factor left, right;
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  if (mode < CUBLASLT_POINTER_MODE_DEVICE_VECTOR)
    status = read_factor(call, alpha, mode == CUBLASLT_POINTER_MODE_DEVICE, &left);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  if (mode != CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO)
    status = beta == nullptr
                 ? CUBLAS_STATUS_INVALID_VALUE
                 : read_factor(call, beta, mode == CUBLASLT_POINTER_MODE_DEVICE, &right);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  if (elements_of(call.d_layout) == 0) return CUBLAS_STATUS_SUCCESS;
  if (is_direct(call, right))
    return multiply_into(call, left, right, d, (cudaDataType)call.d_layout.type,
                         (int)call.d_layout.leading, call.d_layout.distance);
  return multiply_and_finish(call, alpha, left, right);
}

}  // extern "C"
