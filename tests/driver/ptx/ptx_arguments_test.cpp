#include "driver/ptx/ptx_arguments.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/error.h"

namespace raddle::driver::ptx {
namespace {

constexpr std::uint64_t kMemoryBytes = 1 << 20;

KernelArgument parse(const std::string& text) { return parse_kernel_argument(text, kMemoryBytes); }

std::string complaint(const std::string& text) {
  try {
    parse(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

template <typename Number>
std::vector<Number> numbers(const KernelArgument& argument) {
  std::vector<Number> values(argument.content.size() / sizeof(Number));
  std::memcpy(values.data(), argument.content.data(), argument.content.size());
  return values;
}

TEST(PtxArguments, ReadsNumbersOfEveryType) {
  EXPECT_EQ(numbers<std::int32_t>(parse("i32:-7")), (std::vector<std::int32_t>{-7}));
  EXPECT_EQ(numbers<std::uint8_t>(parse("u8:255")), (std::vector<std::uint8_t>{255}));
  EXPECT_EQ(numbers<std::uint64_t>(parse("u64:0xffffffffffffffff")),
            (std::vector<std::uint64_t>{~0ull}));
  EXPECT_EQ(numbers<float>(parse("f32:2.5")), (std::vector<float>{2.5f}));
  EXPECT_EQ(numbers<double>(parse("f64:1e-300")), (std::vector<double>{1e-300}));
  EXPECT_EQ(numbers<std::uint8_t>(parse("bytes:00ff10")), (std::vector<std::uint8_t>{0, 255, 16}));
}

TEST(PtxArguments, FillsBuffers) {
  EXPECT_EQ(numbers<float>(parse("buffer:f32:3")), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(numbers<float>(parse("buffer:f32:3:iota")), (std::vector<float>{0, 1, 2}));
  EXPECT_EQ(numbers<std::int16_t>(parse("buffer:i16:2:one")), (std::vector<std::int16_t>{1, 1}));
  const std::vector<float> random = numbers<float>(parse("buffer:f32:100:random:7"));
  EXPECT_EQ(random, numbers<float>(parse("buffer:f32:100:random:7")));
  EXPECT_NE(random, numbers<float>(parse("buffer:f32:100:random:8")));
  for (const float value : random) EXPECT_TRUE(value >= 0 && value < 1);
}

TEST(PtxArguments, SaysWhatIsWrong) {
  EXPECT_EQ(complaint("1024"), "argument '1024': the value is missing");
  EXPECT_EQ(complaint("int:3"), "argument 'int:3': unknown type 'int'");
  EXPECT_EQ(complaint("u8:256"), "argument 'u8:256': '256' is not a number that fits u8");
  EXPECT_EQ(complaint("i32:1.5"), "argument 'i32:1.5': '1.5' is not a number that fits i32");
  EXPECT_EQ(complaint("buffer:f32:0"), "argument 'buffer:f32:0': '0' is not a number of elements");
  EXPECT_EQ(complaint("buffer:f32:262145"),
            "argument 'buffer:f32:262145' does not fit in the machine's memory of 1048576 bytes");
  EXPECT_EQ(complaint("buffer:f64:18446744073709551615"),
            "argument 'buffer:f64:18446744073709551615' does not fit in the machine's memory of "
            "1048576 bytes");
  EXPECT_EQ(complaint("buffer:f32:4:ones"), "argument 'buffer:f32:4:ones': unknown pattern 'ones'");
  EXPECT_EQ(complaint("buffer:f32:4:random:x"),
            "argument 'buffer:f32:4:random:x': 'x' is not a seed");
  EXPECT_EQ(complaint("bytes:0"),
            "argument 'bytes:0': bytes are written as pairs of hexadecimal digits");
  EXPECT_EQ(complaint("buffer:f32:4:file:/nonexistent"),
            "cannot read '/nonexistent': No such file or directory");
}

TEST(PtxArguments, ReadsShapes) {
  EXPECT_EQ(parse_dimensions("--grid", "4"), (machine::Dim3{4, 1, 1}));
  EXPECT_EQ(parse_dimensions("--grid", "4,3,2"), (machine::Dim3{4, 3, 2}));
  for (const char* wrong : {"", "0", ",4", "1,2,3,4", "x", "-1"}) {
    EXPECT_THROW(parse_dimensions("--grid", wrong), Error) << wrong;
  }
}

TEST(PtxArguments, PrintsElementsEightToALine) {
  const KernelArgument argument = parse("buffer:u8:10:iota");
  EXPECT_EQ(format_elements(argument.type, argument.content, 10), "  0 1 2 3 4 5 6 7\n  8 9\n");
  EXPECT_EQ(format_elements(argument.type, argument.content, 2), "  0 1\n");
}

}  // namespace
}  // namespace raddle::driver::ptx
