// MPI from the first run to the end of the process: started here unless the program has done so
// itself, and left in an orderly way whoever calls MPI_Finalize.
#pragma once

#include <mpi.h>

#include <chrono>
#include <functional>

#include "raddle/ddm/error.h"

namespace raddle::ddm::mpi {

// What a run is answered that comes too late.
NetworkError run_after_finalize();

class Session {
 public:
  // Throws NetworkError after MPI_Finalize.
  Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() { end(); }

  // Calls MPI_Finalize if that is this session's business and has not been done.
  void end();
  // Called once, at the beginning of MPI_Finalize, while MPI can still be used.
  void before_finalizing(std::function<void()> action);
  // How long MPI_Finalize may take once all ranks have come to it; a rank that stops in there would
  // make the others wait for ever.
  void set_patience(std::chrono::milliseconds patience) { patience_ = patience; }
  // Whether several threads may call MPI at once.
  [[nodiscard]] bool takes_many_threads() const { return takes_many_threads_; }

 private:
  static int on_finalize(MPI_Comm communicator, int key, void* session, void* unused);
  void prepare_to_finalize();
  void finalize();

  bool mine_ = false;
  bool takes_many_threads_ = false;
  int node_ = 0;
  std::chrono::milliseconds patience_{30000};
  std::function<void()> action_;
  int key_ = MPI_KEYVAL_INVALID;
};

}  // namespace raddle::ddm::mpi
