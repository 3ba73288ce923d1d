// The operations of the machine's ALUs that an operator of e takes: one for nearly all, a few for
// those that the ALUs lack.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lang/e/ast.h"

namespace raddle::e {

struct AluStep {
  struct Source {
    int child = -1;  // of the expression; -1: the number, or the step before
    std::int64_t number = 0;
    bool is_last = false;  // what the step before gave
  };
  std::string name;
  std::vector<Source> operands;
};

// For a unary operator, fma, or a binary operator of floating-point numbers.
std::vector<AluStep> alu_steps(const Expr& expr);

// The ALU's name for an operator whose operands have this type; logical and, or are not among them,
// and floating-point numbers are not compared by > and >=.
std::string alu_name(BinaryOperator op, Type type = Type::kInt);
inline constexpr std::size_t kAluOperators = 25;

}  // namespace raddle::e
