#include "ddm/mpi/session.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>

#include "ddm/mpi/life_signs.h"
#include "ddm/native/signal.h"

namespace raddle::ddm::mpi {

NetworkError run_after_finalize() {
  return {"MPI_Finalize has been called before this run", "", "call it after the last run"};
}

Session::Session() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0) throw run_after_finalize();
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (initialized == 0) {
    // With more ranks than cores Open MPI yields whenever it is asked for messages and there are
    // none. On a busy machine each time costs the time slices of all others; the thread that asks
    // sleeps in between anyway.
    setenv("OMPI_MCA_mpi_yield_when_idle", "0", 1);
    int level = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level);
    mine_ = true;
  }
  int level = 0;
  MPI_Query_thread(&level);
  takes_many_threads_ = level == MPI_THREAD_MULTIPLE;
  MPI_Comm_rank(MPI_COMM_WORLD, &node_);
}

void Session::end() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0) return;
  if (mine_) {
    finalize();
  } else if (action_) {
    MPI_Comm_delete_attr(MPI_COMM_SELF, key_);
  }
}

// MPI_Finalize begins with freeing what is attached to MPI_COMM_SELF.
void Session::before_finalizing(std::function<void()> action) {
  action_ = std::move(action);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_finalize, &key_, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, key_, this);
}

int Session::on_finalize(MPI_Comm, int, void* session, void*) {
  static_cast<Session*>(session)->prepare_to_finalize();
  return MPI_SUCCESS;
}

void Session::prepare_to_finalize() {
  if (const auto action = std::exchange(action_, nullptr)) action();
}

void Session::finalize() {
  prepare_to_finalize();
  native::Signal changed;
  std::atomic<bool> done{false};
  std::thread watch([&] {
    const auto give_up = std::chrono::steady_clock::now() + patience_;
    for (;;) {
      const auto seen = changed.value();
      const auto left = give_up - std::chrono::steady_clock::now();
      if (done.load()) return;
      if (left <= left.zero()) break;
      changed.wait_for(seen, left);
    }
    // MPI itself cannot be asked any more: mpirun ends the other ranks when this one fails.
    std::fprintf(stderr,
                 "raddle-ddm: node %d: another node is lost: MPI_Finalize did not return for %s\n"
                 "hint: see why that process stopped; Options::silence is how long to wait\n",
                 node_, in_seconds(patience_).c_str());
    _exit(70);
  });
  MPI_Finalize();
  done.store(true);
  changed.wake_all();
  watch.join();
}

}  // namespace raddle::ddm::mpi
