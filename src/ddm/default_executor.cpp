// Which executor Program::run uses.
#include <atomic>

#include "ddm/executor_choice.h"
#include "raddle/ddm/executor.h"

namespace raddle::ddm {
namespace {

std::atomic<Executor*>& chosen() {
  static std::atomic<Executor*> executor{nullptr};
  return executor;
}

std::atomic<std::unique_ptr<Executor> (*)()>& offered() {
  static std::atomic<std::unique_ptr<Executor> (*)()> make{nullptr};
  return make;
}

std::unique_ptr<Executor> make_default() {
  if (auto* make = offered().load()) {
    if (auto executor = make()) return executor;
  }
  return make_native_executor();
}

}  // namespace

bool offer_executor(std::unique_ptr<Executor> (*make)()) {
  offered().store(make);
  return true;
}

Executor* set_default_executor(Executor* executor) { return chosen().exchange(executor); }

Executor& default_executor() {
  if (auto* executor = chosen().load()) return *executor;
  static const std::unique_ptr<Executor> own = make_default();
  return *own;
}

}  // namespace raddle::ddm
