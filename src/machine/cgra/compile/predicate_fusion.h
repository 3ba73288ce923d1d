// A comparison and the combination of its result with another predicate are one instruction of PTX
// (setp.lt.and), and one operation of a control unit. Where a piece's code has two, because a
// compiler or the conversion of branches wrote them so, they become one. So do two selections one
// after the other from the same two values, where such a comparison says when both take the one.
#pragma once

#include <vector>

#include "machine/cgra/compile/piece_code.h"

namespace raddle::machine::cgra {

// `shared`: by register, whether it has several writers.
void fuse_predicates(PieceCode& piece, const std::vector<bool>& shared);

}  // namespace raddle::machine::cgra
