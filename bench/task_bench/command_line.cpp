#include "bench/task_bench/command_line.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <ostream>
#include <stdexcept>

namespace raddle::bench::task_bench {
namespace {

template <class Named>
std::string names(std::span<const Named> all) {
  std::string text;
  for (const auto& each : all) text += "  " + std::string(each.name) + "\n";
  return text;
}

template <class Named>
const Named& find(std::span<const Named> all, const std::string& option, const std::string& name) {
  const auto found = std::ranges::find(all, name, &Named::name);
  if (found == all.end())
    throw std::runtime_error("unknown value '" + name + "' of " + option + "; known:\n" +
                             names(all));
  return *found;
}

double number(const std::string& option, const std::string& text, double least, double most) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || value < least || value > most) {
    char wanted[64];
    std::snprintf(wanted, sizeof wanted, "from %g", least);
    if (most < 1e9) std::snprintf(wanted, sizeof wanted, "from %g to %g", least, most);
    throw std::runtime_error("'" + option + "' expects a number " + wanted + ", got '" + text +
                             "'");
  }
  return value;
}

// The options that take a value, and what they set.
using Setter = std::function<void(CommandLine&, TaskGraph&, const std::string& option,
                                  const std::string& value)>;

template <class Member>
Setter of_graph(Member member, double least, double most = 1e15) {
  return [=](CommandLine&, TaskGraph& graph, const std::string& option, const std::string& value) {
    auto& target = std::invoke(member, graph);
    target =
        static_cast<std::remove_reference_t<decltype(target)>>(number(option, value, least, most));
  };
}

const std::map<std::string, Setter>& setters() {
  static const std::map<std::string, Setter> all = {
      {"-steps", of_graph(&TaskGraph::steps, 1)},
      {"-width", of_graph(&TaskGraph::width, 1)},
      {"-radix", of_graph(&TaskGraph::radix, 0)},
      {"-period", of_graph(&TaskGraph::period, 0)},
      {"-fraction", of_graph(&TaskGraph::fraction, 0, 1)},
      {"-output", of_graph(&TaskGraph::output_bytes, 16)},
      {"-scratch", of_graph(&TaskGraph::scratch_bytes, 0)},
      {"-iter", of_graph([](TaskGraph& graph) -> long& { return graph.kernel.iterations; }, 0)},
      {"-sample",
       of_graph([](TaskGraph& graph) -> int& { return graph.kernel.samples; }, 1, 1e9 - 1)},
      {"-imbalance",
       of_graph([](TaskGraph& graph) -> double& { return graph.kernel.imbalance; }, 0, 2)},
      {"-type",
       [](CommandLine&, TaskGraph& graph, const std::string& option, const std::string& value) {
         graph.pattern = find(patterns(), option, value).pattern;
       }},
      {"-kernel",
       [](CommandLine&, TaskGraph& graph, const std::string& option, const std::string& value) {
         graph.kernel.type = find(kernels(), option, value).type;
       }},
      // Buffers that implementations reuse; ours write every output to a place of its own.
      {"-field", [](CommandLine&, TaskGraph&, const std::string& option,
                    const std::string& value) { number(option, value, 1, 1e15); }},
      {"-nodes",
       [](CommandLine& command, TaskGraph&, const std::string& option, const std::string& value) {
         command.nodes = static_cast<long>(number(option, value, 1, 1e15));
       }},
      {"-workers",
       [](CommandLine& command, TaskGraph&, const std::string& option, const std::string& value) {
         command.workers = static_cast<int>(number(option, value, 1, 1e4));
       }},
      {"-repeat",
       [](CommandLine& command, TaskGraph&, const std::string& option, const std::string& value) {
         command.repeat = static_cast<int>(number(option, value, 1, 1e6));
       }},
      {"-system", [](CommandLine& command, TaskGraph&, const std::string&,
                     const std::string& value) { command.system = value; }},
  };
  return all;
}

