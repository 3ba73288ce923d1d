// The executor of programs started by mpirun. It registers itself: a program that links this
// library runs on all ranks when it is started by mpirun, and on this machine alone otherwise.
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <thread>

#include "ddm/executor_choice.h"
#include "ddm/mpi/mpi_network.h"
#include "ddm/mpi/transport.h"
#include "ddm/native/worker_pool.h"

namespace raddle::ddm::mpi {
namespace {

// MPI from the first run to the end of the process.
class Session {
 public:
  Session() {
    int initialized = 0;
    MPI_Initialized(&initialized);
    if (initialized != 0) return;
    int level = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
    mine_ = true;
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (mine_ && finalized == 0) MPI_Finalize();
  }

 private:
  bool mine_ = false;
};

// Ranks of one machine share its cores: unless mpirun has bound them to some, each takes its part
// and leaves its workers to the system.
Options share_of_machine(Options options) {
  const char* text = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  const int ranks = text != nullptr ? std::atoi(text) : 1;
  if (ranks <= 1) return options;
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  cpu_set_t bound;
  CPU_ZERO(&bound);
  if (sched_getaffinity(0, sizeof bound, &bound) == 0 && CPU_COUNT(&bound) < cores) return options;
  options.pin = false;
  if (options.workers == 0 && std::getenv("RADDLE_DDM_WORKERS") == nullptr)
    options.workers = std::max(1, cores / ranks);
  return options;
}

class MpiExecutor : public Executor {
 public:
  MpiExecutor() : transport_(MPI_COMM_WORLD) {}

  Report run(const ProgramGraph& program, void* frame, const Options& options) override {
    MpiNetwork network(transport_, ++runs_, options);
    Options mine = share_of_machine(options);
    if (!mine.trace.empty()) mine.trace += "." + std::to_string(transport_.node());
    Report report = pool_.run(program, frame, mine, &network,
                              [&](native::Run& run, native::Worker& outside,
                                  native::Context& root) { network.attend(run, outside, root); });
    report.messages = network.messages();
    report.message_bytes = network.bytes();
    return report;
  }
  [[nodiscard]] int nodes() const override { return transport_.nodes(); }
  [[nodiscard]] int node() const override { return transport_.node(); }
  [[nodiscard]] bool distributed() const override { return transport_.nodes() > 1; }

 private:
  Session session_;
  Transport transport_;
  native::WorkerPool pool_;
  std::uint32_t runs_ = 0;
};

// Whether mpirun (of Open MPI, or one with PMI) has started this process.
bool under_mpirun() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    if (std::getenv(name) != nullptr) return true;
  }
  return false;
}

std::unique_ptr<Executor> make_if_under_mpirun() {
  return under_mpirun() ? std::make_unique<MpiExecutor>() : nullptr;
}

[[maybe_unused]] const bool kRegistered = offer_executor(make_if_under_mpirun);

}  // namespace
}  // namespace raddle::ddm::mpi
