// A fixed set of random programs.
#include <gtest/gtest.h>

#include "lang/cg/random_programs.h"

namespace raddle::cg::testing {
namespace {

TEST(CgRandomPrograms, GiveTheSameBitsEvaluatedAndCompiled) { expect_random_programs_agree(1, 60); }

}  // namespace
}  // namespace raddle::cg::testing
