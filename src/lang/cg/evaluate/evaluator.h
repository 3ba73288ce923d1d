// Runs a Cg program on the host, point by point, straight from its syntax tree: what the language
// means, without any of the compiler's parts. Each operation is one rounded float operation, as
// docs/cg.md defines it. It is slow and simple on purpose: tests hold compiled code against it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lang/cg/interface.h"
#include "lang/cg/syntax/ast.h"

namespace raddle::cg {

using Texel = std::array<float, 4>;

struct FloatRules {
  bool flush_denormals = false;  // denormals in and out of arithmetic count as zero
  // Division, roots, comparisons and library functions as IEEE 754 and C have them, not made of
  // what the processor has: what a program means on any machine.
  bool ieee = false;
};

struct PointResult {
  std::array<Texel, 5> outputs{};  // of COLOR0 to COLOR3; of DEPTH a grey one
  bool is_discarded = false;
};

class Evaluator {
 public:
  // Reads the buffer of a sampler's unit at a point in texels, which may lie between them.
  using Fetch = std::function<Texel(unsigned unit, float x, float y)>;

  // The program and the interface must outlive this.
  Evaluator(const Program& program, const Interface& interface, Fetch fetch, FloatRules rules = {});

  // All numbers of a uniform in order; throws an Error where name or size do not fit.
  void set_uniform(const std::string& name, std::span<const float> numbers);

  // Of a buffer that is read with coordinates from 0 to 1, or whose size is asked for.
  void set_size(unsigned unit, float width, float height, bool is_filtered = false) {
    sizes_[unit] = {width, height, is_filtered ? 1.0F : 0.0F};
  }
  // Of a fragment program: v0, dx and dy of each of the interface's inputs.
  void set_planes(std::vector<std::array<Texel, 3>> planes) { planes_ = std::move(planes); }

  PointResult run(float x, float y);
  // A vertex program: the values of its inputs in the interface's order, and of its outputs.
  std::vector<Texel> run_vertex(const std::vector<Texel>& inputs);

  // Statements that one point may execute before it counts as endless.
  static constexpr std::uint64_t kMaxSteps = 20'000'000;

 private:
  enum class Flow : std::uint8_t { kNext, kBreak, kContinue, kReturn, kDiscard };
  using Numbers = std::vector<float>;

  Flow execute(const Stmt& statement);
  Flow execute_all(const std::vector<StmtPtr>& statements);
  Flow loop(const Stmt& statement);
  Numbers value(const Expr& expression);
  std::vector<float*> target(const Expr& expression);
  Numbers unary(const Expr& expression);
  Numbers binary(const Expr& expression);
  Numbers increment(const Expr& expression);
  Numbers conditional(const Expr& expression);
  Numbers call(const Expr& expression);
  Numbers construct(const Expr& expression);
  Numbers convert(const Expr& expression);
  Numbers element(const Expr& expression);
  Numbers texture(const Expr& expression);
  Numbers derivative(const Expr& expression);
  PointResult run_point(float x, float y);
  void prepare_constants();
  void start();
  void set_input(const InputBinding& input, const Texel& value);
  const Numbers& output_numbers(const OutputBinding& output) const;
  void count_step();

  friend std::vector<float> evaluate_constant(const Program& program, const Expr& expression);

  const Program& program_;
  const Interface* interface_;
  Fetch fetch_;
  FloatRules rules_;
  std::vector<Numbers> variables_;             // functions never call themselves: one place each
  std::map<std::uint32_t, Numbers> uniforms_;  // as the host sets them
  std::map<unsigned, std::array<float, 3>> sizes_;
  std::vector<std::array<Texel, 3>> planes_;
  std::vector<Numbers> given_;                 // to derivatives, at this point
  std::array<std::vector<Numbers>, 4> block_;  // at each point of its 2x2 block
  unsigned at_in_block_ = 0;
  Numbers returned_;
  std::uint64_t steps_ = 0;
  bool discarded_ = false;
};

// The value of an expression that depends on nothing outside.
std::vector<float> evaluate_constant(const Program& program, const Expr& expression);

}  // namespace raddle::cg
