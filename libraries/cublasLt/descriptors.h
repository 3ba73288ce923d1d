// What cuBLASLt's opaque descriptors hold.
#ifndef RADDLE_CUBLASLT_DESCRIPTORS_H
#define RADDLE_CUBLASLT_DESCRIPTORS_H

#include <cublasLt.h>

namespace raddle_libraries {

struct MatmulDescription {
  int32_t compute, scale_type;
  int32_t pointer_mode, transa, transb, transc;
  int32_t fill_mode;
  uint32_t epilogue;
  const void* bias;
  int64_t bias_distance;
  int32_t bias_type;  // -1: that of D
  int32_t aux_type;   // -1: that of D
  void* aux;
  int64_t aux_leading, aux_distance, alpha_distance;
  const float *a_scale, *b_scale, *c_scale, *d_scale;
  float* d_amax;
  const float* aux_scale;
  float* aux_amax;
  int32_t sm_count;
  int8_t fast;
};

struct MatrixLayout {
  uint32_t type;
  int32_t order;
  uint64_t rows, columns;
  int64_t leading;
  int32_t batches;
  int64_t distance, plane;
};

struct MatmulPreference {
  uint64_t workspace_bytes;
  uint32_t search_mode, reduction_mask, alignment[4];
  float waves;
  uint64_t implementations;
};

static_assert(sizeof(MatmulDescription) <= sizeof(cublasLtMatmulDescOpaque_t), "it is opaque");
static_assert(sizeof(MatrixLayout) <= sizeof(cublasLtMatrixLayoutOpaque_t), "it is opaque");
static_assert(sizeof(MatmulPreference) <= sizeof(cublasLtMatmulPreferenceOpaque_t), "it is opaque");

inline const MatmulDescription& contents(cublasLtMatmulDesc_t description) {
  return *reinterpret_cast<const MatmulDescription*>(description);
}
inline const MatrixLayout& contents(cublasLtMatrixLayout_t layout) {
  return *reinterpret_cast<const MatrixLayout*>(layout);
}

}  // namespace raddle_libraries

#endif
