// A command line as one text and back: words in the quotes that a shell would need. For messages,
// --dryrun, tables, and wherever a list of arguments is kept in one field.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace raddle {

// "a 'b c'": a shell takes it apart into the same words.
std::string shell_quoted(std::span<const std::string> words);

// The words of what shell_quoted() gave; also understands double quotes and backslashes. What is
// left open is closed by the end.
std::vector<std::string> shell_words(std::string_view text);

}  // namespace raddle
