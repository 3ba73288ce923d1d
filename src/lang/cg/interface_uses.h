// What an entry function and all that it calls mention: variables as a whole, fields of structs,
// and whether they need the sizes of buffers.
#pragma once

#include <cstdint>
#include <set>
#include <utility>

#include "lang/cg/syntax/ast.h"

namespace raddle::cg {

struct ProgramUses {
  std::set<std::uint32_t> variables;
  // Parts of variables: the first number of a field and how many there are.
  std::set<std::uint32_t> whole;  // variables that are not only mentioned by field
  std::set<std::pair<std::uint32_t, std::uint32_t>> fields;  // variable, first number
  std::set<std::uint32_t> assigned;  // variables that are given a value as a whole
  bool needs_sizes = false;

  // Whether the number at `offset`, where a leaf begins, may be read.
  bool reads(std::uint32_t variable, std::uint32_t offset) const {
    return whole.contains(variable) || fields.contains({variable, offset});
  }
};

ProgramUses find_uses(const Program& program, std::uint32_t entry);

}  // namespace raddle::cg
