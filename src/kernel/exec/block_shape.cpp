#include "kernel/exec/block_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace raddle::kernel::exec {
namespace {

// Dimensions that a directive leaves out are 1.
Dim3 complete(const std::array<std::uint32_t, 3>& dimensions) {
  return {dimensions[0], std::max(1u, dimensions[1]), std::max(1u, dimensions[2])};
}

std::string text_of(const Dim3& shape) {
  return fmt::format("{} x {} x {}", shape.x, shape.y, shape.z);
}

}  // namespace

std::string required_shape_conflict(const Function& kernel, const Dim3& block) {
  if (kernel.required_threads[0] == 0) return {};
  const Dim3 required = complete(kernel.required_threads);
  if (required == block) return {};
  return fmt::format("a block of {} threads, but the kernel requires {} (.reqntid)", text_of(block),
                     text_of(required));
}

std::string thread_limit_conflict(const Function& kernel, const Dim3& block) {
  if (kernel.max_threads[0] == 0) return {};
  // The product counts: a block may be longer in one dimension if it is shorter in another.
  const std::uint64_t most = complete(kernel.max_threads).count();
  if (block.count() <= most) return {};
  return fmt::format("a block of {} threads, but the kernel allows {} (.maxntid)", block.count(),
                     most);
}

}  // namespace raddle::kernel::exec
