#include "kernel/exec/function_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/demangle.h"
#include "base/error.h"
#include "base/stop_token.h"
#include "kernel/address_map.h"
#include "kernel/exec/block_order.h"
#include "kernel/special_registers.h"

namespace raddle::kernel::exec {
namespace {

// How wide an immediate, symbol or special register is as the source-th operand.
int source_bytes(const Instruction& i, std::size_t source) {
  switch (i.opcode) {
    case Opcode::kShl:
    case Opcode::kShr:
    case Opcode::kSzext: return source == 1 ? 4 : size_of(i.type);
    case Opcode::kBfe: return source >= 1 ? 4 : size_of(i.type);
    case Opcode::kBfi: return source >= 2 ? 4 : size_of(i.type);
    case Opcode::kSlct: return source == 2 ? 4 : size_of(i.type);
    case Opcode::kSelp: return source == 2 ? 0 : register_bytes(i.type);
    case Opcode::kMad:
      if (source == 3) return 0;
      return source == 2 && i.part == MultiplyPart::kWide ? 2 * size_of(i.type) : size_of(i.type);
    case Opcode::kAdd:
    case Opcode::kSub: return source == 2 ? 0 : size_of(i.type);
    case Opcode::kSetp: return source == 2 ? 0 : size_of(i.type);
    case Opcode::kSet: return source == 2 ? 0 : size_of(i.source_type);
    case Opcode::kCvt: return std::max(2, size_of(i.source_type));
    case Opcode::kPack: return std::max(1, size_of(i.type) / static_cast<int>(i.sources.size()));
    case Opcode::kStMatrix: return source == 0 ? 8 : 4;
    case Opcode::kLdMatrix: return 8;
    case Opcode::kMovMatrix: return 4;
    case Opcode::kLd:
    case Opcode::kPrefetch:
    case Opcode::kIsSpace:
    case Opcode::kItReceiveLoad: return source == 1 ? 0 : 8;
    case Opcode::kSt:
    case Opcode::kAtom: return source == 0 ? 8 : std::max(2, size_of(i.type));
    case Opcode::kCpAsync: return source <= 1 ? 8 : 4;
    case Opcode::kVote: return source == 0 ? 0 : 4;
    case Opcode::kMatch: return source == 0 ? size_of(i.type) : 4;
    case Opcode::kShfl:
    case Opcode::kRedux:
    case Opcode::kWarpSync:
    case Opcode::kBrx:
    case Opcode::kNanosleep:
    case Opcode::kDp4a:
    case Opcode::kDp2a: return 4;
    case Opcode::kBar: return source == 2 ? 0 : 4;
    case Opcode::kCall:
    case Opcode::kTxq: return 8;
    case Opcode::kTex:
    case Opcode::kTld4: return source == 0 ? 8 : 4;
    case Opcode::kSuld: return source == 0 ? 8 : 4;
    case Opcode::kSust: return source == 0 ? 8 : 4;
    default: return register_bytes(i.type);
  }
}

// Which source of a .sync operation names the lanes that take part.
std::size_t member_source(Opcode opcode) {
  switch (opcode) {
    case Opcode::kWarpSync: return 0;
    case Opcode::kShfl: return 3;
    default: return 1;
  }
}

// Names no lanes: all of the warp take part.
bool takes_all_lanes(Opcode opcode) {
  return opcode == Opcode::kMma || opcode == Opcode::kMovMatrix;
}

class FunctionDecoder {
 public:
  FunctionDecoder(const Program& program, FunctionRef ref, const Function& body,
                  const SharedLayout& shared, FrameLayout layout)
      : program_(program),
        ref_(ref),
        ir_(body),
        module_(program.module(ref.module)),
        shared_(shared),
        layout_(std::move(layout)) {}

