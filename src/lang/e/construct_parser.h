// multi, fast_multi, prefix, fast_prefix, compact and partition: the constructs that the paper's
// Section 5.3 compiles to sequences of multioperation instructions.
#pragma once

#include "lang/e/ast.h"
#include "lang/e/token_cursor.h"

namespace raddle::e {

// Whether a construct begins at the current token.
bool is_construct(const TokenCursor& cursor);
StatementPtr parse_construct(TokenCursor& cursor);

}  // namespace raddle::e
