// Straight-line code of fibers on its way to VLIW lines: operations in order, each on values that
// earlier ones made, and the registers that take values at the end. Equal operations are one. The
// packer puts operations on lines in their order, as many on a line as units, slots, reads and
// writes allow.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "machine/tpa/program.h"

namespace raddle::machine::tpa {

using ValueId = std::uint32_t;
inline constexpr ValueId kNoValue = ~ValueId{0};

class FiberCode {
 public:
  enum class Kind : std::uint8_t { kConstant, kFrontRegister, kFiberId, kRegister, kAlu, kMemory };
  struct Value {
    Kind kind = Kind::kConstant;
    std::int64_t constant = 0;
    std::uint32_t number = 0;  // register, of the fiber or the frontend
    AluOperation operation = AluOperation::kAdd;
    MemoryOperation memory = MemoryOperation::kLoad;
    Operator op = Operator::kAdd;
    std::vector<ValueId> operands;
    Place place;

    bool is_operation() const { return kind == Kind::kAlu || kind == Kind::kMemory; }
  };

  ValueId constant(std::int64_t number);
  ValueId front_register(std::uint32_t number);
  ValueId fiber_id();
  // The thread's number in its launch: the fiber's own, or what a register holds where the flow was
  // split off another.
  ValueId thread() { return thread_register_ ? in_register(*thread_register_) : fiber_id(); }
  void set_thread_register(std::optional<std::uint32_t> number) { thread_register_ = number; }
  ValueId in_register(std::uint32_t number);
  ValueId alu(AluOperation operation, std::vector<ValueId> operands);
  ValueId memory(MemoryOperation operation, Operator op, std::vector<ValueId> operands);
  // At the end the register holds the value.
  void assign(std::uint32_t number, ValueId value) { assigned_[number] = value; }
  void set_place(Place place) { place_ = place; }

  const Value& operator[](ValueId id) const { return values_[id]; }
  std::optional<std::int64_t> constant_of(ValueId id) const;
  bool empty() const { return order_.empty() && assigned_.empty(); }

  // Registers from `first_free` on are for what lives from one line to another. Adds the lines and
  // raises `registers` to how many fibers need.
  void pack(std::uint32_t first_free, std::vector<Line>& lines, std::uint32_t& registers) const;

 private:
  using Key = std::tuple<Kind, std::int64_t, std::uint32_t, AluOperation, std::vector<ValueId>>;
  ValueId known(Value value);

  std::vector<Value> values_;
  std::vector<ValueId> order_;  // operations
  std::map<Key, ValueId> known_;
  std::map<std::uint32_t, ValueId> assigned_;
  Place place_;
  std::optional<std::uint32_t> thread_register_;
};

}  // namespace raddle::machine::tpa
