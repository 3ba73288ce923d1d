#include "machine/unit_energy.h"

#include <algorithm>
#include <array>

#include "kernel/matrix_shape.h"

namespace raddle::machine {

using energy::Event;
using energy::EventCounts;
using energy::StaticPower;
using kernel::Instruction;
using kernel::Opcode;
using kernel::Type;

namespace {

// The parts of an SM in the gpu-sharing paper's Table III, but for the wires of sharing schemes.
constexpr std::array kCoreParts{StaticPower::front_end_power,
                                StaticPower::registers_power,
                                StaticPower::simd_power,
                                StaticPower::load_store_power,
                                StaticPower::undifferentiated_power,
                                StaticPower::l1_shared_power,
                                StaticPower::texture_constant_power};

bool is_wide(Type type) { return kernel::size_of(type) == 8; }
// 32-bit units' worth of work that grows with the width: additions, logic, comparisons; two halves
// in one register are two operations.
std::uint64_t words_of(Type type) {
  return is_wide(type) || type == Type::kF16x2 || type == Type::kBF16x2 ? 2 : 1;
}

void add_multiply(EventCounts& events, const Instruction& i) {
  if (kernel::is_float(i.type)) {
    // The 53-bit product of doubles is made of four products of 27 bits, each the work of a
    // single-precision multiplier (24 bits).
    events.add(Event::float_multiply, i.type == Type::kF64 ? 4 : words_of(i.type));
    return;
  }
  if (!is_wide(i.type)) return events.add(Event::integer_multiply);
  // By 32-bit halves; the low half of the product does without the product of the high halves.
  const bool low = i.part == kernel::MultiplyPart::kLow;
  events.add(Event::integer_multiply, low ? 3 : 4);
  events.add(Event::integer_add, low ? 2 : 4);
}

void add_addition(EventCounts& events, const Instruction& i) {
  const bool wide_product = i.part == kernel::MultiplyPart::kWide && !is_wide(i.type);
  events.add(kernel::is_float(i.type) ? Event::float_add : Event::integer_add,
             wide_product && kernel::size_of(i.type) == 4 ? 2 : words_of(i.type));
}

// Divisions are sequences of instructions on a GPU that begin with a reciprocal of the special
// function unit; the sets have a figure for a division as a whole. Doubles take two.
void add_division(EventCounts& events, const Instruction& i) {
  events.add(Event::special_root, words_of(i.type));
}

// What the ALU at the L2, or at shared memory, does for an atomic.
void add_atomic(EventCounts& events, const Instruction& i) {
  switch (i.atomic) {
    case kernel::AtomicOp::kAdd:
    case kernel::AtomicOp::kInc:
    case kernel::AtomicOp::kDec: return add_addition(events, i);
    case kernel::AtomicOp::kMin:
    case kernel::AtomicOp::kMax:
    case kernel::AtomicOp::kCompareSwap: return events.add(Event::compare, words_of(i.type));
    default: return events.add(Event::bitwise, words_of(i.type));
  }
}

void add_arithmetic(EventCounts& events, const Instruction& i) {
  const std::uint64_t words = words_of(i.type);
  switch (i.opcode) {
    case Opcode::kMul:
    case Opcode::kMul24: return add_multiply(events, i);
    case Opcode::kMad:
    case Opcode::kMad24:
    case Opcode::kFma:
    case Opcode::kDp4a:  // its small products together are the work of one 32-bit multiplication
    case Opcode::kDp2a: add_multiply(events, i); return add_addition(events, i);
    case Opcode::kSad: return events.add(Event::integer_add, 2 * words);
    case Opcode::kDiv:
    case Opcode::kRem: return add_division(events, i);
    case Opcode::kMin:
    case Opcode::kMax: events.add(Event::compare, words); return events.add(Event::bitwise, words);
    case Opcode::kAbs:
    case Opcode::kNeg:  // a float's sign is one bit
      return events.add(kernel::is_float(i.type) ? Event::bitwise : Event::integer_add, words);
    case Opcode::kCopysign: return events.add(Event::bitwise, words);
    default: return add_addition(events, i);
  }
}

// The lane's share of the products, as if each were of the type of the result.
void add_matrix(EventCounts& events, const Instruction& i) {
  const kernel::MatrixShape shape = kernel::shape_of(i.mode);
  const auto products = static_cast<std::uint64_t>(shape.m * shape.n * shape.k / 32);
  if (!kernel::is_float(i.a_element)) {
    events.add(Event::integer_multiply, products);
    return events.add(Event::integer_add, products);
  }
  events.add(Event::float_multiply, (i.type == Type::kF64 ? 4 : 1) * products);
  events.add(Event::float_add, (i.type == Type::kF64 ? 2 : 1) * products);
}

void add_special(EventCounts& events, const Instruction& i) {
  const auto event = [&] {
    switch (i.opcode) {
      case Opcode::kSin:
      case Opcode::kCos: return Event::special_sine;
      case Opcode::kLg2:
      case Opcode::kEx2:
      case Opcode::kTanh: return Event::special_exponential;
      default: return Event::special_root;
    }
  }();
  events.add(event, words_of(i.type));
}

void add_logic(EventCounts& events, const Instruction& i) {
  switch (i.opcode) {
    case Opcode::kShl:
    case Opcode::kShr:
    case Opcode::kShf:
    case Opcode::kBfe:
    case Opcode::kBfi:
    case Opcode::kBmsk:
    case Opcode::kSzext: return events.add(Event::shift, words_of(i.type));
    case Opcode::kPopc:
    case Opcode::kClz:
    case Opcode::kBfind:
    case Opcode::kFns: return events.add(Event::integer_add, words_of(i.type));
    default: return events.add(Event::bitwise, words_of(i.type));
  }
}

// A number changes between integer and float, or its width as a float, in the adder's shifters and
// rounding; between integers it only moves.
void add_conversion(EventCounts& events, const Instruction& i) {
  const bool is_rounded = kernel::is_float(i.type) || kernel::is_float(i.source_type);
  events.add(is_rounded ? Event::float_add : Event::bitwise,
             std::max(words_of(i.type), words_of(i.source_type)));
}

}  // namespace

EventCounts unit_events(const Instruction& i) {
  EventCounts events;
  switch (kernel::group_of(i.opcode)) {
    case kernel::OpcodeGroup::kWarp:
      if (i.opcode == Opcode::kMma) {
        add_matrix(events, i);
        break;
      }
      [[fallthrough]];
    case kernel::OpcodeGroup::kMove: events.add(Event::bitwise, words_of(i.type)); break;
    case kernel::OpcodeGroup::kConvert: add_conversion(events, i); break;
    case kernel::OpcodeGroup::kArithmetic: add_arithmetic(events, i); break;
    case kernel::OpcodeGroup::kSpecial: add_special(events, i); break;
    case kernel::OpcodeGroup::kCompare:
      events.add(Event::compare, words_of(i.opcode == Opcode::kSet ? i.source_type : i.type));
      break;
    case kernel::OpcodeGroup::kLogic: add_logic(events, i); break;
    case kernel::OpcodeGroup::kMemory:
      if (i.opcode == Opcode::kAtom) add_atomic(events, i);
      break;
    default: break;  // barriers and control use no unit
  }
  return events;
}

void add_cache(EventCounts& events, const memory::CacheStats& stats, Event read, Event write) {
  events.add(read, stats.loads + stats.atomics + stats.write_backs);
  events.add(write, stats.stores + stats.atomics + stats.write_backs_taken + stats.fills);
}

void add_memory_system(EventCounts& events, const memory::MemorySystemCounts& counts) {
  add_cache(events, counts.l2, Event::l2_read, Event::l2_write);
  events.add(Event::network_flit, counts.request_network.flits + counts.reply_network.flits);
  events.add(Event::dram_read, counts.dram.read_bursts);
  events.add(Event::dram_write, counts.dram.write_bursts);
  events.add(Event::dram_precharge, counts.dram.precharges);
}

EventCounts powered_cores(Seconds time, std::uint32_t cores, const energy::CoefficientSet& set) {
  EventCounts events;
  const Seconds all(time.count() * cores);
  if (set.watts[static_cast<std::size_t>(StaticPower::idle_core_power)]) {
    events.add(StaticPower::idle_core_power, all);
  } else {
    for (const StaticPower part : kCoreParts) events.add(part, all);
  }
  return events;
}

}  // namespace raddle::machine
