#include "lang/ptx/location_parser.h"

#include "lang/ptx/constant_expression.h"

namespace raddle::ptx {
namespace {

void parse_place(Context& context, LocationDirective& directive) {
  directive.file_number = context.expect_u32("the number of a file");
  directive.location.line = context.expect_u32("a line");
  directive.location.column = context.expect_u32("a column");
  directive.location.file = context.locations.file_index(directive.file_number);
}

}  // namespace

void parse_file(Context& context) {
  const std::uint32_t number = context.expect_u32("the number of a file");
  if (context.token().kind != TokenKind::kString) context.fail_expected("the path of a file");
  context.locations.name_file(number, context.advance().text);
  while (context.accept(',')) context.expect_integer("a number");
}

LocationDirective parse_loc(Context& context) {
  LocationDirective directive;
  parse_place(context, directive);
  while (context.accept(',')) {
    const std::string_view word = context.expect_word("'function_name' or 'inlined_at'");
    if (word == "function_name") {
      context.expect_word("a label");
      if (context.accept('+')) parse_constant_factor(context);
    } else if (word == "inlined_at") {
      LocationDirective call;
      parse_place(context, call);
      // The place of the call was itself a .loc before, with the call that *it* was inlined from.
      directive.location.inlined_at = context.locations.find_latest(call.location);
    } else {
      context.fail("unknown word " + quoted(word) + " in .loc");
    }
  }
  return directive;
}

}  // namespace raddle::ptx
