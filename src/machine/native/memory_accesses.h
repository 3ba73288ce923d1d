// Loads and stores as LLVM IR. Whether the lanes' addresses are in bounds and aligned is looked at
// for all of them at once; where they are not, and for spaces that are not translated, the
// interpreter's way of doing it takes over, which knows how to report faults. The quick ways: one
// address for all lanes, each half of the warp on 16 elements in a row or on one, and any
// addresses.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "machine/native/operations.h"

namespace raddle::machine::native {

class MemoryAccesses {
 public:
  // `carry_out` emits the interpreter's way in a side path: what it reads is in the frame before,
  // what it writes afterwards.
  using CarryOut = std::function<void(const kernel::exec::DecodedInstruction&)>;
  MemoryAccesses(IrText& text, Registers& registers, Operations& operations,
                 const kernel::exec::DecodedFunction& function, CarryOut carry_out)
      : text_(text),
        registers_(registers),
        operations_(operations),
        function_(function),
        carry_out_(std::move(carry_out)) {}

  // False: nothing was translated.
  bool translate(const kernel::exec::DecodedInstruction& d);

 private:
  using Decoded = kernel::exec::DecodedInstruction;

  // Where the addresses are and how far they may go.
  struct Range {
    std::string base;   // the host's pointer
    std::string bytes;  // i64
    std::uint64_t start = 0;
  };

  bool load_parameter(const Decoded& d);
  void load(const Decoded& d);
  void store(const Decoded& d);
  Range range_of(const Decoded& d);
  // How many first bytes there are at which an access of `size` bytes fits.
  std::string limit(const Range& range, std::uint64_t size);
  std::string in_range(const std::string& place, const std::string& limit, int alignment);
  Value address_of(const Decoded& d);
  // The lanes that take part, as <32 x i1>; empty: all.
  std::string active_of(const Decoded& d);
  Value widened(const Decoded& d, const std::string& value, bool uniform);

  // A load while it is written: each way that it can go leaves a value and its block, and goes to
  // `done`; all that cannot go ahead go to `slow`.
  struct Load {
    const Decoded& d;
    Range range;
    Value address;
    std::string active;   // empty: all lanes
    std::string element;  // "i32", as in memory
    std::uint64_t size;   // of it, in bytes
    std::string done, slow;
    std::vector<std::pair<std::string, std::string>> results = {};
  };
  void deliver(Load& load, const std::string& value);
  void load_one(Load& load);
  void load_halves(Load& load, const std::string& otherwise);
  void gather(Load& load);
  void load_slowly(Load& load);

  // What lanes with an address each have in common.
  struct Shape {
    std::string distance;  // <32 x i64>: each lane's from the first of its half
    std::string low;       // i64: offset into the range of the first lane of each half
    std::string high;
  };
  Shape shape_of(const Range& range, const Value& address, std::int64_t offset);
  std::string all_of(const std::string& lanes);
  // Whether each half's lanes are `stride` bytes apart, with this much from the first in range.
  std::string in_a_row(const Range& range, const Shape& shape, std::uint64_t size, int stride);
  // Offsets into the range; of one address or of all.
  std::string places(const Range& range, const Value& address, std::int64_t offset);
  std::string pointers(const Range& range, const std::string& places);
  std::string pointer(const Range& range, const std::string& place) {
    return text_.op("getelementptr i8, ptr {}, i64 {}", range.base, place);
  }
  std::string all_in_range(const Decoded& d, const Range& range, const std::string& places,
                           const std::string& active);

  IrText& text_;
  Registers& registers_;
  Operations& operations_;
  const kernel::exec::DecodedFunction& function_;
  CarryOut carry_out_;
};

}  // namespace raddle::machine::native
