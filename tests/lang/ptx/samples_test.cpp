// Whole files as clang, nvcc and Triton write them: they are read, verified and survive the text
// form; and however they are cut or changed, nothing but an Error comes of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/error.h"
#include "kernel/text_form.h"
#include "kernel/verifier.h"
#include "lang/ptx/reader.h"
#include "lang/ptx/reading.h"

namespace raddle::ptx::testing {
namespace {

using kernel::Module;

struct Sample {
  std::string name;
  std::size_t functions;  // with a body
  std::size_t instructions;
};

std::vector<Sample> samples() {
  return {
      {"clang_arithmetic_sm_50", 3, 376},
      {"clang_arithmetic_sm_90", 3, 388},
      {"clang_control_sm_35", 14, 311},
      {"clang_control_sm_70", 14, 369},
      {"clang_half_sm_90", 1, 61},
      {"clang_inline_ptx_sm_70", 2, 162},
      {"clang_inlining_sm_70", 1, 53},
      {"clang_inter_thread_sm_70", 1, 35},
      {"clang_warp_sm_35", 1, 23},
      {"clang_warp_sm_80", 2, 149},
      {"legacy_style", 4, 33},
      {"nvcc_style", 3, 82},
      {"triton_style", 1, 69},
  };
}

std::string name_of_sample(const ::testing::TestParamInfo<Sample>& info) { return info.param.name; }

class PtxSamples : public ::testing::TestWithParam<Sample> {};

TEST_P(PtxSamples, AreReadVerifiedAndPrinted) {
  const Sample& expected = GetParam();
  const Module module = read_ptx(sample(expected.name), expected.name + ".ptx");
  for (const kernel::VerifierMessage& message : kernel::verify(module))
    ADD_FAILURE() << message.text;
  EXPECT_EQ(kernel::parse_text(kernel::print(module), "again"), module);
  std::size_t functions = 0;
  std::size_t instructions = 0;
  for (const kernel::Function& function : module.functions) {
    if (!function.is_declaration) ++functions;
    for (const kernel::Block& block : function.blocks) instructions += block.instructions.size();
  }
  EXPECT_EQ(functions, expected.functions);
  EXPECT_EQ(instructions, expected.instructions);
}

// Reads it or raises Error; anything else fails the test.
void read_or_refuse(const std::string& text) {
  try {
    const Module module = read_ptx(text, "broken.ptx");
    kernel::verify(module);
  } catch (const Error& error) {
    EXPECT_TRUE(error.where().starts_with("broken.ptx:")) << error.full_text();
  }
}

TEST_P(PtxSamples, GiveAnErrorOrAModuleWhereverTheyAreCut) {
  const std::string text = sample(GetParam().name);
  const std::size_t step = 1 + text.size() / 150;
  for (std::size_t end = 0; end < text.size(); end += step) read_or_refuse(text.substr(0, end));
}

TEST_P(PtxSamples, GiveAnErrorOrAModuleWhateverIsChanged) {
  const std::string text = sample(GetParam().name);
  std::uint64_t state = 12345;
  const auto random = [&](std::size_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::size_t>(state >> 33) % below;
  };
  constexpr std::string_view kInteresting = ";,{}[]().%0_:|!@<>-+ x9";
  for (int round = 0; round < 150; ++round) {
    std::string broken = text;
    for (int change = 0; change < 3; ++change) {
      const std::size_t at = random(broken.size());
      switch (random(3)) {
        case 0: broken[at] = kInteresting[random(kInteresting.size())]; break;
        case 1: broken.erase(at, random(12)); break;
        default: broken.insert(at, broken.substr(random(broken.size()), random(30))); break;
      }
    }
    read_or_refuse(broken);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, PtxSamples, ::testing::ValuesIn(samples()), name_of_sample);

TEST(PtxReader, RefusesWhatIsNestedTooDeeply) {
  const std::string deep(100, '{');
  EXPECT_EQ(kernel_error_of(deep), "test.ptx:13: scopes are nested too deeply");
  EXPECT_EQ(kernel_error_of("mov.u32 %r1, " + std::string(10000, '(')),
            "test.ptx:13: an expression is nested too deeply");
  EXPECT_EQ(kernel_error_of("mov.u32 %r1, " + std::string(10000, '-')),
            "test.ptx:13: an expression is nested too deeply");
  EXPECT_EQ(error_of(".global .u32 a[2]" + std::string(40, '[')),
            "test.ptx:4: expected the size of an array, found '['");
}

TEST(PtxReader, TakesTimeInProportionToTheText) {
  // Three megabytes; a quadratic step anywhere would take minutes.
  std::string body;
  for (int i = 0; body.size() < 3'000'000; ++i) {
    const std::string n = std::to_string(i);
    body += "$L" + n + ": ld.global.f32 %f" + std::to_string(i % 32) + ", [%rd1+" + n +
            "]; { .param .b32 p; st.param.b32 [p], " + n + "; } @%p1 bra $L" +
            std::to_string(i / 2) + ";\n.loc 1 " + n + " 5\n";
  }
  const auto start = std::chrono::steady_clock::now();
  const Module module = read_kernel(body);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_GT(module.find_function("k")->blocks.size(), 10000u);
  EXPECT_LT(seconds.count(), 10.0);
}

}  // namespace
}  // namespace raddle::ptx::testing
