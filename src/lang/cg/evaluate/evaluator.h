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
};

struct PointResult {
  std::array<Texel, 5> outputs{};  // of COLOR0 to COLOR3; of DEPTH a grey one
  bool is_discarded = false;
};

class Evaluator {
 public:
  // Reads the buffer of a sampler's unit at a point in texels.
  using Fetch = std::function<Texel(unsigned unit, float x, float y)>;

  // The program and the interface must outlive this.
  Evaluator(const Program& program, const Interface& interface, Fetch fetch, FloatRules rules = {});

  // All numbers of a uniform in order; throws an Error where name or size do not fit.
  void set_uniform(const std::string& name, std::span<const float> numbers);

  PointResult run(float x, float y);

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
  void prepare_constants();
  void count_step();

  friend std::vector<float> evaluate_constant(const Program& program, const Expr& expression);

  const Program& program_;
  const Interface* interface_;
  Fetch fetch_;
  FloatRules rules_;
  std::vector<Numbers> variables_;         // functions never call themselves: one place each
  std::vector<std::uint32_t> sampler_of_;  // a sampler parameter stands for another sampler
  std::map<std::uint32_t, unsigned> units_;
  Numbers returned_;
  std::uint64_t steps_ = 0;
  bool discarded_ = false;
};

// The value of an expression that depends on nothing outside.
std::vector<float> evaluate_constant(const Program& program, const Expr& expression);

}  // namespace raddle::cg
