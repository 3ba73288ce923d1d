#include "kernel/type.h"

#include <array>
#include <cstddef>

namespace raddle::kernel {
namespace {

constexpr std::array<std::string_view, 20> kNames = {
    "none", "pred", "b8",  "s8",  "u8",    "b16",    "s16", "u16", "f16", "bf16",
    "b32",  "s32",  "u32", "f32", "f16x2", "bf16x2", "b64", "s64", "u64", "f64",
};
static_assert(kNames.size() == static_cast<std::size_t>(Type::kF64) + 1);

}  // namespace

std::string_view name_of(Type type) { return kNames[static_cast<std::size_t>(type)]; }

std::optional<Type> type_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<Type>(i);
  }
  return std::nullopt;
}

}  // namespace raddle::kernel
