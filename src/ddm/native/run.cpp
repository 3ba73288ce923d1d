#include "ddm/native/run.h"

#include <algorithm>

#include "ddm/native/thread_pool.h"
#include "ddm/native/worker.h"

namespace raddle::ddm::native {

bool Run::has_work() const {
  return !priorities.empty() || (operations && operations->any()) ||
         std::ranges::any_of(workers, [](const Worker* worker) { return worker->has_queued(); });
}

void Run::call_thread() { team.pool->call(*this); }

}  // namespace raddle::ddm::native
