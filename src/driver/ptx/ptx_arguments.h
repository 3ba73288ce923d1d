// What a user writes to launch a kernel of a .ptx file: numbers, buffers with a pattern in them,
// raw bytes, and the shape of the grid. TYPE:VALUE, buffer:TYPE:COUNT[:FILL] with FILL one of zero,
// one, iota, random:SEED and file:PATH, bytes:HEX.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "machine/launch_result.h"

namespace raddle::driver::ptx {

enum class ElementType { kI8, kU8, kI16, kU16, kI32, kU32, kI64, kU64, kF32, kF64 };

std::size_t size_of(ElementType type);

struct KernelArgument {
  std::string text;  // as the user wrote it
  bool is_buffer = false;
  ElementType type = ElementType::kI32;
  std::vector<std::byte> content;  // the number, the bytes, or what the buffer holds at first
};

// For a machine with so much memory. Throws Error that shows how it is written.
KernelArgument parse_kernel_argument(const std::string& text, std::uint64_t memory_bytes);

// What is wrong with a buffer that is too large.
Error does_not_fit(const std::string& text, std::uint64_t memory_bytes);

// "4", "4,2" or "4,2,1".
machine::Dim3 parse_dimensions(const std::string& option, const std::string& text);

// The first `count` elements, eight to a line.
std::string format_elements(ElementType type, const std::vector<std::byte>& content,
                            std::size_t count);

// "INDEX:REST" of --show and --dump; REST may be empty.
struct IndexedOption {
  std::size_t index = 0;
  std::string rest;
};
IndexedOption parse_indexed(const std::string& option, const std::string& text);

}  // namespace raddle::driver::ptx
