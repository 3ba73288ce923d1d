// Expressions of e: C's operators with C's precedence, '$', '$$', '#', elements of arrays, and
// calls.
#pragma once

#include "lang/e/ast.h"
#include "lang/e/token_cursor.h"

namespace raddle::e {

ExprPtr parse_expression(TokenCursor& cursor);
// A name, perhaps with indices: what can stand left of an assignment.
ExprPtr parse_location(TokenCursor& cursor);
// (a, b, …) from the opening parenthesis on.
std::vector<ExprPtr> parse_arguments(TokenCursor& cursor);
// ADD, MAX …
MultiOperator parse_multi_operator(TokenCursor& cursor);

}  // namespace raddle::e
