// Many more random programs.
#include <gtest/gtest.h>

#include "lang/cg/random_programs.h"

namespace raddle::cg::testing {
namespace {

TEST(CgManyRandomPrograms, GiveTheSameBitsEvaluatedAndCompiled) {
  expect_random_programs_agree(10'000, 3'000);
}

}  // namespace
}  // namespace raddle::cg::testing
