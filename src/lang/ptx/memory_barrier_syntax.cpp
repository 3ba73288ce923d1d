// Barriers in shared memory (mbarrier): arrivals are atomic operations of their own, all else is
// loads and stores of the barrier's word (kernel/memory_barrier.h).
#include "kernel/memory_barrier.h"

#include <algorithm>

#include "lang/ptx/instruction_parser.h"

namespace raddle::ptx {
namespace {

using kernel::AtomicOp;
using kernel::Instruction;
using kernel::MemoryOrder;
using kernel::Opcode;
using kernel::Operand;
using kernel::Space;
using kernel::Type;

constexpr std::string_view kNoMeaning[] = {"b64",         "release",   "acquire", "relaxed",
                                           "cta",         "cluster",   "shared",  "noinc",
                                           "shared::cta", "noComplete"};

}  // namespace

bool InstructionParser::has_word(std::string_view word) const {
  return std::any_of(words_.begin() + 1, words_.end(),
                     [&](std::string_view each) { return each.substr(1) == word; });
}

// The barrier's address as the first source of an instruction of 64 bits.
Instruction InstructionParser::on_barrier(Reading& reading, Opcode opcode,
                                          const RawOperand& address) {
  Instruction instruction = related(reading, opcode, Type::kB64);
  instruction.space =
      has_word("shared") || has_word("shared::cta") ? Space::kShared : Space::kGeneric;
  instruction.offset = address.offset;
  instruction.sources = {reading.binder.address_base(reading.binder.address_parts(address)[0])};
  return instruction;
}

Operand InstructionParser::add_wide(Reading& reading, Opcode opcode, const Operand& a,
                                    const Operand& b) {
  Instruction instruction = related(reading, opcode, Type::kB64);
  const Operand result = Operand::reg(reading.builder.add_register("barrier", Type::kB64));
  instruction.destinations = {result};
  instruction.sources = {a, b};
  reading.builder.append(std::move(instruction), reading.line);
  return result;
}

Operand InstructionParser::widened(Reading& reading, const RawOperand& raw) {
  if (raw.kind == RawOperand::Kind::kInteger) return Operand::immediate(raw.bits & 0xffffffffu);
  Instruction convert = related(reading, Opcode::kCvt, Type::kU64);
  convert.source_type = Type::kU32;
  const Operand result = Operand::reg(reading.builder.add_register("wide", Type::kB64));
  convert.destinations = {result};
  convert.sources = {reading.binder.source(raw, Type::kU32)};
  reading.builder.append(std::move(convert), reading.line);
  return result;
}

void InstructionParser::parse_barrier_init(Reading& reading) {
  const auto raw = operands_.operands();
  reading.binder.check_count(raw.size(), 2, 2);
  const Operand count = widened(reading, raw[1]);
  const Operand expected =
      add_wide(reading, Opcode::kShl, count, Operand::immediate(kernel::kBarrierCountBits));
  Instruction store = on_barrier(reading, Opcode::kSt, raw[0]);
  store.sources.push_back(add_wide(reading, Opcode::kOr, expected, count));
  reading.builder.append(std::move(store), reading.line);
}

// mbarrier.arrive{.expect_tx}{.noComplete} state, [barrier]{, count}; without a state where nobody
// asks for it
void InstructionParser::parse_barrier_change(Reading& reading, AtomicOp operation) {
  const auto raw = operands_.operands();
  const bool has_state = !raw.empty() && raw[0].kind != RawOperand::Kind::kAddress;
  const std::size_t first = has_state ? 1 : 0;
  reading.binder.check_count(raw.size(), first + 1, first + 2);
  const bool counts_bytes = operation == AtomicOp::kExpect || operation == AtomicOp::kComplete;
  const bool expects = has_word("expect_tx") && !counts_bytes;
  const Operand amount =
      raw.size() > first + 1 ? widened(reading, raw[first + 1]) : Operand::immediate(1);
  if (expects) {
    Instruction expect = on_barrier(reading, Opcode::kAtom, raw[first]);
    expect.atomic = AtomicOp::kExpect;
    expect.sources.push_back(amount);
    reading.builder.append(std::move(expect), reading.line);
  }
  Instruction change = on_barrier(reading, Opcode::kAtom, raw[first]);
  change.atomic = operation;
  change.sources.push_back(expects ? Operand::immediate(1) : amount);
  const bool is_kept = has_state && raw[0].kind == RawOperand::Kind::kRegister;
  if (is_kept) change.destinations = {reading.binder.destination(raw[0], Type::kB64)};
  reading.builder.append(std::move(change), reading.line);
}

// done, [barrier], state or parity: whether the phase has ended.
void InstructionParser::parse_barrier_test(Reading& reading) {
  const auto raw = operands_.operands();
  reading.binder.check_count(raw.size(), 3, 4);  // the last: how long the thread may sleep
  const bool by_parity = has_word("parity");
  const Operand shift = Operand::immediate(kernel::kBarrierPhaseBit);
  const Operand wanted = by_parity
                             ? add_wide(reading, Opcode::kShl, widened(reading, raw[2]), shift)
                             : reading.binder.source(raw[2], Type::kB64);
  Instruction load = on_barrier(reading, Opcode::kLd, raw[1]);
  load.order = MemoryOrder::kVolatile;
  const Operand word = Operand::reg(reading.builder.add_register("barrier", Type::kB64));
  load.destinations = {word};
  reading.builder.append(std::move(load), reading.line);
  const Operand changed = add_wide(reading, Opcode::kXor, word, wanted);
  Instruction test = related(reading, Opcode::kSetp, Type::kS64);
  test.compare = kernel::Compare::kLt;  // the phase is the sign
  test.destinations = {reading.binder.destination(raw[0], Type::kPred)};
  test.sources = {changed, Operand::immediate(0)};
  reading.builder.append(std::move(test), reading.line);
}

void InstructionParser::parse_barrier_count(Reading& reading) {
  const auto raw = operands_.operands();
  reading.binder.check_count(raw.size(), 2, 2);
  const Operand count = add_wide(reading, Opcode::kAnd, reading.binder.source(raw[1], Type::kB64),
                                 Operand::immediate(kernel::kBarrierCountMask));
  Instruction convert = related(reading, Opcode::kCvt, Type::kU32);
  convert.source_type = Type::kU64;
  convert.destinations = {reading.binder.destination(raw[0], Type::kU32)};
  convert.sources = {count};
  reading.builder.append(std::move(convert), reading.line);
}

// The barrier counts one arrival when this thread's copies are done. It is counted in advance
// unless .noinc says that the program did; either way the thread waits for its copies here.
void InstructionParser::parse_copy_arrival(Reading& reading) {
  const auto raw = operands_.operands();
  reading.binder.check_count(raw.size(), 1, 1);
  Instruction wait = related(reading, Opcode::kCpAsyncWait, Type::kNone);
  wait.mode = kernel::Mode::kCopyAll;
  reading.builder.append(std::move(wait), reading.line);
  if (has_word("noinc")) parse_barrier_change(reading, AtomicOp::kArrive);
}

void InstructionParser::parse_memory_barrier(Reading& reading) {
  const bool copies = words_.front() == "cp";
  const std::string_view what = copies ? "copy" : words_.size() > 1 ? words_[1].substr(1) : "";
  for (std::size_t i = copies ? 4 : 2; i < words_.size(); ++i) {
    const std::string_view word = words_[i].substr(1);
    const bool known =
        std::find(std::begin(kNoMeaning), std::end(kNoMeaning), word) != std::end(kNoMeaning);
    const bool has_meaning = word == "parity" || word == "expect_tx";
    if (!known && !has_meaning) {
      reading.binder.fail("the word " + quoted(words_[i]) + " of " + quoted(reading.binder.name()) +
                          " is not supported (barriers in shared memory)");
    }
  }
  operands_.parse_list(reading.builder);
  if (what == "copy") return parse_copy_arrival(reading);
  if (what == "init") return parse_barrier_init(reading);
  if (what == "inval") return;
  if (what == "pending_count") return parse_barrier_count(reading);
  if (what == "test_wait" || what == "try_wait") return parse_barrier_test(reading);
  if (what == "arrive_drop") return parse_barrier_change(reading, AtomicOp::kArriveDrop);
  if (what == "expect_tx") return parse_barrier_change(reading, AtomicOp::kExpect);
  if (what == "complete_tx") return parse_barrier_change(reading, AtomicOp::kComplete);
  parse_barrier_change(reading, AtomicOp::kArrive);
}

}  // namespace raddle::ptx
