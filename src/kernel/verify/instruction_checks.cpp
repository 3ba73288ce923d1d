#include <fmt/format.h>

#include "kernel/operand_rules.h"
#include "kernel/text/modifiers.h"
#include "kernel/verify/context.h"

namespace raddle::kernel {
namespace {

bool needs_mode(Opcode opcode) {
  switch (opcode) {
    case Opcode::kShfl:
    case Opcode::kVote:
    case Opcode::kMatch:
    case Opcode::kBar:
    case Opcode::kShf:
    case Opcode::kBmsk:
    case Opcode::kSzext:
    case Opcode::kTestp:
    case Opcode::kDp2a:
    case Opcode::kTex:
    case Opcode::kTld4:
    case Opcode::kTxq:
    case Opcode::kSuld:
    case Opcode::kSust:
    case Opcode::kRedux:
    case Opcode::kMma:
    case Opcode::kCpAsyncWait: return true;
    default: return false;
  }
}

class InstructionChecker {
 public:
  InstructionChecker(VerifyContext& context, const Instruction& instruction)
      : context_(context), instruction_(instruction), name_(name_of(instruction.opcode)) {}

  bool check() {
    const OperandVerdict operands = verify_operands(context_, instruction_);
    check_modifiers();
    sound_ = operands.sound;
    if (!operands.sound || !operands.counts_fit) return sound_;
    check_optional_operands();
    check_memory();
    check_targets();
    check_barrier();
    check_inter_thread();
    if (instruction_.opcode == Opcode::kCall) {
      verify_call(context_, instruction_);
    } else if (instruction_.call != CallInfo{}) {
      context_.report(fmt::format("{} passes no call slots", name_));
    }
    return sound_;
  }

 private:
  template <typename... Arguments>
  void report(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    context_.report(fmt::format(format, std::forward<Arguments>(arguments)...));
  }

  void check_modifiers() {
    const Opcode opcode = instruction_.opcode;
    if (instruction_.mode == Mode::kNone) {
      if (needs_mode(opcode)) report("{} needs a mode", name_);
    } else if (!is_plain_modifier(ModifierField::kMode,
                                  static_cast<std::uint8_t>(instruction_.mode), opcode)) {
      report("{} has no mode '{}'", name_, name_of(instruction_.mode));
    }
    const bool compares = opcode == Opcode::kSet || opcode == Opcode::kSetp;
    if (compares && instruction_.compare == Compare::kNone) report("{} needs a comparison", name_);
    const bool multiplies = opcode == Opcode::kMul || opcode == Opcode::kMad;
    const bool is_integer = !is_float(instruction_.type);
    if (multiplies && is_integer && instruction_.part == MultiplyPart::kNone) {
      report("{} of integers needs .lo, .hi or .wide", name_);
    }
    if (instruction_.part == MultiplyPart::kWide &&
        (size_of(instruction_.type) > 4 || !is_integer)) {
      report("{}.wide takes 16 or 32 bits, not {}", name_, name_of(instruction_.type));
    }
    if (opcode == Opcode::kAtom && instruction_.atomic == AtomicOp::kNone)
      report("atom needs an operation");
    if ((opcode == Opcode::kCvta || opcode == Opcode::kIsSpace) &&
        instruction_.space == Space::kNone) {
      report("{} needs an address space", name_);
    }
  }

  // --- operands that modifiers ask for -----------------------------------------------------------------------------------

  bool has_source(std::size_t index) const {
    return index < instruction_.sources.size() &&
           instruction_.sources[index].kind != Operand::Kind::kNone;
  }

  void expect_source(std::size_t index, bool wanted, std::string_view why) {
    if (wanted && !has_source(index)) report("{} needs source {}", why, index + 1);
    if (!wanted && has_source(index))
      report("{} has a source {} without {}", name_, index + 1, why);
  }

