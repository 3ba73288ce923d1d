// Every technique for multioperations and multiprefixes as a program over arrays: fiber i brings
// V[i] to the target at byte address T[i]; prefixes go to P[i]. Oracles say what must come out.
#pragma once

#include <string>
#include <vector>

#include "machine/tpa/isa.h"

namespace raddle::machine::tpa {

struct TechniqueCase {
  std::string technique;  // FS S2 BF O2 ML, FMP 3MP O3M 3MB MPL MPS MMP and I… for inclusive ones
  Operator op = Operator::kAdd;
  std::vector<Word> values;
  std::vector<std::uint32_t> targets;  // by fiber: which word of M
  std::vector<Word> old;               // what M holds before
  std::uint32_t backends = 16;         // BF receives a value of each
};

std::string technique_program(const TechniqueCase& which);

// What memory holds after v was applied to old, worked out apart from the machine's own arithmetic.
Word host_applied(Operator op, Word old, Word v);

struct Expected {
  std::vector<Word> memory;
  std::vector<Word> prefixes;
};
Expected expected_of(const TechniqueCase& which);

}  // namespace raddle::machine::tpa
