// Standard output and error of this process. Results that cannot be written are an Error, never
// lost in silence.
#pragma once

#include <string_view>

namespace raddle {

// Writes all of it to standard output and flushes. Throws Error "cannot write to standard output:
// reason".
void print(std::string_view text);
// The same to standard error, where failing is of no use to anybody.
void print_error(std::string_view text);

// Whether to colour what goes to standard error: a terminal, and NO_COLOR is not set.
bool colour_errors();
bool colour_output();

}  // namespace raddle
