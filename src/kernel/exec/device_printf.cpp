// The device's printf. CUDA prints on the host, by the C library, so that is what decides how a
// value looks; but a format comes from a kernel, and whatever it says must do no harm here.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "kernel/exec/warp.h"

namespace raddle::kernel::exec {
namespace {

constexpr std::size_t kLongestString = 4095;
constexpr int kWidest = 4095;  // of a width or precision; CUDA's whole buffer holds little more

enum class Length : std::uint8_t { kByte, kShort, kInt, kLong };

// One conversion of a printf format, from % to its letter.
struct Conversion {
  std::string flags;
  int width = 0;
  int precision = -1;
  bool star_width = false;
  bool star_precision = false;
  Length length = Length::kInt;
  char letter = 0;
  std::string_view text;  // as the kernel wrote it
};

int take_number(std::string_view format, std::size_t& i) {
  int number = 0;
  for (; i < format.size() && format[i] >= '0' && format[i] <= '9'; ++i)
    number = std::min(number * 10 + (format[i] - '0'), kWidest);
  return number;
}

bool take(std::string_view format, std::size_t& i, char wanted) {
  const bool there = i < format.size() && format[i] == wanted;
  if (there) ++i;
  return there;
}

Length take_length(std::string_view format, std::size_t& i) {
  if (take(format, i, 'h')) return take(format, i, 'h') ? Length::kByte : Length::kShort;
  Length length = Length::kInt;
  for (; i < format.size() && std::strchr("lLqjzt", format[i]) != nullptr; ++i)
    length = Length::kLong;
  return length;
}

// `format` begins with the percent sign.
Conversion parse_conversion(std::string_view format) {
  Conversion conversion;
  std::size_t i = 1;
  for (; i < format.size() && std::strchr("-+ #0", format[i]) != nullptr; ++i) {
    if (conversion.flags.find(format[i]) == std::string::npos) conversion.flags += format[i];
  }
  conversion.star_width = take(format, i, '*');
  if (!conversion.star_width) conversion.width = take_number(format, i);
  if (take(format, i, '.')) {
    conversion.star_precision = take(format, i, '*');
    if (!conversion.star_precision) conversion.precision = take_number(format, i);
  }
  conversion.length = take_length(format, i);
  conversion.letter = i < format.size() ? format[i] : '\0';
  conversion.text = format.substr(0, std::min(i + 1, format.size()));
  return conversion;
}

class ArgumentReader {
 public:
  ArgumentReader(Warp& warp, int lane, std::uint64_t address)
      : warp_(warp), lane_(lane), address_(address) {}
  template <class T>
  T next() {
    ++count_;
    address_ = (address_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value{};
    const std::byte* place = warp_.resolve(Space::kGeneric, address_, sizeof(T), lane_);
    if (place != nullptr) std::memcpy(&value, place, sizeof(T));
    address_ += sizeof(T);
    return value;
  }
  std::uint32_t count() const { return count_; }

 private:
  Warp& warp_;
  int lane_;
  std::uint64_t address_;
  std::uint32_t count_ = 0;
};

// A negative width means "to the left", a negative precision none.
void resolve_stars(Conversion& conversion, ArgumentReader& arguments) {
  if (conversion.star_width) {
    const std::int64_t width = arguments.next<std::int32_t>();
    if (width < 0) conversion.flags += '-';
    conversion.width =
        static_cast<int>(std::min<std::int64_t>(width < 0 ? -width : width, kWidest));
  }
  if (conversion.star_precision)
    conversion.precision = std::clamp(arguments.next<std::int32_t>(), -1, kWidest);
}

template <class T>
std::string print_value(const Conversion& conversion, const char* length, T value) {
  std::string spec = "%" + conversion.flags;
  if (conversion.width > 0) spec += std::to_string(conversion.width);
  if (conversion.precision >= 0) spec += "." + std::to_string(conversion.precision);
  spec += length;
  spec += conversion.letter;
  const int size = std::snprintf(nullptr, 0, spec.c_str(), value);
  if (size < 0) return std::string(conversion.text);
  std::string text(static_cast<std::size_t>(size) + 1, '\0');
  std::snprintf(text.data(), text.size(), spec.c_str(), value);
  text.pop_back();  // the terminating zero
  return text;
}

template <class Long, class Int>
std::string print_integer(const Conversion& conversion, ArgumentReader& arguments) {
  switch (conversion.length) {
    case Length::kLong: return print_value(conversion, "ll", arguments.next<Long>());
    case Length::kShort: return print_value(conversion, "h", arguments.next<Int>());
    case Length::kByte: return print_value(conversion, "hh", arguments.next<Int>());
    case Length::kInt: break;
  }
  return print_value(conversion, "", arguments.next<Int>());
}

std::string print_string(const Conversion& conversion, ArgumentReader& arguments, Warp& warp,
                         int lane) {
  const auto address = arguments.next<std::uint64_t>();
  const std::string text =
      address == 0 ? std::string("(null)") : read_device_string(warp, lane, address);
  return print_value(conversion, "", text.c_str());
}

std::string convert(Conversion conversion, ArgumentReader& arguments, Warp& warp, int lane) {
  resolve_stars(conversion, arguments);
  switch (conversion.letter) {
    case 'd':
    case 'i': return print_integer<long long, int>(conversion, arguments);
    case 'u':
    case 'x':
    case 'X':
    case 'o': return print_integer<unsigned long long, unsigned int>(conversion, arguments);
    case 'c': return print_value(conversion, "", arguments.next<std::int32_t>());
    case 'p':
      return print_value(conversion, "",
                         std::bit_cast<const void*>(arguments.next<std::uint64_t>()));
    case 's': return print_string(conversion, arguments, warp, lane);
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A': return print_value(conversion, "", arguments.next<double>());
    case 'n': arguments.next<std::uint64_t>(); return {};  // nothing of the host's is written
    default: return std::string(conversion.text);          // no conversion: as it stands
  }
}

}  // namespace

std::string read_device_string(Warp& warp, int lane, std::uint64_t address) {
  std::string text;
  while (text.size() < kLongestString) {
    const std::byte* place = warp.resolve(Space::kGeneric, address + text.size(), 1, lane);
    if (place == nullptr || *place == std::byte{0}) break;
    text += static_cast<char>(*place);
  }
  return text;
}

PrintedText format_device_printf(Warp& warp, int lane, std::uint64_t format_address,
                                 std::uint64_t arguments_address) {
  const std::string text = read_device_string(warp, lane, format_address);
  ArgumentReader arguments(warp, lane, arguments_address);
  PrintedText printed;
  for (std::string_view format = text; !format.empty();) {
    const std::size_t plain = std::min(format.find('%'), format.size());
    printed.text += format.substr(0, plain);
    format.remove_prefix(plain);
    if (format.empty()) break;
    const Conversion conversion = parse_conversion(format);
    format.remove_prefix(conversion.text.size());
    printed.text += conversion.letter == '%' ? "%" : convert(conversion, arguments, warp, lane);
  }
  printed.arguments = arguments.count();
  return printed;
}

}  // namespace raddle::kernel::exec
