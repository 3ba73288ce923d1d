#include "lang/cg/syntax/intrinsics.h"

namespace raddle::cg {
namespace {

constexpr IntrinsicInfo kIntrinsics[] = {
#define RADDLE_CG_INTRINSIC(name, enumerator, parameters, shape, description) \
  {name, Intrinsic::enumerator, parameters, IntrinsicShape::shape, description},
#include "lang/cg/syntax/intrinsics.def"
#undef RADDLE_CG_INTRINSIC
};

}  // namespace

std::span<const IntrinsicInfo> all_intrinsics() { return kIntrinsics; }

const IntrinsicInfo* find_intrinsic(std::string_view name) {
  for (const IntrinsicInfo& info : kIntrinsics) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

}  // namespace raddle::cg
