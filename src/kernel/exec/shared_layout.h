// Where the shared variables of a kernel lie.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernel/module.h"

namespace raddle::kernel::exec {

template <class T>
constexpr T round_up(T value, std::type_identity_t<T> unit) {
  return (value + unit - 1) / unit * unit;
}

// Shared variables that a kernel and its callees name, each at its place in the block's shared
// memory.
class SharedLayout {
 public:
  void add(const Module& module, std::uint32_t module_index, std::uint32_t variable_index) {
    const Variable& variable = module.variables[variable_index];
    if (variable.size == 0 || variable.linkage == Linkage::kExtern) {
      dynamic_.emplace_back(module_index, variable_index);
      return;
    }
    const auto key = std::pair(module_index, variable_index);
    if (offsets_.contains(key)) return;
    size_ = round_up(size_, std::max<std::uint32_t>(variable.alignment, 1));
    offsets_[key] = size_;
    size_ += variable.size;
  }
  void finish() {
    for (const auto& key : dynamic_) offsets_[key] = round_up(size_, 16);
  }
  std::uint64_t offset(std::uint32_t module, std::uint32_t variable) const {
    return offsets_.at({module, variable});
  }
  std::uint64_t size() const { return dynamic_.empty() ? size_ : round_up(size_, 16); }

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> offsets_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> dynamic_;
  std::uint64_t size_ = 0;
};

}  // namespace raddle::kernel::exec