  std::unique_ptr<DecodedFunction> run(std::uint32_t& memory_instructions) {
    out_ = std::make_unique<DecodedFunction>();
    out_->ref = ref_;
    out_->ir = &ir_;
    out_->module = &module_;
    out_->parameter_bytes = ir_.parameter_frame_bytes();
    out_->incoming_bytes = ir_.incoming_bytes();
    out_->local_bytes = round_up(ir_.local_bytes(), 16);
    out_->order = block_ranks(ir_);
    out_->register_slots = std::move(layout_.slots);
    next_slot_ = layout_.bytes;
    for (BlockId b = 0; b < ir_.blocks.size(); ++b) {
      DecodedBlock block;
      block.first = static_cast<std::uint32_t>(out_->code.size());
      for (const Instruction& instruction : ir_.blocks[b].instructions) {
        throw_if_stopped("decoding a kernel");
        out_->code.push_back(decode_instruction(instruction, b, memory_instructions));
      }
      block.end = static_cast<std::uint32_t>(out_->code.size());
      for (std::uint32_t pc = block.first; pc + 1 < block.end; ++pc) {
        DecodedInstruction& d = out_->code[pc];
        d.runs_on = (d.handler == Handler::kLaneLoop || d.handler == Handler::kWarp) &&
                    out_->code[pc + 1].handler != Handler::kSync;
      }
      out_->blocks.push_back(block);
    }
    // Clearing every register of a fresh frame once is enough for repeatable runs: frames are
    // handed out in a fixed order.
    out_->frame_bytes = round_up(next_slot_, 64);
    return std::move(out_);
  }

 private:
  [[noreturn]] void unsupported(const Instruction& instruction) const {
    std::string text(name_of(instruction.opcode));
    if (instruction.mode != Mode::kNone) text += fmt::format(".{}", name_of(instruction.mode));
    if (instruction.type != Type::kNone) text += fmt::format(".{}", name_of(instruction.type));
    if (instruction.source_type != Type::kNone)
      text += fmt::format(".{}", name_of(instruction.source_type));
    throw Error(
        fmt::format("the instruction {} in {} cannot be executed", text, demangled(ir_.name)),
        module_.describe_location(instruction.location),
        "this form is not supported; please report it with the source line");
  }

  std::uint32_t new_slot(int bytes) {
    const std::uint32_t slot = next_slot_;
    next_slot_ += slot_bytes(bytes);
    return slot;
  }

  std::uint32_t constant_slot(std::uint64_t bits, int bytes) {
    if (bytes == 0) bits = bits != 0 ? kAllLanes : 0;
    if (bytes > 0 && bytes < 8) bits &= (std::uint64_t{1} << bytes * 8) - 1;
    const auto key = std::pair(bits, bytes);
    const auto found = constants_.find(key);
    if (found != constants_.end()) return found->second;
    const std::uint32_t slot = new_slot(bytes);
    out_->constants.push_back({slot, static_cast<std::uint8_t>(bytes), bits});
    return constants_[key] = slot;
  }

  std::uint64_t symbol_address(const Operand& operand) const {
    switch (operand.symbol) {
      case SymbolKind::kVariable: {
        const Variable& variable = module_.variables[operand.index];
        if (variable.space == Space::kShared)
          return shared_.offset(ref_.module, operand.index) + operand.bits;
        const std::uint64_t address = program_.variable_address(ref_.module, operand.index);
        if (address == 0) {
          throw Error(fmt::format("the variable {} is declared but not defined", variable.name),
                      module_.name, "link the file that defines it");
        }
        return address + operand.bits;
      }
      case SymbolKind::kFunction:
        return program_.code_address(program_.resolve_function(ref_.module, operand.index));
      case SymbolKind::kParameter: return ir_.parameters[operand.index].offset + operand.bits;
      case SymbolKind::kReturnValue: return ir_.return_values[operand.index].offset + operand.bits;
      case SymbolKind::kCallSlot: return ir_.call_slots[operand.index].offset + operand.bits;
      case SymbolKind::kLocal: break;
    }
    return 0;
  }

  std::uint32_t operand_slot(const Instruction& instruction, const Operand& operand, int bytes) {
    switch (operand.kind) {
      case Operand::Kind::kRegister: return out_->register_slots[operand.index];
      case Operand::Kind::kImmediate: return constant_slot(operand.bits, bytes);
      case Operand::Kind::kSpecial: {
        for (const FrameSpecial& special : out_->specials) {
          if (special.special == operand.special && special.bytes == bytes) return special.slot;
        }
        out_->specials.push_back(
            {new_slot(bytes), static_cast<std::uint8_t>(bytes), operand.special});
        return out_->specials.back().slot;
      }
      case Operand::Kind::kSymbol: {
        if (operand.symbol != SymbolKind::kLocal)
          return constant_slot(symbol_address(operand), bytes);
        const auto offset =
            static_cast<std::uint32_t>(ir_.locals[operand.index].offset + operand.bits);
        out_->locals.push_back({new_slot(bytes), static_cast<std::uint8_t>(bytes), offset});
        return out_->locals.back().slot;
      }
      case Operand::Kind::kNone: unsupported(instruction);
    }
    return kNoSlot;
  }

