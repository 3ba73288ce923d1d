// Signs of life between ranks, from the first run to the end of the process: rank 0 and every other
// one let each other hear of them ten times a second, also while their programs compute between
// runs, and until all have come to MPI_Finalize. A rank that is not heard of for too long has been
// stopped or lost, and the job ends with its number; so it does when a rank has ended its program
// while a run of others waits for it. Where MPI allows no second thread, signs are given and looked
// for during runs only.
#pragma once

#include <mpi.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "ddm/native/signal.h"
#include "raddle/ddm/executor.h"
#include "raddle/ddm/function_ref.h"

namespace raddle::ddm::mpi {

// Without one of its ranks MPI cannot be left in an orderly way: says so and ends the whole job.
[[noreturn]] void abandon(MPI_Comm communicator, const std::string& text);
// How long another rank may be silent before it is lost.
std::chrono::milliseconds silence_of(const Options& options);
// "3.000000 seconds"
std::string in_seconds(std::chrono::milliseconds time);

// Before a communicator is freed: takes what is still on its way until no rank has anything left to
// send. The function takes what has come and says whether all that this rank sent has gone.
void settle(MPI_Comm communicator, std::chrono::milliseconds patience,
            FunctionRef<bool()> take_and_test);

class LifeSigns {
 public:
  // `own_thread`: MPI may be called by several threads at once.
  LifeSigns(MPI_Comm communicator, bool own_thread);
  LifeSigns(const LifeSigns&) = delete;
  LifeSigns& operator=(const LifeSigns&) = delete;
  ~LifeSigns();

  // A run begins, in which a rank not heard of for so long is lost.
  void begin_run(std::chrono::milliseconds silence);
  void end_run() { in_run_.store(false); }
  // To be called now and then in a run; does nothing if a thread of its own does it.
  void look_in_run() {
    if (!thread_.joinable()) look();
  }
  // Waits until all ranks have come here; those that have not still give signs.
  void gather();
  [[nodiscard]] std::chrono::milliseconds silence() const { return silence_.load(); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Peer {
    int node;
    MPI_Request sign = MPI_REQUEST_NULL;  // on its way to it
    MPI_Request farewell = MPI_REQUEST_NULL;
    Clock::time_point heard;
    std::optional<Clock::time_point> left;  // when it has come to the end of its program
  };

  void look();
  void give_signs();
  void hear();
  void judge() const;
  bool take(int from, int tag) const;
  static bool has_gone(MPI_Request& message);

  MPI_Comm communicator_ = MPI_COMM_NULL;
  std::vector<Peer> peers_;
  Clock::time_point next_signs_;
  std::atomic<std::chrono::milliseconds> silence_;
  std::atomic<bool> in_run_{false};
  std::atomic<Clock::time_point> run_began_;
  std::atomic<bool> closing_{false};
  native::Signal close_;
  std::thread thread_;
};

}  // namespace raddle::ddm::mpi