  void check_optional_operands() {
    const auto& instruction = instruction_;
    switch (instruction.opcode) {
      case Opcode::kAdd:
      case Opcode::kSub: expect_source(2, instruction.carry_in, "carry_in"); break;
      case Opcode::kMad: expect_source(3, instruction.carry_in, "carry_in"); break;
      case Opcode::kSet:
      case Opcode::kSetp:
        expect_source(2, instruction.combine != Combine::kNone, "a combination");
        break;
      case Opcode::kShfl: expect_source(3, instruction.synchronised, ".sync"); break;
      case Opcode::kVote: expect_source(1, instruction.synchronised, ".sync"); break;
      case Opcode::kAtom:
        expect_source(2, instruction.atomic == AtomicOp::kCompareSwap, ".cas");
        break;
      case Opcode::kPack:
      case Opcode::kUnpack:
        if (instruction.type != Type::kNone &&
            operand_type(instruction, OperandRole::kPart) == Type::kNone) {
          const bool pack = instruction.opcode == Opcode::kPack;
          report("{} cannot be split into {} equal parts", name_of(instruction.type),
                 pack ? instruction.sources.size() : instruction.destinations.size());
        }
        break;
      default: break;
    }
    const bool carries = instruction.opcode == Opcode::kAdd || instruction.opcode == Opcode::kSub ||
                         instruction.opcode == Opcode::kMad;
    if (carries && instruction.carry_out != (instruction.destinations.size() > 1)) {
      report("{}", instruction.carry_out
                       ? "carry_out needs destination 2"
                       : fmt::format("{} has a destination 2 without carry_out", name_));
    }
  }

  // --- memory ----------------------------------------------------------------------------------------------------------

  static bool accesses_memory(Opcode opcode) {
    return opcode == Opcode::kLd || opcode == Opcode::kSt || opcode == Opcode::kAtom;
  }

  void check_memory() {
    const Opcode opcode = instruction_.opcode;
    if (!accesses_memory(opcode)) return;
    const Space space = instruction_.space;
    if (space == Space::kNone) {
      report("{} needs an address space", name_);
      return;
    }
    if (opcode == Opcode::kSt && space == Space::kConst) report("st cannot write constant memory");
    const bool atomic_space =
        space == Space::kGeneric || space == Space::kGlobal || space == Space::kShared;
    if (opcode == Opcode::kAtom && !atomic_space)
      report("atom does not work on {} memory", name_of(space));
    const std::size_t count = opcode == Opcode::kLd   ? instruction_.destinations.size()
                              : opcode == Opcode::kSt ? instruction_.sources.size() - 1
                                                      : 1;
    if (count != 1 && count != 2 && count != 4 && count != 8) {
      report("{} moves 1, 2, 4 or 8 values, not {}", name_, count);
    }
    const Operand& base = instruction_.sources[0];
    if (base.kind == Operand::Kind::kSymbol)
      check_base(base, count * static_cast<std::size_t>(size_of(instruction_.type)));
  }

  void check_base(const Operand& base, std::size_t bytes) {
    if (base.symbol == SymbolKind::kFunction) return;  // reported already
    const Space lies_in = space_of(base);
    if (instruction_.space != Space::kGeneric && lies_in != instruction_.space) {
      report("{} lies in {} memory", context_.text().symbol(base), name_of(lies_in));
      return;
    }
    if (lies_in != Space::kParam) return;
    if (instruction_.opcode == Opcode::kSt && base.symbol == SymbolKind::kParameter) {
      report("st cannot write the parameter {}", context_.text().symbol(base));
    }
    const Slot& slot = slot_of(base);
    const std::int64_t offset = static_cast<std::int64_t>(base.bits) + instruction_.offset;
    if (offset < 0 || static_cast<std::uint64_t>(offset) + bytes > slot.size) {
      report("{} bytes at offset {} lie outside of {}, which has {}", bytes, offset,
             context_.text().symbol(base), slot.size);
    }
  }