  int bytes_of(const Operand& operand, int otherwise) const {
    return operand.is_register() ? register_bytes(ir_.registers[operand.index].type) : otherwise;
  }

  DecodedInstruction decode_instruction(const Instruction& i, BlockId block,
                                        std::uint32_t& memory_instructions) {
    DecodedInstruction d;
    d.ir = &i;
    d.block = block;
    d.handler = handler_of(i);
    d.offset = i.offset;
    if (i.guard.present()) {
      d.guarded = true;
      d.guard_negated = i.guard.negated;
      d.guard = out_->register_slots[i.guard.predicate];
    }
    if (i.destinations.size() > d.destination.size() || i.sources.size() > d.source.size())
      unsupported(i);
    d.destination_count = static_cast<std::uint8_t>(i.destinations.size());
    for (std::size_t n = 0; n < i.destinations.size(); ++n) {
      if (i.destinations[n].is_register())
        d.destination[n] = out_->register_slots[i.destinations[n].index];
    }
    // Machines that keep time ask a nanosleep how long.
    const bool needs_sources = (d.handler != Handler::kNothing && i.opcode != Opcode::kCall) ||
                               i.opcode == Opcode::kNanosleep;
    d.source_count = static_cast<std::uint8_t>(i.sources.size());
    for (std::size_t n = 0; n < i.sources.size() && needs_sources; ++n) {
      int bytes = source_bytes(i, n);
      if (i.opcode == Opcode::kMov && !i.destinations.empty())
        bytes = bytes_of(i.destinations[0], bytes);
      const bool left_out =
          i.opcode == Opcode::kBar && i.sources[n].kind == Operand::Kind::kNone;  // no thread count
      if (left_out) continue;
      d.source[n] = operand_slot(i, i.sources[n], bytes);
      if (i.sources[n].negated) d.negated_sources |= static_cast<std::uint8_t>(1u << n);
    }
    // A machine's own form may have the arguments of a call in registers, after the callee.
    if (i.opcode == Opcode::kCall) {
      for (std::size_t n = 0; n < i.sources.size(); ++n) {
        if (i.sources[n].is_register()) d.source[n] = operand_slot(i, i.sources[n], 8);
      }
    }
    choose_function(i, d, memory_instructions);
    if (i.synchronised && d.handler == Handler::kWarp) d.handler = Handler::kSync;
    if (d.handler == Handler::kSync) {
      d.members = takes_all_lanes(i.opcode) ? constant_slot(kAllLanes, 4)
                                            : d.source[member_source(i.opcode)];
    }
    return d;
  }

