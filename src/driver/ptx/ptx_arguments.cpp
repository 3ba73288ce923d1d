#include "driver/ptx/ptx_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <new>
#include <optional>
#include <string_view>
#include <type_traits>

#include "base/atomic_file.h"
#include "base/nearest_name.h"
#include "base/splitmix64.h"
#include "base/usage_error.h"

namespace raddle::driver::ptx {

namespace {

constexpr const char* kForms =
    "write TYPE:VALUE, buffer:TYPE:COUNT[:FILL] or bytes:HEX, for example i32:1024 or "
    "buffer:f32:1024:iota";

struct TypeName {
  std::string_view name;
  ElementType type;
};
constexpr std::array<TypeName, 10> kTypes = {{{"i8", ElementType::kI8},
                                              {"u8", ElementType::kU8},
                                              {"i16", ElementType::kI16},
                                              {"u16", ElementType::kU16},
                                              {"i32", ElementType::kI32},
                                              {"u32", ElementType::kU32},
                                              {"i64", ElementType::kI64},
                                              {"u64", ElementType::kU64},
                                              {"f32", ElementType::kF32},
                                              {"f64", ElementType::kF64}}};

// Calls `use` with a value of the C++ type that stands for the element type.
template <typename Use>
auto with_type(ElementType type, Use use) {
  switch (type) {
    case ElementType::kI8: return use(std::int8_t{});
    case ElementType::kU8: return use(std::uint8_t{});
    case ElementType::kI16: return use(std::int16_t{});
    case ElementType::kU16: return use(std::uint16_t{});
    case ElementType::kI32: return use(std::int32_t{});
    case ElementType::kU32: return use(std::uint32_t{});
    case ElementType::kI64: return use(std::int64_t{});
    case ElementType::kU64: return use(std::uint64_t{});
    case ElementType::kF32: return use(float{});
    case ElementType::kF64: return use(double{});
  }
  throw InternalError("element type");
}

std::optional<ElementType> type_of(std::string_view name) {
  for (const TypeName& entry : kTypes) {
    if (entry.name == name) return entry.type;
  }
  return std::nullopt;
}

template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  int base = 10;
  if constexpr (std::is_integral_v<Number>) {
    if (text.starts_with("0x")) {
      text.remove_prefix(2);
      base = 16;
    }
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  } else {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  }
  return number;
}

// The part before the next colon; `text` becomes what follows it.
std::string_view take_part(std::string_view& text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string_view part = text.substr(0, colon);
  text.remove_prefix(std::min(colon + 1, text.size()));
  return part;
}

[[noreturn]] void wrong(const std::string& text, const std::string& what,
                        const std::string& hint = kForms) {
  throw Error(fmt::format("argument '{}': {}", text, what), {}, hint);
}

ElementType element_type(const std::string& text, std::string_view name) {
  const std::optional<ElementType> type = type_of(name);
  if (type) return *type;
  std::vector<std::string> names;
  for (const TypeName& entry : kTypes) names.emplace_back(entry.name);
  const std::string near = suggestion(name, names);
  wrong(text, fmt::format("unknown type '{}'", name), near.empty() ? kForms : near);
}

template <typename Number>
void append(std::vector<std::byte>& content, Number number) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&number);
  content.insert(content.end(), bytes, bytes + sizeof(Number));
}

void fill_randomly(KernelArgument& argument, std::size_t count, std::uint64_t seed) {
  with_type(argument.type, [&](auto zero) {
    using Number = decltype(zero);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t random = next_splitmix64(seed);
      if constexpr (std::is_floating_point_v<Number>) {
        append(argument.content, static_cast<Number>(static_cast<double>(random >> 40) /
                                                     static_cast<double>(1 << 24)));
      } else {
        append(argument.content, static_cast<Number>(random));
      }
    }
  });
}

void fill_from_file(KernelArgument& argument, std::size_t bytes, const std::string& path) {
  const std::string file = read_file(path);
  if (file.size() < bytes)
    wrong(argument.text, fmt::format("the file has {} bytes, the buffer {}", file.size(), bytes));
  const auto* begin = reinterpret_cast<const std::byte*>(file.data());
  argument.content.assign(begin, begin + bytes);
}

void fill(KernelArgument& argument, std::size_t count, std::string_view pattern) {
  const std::string_view kind = take_part(pattern);
  if (kind.empty() || kind == "zero") {
    argument.content.resize(count * size_of(argument.type));
  } else if (kind == "one" || kind == "iota") {
    with_type(argument.type, [&](auto zero) {
      for (std::size_t i = 0; i < count; ++i)
        append(argument.content, static_cast<decltype(zero)>(kind == "one" ? 1 : i));
    });
  } else if (kind == "random") {
    const std::optional<std::uint64_t> seed =
        pattern.empty() ? std::uint64_t{1} : parse_number<std::uint64_t>(pattern);
    if (!seed)
      wrong(argument.text, fmt::format("'{}' is not a seed", pattern),
            "write random or random:SEED, for example random:42");
    fill_randomly(argument, count, *seed);
  } else if (kind == "file") {
    fill_from_file(argument, count * size_of(argument.type), std::string(pattern));
  } else {
    wrong(argument.text, fmt::format("unknown pattern '{}'", kind),
          "patterns are zero, one, iota, random:SEED and file:PATH");
  }
}