  Space space_of(const Operand& symbol) const {
    switch (symbol.symbol) {
      case SymbolKind::kVariable: return context_.module().variables[symbol.index].space;
      case SymbolKind::kLocal: return Space::kLocal;
      default: return Space::kParam;
    }
  }

  const Slot& slot_of(const Operand& symbol) const {
    const Function& function = context_.function();
    switch (symbol.symbol) {
      case SymbolKind::kReturnValue: return function.return_values[symbol.index];
      case SymbolKind::kCallSlot: return function.call_slots[symbol.index];
      default: return function.parameters[symbol.index];
    }
  }

  // --- control, barriers, other threads ------------------------------------------------------------------------------------

  void check_targets() {
    const std::size_t count = instruction_.targets.size();
    switch (instruction_.opcode) {
      case Opcode::kBra:
        if (count != 1) report("bra takes 1 target, not {}", count);
        break;
      case Opcode::kBrx:
        if (count == 0) report("brx.idx takes at least 1 target, not 0");
        break;
      default:
        if (count != 0) report("{} takes no targets", name_);
        break;
    }
    for (const BlockId target : instruction_.targets) {
      if (target < context_.function().blocks.size()) continue;
      report("target block {} does not exist", target);
      sound_ = false;
    }
  }

  void check_barrier() {
    if (instruction_.opcode != Opcode::kBar) return;
    const auto constant = [&](std::size_t index) {
      return index < instruction_.sources.size() &&
             instruction_.sources[index].kind == Operand::Kind::kImmediate;
    };
    if (constant(0) && instruction_.sources[0].bits > 15) {
      report("barrier {} does not exist; a block has 16", instruction_.sources[0].bits);
    }
    if (constant(1) &&
        (instruction_.sources[1].bits == 0 || instruction_.sources[1].bits % 32 != 0)) {
      report("a barrier of {} threads is not a whole number of warps",
             instruction_.sources[1].bits);
    }
    const bool reduces = instruction_.mode == Mode::kBarrierPopc ||
                         instruction_.mode == Mode::kBarrierAnd ||
                         instruction_.mode == Mode::kBarrierOr;
    if (reduces != has_source(2))
      report("{}", reduces ? "bar.red needs a predicate" : "only bar.red takes a predicate");
    if (reduces == instruction_.destinations.empty()) {
      report("{}", reduces ? "bar.red needs a destination" : "only bar.red has a destination");
    }
    if (instruction_.mode == Mode::kBarrierArrive && !has_source(1))
      report("bar.arrive needs a number of threads");
  }

  void check_inter_thread() {
    const InterThread& inter_thread = instruction_.inter_thread;
    if (group_of(instruction_.opcode) != OpcodeGroup::kInterThread) {
      if (inter_thread != InterThread{}) report("{} does not communicate between threads", name_);
      return;
    }
    const auto& delta = inter_thread.delta;
    const bool no_distance = delta == std::array<std::int32_t, 3>{};
    if (instruction_.opcode == Opcode::kItTag) {
      if (!no_distance || inter_thread.window != 0)
        report("it.tag has neither distance nor window: receivers have them");
      return;
    }
    if (no_distance) report("a thread cannot receive from itself: the distance is 0");
    const bool one_dimensional = delta[1] == 0 && delta[2] == 0;
    const std::int64_t distance = std::abs(std::int64_t{delta[0]});
    if (inter_thread.window != 0 && one_dimensional && distance >= inter_thread.window) {
      report("a distance of {} reaches beyond the window of {} threads", delta[0],
             inter_thread.window);
    }
  }

  VerifyContext& context_;
  const Instruction& instruction_;
  std::string_view name_;
  bool sound_ = true;
};

}  // namespace

bool verify_instruction(VerifyContext& context, const Instruction& instruction) {
  return InstructionChecker(context, instruction).check();
}

}  // namespace raddle::kernel
