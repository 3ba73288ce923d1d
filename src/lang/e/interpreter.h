// The synchronous semantics of e, executed one statement at a time: all fibers of a flow read
// before any of them writes. It knows nothing of the machine and shares only the tree and the
// operators with the compiler, so that it can tell what compiled code must compute. It also finds
// what the machine does not look for: indices outside of arrays, and flows that run at the same
// time and touch the same word.
#pragma once

#include <cstdint>
#include <string>

#include "lang/e/ast.h"
#include "lang/e/initial_data.h"

namespace raddle::e {

struct InterpreterLimits {
  std::uint64_t statements = std::uint64_t{1} << 32;
  std::int64_t thickness = std::int64_t{1} << 32;
};

// Runs the program on `memory`, which then holds the result. Throws Error with the place in the
// source: index outside of an array, race between flows, limits exceeded.
void interpret(const Program& program, SharedData& memory, const InterpreterLimits& limits = {});

// Runs the program's checks on what a run left. Throws Error with the place of the first assert
// that does not hold.
void run_checks(const Program& program, const SharedData& initial, const SharedData& final,
                std::string& printed);

}  // namespace raddle::e