void parse_buffer(KernelArgument& argument, std::string_view rest, std::uint64_t memory_bytes) {
  argument.is_buffer = true;
  argument.type = element_type(argument.text, take_part(rest));
  const std::string_view count_text = take_part(rest);
  const std::optional<std::uint64_t> count = parse_number<std::uint64_t>(count_text);
  if (!count || *count == 0) {
    wrong(argument.text, fmt::format("'{}' is not a number of elements", count_text));
  }
  if (*count > memory_bytes / size_of(argument.type))
    throw does_not_fit(argument.text, memory_bytes);
  try {
    fill(argument, *count, rest);
  } catch (const std::bad_alloc&) {
    throw Error(fmt::format("argument '{}' does not fit in host memory", argument.text));
  }
}

void parse_bytes(KernelArgument& argument, std::string_view hex) {
  argument.type = ElementType::kU8;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    std::uint8_t value = 0;
    const std::string_view pair = hex.substr(i, 2);
    const auto [end, error] = std::from_chars(pair.data(), pair.data() + pair.size(), value, 16);
    if (pair.size() != 2 || error != std::errc() || end != pair.data() + 2) {
      wrong(argument.text, "bytes are written as pairs of hexadecimal digits",
            "for example bytes:0100000002000000");
    }
    append(argument.content, value);
  }
}

}  // namespace

std::size_t size_of(ElementType type) {
  return with_type(type, [](auto zero) { return sizeof(zero); });
}

Error does_not_fit(const std::string& text, std::uint64_t memory_bytes) {
  return Error(fmt::format("argument '{}' does not fit in the machine's memory of {} bytes", text,
                           memory_bytes));
}

KernelArgument parse_kernel_argument(const std::string& text, std::uint64_t memory_bytes) {
  KernelArgument argument;
  argument.text = text;
  std::string_view rest = text;
  const std::string_view kind = take_part(rest);
  if (rest.empty()) wrong(text, "the value is missing");
  if (kind == "buffer") {
    parse_buffer(argument, rest, memory_bytes);
  } else if (kind == "bytes") {
    parse_bytes(argument, rest);
  } else {
    argument.type = element_type(text, kind);
    with_type(argument.type, [&](auto zero) {
      const auto number = parse_number<decltype(zero)>(rest);
      if (!number) wrong(text, fmt::format("'{}' is not a number that fits {}", rest, kind));
      append(argument.content, *number);
    });
  }
  return argument;
}

machine::Dim3 parse_dimensions(const std::string& option, const std::string& text) {
  std::array<std::uint32_t, 3> parts{1, 1, 1};
  std::string_view rest = text;
  std::size_t count = 0;
  bool good = !rest.empty();
  while (good && !rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::optional<std::uint32_t> number = parse_number<std::uint32_t>(rest.substr(0, comma));
    good = number && *number != 0 && count < 3;
    if (good) parts[count++] = *number;
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  if (!good)
    throw UsageError(fmt::format("{} '{}' is not a size", option, text), {},
                     fmt::format("write it as {0} 4, {0} 4,2 or {0} 4,2,1", option));
  return {parts[0], parts[1], parts[2]};
}

std::string format_elements(ElementType type, const std::vector<std::byte>& content,
                            std::size_t count) {
  constexpr std::size_t kPerLine = 8;
  std::string text;
  with_type(type, [&](auto zero) {
    using Number = decltype(zero);
    const std::size_t shown = std::min(count, content.size() / sizeof(Number));
    for (std::size_t i = 0; i < shown; ++i) {
      Number number{};
      std::memcpy(&number, content.data() + i * sizeof(Number), sizeof(Number));
      text += fmt::format("{}{}", i % kPerLine == 0 ? "  " : " ", +number);
      if (i % kPerLine == kPerLine - 1 || i + 1 == shown) text += '\n';
    }
  });
  return text;
}

IndexedOption parse_indexed(const std::string& option, const std::string& text) {
  std::string_view rest = text;
  const std::string_view index_text = take_part(rest);
  const std::optional<std::size_t> index = parse_number<std::size_t>(index_text);
  if (!index) {
    throw Error(
        fmt::format("{} '{}': '{}' is not the number of an argument", option, text, index_text), {},
        "the first --arg is number 0");
  }
  return {*index, std::string(rest)};
}

}  // namespace raddle::driver::ptx
