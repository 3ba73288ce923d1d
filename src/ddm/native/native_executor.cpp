// The executor of programs that run on this machine alone.
#include "ddm/native/worker_pool.h"

namespace raddle::ddm {
namespace {

class NativeExecutor : public Executor {
 public:
  Report run(const ProgramGraph& program, void* frame, const Options& options) override {
    return pool_.run(program, frame, options);
  }

 private:
  native::WorkerPool pool_;
};

}  // namespace

std::unique_ptr<Executor> make_native_executor() { return std::make_unique<NativeExecutor>(); }

}  // namespace raddle::ddm
