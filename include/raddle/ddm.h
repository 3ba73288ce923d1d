// Data-driven multithreading as a library (DDM paper, section 2): threads are declared with what
// follows what, and run when their inputs are there. Ordinary C++20; needs libraddle-ddm and
// nothing of the simulator.
//
//   ddm::Program program;
//   auto square = program.thread("square", ddm::range(1000), [&](std::size_t i) { x[i] *= x[i]; });
//   auto add = program.thread("add", [&] { sum = std::accumulate(x.begin(), x.end(), 0.0); });
//   square.then(add);
//   program.run();
#pragma once

#include "raddle/ddm/async_run.h"
#include "raddle/ddm/collectives.h"
#include "raddle/ddm/completion.h"
#include "raddle/ddm/declare.h"
#include "raddle/ddm/error.h"
#include "raddle/ddm/executor.h"
#include "raddle/ddm/grain.h"
#include "raddle/ddm/graph.h"
#include "raddle/ddm/index.h"
#include "raddle/ddm/patterns.h"
#include "raddle/ddm/program.h"
#include "raddle/ddm/serialize.h"
#include "raddle/ddm/thread.h"
