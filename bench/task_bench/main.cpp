// Task Bench here: task graphs of the patterns that task systems are compared by, run by the
// data-driven runtime, OpenMP tasks, oneTBB or MPI alone.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <stdexcept>

#include "bench/task_bench/command_line.h"
#include "bench/task_bench/metg.h"
#include "bench/task_bench/systems.h"

namespace raddle::bench::task_bench {
namespace {

std::unique_ptr<System> make_system(const CommandLine& command, Graphs graphs) {
  if (command.system == "ddm") return make_ddm(graphs, command.workers);
  if (command.system == "openmp") return make_openmp(graphs, command.workers);
  if (command.system == "tbb") return make_tbb(graphs, command.workers);
  if (command.system == "mpi") return make_mpi(graphs);
  throw std::runtime_error("unknown system '" + command.system + "'; known: ddm, openmp, tbb, mpi");
}

void print_metg(const CommandLine& command) {
  for (const TaskGraph& graph : command.graphs) {
    const Metg metg = measure_metg(graph, command.repeat,
                                   [&](Graphs graphs) { return make_system(command, graphs); });
    if (rank() != 0) continue;
    const auto name = std::ranges::find(patterns(), graph.pattern, &PatternName::pattern)->name;
    if (command.verbose > 0) {
      for (const auto& point : metg.points)
        std::printf("  %ld iterations: %.3f us a task, %.2f of the peak\n", point.iterations,
                    point.seconds_per_task * 1e6, point.flops_per_second / metg.peak_flops);
    }
    std::printf("METG(50%%) %s %s %s%.3f us, peak %.2f GFLOP/s\n", command.system.c_str(),
                std::string(name).c_str(), metg.is_bound ? "<" : "", metg.microseconds,
                metg.peak_flops * 1e-9);
    std::fflush(stdout);
  }
}

void run(const CommandLine& command) {
  if (command.metg) return print_metg(command);
  if (rank() == 0) print_configuration(std::cout, command);
  const auto system = make_system(command, command.graphs);
  double best = system->run();
  for (int i = 1; i < command.repeat; ++i) best = std::min(best, system->run());
  if (rank() == 0) print_timing(std::cout, command, best);
}

}  // namespace

void run_in_place(Prepared& prepared, long step, long point, std::byte* scratch) {
  const auto inputs = prepared.dependences.inputs(step, point);
  const std::byte* few[16];
  std::vector<const std::byte*> many;
  const std::byte** pointers = few;
  if (inputs.size() > std::size(few)) {
    many.resize(inputs.size());
    pointers = many.data();
  }
  for (std::size_t i = 0; i < inputs.size(); ++i)
    pointers[i] = prepared.outputs.at(step - 1, inputs[i]);
  run_task(*prepared.graph, prepared.dependences, step, point, prepared.outputs.at(step, point),
           {pointers, inputs.size()}, scratch);
}

}  // namespace raddle::bench::task_bench

int main(int argc, char** argv) {
  using namespace raddle::bench::task_bench;
  try {
    const CommandLine command = parse({argv, static_cast<std::size_t>(argc)});
    if (command.help) {
      print_help(std::cout);
      return 0;
    }
    run(command);
  } catch (const std::exception& error) {
    std::cerr << "task_bench: " << error.what() << '\n';
    return 1;
  }
  leave_mpi();
}
