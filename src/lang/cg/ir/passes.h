// Improvements of the IR. Each leaves a correct program after; optimise() runs them in an order
// that lets them help each other.
#pragma once

#include "lang/cg/ir/ir.h"
#include "lang/cg/options.h"

namespace raddle::cg {

void optimise(IrProgram& program, const Options& options);

// Known results, modifiers of copies taken into operands, tests taken together, equal values
// computed once, cells that never change.
void simplify(IrProgram& program, const Options& options);
// Cells whose components are only ever set to one thing become that thing.
bool simplify_cells(IrProgram& program);
// Removes what no result depends on, number by number.
void remove_dead_code(IrProgram& program);
// a * b + c as one operation, saturation and powers of two as part of an operation, sums and
// differences as part of an operand.
void combine(IrProgram& program, const Options& options);
// Short branches without side effects become selections.
void flatten_branches(IrProgram& program);

}  // namespace raddle::cg
