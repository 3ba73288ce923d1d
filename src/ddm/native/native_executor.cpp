// The executor of programs that run on this machine alone.
#include <memory>

#include "ddm/native/worker_pool.h"

namespace raddle::ddm {
namespace {

class NativeExecutor : public Executor {
 public:
  NativeExecutor() = default;
  NativeExecutor(const NativeExecutor&) = delete;
  NativeExecutor& operator=(const NativeExecutor&) = delete;
  // A thread that calls exit() ends the process from within a run, which cannot wait for itself.
  ~NativeExecutor() override {
    if (!native::TakingPart::any()) return;
    [[maybe_unused]] const auto* left_to_the_system = pool_.release();
  }

  Report run(const ProgramGraph& program, void* frame, const Options& options) override {
    return pool_->run(program, frame, options);
  }

 private:
  std::unique_ptr<native::WorkerPool> pool_ = std::make_unique<native::WorkerPool>();
};

}  // namespace

std::unique_ptr<Executor> make_native_executor() { return std::make_unique<NativeExecutor>(); }

}  // namespace raddle::ddm
