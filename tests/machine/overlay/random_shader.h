// Random programs with everything that the processor executes: pairs of halves, modifiers,
// predicates, dependent TEX of all kinds, branches, loops with breaks and continues, subroutines
// with branches and loops of their own that call each other while threads disagree.
#pragma once

#include <random>
#include <string>

namespace raddle::machine::overlay {

class RandomShader {
 public:
  explicit RandomShader(unsigned seed) : random_(seed) {}

  // Reads s0 and s1, writes o0 and the depth; loops count to at most 4.
  std::string text();

 private:
  unsigned below(unsigned count) { return static_cast<unsigned>(random_() % count); }
  std::string channel() { return std::string(1, "rgba"[below(4)]); }
  std::string temporary() { return "r" + std::to_string(below(kRegisters)); }
  std::string source(bool scalar);
  std::string alu();
  std::string tex();
  // `callable`: subroutines below that number may be called.
  std::string branch(unsigned depth, bool in_loop, unsigned callable);
  std::string loop(unsigned depth, unsigned callable);
  std::string block(unsigned statements, unsigned depth, bool in_loop, unsigned callable);

  static constexpr unsigned kRegisters = 6;
  static constexpr unsigned kFunctions = 3;
  std::mt19937 random_;
};

}  // namespace raddle::machine::overlay
