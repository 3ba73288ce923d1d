// What the user asked for beside the plain run: the same for every machine, whatever programs it
// executes. What may end the run is its RunControl.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/checks.h"
#include "machine/run/run_control.h"

namespace raddle::sim {
class TraceFile;
}  // namespace raddle::sim

namespace raddle::machine {

struct LaunchOptions {
  Checks check;         // --check
  bool lines = false;   // --lines: counts per source line
  Cycle sample_cycles;  // --sample N, 0: none
  // --trace. One file for the whole program: it is the same for all launches of a machine, which go
  // one after the other on its time line, and whoever opened it finishes it.
  sim::TraceFile* trace = nullptr;
  unsigned host_threads = 1;                    // -j; the result is the same whatever it is
  std::function<void(std::string_view)> print;  // device printf
  RunControl control;                           // --max-cycles, --timeout, Ctrl-C, progress
};

}  // namespace raddle::machine