void finish(std::vector<TaskGraph>& graphs, TaskGraph& graph) {
  const auto& name = std::ranges::find(patterns(), graph.pattern, &PatternName::pattern)->name;
  if (graph.period < 0) graph.period = graph.has_period() ? 3 : 0;
  if (graph.has_period() && graph.period == 0)
    throw std::runtime_error("pattern '" + std::string(name) + "' needs a period: -period N");
  if (!graph.has_period() && graph.period != 0)
    throw std::runtime_error("pattern '" + std::string(name) + "' has no -period");
  if (graph.pattern == Pattern::kSpread && graph.radix > 0) {
    const long most = (graph.width + graph.radix - 1) / graph.radix;
    if (graph.period > most)
      throw std::runtime_error("pattern 'spread' of this width and radix has a period of " +
                               std::to_string(most) + " at most");
  }
  if (graph.kernel.type == KernelType::kMemoryBound &&
      graph.scratch_bytes < 2 * static_cast<std::size_t>(graph.kernel.samples))
    throw std::runtime_error("kernel 'memory_bound' needs scratch memory: -scratch BYTES");
  graphs.push_back(graph);
  graph = TaskGraph{};
  graph.number = static_cast<long>(graphs.size());
}

std::string line(const char* format, auto... values) {
  char text[160];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

// Edges that lead to points of other nodes, were the points spread over nodes in equal shares.
struct Edges {
  long long all = 0, nonlocal = 0;
};

Edges count_edges(const TaskGraph& graph, long nodes) {
  const Dependences dependences(graph);
  Edges edges;
  const auto node_of = [&](long point) { return nodes > 0 ? point * nodes / graph.width : 0; };
  for (long step = 0; step < graph.steps; ++step) {
    for (long point = 0; point < graph.width; ++point) {
      for (const long from : dependences.inputs(step, point)) {
        ++edges.all;
        if (node_of(from) != node_of(point)) ++edges.nonlocal;
      }
    }
  }
  return edges;
}

}  // namespace

CommandLine parse(std::span<const char* const> arguments) {
  CommandLine command;
  TaskGraph graph;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string option = arguments[i];
    if (option == "-h") {
      command.help = true;
    } else if (option == "-v") {
      ++command.verbose;
    } else if (option == "-vv") {
      command.verbose += 2;
    } else if (option == "-metg") {
      command.metg = true;
    } else if (option == "-and") {
      finish(command.graphs, graph);
    } else if (option == "-skip-graph-validation") {
      // The original's check that every graph has run; here each run counts its tasks.
    } else if (const auto setter = setters().find(option); setter != setters().end()) {
      if (++i == arguments.size()) throw std::runtime_error("'" + option + "' expects a value");
      setter->second(command, graph, option, arguments[i]);
    } else {
      throw std::runtime_error("unknown option '" + option + "'; -h lists them");
    }
  }
  finish(command.graphs, graph);
  return command;
}

void print_help(std::ostream& out) {
  out << "task_bench: graphs of small tasks, after Task Bench\n\n"
         "The graph:\n"
         "  -steps N        timesteps\n"
         "  -width N        points of a timestep\n"
         "  -type PATTERN   what a point depends on\n"
         "  -radix N        inputs of a point (nearest, spread, random_nearest)\n"
         "  -period N       timesteps until the pattern repeats (spread, random_nearest)\n"
         "  -fraction X     of the inputs that exist (random_nearest)\n"
         "  -and            begins another graph, which runs beside this one\n"
         "  -output N       bytes that a task writes\n"
         "  -kernel KERNEL  what a task computes\n"
         "  -iter N         iterations of it\n"
         "  -scratch N      bytes that it works on (memory_bound)\n"
         "  -sample N       parts of these (memory_bound)\n"
         "  -imbalance X    how far iterations differ, as a fraction (load_imbalance)\n\n"
         "The run:\n"
         "  -system NAME    what runs the tasks: ddm, openmp, tbb, mpi (under mpirun)\n"
         "  -workers N      worker threads\n"
         "  -repeat N       runs, of which the fastest counts\n"
         "  -metg           finds the smallest task that keeps half of the peak FLOP/s\n"
         "  -nodes N        nodes for an estimate of what is transferred\n"
         "  -v, -vv         print the graph\n"
         "  -field N, -skip-graph-validation   accepted, without effect\n\n"
         "Patterns:\n"
      << names(patterns()) << "\nKernels:\n"
      << names(kernels());
}

