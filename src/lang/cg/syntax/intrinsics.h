// The functions that Cg programs find built in: names, numbers of arguments and how their types
// fit. What is not here is written in Cg itself (library.h).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace raddle::cg {

enum class Intrinsic : std::uint8_t {
#define RADDLE_CG_INTRINSIC(name, enumerator, parameters, shape, description) enumerator,
#include "lang/cg/syntax/intrinsics.def"
#undef RADDLE_CG_INTRINSIC
};

enum class IntrinsicShape : std::uint8_t {
  kEach,       // float of one size in, the same out
  kTest,       // bool of any size in, bool out
  kCross,      // float3, float3 → float3
  kDot,        // two vectors of one size → float
  kNorm,       // vector → float
  kVector,     // vector → vector
  kProduct,    // matrices and vectors
  kTexture,    // sampler, coordinates → float4
  kTranspose,  // matrix → matrix
};

struct IntrinsicInfo {
  std::string_view name;
  Intrinsic id;
  std::uint8_t parameters;
  IntrinsicShape shape;
  std::string_view description;
};

inline bool is_texture(Intrinsic id) {
  return id >= Intrinsic::kTex1D && id <= Intrinsic::kTexFiltered;
}
inline bool is_one_dimensional(Intrinsic id) {
  return id >= Intrinsic::kTex1D && id <= Intrinsic::kTex1DProj;
}
inline bool is_rectangle(Intrinsic id) {
  return id >= Intrinsic::kTexRect && id <= Intrinsic::kTexRectSize;
}
// Coordinates are divided by their last component.
inline bool is_projective(Intrinsic id) {
  return id == Intrinsic::kTex1DProj || id == Intrinsic::kTex2DProj ||
         id == Intrinsic::kTexRectProj;
}
inline bool is_fetch(Intrinsic id) {
  return id == Intrinsic::kTex2DFetch || id == Intrinsic::kTexRectFetch;
}
inline bool is_size(Intrinsic id) {
  return id == Intrinsic::kTex2DSize || id == Intrinsic::kTexRectSize ||
         id == Intrinsic::kTexFiltered;
}
// Takes coordinates alone, and maybe derivatives.
inline bool is_plain_texture(Intrinsic id) {
  return id == Intrinsic::kTex1D || id == Intrinsic::kTex2D || id == Intrinsic::kTexRect;
}

std::span<const IntrinsicInfo> all_intrinsics();
const IntrinsicInfo* find_intrinsic(std::string_view name);

}  // namespace raddle::cg
