// Which executor Program::run uses.
#include <atomic>

#include "raddle/ddm/executor.h"

namespace raddle::ddm {
namespace {

std::atomic<Executor*>& chosen() {
  static std::atomic<Executor*> executor{nullptr};
  return executor;
}

}  // namespace

Executor* set_default_executor(Executor* executor) { return chosen().exchange(executor); }

Executor& default_executor() {
  if (auto* executor = chosen().load()) return *executor;
  static const std::unique_ptr<Executor> native = make_native_executor();
  return *native;
}

}  // namespace raddle::ddm
