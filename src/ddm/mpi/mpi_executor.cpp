// The executor of programs started by mpirun. It registers itself: a program that links this
// library runs on all ranks when it is started by mpirun, and on this machine alone otherwise.
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "ddm/executor_choice.h"
#include "ddm/mpi/life_signs.h"
#include "ddm/mpi/mpi_network.h"
#include "ddm/mpi/session.h"
#include "ddm/mpi/transport.h"
#include "ddm/native/worker_pool.h"

namespace raddle::ddm::mpi {
namespace {

// Ranks of one machine share its cores, unless mpirun has bound them to some.
int ranks_on_cores() {
  const char* text = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  const int ranks = text != nullptr ? std::max(1, std::atoi(text)) : 1;
  cpu_set_t bound;
  CPU_ZERO(&bound);
  const bool known = sched_getaffinity(0, sizeof bound, &bound) == 0;
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  return known && CPU_COUNT(&bound) < cores ? 1 : ranks;
}

// Each takes its part and leaves its workers to the system.
Options share_of_machine(Options options, int ranks) {
  if (ranks <= 1) return options;
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  options.pin = false;
  if (options.workers == 0 && std::getenv("RADDLE_DDM_WORKERS") == nullptr)
    options.workers = std::max(1, cores / ranks);
  return options;
}

class MpiExecutor : public Executor {
 public:
  MpiExecutor() {
    connection_.emplace(session_.takes_many_threads());
    nodes_ = connection_->transport.nodes();
    node_ = connection_->transport.node();
    session_.before_finalizing([this] { leave(); });
  }
  MpiExecutor(const MpiExecutor&) = delete;
  MpiExecutor& operator=(const MpiExecutor&) = delete;
  ~MpiExecutor() override { session_.end(); }

  Report run(const ProgramGraph& program, void* frame, const Options& options) override {
    if (!connection_) throw run_after_finalize();
    // A thread runs on one rank, and so does what it runs.
    if (pool_.runs_this_thread()) return make_sequential_executor()->run(program, frame, options);
    const std::lock_guard one_at_a_time(mutex_);
    session_.set_patience(silence_of(options));
    const int ranks = ranks_on_cores();
    MpiNetwork network(connection_->transport, connection_->life_signs, ++runs_, ranks,
                       session_.takes_many_threads(), options);
    Options mine = share_of_machine(options, ranks);
    if (!mine.trace.empty()) mine.trace += "." + std::to_string(node_);
    Report report = pool_.run(program, frame, mine, &network,
                              [&](native::Run& run, native::Worker& outside,
                                  native::Context& root) { network.attend(run, outside, root); });
    report.messages = network.messages();
    report.message_bytes = network.bytes();
    return report;
  }
  [[nodiscard]] int nodes() const override { return nodes_; }
  [[nodiscard]] int node() const override { return node_; }
  [[nodiscard]] bool distributed() const override { return nodes_ > 1; }

 private:
  struct Connection {
    explicit Connection(bool many_threads)
        : transport(MPI_COMM_WORLD), life_signs(MPI_COMM_WORLD, many_threads) {}
    Transport transport;
    LifeSigns life_signs;
  };

  void leave() {
    connection_->life_signs.gather();
    connection_->transport.close(connection_->life_signs.silence());
    connection_.reset();
  }

  Session session_;
  std::optional<Connection> connection_;  // until MPI_Finalize
  int nodes_ = 1;
  int node_ = 0;
  std::mutex mutex_;
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
