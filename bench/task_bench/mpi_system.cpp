// Task Bench on MPI alone: every rank has a share of the points; a timestep receives what its
// points need, sends what others need, waits for both and computes.
#include <cstring>
#include <stdexcept>

#include "bench/task_bench/systems.h"

#ifdef RADDLE_MPI
#include <mpi.h>
#endif

#include <cstdlib>

namespace raddle::bench::task_bench {

int ranks() {
  const char* text = std::getenv("OMPI_COMM_WORLD_SIZE");
  return text == nullptr ? 1 : std::atoi(text);
}
int rank() {
  const char* text = std::getenv("OMPI_COMM_WORLD_RANK");
  return text == nullptr ? 0 : std::atoi(text);
}

#ifdef RADDLE_MPI

namespace {

class MpiSystem : public System {
 public:
  explicit MpiSystem(Graphs graphs) {
    for (const TaskGraph& graph : graphs) parts_.push_back(std::make_unique<Part>(graph));
  }

  double run() override {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (auto& part : parts_) run_part(*part);
    MPI_Barrier(MPI_COMM_WORLD);
    return agree(MPI_Wtime() - start);
  }
  [[nodiscard]] int cores() const override { return ranks(); }

 private:
  // The points of a graph that this rank computes. Each keeps its last output; inputs are copied
  // or received before any point of the timestep writes.
  struct Part {
    explicit Part(const TaskGraph& declared)
        : graph(declared),
          dependences(declared),
          first(rank() * declared.width / ranks()),
          last((rank() + 1) * declared.width / ranks() - 1),
          scratch(declared, static_cast<std::size_t>(last - first + 1)) {
      const auto points = static_cast<std::size_t>(last - first + 1);
      outputs.resize(points, std::vector<std::byte>(graph.output_bytes));
      inputs.resize(points);
      pointers.resize(points);
      std::size_t most = 0;
      for (long set = 0; set < graph.sets(); ++set) {
        for (long point = first; point <= last; ++point)
          most = std::max(most, graph.inputs(set, point).size());
      }
      for (std::size_t i = 0; i < points; ++i) {
        inputs[i].resize(most, std::vector<std::byte>(graph.output_bytes));
        for (const auto& input : inputs[i]) pointers[i].push_back(input.data());
      }
      for (long point = 0; point < graph.width; ++point) {
        owners.push_back(static_cast<int>(((point + 1) * ranks() - 1) / graph.width));
      }
    }
    [[nodiscard]] bool here(long point) const { return first <= point && point <= last; }

    const TaskGraph& graph;
    Dependences dependences;
    long first, last;
    Scratch scratch;
    std::vector<std::vector<std::byte>> outputs;
    std::vector<std::vector<std::vector<std::byte>>> inputs;
    std::vector<std::vector<const std::byte*>> pointers;
    std::vector<int> owners;  // by point
  };

  static int tag(long from, long to) { return static_cast<int>((from % 128) << 7 | (to % 128)); }

  void run_part(Part& part) {
    for (long step = 0; step < part.graph.steps; ++step) {
      requests_.clear();
      for (long point = part.first; point <= part.last; ++point) exchange(part, step, point);
      MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
      const long begin = std::max(part.first, part.graph.first_point(step));
      const long end = part.graph.first_point(step) + part.graph.points(step);
      for (long point = begin; point <= part.last && point < end; ++point) {
        const auto i = static_cast<std::size_t>(point - part.first);
        const std::size_t count = part.dependences.inputs(step, point).size();
        run_task(part.graph, part.dependences, step, point, part.outputs[i].data(),
                 std::span(part.pointers[i].data(), count), part.scratch.of(i));
      }
    }
  }

  void exchange(Part& part, long step, long point) {
    const auto i = static_cast<std::size_t>(point - part.first);
    const auto bytes = static_cast<int>(part.graph.output_bytes);
    std::size_t slot = 0;
    for (const long from : part.dependences.inputs(step, point)) {
      std::byte* to = part.inputs[i][slot++].data();
      if (part.here(from)) {
        std::memcpy(to, part.outputs[static_cast<std::size_t>(from - part.first)].data(),
                    part.graph.output_bytes);
        continue;
      }
      MPI_Irecv(to, bytes, MPI_BYTE, part.owners[static_cast<std::size_t>(from)], tag(from, point),
                MPI_COMM_WORLD, &requests_.emplace_back());
    }
    if (step == 0) return;
    for (const long to : part.dependences.consumers(step - 1, point)) {
      if (part.here(to)) continue;
      MPI_Isend(part.outputs[i].data(), bytes, MPI_BYTE, part.owners[static_cast<std::size_t>(to)],
                tag(point, to), MPI_COMM_WORLD, &requests_.emplace_back());
    }
  }

  std::vector<std::unique_ptr<Part>> parts_;
  std::vector<MPI_Request> requests_;
};

}  // namespace

std::unique_ptr<System> make_mpi(Graphs graphs) {
  int started = 0;
  MPI_Initialized(&started);
  if (started == 0) MPI_Init(nullptr, nullptr);
  return std::make_unique<MpiSystem>(graphs);
}

double agree(double value) {
  int started = 0;
  MPI_Initialized(&started);
  if (started != 0 && ranks() > 1) MPI_Bcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return value;
}

void leave_mpi() {
  int started = 0;
  int ended = 0;
  MPI_Initialized(&started);
  MPI_Finalized(&ended);
  if (started != 0 && ended == 0) MPI_Finalize();
}

#else

std::unique_ptr<System> make_mpi(Graphs) {
  throw std::runtime_error("system 'mpi' is not available: this program was built without MPI");
}
double agree(double value) { return value; }
void leave_mpi() {}

#endif

}  // namespace raddle::bench::task_bench
