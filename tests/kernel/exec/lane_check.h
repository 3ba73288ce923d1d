// Runs one instruction through the lane loops, in every version that this host can execute, and
// compares each lane with a scalar computation that the test brings. Operands are edge values and
// random patterns; every instruction also runs under a partial mask, which must leave the other
// lanes alone, and in place, with its first source as destination.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "kernel/exec/decoded.h"

namespace raddle::kernel::exec {

// The operands of one lane, as the low bits of 64-bit words; predicates are 0 or 1.
using Operands = std::array<std::uint64_t, 4>;
// What the destinations hold afterwards.
using Results = std::array<std::uint64_t, 2>;
using Oracle = std::function<Results(const Operands&)>;

// An operand or destination: its type decides which values are tried and how results are compared
// (any NaN equals any other). kPred makes it a predicate.
struct LaneCase {
  std::string name;
  Instruction instruction;
  std::vector<Type> destinations;
  std::vector<Type> sources;
  Oracle oracle;
};

// A source of operands that is the same in every run.
class OperandSource {
 public:
  explicit OperandSource(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t bits() { return engine_(); }
  std::uint64_t below(std::uint64_t limit) { return engine_() % limit; }
  // A value of the type: an edge value, a few bits, or anything.
  std::uint64_t value(Type type);

 private:
  std::mt19937_64 engine_;
};

// Fails the current test on the first lane that differs. `rounds` times 32 operand tuples are
// tried.
void check_lanes(const LaneCase& lane_case, int rounds = 12);

// Helpers for oracles.
std::int64_t sign_extended(std::uint64_t bits, int bytes);
std::uint64_t truncated(std::uint64_t bits, int bytes);
float as_float(std::uint64_t bits);
double as_double(std::uint64_t bits);
std::uint64_t bits_of(float value);
std::uint64_t bits_of(double value);
bool same_value(Type type, std::uint64_t a, std::uint64_t b);

// Makes an instruction in one expression.
Instruction instruction_of(Opcode opcode, Type type,
                           const std::function<void(Instruction&)>& modify = {});

}  // namespace raddle::kernel::exec
