// Helpers of the tests of e: a program's text in, its errors or its memory out.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lang/e/ast.h"
#include "lang/e/checker.h"
#include "lang/e/initial_data.h"

namespace raddle::e::test {

// The rendered errors of "t.e" with this text, empty if it is sound.
std::string errors_of(std::string_view text, const ParameterValues& values = {});

// A sound program; fails the test if it is none.
Program program_of(std::string_view text, const ParameterValues& values = {});

// What the shared variable holds after the interpreter ran the program.
std::vector<std::int64_t> interpreted(std::string_view text, std::string_view variable);

// The text of the Error that interpreting throws, empty if it runs.
std::string fault_of(std::string_view text);

}  // namespace raddle::e::test
