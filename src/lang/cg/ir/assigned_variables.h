// Questions about statements that the builder asks before it lowers them.
#pragma once

#include <cstdint>
#include <set>

#include "lang/cg/syntax/ast.h"

namespace raddle::cg {

// Variables that a statement may change, also those that functions called by it change.
std::set<std::uint32_t> assigned_variables(const Stmt& statement, const Program& program);
// Whether a `return` is inside.
bool contains_return(const Stmt& statement);
// Whether a `continue` inside belongs to a loop outside of the statement.
bool contains_continue(const Stmt& statement);
// Every way through it returns.
bool always_returns(const Stmt& statement);

}  // namespace raddle::cg
