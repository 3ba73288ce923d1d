#include "base/demangle.h"

#include <gtest/gtest.h>

namespace raddle {
namespace {

TEST(Demangle, GivesNamesAsTheyWereWritten) {
  EXPECT_EQ(demangled("_Z3addPKfPfi"), "add(float const*, float*, int)");
}

TEST(Demangle, NamesOfCStay) {
  for (const char* name : {"add", "f", "i", "Pf", ""}) EXPECT_EQ(demangled(name), name);
}

TEST(Demangle, AFunctionsNameHasNoParameters) {
  EXPECT_EQ(function_name("add(float const*, float*, int)"), "add");
  EXPECT_EQ(function_name("add"), "add");
  EXPECT_EQ(function_name("void scan<int, 4>(int*)"), "scan<int, 4>");
  EXPECT_EQ(function_name("void scan<float, (Mode)1>(float*)"), "scan<float, (Mode)1>");
  EXPECT_EQ(function_name("(anonymous namespace)::copy(int*)"), "(anonymous namespace)::copy");
}

}  // namespace
}  // namespace raddle