void print_configuration(std::ostream& out, const CommandLine& command) {
  out << "Running Task Benchmark\n  Configuration:\n";
  for (const TaskGraph& graph : command.graphs) {
    out << "    Task Graph " << graph.number + 1 << ":\n"
        << "      Time Steps: " << graph.steps << "\n      Max Width: " << graph.width
        << "\n      Dependence Type: "
        << std::ranges::find(patterns(), graph.pattern, &PatternName::pattern)->name
        << "\n      Radix: " << graph.radix << "\n      Period: " << graph.period
        << line("\n      Fraction Connected: %f", graph.fraction)
        << "\n      Kernel:\n        Type: "
        << std::ranges::find(kernels(), graph.kernel.type, &KernelName::type)->name
        << "\n        Iterations: " << graph.kernel.iterations
        << "\n        Samples: " << graph.kernel.samples
        << line("\n        Imbalance: %f", graph.kernel.imbalance)
        << "\n      Output Bytes: " << graph.output_bytes
        << "\n      Scratch Bytes: " << graph.scratch_bytes << '\n';
    if (command.verbose == 0) continue;
    const Dependences dependences(graph);
    for (long step = 0; step < graph.steps; ++step) {
      const long first = graph.first_point(step), count = graph.points(step);
      out << "      Timestep " << step << " (offset " << first << ", width " << count
          << ", last offset " << graph.first_point(step - 1) << ", last width "
          << graph.points(step - 1) << "):\n        Points:";
      for (long point = first; point < first + count; ++point) out << ' ' << point;
      out << "\n        Dependencies:\n";
      for (long point = first; point < first + count; ++point) {
        out << "          Point " << point << ":";
        for (const long from : dependences.inputs(step, point)) out << ' ' << from;
        out << '\n';
      }
      if (command.verbose == 1 || step == 0) continue;
      out << "        Reverse Dependencies:\n";
      const long before = graph.first_point(step - 1);
      for (long point = before; point < before + graph.points(step - 1); ++point) {
        out << "          Point " << point << ":";
        for (const long to : dependences.consumers(step - 1, point)) out << ' ' << to;
        out << '\n';
      }
    }
  }
}

void print_timing(std::ostream& out, const CommandLine& command, double seconds) {
  long long tasks = 0, flops = 0, bytes = 0, edges = 0, nonlocal = 0;
  double local_bytes = 0, nonlocal_bytes = 0;
  for (const TaskGraph& graph : command.graphs) {
    const Edges found = count_edges(graph, command.nodes);
    tasks += graph.tasks();
    flops += graph.flops();
    bytes += graph.bytes();
    edges += found.all;
    nonlocal += found.nonlocal;
    const auto size = static_cast<double>(graph.output_bytes);
    nonlocal_bytes += static_cast<double>(found.nonlocal) * size;
    local_bytes += static_cast<double>(found.all - found.nonlocal) * size;
  }
  out << "Total Tasks " << tasks << "\nTotal Dependencies " << edges << '\n';
  if (command.nodes > 0) {
    out << "  Local Dependencies " << edges - nonlocal << " (estimated)\n"
        << "  Nonlocal Dependencies " << nonlocal << " (estimated)\n"
        << "  Number of Nodes (used for estimate) " << command.nodes << '\n';
  } else {
    out << "  Unable to estimate local/nonlocal dependencies\n";
  }
  out << "Total FLOPs " << flops << "\nTotal Bytes " << bytes
      << line("\nElapsed Time %e seconds\n", seconds)
      << line("FLOP/s %e\n", static_cast<double>(flops) / seconds)
      << line("B/s %e\n", static_cast<double>(bytes) / seconds) << "Transfer (estimated):\n";
  if (command.nodes > 0) {
    out << line("  Local Bytes %.0f\n", local_bytes)
        << line("  Nonlocal Bytes %.0f\n", nonlocal_bytes)
        << line("  Local Bandwidth %e B/s\n", local_bytes / seconds)
        << line("  Nonlocal Bandwidth %e B/s\n", nonlocal_bytes / seconds);
  } else {
    out << "  Unable to estimate local/nonlocal transfer\n";
  }
}

}  // namespace raddle::bench::task_bench
