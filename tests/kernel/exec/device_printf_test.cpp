#include <cstdint>
#include <limits>
#include <string>

#include "warp_fixture.h"

namespace raddle::kernel::exec {
namespace {

// A format and its packed arguments in device memory, printed as lane 0 would.
class DevicePrintf : public WarpFixture {
 protected:
  template <class... Values>
  std::string print(const std::string& format, Values... values) {
    std::memcpy(device<char>(buffer_), format.c_str(), format.size() + 1);
    [[maybe_unused]] std::uint64_t end = arguments();
    (append(end, values), ...);
    const PrintedText printed = format_device_printf(warp_, 0, buffer_, arguments());
    count_ = printed.arguments;
    return printed.text;
  }
  std::uint64_t text(const char* text) {
    const std::uint64_t address = buffer_ + 3072;
    std::strcpy(device<char>(address), text);
    return address;
  }

  std::uint32_t count_ = 0;

 private:
  std::uint64_t arguments() const { return buffer_ + 2048; }
  template <class T>
  void append(std::uint64_t& end, T value) {
    end = (end + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    std::memcpy(device<char>(end), &value, sizeof value);
    end += sizeof value;
  }
};

constexpr std::uint64_t kNull = 0;

TEST_F(DevicePrintf, PrintsPointersAsTheHostDoes) {
  EXPECT_EQ(print("[%p] [%8p] [%-8p]", kNull, kNull, kNull), "[(nil)] [   (nil)] [(nil)   ]");
  EXPECT_EQ(print("%p", std::uint64_t{0x200000100000}), "0x200000100000");
}

TEST_F(DevicePrintf, CutsShortIntegersToTheirLength) {
  EXPECT_EQ(print("%hd %hhd %hu %hhx", 70000, 300, 70000, 0x1ff), "4464 44 4464 ff");
}

TEST_F(DevicePrintf, TakesANegativeStarForLeftAndForNoPrecision) {
  EXPECT_EQ(print("[%*d] [%.*f]", -5, 42, -1, 2.5), "[42   ] [2.500000]");
  EXPECT_EQ(count_, 4u);
  EXPECT_EQ(print("[%*d]", std::numeric_limits<int>::min(), 7).size(), 4095u + 2);
}

TEST_F(DevicePrintf, LimitsWidthsThatWouldFillTheHost) {
  EXPECT_EQ(print("%2000000000d", 1).size(), 4095u);
  EXPECT_EQ(print("%99999999999999999999d", 1).size(), 4095u);
  EXPECT_EQ(print("%.2000000000d", 1).size(), 4095u);
}

TEST_F(DevicePrintf, KeepsWhatIsNoConversionAsItStands) {
  EXPECT_EQ(print("[%y] %d", 5), "[%y] 5");
  EXPECT_EQ(count_, 1u);
  EXPECT_EQ(print("100%\n"), "100%\n");
  EXPECT_EQ(print("100%"), "100%");
  EXPECT_EQ(print("%%%5.1"), "%%5.1");
  EXPECT_EQ(print("%+-+ 0#-d|", 7), "+7|");
}

TEST_F(DevicePrintf, WritesNothingForN) { EXPECT_EQ(print("a%nb %d", buffer_, 3), "ab 3"); }

TEST_F(DevicePrintf, PrintsTextsThatAreNotThere) {
  EXPECT_EQ(print("[%s] [%.3s]", kNull, text("abcdef")), "[(null)] [abc]");
  EXPECT_EQ(print("[%s]", std::uint64_t{0x10}), "[]");
}

TEST_F(DevicePrintf, PrintsAZeroCharacter) { EXPECT_EQ(print("%c|", 0), std::string("\0|", 2)); }

TEST_F(DevicePrintf, PrintsFloatsThatAreNoNumbers) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(print("%f %F %08f %e", infinity, infinity, -infinity,
                  std::numeric_limits<double>::quiet_NaN()),
            "inf INF     -inf nan");
}

}  // namespace
}  // namespace raddle::kernel::exec
