// The host's side: what names mean, what is bound where, and what is refused.
#include "machine/overlay/host_driver.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "lang/ctm/assembler.h"

namespace raddle::machine::overlay {
namespace {

constexpr const char* kProgram =
    ".name s3 image\n.name c4 weights 2\n.name o1 sum\n.name depth far\n"
    "sums:\n"
    "TEX r1 r0.rg s3\n"
    "MUL r1 r1 c4\nmul r1 r1 c4\n"
    "IF b2\nADD r1 r1 c5\nadd r1 r1 c5\nENDIF\n"
    "REP i1\nADD r1.r r1 1\nENDREP\n"
    "MOV o1 r1\nmov o1 r1.r depth\nEND\n";

class HostDriverTest : public ::testing::Test {
 protected:
  OverlayMachine machine_{load_parameters("overlay")};
  HostDriver driver_{machine_, ctm::assemble(kProgram, "sums.ctm")};

  std::string error_of(const std::function<void()>& act) {
    try {
      act();
    } catch (const Error& error) {
      return error.full_text();
    }
    return "no error";
  }
};

TEST_F(HostDriverTest, BindsBuffersConstantsAndDomainByNameOrNumber) {
  const std::vector<Float4> texels = {
      {1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}, {13, 14, 15, 16}};
  driver_.input("image", 2, 2, texels);
  driver_.output("o1", 2, 2);
  driver_.output("far", 2, 2);
  driver_.constants("weights", std::vector<Float4>{{2, 2, 2, 2}, {10, 20, 30, 40}});
  driver_.loop("i1", {1, 3, 0, 1});
  const LaunchResult result = driver_.start();
  ASSERT_TRUE(result.complete);
  EXPECT_EQ(driver_.result("sum")[1], (Float4{13, 12, 14, 13}));  // 2 * texel, red counted up
  EXPECT_EQ(driver_.result("depth")[1], (Float4{13, 13, 13, 1}));
  EXPECT_EQ(driver_.compare_with_evaluator().texels, 0U);
  // Another constant and a switch; one more run.
  driver_.boolean("b2", true);
  driver_.constant("c4", {1, 1, 1, 1});
  driver_.domain({1, 1, 1, 1});
  ASSERT_TRUE(driver_.start().complete);
  EXPECT_EQ(driver_.result("sum")[3], (Float4{13 + 10 + 3, 34, 45, 26}));
  EXPECT_EQ(driver_.result("sum")[1], (Float4{13, 12, 14, 13}));  // outside the domain: as it was
}

TEST_F(HostDriverTest, SaysWhatANameIsNot) {
  EXPECT_EQ(error_of([&] { driver_.find("imag"); }),
            "sums.ctm: the program has no 'imag'\nhint: did you mean 'image'?");
  EXPECT_EQ(error_of([&] { driver_.output("image", 2, 2); }), "sums.ctm: 'image' is not an output");
  EXPECT_EQ(error_of([&] { driver_.constant("o0", {}); }), "sums.ctm: 'o0' is not a constant");
  EXPECT_EQ(error_of([&] { driver_.find("s16"); }).substr(0, 34),
            "sums.ctm: the program has no 's16'");
  EXPECT_EQ(error_of([&] { driver_.constants("weights", std::vector<Float4>(3)); }),
            "sums.ctm: 'weights' has room for 2 registers, 3 were given");
  EXPECT_EQ(error_of([&] { driver_.output("o1", 0, 2); }), "sums.ctm: the buffer of 'o1' is empty");
  EXPECT_EQ(error_of([&] { driver_.result("o1"); }), "sums.ctm: 'o1' has no buffer");
}

TEST_F(HostDriverTest, RefusesToStartWhatIsNotWhole) {
  driver_.output("o1", 2, 2);
  EXPECT_EQ(error_of([&] { driver_.start(); }),
            "sums.ctm:6: the program reads 'image' (s3), which has no buffer\n"
            "hint: give it one: s3=FILE");
  driver_.input("s3", 1, 1, std::vector<Float4>(1));
  EXPECT_EQ(error_of([&] { driver_.start(); }),
            "sums.ctm: the program writes 'far' (depth), which has no buffer\n"
            "hint: give it one: depth=FILE");
  driver_.output("depth", 1, 2);
  EXPECT_EQ(error_of([&] { driver_.start(); }),
            "sums.ctm: the buffer of 'far' (depth) is 1x2, too small for the domain");
}

TEST(HostDriver, ReadsBetweenTexelsAsTheEvaluatorDoesAtFourTimesTheReads) {
  const OverlayMachine machine{load_parameters("overlay")};
  const auto run = [&](Filter filter, std::uint64_t& loads) {
    HostDriver driver(machine, ctm::assemble("TEX r1 r0.rg s0 scaled\nMOV o0 r1\nmov o0 r1\nEND\n"
                                             ".const c0 0 0 0 0\n",
                                             "filter.ctm"));
    std::vector<Float4> texels;
    for (unsigned i = 0; i < 64; ++i) texels.push_back({static_cast<float>(i), 1, 2, 3});
    driver.input("s0", 8, 8, texels, Addressing::kClamp, filter);
    driver.output("o0", 8, 8);
    const LaunchResult result = driver.start();
    EXPECT_TRUE(result.complete);
    loads = result.memory.at(0).load_accesses;
    EXPECT_EQ(driver.compare_with_evaluator().texels, 0u);
  };
  std::uint64_t nearest = 0;
  std::uint64_t linear = 0;
  run(Filter::kNearest, nearest);
  run(Filter::kBilinear, linear);
  EXPECT_EQ(linear, 4 * nearest);
}

}  // namespace
}  // namespace raddle::machine::overlay
