// Statements and declarations of e.
#pragma once

#include "lang/e/ast.h"
#include "lang/e/token_cursor.h"

namespace raddle::e {

StatementPtr parse_statement(TokenCursor& cursor);
// { … }, from the brace on; goes on after a statement that fails.
StatementPtr parse_block(TokenCursor& cursor);
// int a, b_[N] = …; from the word int on.
StatementPtr parse_declaration(TokenCursor& cursor);

}  // namespace raddle::e
