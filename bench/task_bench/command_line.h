// The command line of Task Bench and what it prints, so that its scripts read ours: options that
// describe one graph or, with -and, several. Beside them are our own: -system, -workers, -repeat,
// -metg.
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "bench/task_bench/task_graph.h"

namespace raddle::bench::task_bench {

struct CommandLine {
  std::vector<TaskGraph> graphs;
  long nodes = 0;  // for an estimate of what is transferred; 0: none
  int verbose = 0;
  bool help = false;
  std::string system = "ddm";
  int workers = 0;  // 0: as many as the system takes by itself
  int repeat = 2;   // the least time counts
  bool metg = false;
};

// Throws std::runtime_error with what is wrong.
CommandLine parse(std::span<const char* const> arguments);

void print_help(std::ostream& out);
void print_configuration(std::ostream& out, const CommandLine& command);
void print_timing(std::ostream& out, const CommandLine& command, double seconds);

}  // namespace raddle::bench::task_bench
