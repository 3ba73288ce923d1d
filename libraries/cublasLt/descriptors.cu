// cuBLASLt's descriptors: attributes are copied into and out of fields that two tables name.
#include "descriptors.h"

#include <stddef.h>
#include <string.h>

#include "../cublas/context.h"

namespace raddle_libraries {
namespace {

struct Field {
  int attribute;
  size_t offset, bytes;
};
#define FIELD(Struct, attribute, member) \
  {attribute, offsetof(Struct, member), sizeof(Struct::member)}

#define DESC(attribute, member) FIELD(MatmulDescription, CUBLASLT_MATMUL_DESC_##attribute, member)
constexpr Field kDescription[] = {
    DESC(COMPUTE_TYPE, compute),
    DESC(SCALE_TYPE, scale_type),
    DESC(POINTER_MODE, pointer_mode),
    DESC(TRANSA, transa),
    DESC(TRANSB, transb),
    DESC(TRANSC, transc),
    DESC(FILL_MODE, fill_mode),
    DESC(EPILOGUE, epilogue),
    DESC(BIAS_POINTER, bias),
    DESC(BIAS_BATCH_STRIDE, bias_distance),
    DESC(BIAS_DATA_TYPE, bias_type),
    DESC(EPILOGUE_AUX_POINTER, aux),
    DESC(EPILOGUE_AUX_LD, aux_leading),
    DESC(EPILOGUE_AUX_BATCH_STRIDE, aux_distance),
    DESC(EPILOGUE_AUX_DATA_TYPE, aux_type),
    DESC(EPILOGUE_AUX_SCALE_POINTER, aux_scale),
    DESC(EPILOGUE_AUX_AMAX_POINTER, aux_amax),
    DESC(ALPHA_VECTOR_BATCH_STRIDE, alpha_distance),
    DESC(SM_COUNT_TARGET, sm_count),
    DESC(A_SCALE_POINTER, a_scale),
    DESC(B_SCALE_POINTER, b_scale),
    DESC(C_SCALE_POINTER, c_scale),
    DESC(D_SCALE_POINTER, d_scale),
    DESC(AMAX_D_POINTER, d_amax),
    DESC(FAST_ACCUM, fast),
};
#define LAYOUT(attribute, member) FIELD(MatrixLayout, CUBLASLT_MATRIX_LAYOUT_##attribute, member)
constexpr Field kLayout[] = {
    LAYOUT(TYPE, type),
    LAYOUT(ORDER, order),
    LAYOUT(ROWS, rows),
    LAYOUT(COLS, columns),
    LAYOUT(LD, leading),
    LAYOUT(BATCH_COUNT, batches),
    LAYOUT(STRIDED_BATCH_OFFSET, distance),
    LAYOUT(PLANE_OFFSET, plane),
};
#define PREF(attribute, member) FIELD(MatmulPreference, CUBLASLT_MATMUL_PREF_##attribute, member)
constexpr Field kPreference[] = {
    PREF(SEARCH_MODE, search_mode),
    PREF(MAX_WORKSPACE_BYTES, workspace_bytes),
    PREF(REDUCTION_SCHEME_MASK, reduction_mask),
    PREF(MIN_ALIGNMENT_A_BYTES, alignment[0]),
    PREF(MIN_ALIGNMENT_B_BYTES, alignment[1]),
    PREF(MIN_ALIGNMENT_C_BYTES, alignment[2]),
    PREF(MIN_ALIGNMENT_D_BYTES, alignment[3]),
    PREF(MAX_WAVES_COUNT, waves),
    PREF(IMPL_MASK, implementations),
};

template <size_t kCount>
const Field* find(const Field (&fields)[kCount], int attribute) {
  for (const Field& field : fields) {
    if (field.attribute == attribute) return &field;
  }
  return nullptr;
}

template <size_t kCount>
cublasStatus_t set(void* opaque, const Field (&fields)[kCount], int attribute, const void* value,
                   size_t bytes) {
  const Field* field = find(fields, attribute);
  if (opaque == nullptr || value == nullptr || field == nullptr || field->bytes != bytes)
    return CUBLAS_STATUS_INVALID_VALUE;
  memcpy((char*)opaque + field->offset, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

// A question for 0 bytes asks how many there are.
template <size_t kCount>
cublasStatus_t get(const void* opaque, const Field (&fields)[kCount], int attribute, void* value,
                   size_t bytes, size_t* written) {
  const Field* field = find(fields, attribute);
  if (opaque == nullptr || field == nullptr || (bytes == 0 && written == nullptr))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (bytes != 0 && (value == nullptr || bytes < field->bytes)) return CUBLAS_STATUS_INVALID_VALUE;
  if (written != nullptr) *written = field->bytes;
  if (bytes != 0) memcpy(value, (const char*)opaque + field->offset, field->bytes);
  return CUBLAS_STATUS_SUCCESS;
}

template <typename Contents, typename Opaque>
cublasStatus_t fill(Opaque* opaque, const Contents& contents) {
  if (opaque == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  memcpy(opaque, &contents, sizeof contents);
  return CUBLAS_STATUS_SUCCESS;
}

template <typename Opaque>
cublasStatus_t destroy(Opaque* opaque) {
  delete opaque;
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace
}  // namespace raddle_libraries

using namespace raddle_libraries;

extern "C" {

cublasStatus_t cublasLtMatmulDescInit(cublasLtMatmulDesc_t description, cublasComputeType_t compute,
                                      cudaDataType_t scale_type) {
  MatmulDescription contents = {};
  contents.compute = compute;
  contents.scale_type = scale_type;
  contents.epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  contents.bias_type = contents.aux_type = -1;
  return fill(description, contents);
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* description,
                                        cublasComputeType_t compute, cudaDataType_t scale_type) {
  if (description == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *description = new cublasLtMatmulDescOpaque_t;
  return cublasLtMatmulDescInit(*description, compute, scale_type);
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t description) {
  return destroy(description);
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t description,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, size_t bytes) {
  return set(description, kDescription, attribute, value, bytes);
}
cublasStatus_t cublasLtMatmulDescGetAttribute(cublasLtMatmulDesc_t description,
                                              cublasLtMatmulDescAttributes_t attribute, void* value,
                                              size_t bytes, size_t* written) {
  return get(description, kDescription, attribute, value, bytes, written);
}

cublasStatus_t cublasLtMatrixLayoutInit(cublasLtMatrixLayout_t layout, cudaDataType type,
                                        uint64_t rows, uint64_t columns, int64_t leading) {
  MatrixLayout contents = {};
  contents.type = type;
  contents.rows = rows;
  contents.columns = columns;
  contents.leading = leading;
  contents.batches = 1;
  return fill(layout, contents);
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type,
                                          uint64_t rows, uint64_t columns, int64_t leading) {
  if (layout == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *layout = new cublasLtMatrixLayoutOpaque_t;
  return cublasLtMatrixLayoutInit(*layout, type, rows, columns, leading);
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  return destroy(layout);
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute,
                                                const void* value, size_t bytes) {
  return set(layout, kLayout, attribute, value, bytes);
}
cublasStatus_t cublasLtMatrixLayoutGetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute,
                                                void* value, size_t bytes, size_t* written) {
  return get(layout, kLayout, attribute, value, bytes, written);
}

cublasStatus_t cublasLtMatmulPreferenceInit(cublasLtMatmulPreference_t preference) {
  return fill(preference, MatmulPreference{});
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  if (preference == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *preference = new cublasLtMatmulPreferenceOpaque_t;
  return cublasLtMatmulPreferenceInit(*preference);
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  return destroy(preference);
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void* value, size_t bytes) {
  return set(preference, kPreference, attribute, value, bytes);
}
cublasStatus_t cublasLtMatmulPreferenceGetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    void* value, size_t bytes, size_t* written) {
  return get(preference, kPreference, attribute, value, bytes, written);
}

}  // extern "C"
