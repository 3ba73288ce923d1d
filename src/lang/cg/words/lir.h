// Operations as the processor has them, on registers without number. A register has up to four
// components; several operations may write parts of one. The code is a line of items, with branches
// and loops as items of their own.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "lang/cg/ir/ir.h"
#include "lang/cg/options.h"
#include "lang/cg/words/liveness.h"
#include "machine/overlay/instruction.h"
#include "machine/overlay/shader.h"

namespace raddle::cg {

// What a lane of an operand reads: component 0 to 3, or one of the numbers that need no register.
enum class Lane : std::uint8_t { k0, k1, k2, k3, kZero, kHalf, kOne };
inline bool is_component(Lane lane) { return lane <= Lane::k3; }

struct LirPlace {
  enum class Kind : std::uint8_t { kNone, kRegister, kConstant };
  Kind kind = Kind::kNone;
  std::uint32_t index = 0;
  bool operator==(const LirPlace&) const = default;
};

struct LirOperand {
  LirPlace from;
  std::array<Lane, 4> lanes{Lane::kZero, Lane::kZero, Lane::kZero, Lane::kZero};
  Before before = Before::kNothing;
  LirPlace second;
  std::array<Lane, 4> second_lanes{};
  bool negate = false;
  bool absolute = false;
};

// Where an operation's result goes.
enum class Target : std::uint8_t {
  kNothing,
  kRegister,
  kOutput,
  kResult,     // the test for flow control
  kPredicate,  // the test for predicated operations
};

struct LirOp {
  IrOp op = IrOp::kMov;
  bool is_kill = false;
  Target target = Target::kRegister;
  std::uint32_t index = 0;                   // register or output
  std::uint8_t count = 1;                    // lanes that are written
  std::array<std::uint8_t, 4> components{};  // of the target, one a lane
  std::uint8_t width = 0;                    // of a dot product, of a TEX
  std::uint8_t sampler = 0;
  TexLevel level = TexLevel::kNear;
  bool scaled = false;
  std::array<std::uint8_t, 4> texel{};  // of TEX: the channel that each lane takes
  std::int8_t scale = 0;
  bool saturate = false;
  // 0: always; 1: where the predicate holds; -1: where it does not.
  std::int8_t predicate = 0;
  std::array<LirOperand, 3> operands{};
  Place place;

  unsigned operand_count() const;
  // Lanes of each operand that count.
  unsigned operand_width() const {
    if (is_kill) return 1;
    return op == IrOp::kDot || op == IrOp::kTex ? width : count;
  }
};

enum class ItemKind : std::uint8_t {
  kOp,
  kIf,
  kElse,
  kEndIf,
  kLoop,
  kEndLoop,
  kBreak,
  kContinue,
};

struct LirItem {
  ItemKind kind = ItemKind::kOp;
  LirOp op;
  bool inverted = false;        // of kIf and kBreak: where the test does not hold
  bool is_conditional = false;  // of kBreak
  std::uint16_t count = 0;      // of kLoop
  Place place;
};

// Which channels a number must have.
enum class Bank : std::uint8_t { kAny, kVector, kScalar };
inline constexpr std::uint8_t kNoComponent = 0xff;

struct LirRegister {
  std::uint8_t count = 1;
  bool is_input = false;     // holds the point of the domain at the start
  bool keeps_order = false;  // component n in channel n
  Bank bank = Bank::kAny;    // of registers with one component
  // With two or three components: the one that lies in the alpha channel, if any.
  std::uint8_t alpha = kNoComponent;
};

struct LirProgram {
  std::vector<LirItem> items;
  std::vector<LirRegister> registers;
  std::vector<machine::overlay::ConstantValue> constants;  // literals
};

LirProgram lower_to_lir(const IrProgram& program, std::uint16_t first_literal,
                        const Options& options, const std::string& file_name);

// Operations whose results are only copied under a predicate write under it themselves.
void predicate_values(LirProgram& program);

// Joins registers that are copied to each other, so that the copies vanish.
void coalesce(LirProgram& program);

// Removes copies that would write what is there already.
void drop_repeated_copies(LirProgram& program);

// Moves operations whose operands do not change in a loop before it.
void hoist(LirProgram& program);

// Copies into parts of one register as one copy, where one operand can hold what they read.
void join_copies(LirProgram& program);

// A branch that does nothing but leave the loop becomes a conditional leaving; sides without
// anything in them vanish.
void tidy_branches(LirProgram& program);

// Sums and differences within operands need both sides in the same channel: sees to it, or computes
// them apart.
void settle_operands(LirProgram& program);

// Items that may follow each item.
std::vector<std::vector<std::uint32_t>> successors(const std::vector<LirItem>& items);

// Calls visit(register, component) for everything that an operation reads.
template <typename Visit>
void for_each_read(const LirOp& op, const Visit& visit) {
  const auto side = [&](const LirPlace& from, const std::array<Lane, 4>& lanes) {
    if (from.kind != LirPlace::Kind::kRegister) return;
    for (unsigned i = 0; i < op.operand_width(); ++i) {
      if (is_component(lanes[i])) visit(from.index, static_cast<unsigned>(lanes[i]));
    }
  };
  for (unsigned s = 0; s < op.operand_count(); ++s) {
    side(op.operands[s].from, op.operands[s].lanes);
    if (op.operands[s].before >= Before::kDifference)
      side(op.operands[s].second, op.operands[s].second_lanes);
  }
}

// What each item reads and writes, for live_out(): number_of(register, component) names a
// number.
template <typename NumberOf>
std::vector<FlowStep> flow_steps(const std::vector<LirItem>& items, const NumberOf& number_of) {
  const auto next = successors(items);
  std::vector<FlowStep> steps(items.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps[i].next = next[i];
    const LirItem& item = items[i];
    if (item.kind != ItemKind::kOp) continue;
    for_each_read(item.op, [&](std::uint32_t index, unsigned component) {
      steps[i].uses.push_back(number_of(index, component));
    });
    steps[i].defines_always = item.op.predicate == 0;
    if (item.op.target != Target::kRegister) continue;
    for (unsigned k = 0; k < item.op.count; ++k)
      steps[i].defines.push_back(number_of(item.op.index, item.op.components[k]));
  }
  return steps;
}

std::string print(const LirProgram& program);

}  // namespace raddle::cg
