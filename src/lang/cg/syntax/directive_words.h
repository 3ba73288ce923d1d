// The words of a directive's line, for those directives that are not made of tokens.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/cg/syntax/preprocessor.h"

namespace raddle::cg {

// Words between blanks up to a comment; one in quotes is one word, without them.
std::vector<std::string> directive_words(std::string_view text);

// `parameter NAME "Label" VALUE …`
std::optional<ParameterPragma> parameter_of(const std::vector<std::string>& words);

// What #include names.
struct QuotedName {
  std::string text;
  bool in_angles = false;  // <…>: not looked for beside the file
};
std::optional<QuotedName> quoted_name(std::string_view text);

}  // namespace raddle::cg
