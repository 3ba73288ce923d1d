#include "reading.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "lang/e/diagnostics.h"
#include "lang/e/interpreter.h"
#include "lang/e/parser.h"

namespace raddle::e::test {
namespace {

struct Read {
  Program program;
  std::string errors;
  SharedData data;
};

Read read(std::string_view text, const ParameterValues& values) {
  Read result;
  Diagnostics diagnostics("t.e", text);
  result.program = parse(text, diagnostics);
  if (!diagnostics.has_errors()) check(result.program, values, diagnostics);
  if (!diagnostics.has_errors()) {
    result.data = initial_data(result.program, ".", {}, diagnostics);
  }
  try {
    diagnostics.throw_if_errors();
  } catch (const Error& error) {
    result.errors = error.full_text();
  }
  return result;
}

}  // namespace

std::string errors_of(std::string_view text, const ParameterValues& values) {
  return read(text, values).errors;
}

Program program_of(std::string_view text, const ParameterValues& values) {
  Read result = read(text, values);
  EXPECT_EQ(result.errors, "");
  return std::move(result.program);
}

std::vector<std::int64_t> interpreted(std::string_view text, std::string_view variable) {
  Read result = read(text, {});
  EXPECT_EQ(result.errors, "");
  if (!result.errors.empty()) return {};
  interpret(result.program, result.data);
  for (std::size_t i = 0; i < result.program.shared.size(); ++i) {
    if (result.program.shared[i]->name == variable) return result.data[i];
  }
  ADD_FAILURE() << "no variable " << variable;
  return {};
}

std::string fault_of(std::string_view text) {
  Read result = read(text, {});
  EXPECT_EQ(result.errors, "");
  try {
    const SharedData initial = result.data;
    interpret(result.program, result.data, {.statements = 100000});
    std::string printed;
    run_checks(result.program, initial, result.data, printed);
  } catch (const Error& error) {
    return error.full_text();
  }
  return {};
}

}  // namespace raddle::e::test