  void choose_function(const Instruction& i, DecodedInstruction& d,
                       std::uint32_t& memory_instructions) {
    if (d.handler == Handler::kInterThread)
      d.element_bytes = d.register_bytes = static_cast<std::uint8_t>(size_of(i.type));
    if (i.opcode == Opcode::kItReceiveLoad) prepare_receive_or_load(i, d, memory_instructions);
    if (d.handler != Handler::kLaneLoop) return;
    const bool reads_clock = i.opcode == Opcode::kMov &&
                             i.sources[0].kind == Operand::Kind::kSpecial &&
                             is_clock(i.sources[0].special);
    const WarpFunction warp = group_of(i.opcode) == OpcodeGroup::kMemory ||
                                      group_of(i.opcode) == OpcodeGroup::kTexture ||
                                      group_of(i.opcode) == OpcodeGroup::kWarp || reads_clock
                                  ? select_warp_function(i)
                                  : nullptr;
    if (warp != nullptr) {
      d.handler = Handler::kWarp;
      d.warp = warp;
      d.number = memory_instructions++;
      d.touches_memory = (group_of(i.opcode) == OpcodeGroup::kMemory ||
                          group_of(i.opcode) == OpcodeGroup::kTexture) &&
                         i.opcode != Opcode::kTxq;
      d.polls =
          !i.destinations.empty() && (i.opcode == Opcode::kAtom || i.order != MemoryOrder::kWeak);
      d.element_bytes = static_cast<std::uint8_t>(size_of(i.type));
      if (!i.sources.empty())
        d.address_bytes = static_cast<std::uint8_t>(bytes_of(i.sources[0], 8));
      const bool stores =
          i.opcode == Opcode::kSt || (i.opcode == Opcode::kAtom && i.destinations.empty());
      if (stores)
        d.register_bytes =
            static_cast<std::uint8_t>(bytes_of(i.sources[1], std::max(2, size_of(i.type))));
      if (i.opcode == Opcode::kSust) {
        d.register_bytes =
            static_cast<std::uint8_t>(bytes_of(i.sources.back(), std::max(2, size_of(i.type))));
      }
      for (const Operand& destination : i.destinations) {
        if (destination.is_register())
          d.register_bytes = static_cast<std::uint8_t>(bytes_of(destination, 4));
      }
      return;
    }
    OperandSizes sizes;
    if (!i.destinations.empty()) sizes.destination = bytes_of(i.destinations[0], size_of(i.type));
    if (!i.sources.empty()) {
      int natural = source_bytes(i, 0);
      if (i.opcode == Opcode::kMov) natural = sizes.destination;
      sizes.source = bytes_of(i.sources[0], natural);
    }
    d.element_bytes = static_cast<std::uint8_t>(sizes.source);
    d.register_bytes = static_cast<std::uint8_t>(sizes.destination);
    if (i.opcode == Opcode::kCvta) d.offset = window_offset(i);
    d.lanes = select_lane_function(i, sizes);
    if (d.lanes == nullptr) unsupported(i);
  }

  // Loads as an ordinary load would. What is loaded is passed on even where nobody reads it here.
  void prepare_receive_or_load(const Instruction& i, DecodedInstruction& d,
                               std::uint32_t& memory_instructions) {
    Instruction load = i;
    load.opcode = Opcode::kLd;
    d.warp = select_warp_function(load);
    d.number = memory_instructions++;
    d.touches_memory = true;
    d.address_bytes = static_cast<std::uint8_t>(bytes_of(i.sources[0], 8));
    if (d.destination[0] == kNoSlot) d.destination[0] = new_slot(size_of(i.type));
  }

  static std::int64_t window_offset(const Instruction& i) {
    std::uint64_t window = 0;
    if (i.space == Space::kShared) window = kSharedWindow;
    if (i.space == Space::kLocal) window = kLocalWindow;
    if (i.space == Space::kParam) window = kParamWindow;
    const auto offset = static_cast<std::int64_t>(window);
    return i.to_space ? -offset : offset;
  }

  const Program& program_;
  FunctionRef ref_;
  const Function& ir_;
  const Module& module_;
  const SharedLayout& shared_;
  FrameLayout layout_;
  std::unique_ptr<DecodedFunction> out_;
  std::uint32_t next_slot_ = 0;
  std::map<std::pair<std::uint64_t, int>, std::uint32_t> constants_;
};

}  // namespace

Handler handler_of(const Instruction& i) {
  switch (i.opcode) {
    case Opcode::kBra: return Handler::kBranch;
    case Opcode::kBrx: return Handler::kIndexedBranch;
    case Opcode::kCall: return Handler::kCall;
    case Opcode::kRet: return Handler::kReturn;
    case Opcode::kExit: return Handler::kExit;
    case Opcode::kTrap: return Handler::kTrap;
    case Opcode::kBar: return Handler::kBarrier;
    case Opcode::kWarpSync: return Handler::kSync;
    case Opcode::kItTag:
    case Opcode::kItReceiveConst:
    case Opcode::kItReceiveLoad: return Handler::kInterThread;
    case Opcode::kFence:
    case Opcode::kPrefetch:
    case Opcode::kBrkpt:
    case Opcode::kNanosleep:
    case Opcode::kCpAsyncWait: return Handler::kNothing;
    default: return Handler::kLaneLoop;
  }
}

std::unique_ptr<DecodedFunction> decode_function(const Program& program, FunctionRef ref,
                                                 const Function& body, const SharedLayout& shared,
                                                 FrameLayout layout,
                                                 std::uint32_t& memory_instructions) {
  return FunctionDecoder(program, ref, body, shared, std::move(layout)).run(memory_instructions);
}

}  // namespace raddle::kernel::exec
