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
};

std::string technique_program(const TechniqueCase& which);

struct Expected {
  std::vector<Word> memory;
  std::vector<Word> prefixes;
};
Expected expected_of(const TechniqueCase& which);

}  // namespace raddle::machine::tpa
