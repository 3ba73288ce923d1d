// How registers depend on the thread: by so much from one thread in x to the next, on its row (y
// and z), or in a way that cannot be told. An estimate: a value that is limited (min, max, selp) is
// taken to follow its thread.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/module.h"

namespace raddle::machine::simt {

struct ThreadStride {
  enum class Kind : std::uint8_t { kUnset, kKnown, kUnknown };
  Kind kind = Kind::kUnset;
  std::int64_t x = 0;
  bool by_row = false;

  bool uniform() const { return kind == Kind::kKnown && x == 0 && !by_row; }
  bool operator==(const ThreadStride&) const = default;
};

class ThreadStrides {
 public:
  explicit ThreadStrides(const kernel::Function& function);
  ThreadStride of(const kernel::Operand& operand) const;

 private:
  ThreadStride of_result(const kernel::Instruction& instruction) const;
  ThreadStride product(const kernel::Operand& a, const kernel::Operand& b) const;

  std::vector<ThreadStride> registers_;
};

}  // namespace raddle::machine::simt
