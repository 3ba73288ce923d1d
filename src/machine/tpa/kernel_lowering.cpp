#include "machine/tpa/kernel_lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/demangle.h"
#include "base/error.h"
#include "kernel/analysis/call_inlining.h"
#include "kernel/analysis/cfg.h"
#include "kernel/analysis/liveness.h"
#include "kernel/exec/block_order.h"
#include "kernel/exec/shared_layout.h"
#include "machine/tpa/atomic_loops.h"
#include "machine/tpa/flow_splits.h"
#include "machine/tpa/kernel_operations.h"

namespace raddle::machine::tpa {

using kernel::BlockId;
using kernel::Function;
using kernel::Instruction;
using kernel::Opcode;
using kernel::RegisterId;

namespace {

constexpr Word kGranule = 4;  // bytes of device memory in a word

class KernelLowering {
 public:
  KernelLowering(const kernel::Program& program, const kernel::exec::Launch& launch,
                 const TpaParameters& parameters, bool may_split)
      : program_(program),
        launch_(launch),
        parameters_(parameters),
        module_(program.module(launch.kernel.module)),
        function_(flat(program, launch)),
        graph_(function_),
        liveness_(function_, graph_),
        may_split_(may_split && FlowSplits::may_gain(parameters, threads())) {}

  // Without calls, and with loops for the atomics that need them.
  static Function flat(const kernel::Program& program, const kernel::exec::Launch& launch) {
    Function function = kernel::inline_calls(program, launch.kernel, "a flow");
    put_atomics_into_loops(function);
    return function;
  }

  // Nothing if it might have room without splits.
  std::optional<LoweredKernel> run() {
    result_.program.files = module_.files;
    result_.program.files.front() = module_.name;
    find_order();
    allocate();
    std::vector<SplitRegion> regions;
    if (may_split_)
      regions = find_split_regions({function_, graph_, liveness_, order_, rank_, latch_, fixed_});
    place_memory();
    if (!place_splits(regions)) return std::nullopt;
    place_parameters();
    splits_.emplace(FlowSplits::Context{parameters_, threads(), result_.memory, latch_, blocks(),
                                        first_free_, result_.program.lines, registers_},
                    std::move(regions));
    splits_->choose(count_lines());
    lower_blocks();
    if (registers_ > kMaxFiberRegisters) {
      if (may_split_) return std::nullopt;
      refuse(fmt::format("it needs {} registers per thread, a fiber has {}", registers_,
                         kMaxFiberRegisters),
             function_.location);
    }
    result_.program.lines.front() = first_line();
    return std::move(result_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why, std::uint32_t location) const {
    throw Error(fmt::format("machine '{}' cannot run kernel '{}': {}", parameters_.name,
                            demangled(function_.name), why),
                module_.describe_location(location));
  }

  std::uint64_t threads() const { return launch_.grid.count() * launch_.block.count(); }
  std::uint32_t blocks() const { return static_cast<std::uint32_t>(order_.size()); }

  // Blocks in the order of their ranks, unreachable ones left out; latches and guards of loops.
  void find_order() {
    RADDLE_ASSERT(parameters_.multioperations && parameters_.optimised);  // see TpaMachine::traits
    const std::vector<std::uint32_t> ranks = kernel::exec::block_ranks(function_);
    order_ = graph_.reverse_post_order();
    std::sort(order_.begin(), order_.end(),
              [&](BlockId a, BlockId b) { return ranks[a] < ranks[b]; });
    rank_.assign(function_.blocks.size(), 0);
    for (std::uint32_t i = 0; i < order_.size(); ++i) rank_[order_[i]] = i;
    for (std::uint32_t i = 0; i < order_.size(); ++i)
      for (const BlockId next : graph_.successors(order_[i]))
        if (rank_[next] <= i) latch_[rank_[next]] = i;  // the last one decides
    std::set<std::uint32_t> latches;
    for (const auto& [header, latch] : latch_)
      if (!latches.insert(latch).second) refuse("two loops end in one block", function_.location);
    is_straight_ = order_.size() == 1;
    cuts_sums_ = has_sums_and_extremes();
  }

  // A sum may leave more than 32 bits in its word, which a minimum or maximum would see: then sums
  // are cut, in a step of their own.
  bool has_sums_and_extremes() const {
    bool has_sum = false;
    bool has_extreme = false;
    for (const BlockId block : order_) {
      for (const Instruction& i : function_.blocks[block].instructions) {
        if (i.opcode != Opcode::kAtom) continue;
        has_sum |= i.atomic == kernel::AtomicOp::kAdd;
        has_extreme |= i.atomic == kernel::AtomicOp::kMin || i.atomic == kernel::AtomicOp::kMax;
      }
    }
    return has_sum && has_extreme;
  }

  void place_memory() {
    KernelMemory& memory = result_.memory;
    for (const BlockId block : order_) {
      for (const Instruction& i : function_.blocks[block].instructions) {
        has_parameter_pointers_ |= i.opcode == Opcode::kCvta && i.space == kernel::Space::kParam;
        for (const kernel::Operand& source : i.sources) {
          if (source.kind != kernel::Operand::Kind::kSymbol ||
              source.symbol != kernel::SymbolKind::kVariable)
            continue;
          if (module_.variables[source.index].space == kernel::Space::kShared)
            shared_.add(module_, launch_.kernel.module, source.index);
        }
      }
    }
    shared_.finish();
    const auto rounded = [](std::uint64_t bytes) {
      return kernel::exec::round_up(bytes, std::uint64_t{16});
    };
    shared_bytes_ = rounded(rounded(shared_.size()) + launch_.dynamic_shared_bytes);
    local_bytes_ = rounded(function_.local_bytes());
    const kernel::DeviceMemory& device = program_.memory();
    const std::uint64_t top = kernel::kGlobalBase + device.capacity();
    if (const kernel::Allocation* last = device.nearest_below(top - 1))
      memory.global_bytes = rounded(last->address + last->bytes - kernel::kGlobalBase);
    memory.global = kFirstAddress + kWordBytes;  // after the word of reductions
    constexpr Word kScale = kWordBytes / kGranule;
    memory.shared = memory.global + memory.global_bytes * kScale;
    memory.local = memory.shared + shared_bytes_ * kScale * launch_.grid.count();
    memory.exchange = memory.local + local_bytes_ * kScale * threads();
    memory.parameters = memory.exchange + kWordBytes * threads();
    memory.end = memory.parameters + rounded(launch_.parameters.size()) * kScale;
    if (memory.end > parameters_.memory_bytes)
      throw Error(fmt::format("kernel '{}' needs {} bytes of shared memory on '{}', which has {}: "
                              "four bytes of device memory take a word",
                              demangled(function_.name), memory.end, parameters_.name,
                              parameters_.memory_bytes),
                  {}, "raise it with --set memory.bytes=…");
  }

  // After all the rest. False: they have no room.
  bool place_splits(const std::vector<SplitRegion>& regions) {
    if (regions.empty()) return true;
    KernelMemory& memory = result_.memory;
    memory.list = memory.end;
    memory.values = memory.list + kWordBytes * threads();
    memory.counts = memory.values + kWordBytes * threads() * FlowSplits::words_of(regions);
    memory.end = memory.counts + kWordBytes * parameters_.front.flows * parameters_.front.count;
    return memory.end <= parameters_.memory_bytes;
  }

  // For those that are read through pointers; others are constants of the code.
  void place_parameters() {
    Symbol symbol;
    symbol.name = "parameters";
    symbol.address = result_.memory.parameters;
    symbol.words = (launch_.parameters.size() + kGranule - 1) / kGranule;
    if (symbol.words == 0) return;
    for (std::uint64_t at = 0; at < launch_.parameters.size(); at += kGranule) {
      std::uint32_t word = 0;
      std::memcpy(&word, launch_.parameters.data() + at,
                  std::min<std::size_t>(kGranule, launch_.parameters.size() - at));
      symbol.initial.push_back(word);
    }
    result_.program.symbols.push_back(std::move(symbol));
  }

  // Registers that live from one block to another; what lives within a block comes after them.
  void allocate() {
    std::map<RegisterId, std::set<RegisterId>> near;
    const auto together = [&](const auto& live) {
      std::vector<RegisterId> all;
      for (RegisterId id = 0; id < function_.registers.size(); ++id)
        if (live.contains(id)) all.push_back(id);
      for (const RegisterId a : all) near[a].insert(all.begin(), all.end());
    };
    for (const BlockId block : order_) {
      together(liveness_.live_in(block));
      together(liveness_.live_out(block));
    }
    const std::uint32_t first = (may_split_ ? kPosition : kNextBlock) + 1;
    first_free_ = first;
    fixed_.assign(function_.registers.size(), kNoRegister);
    for (const auto& [id, others] : near) {
      std::set<std::uint32_t> taken;
      for (const RegisterId other : others)
        if (other != id && fixed_[other] != kNoRegister) taken.insert(fixed_[other]);
      std::uint32_t number = first;
      while (taken.contains(number)) ++number;
      fixed_[id] = number;
      first_free_ = std::max(first_free_, number + 1);
    }
  }

  static Subinstruction part(Unit unit, std::uint8_t operation, std::uint8_t number,
                             std::vector<Operand> operands) {
    Subinstruction result;
    result.unit = unit;
    result.operation = operation;
    result.number = number;
    result.count = static_cast<std::uint8_t>(operands.size());
    std::copy(operands.begin(), operands.end(), result.operands.begin());
    return result;
  }
  static Operand number_of(std::int64_t constant) { return {Source::kConstant, 0, constant}; }
  static Operand of(Source source, std::uint8_t number) { return {source, number, 0}; }

  Line first_line() const {
    Line line;
    line.parts.push_back(
        part(Unit::kSlot, 0, 0, {number_of(static_cast<std::int64_t>(threads()))}));
    line.parts.push_back(part(Unit::kFrontWrite, 0, kThicknessRegister, {of(Source::kSlot, 0)}));
    line.parts.push_back(
        part(Unit::kLayout, 0, static_cast<std::uint8_t>(std::max(1U, registers_)), {}));
    return line;
  }

  // By rank. What is known of splits already has no part in it.
  std::vector<std::uint32_t> count_lines() {
    std::vector<std::uint32_t> counts(order_.size(), 0);
    if (!may_split_) return counts;
    std::vector<Line>& lines = result_.program.lines;
    for (std::uint32_t rank = 0; rank < blocks(); ++rank) {
      lower_block(FlowKind::kLaunch, rank);
      counts[rank] = static_cast<std::uint32_t>(lines.size());
      lines.clear();
    }
    return counts;
  }

  void lower_blocks() {
    std::vector<Line>& lines = result_.program.lines;
    lines.push_back({});  // the thickness and the layout, when it is known
    splits_->begin_launch();
    for (std::uint32_t rank = 0; rank < blocks(); ++rank) lower_with_jumps(FlowKind::kLaunch, rank);
    splits_->begin_block(FlowKind::kLaunch, blocks());
    if (!splits_->empty()) {
      splits_->front().exit();
      for (std::uint32_t rank = 0; rank < blocks(); ++rank) {
        if (splits_->is_within(rank)) {
          lower_with_jumps(FlowKind::kSplitOff, rank);
        } else {
          splits_->begin_block(FlowKind::kSplitOff, rank);
        }
      }
      splits_->begin_block(FlowKind::kSplitOff, blocks());
      splits_->front().exit();
    }
    splits_->finish();
  }

  void lower_with_jumps(FlowKind kind, std::uint32_t rank) {
    splits_->begin_block(kind, rank);
    const Place place = lower_block(kind, rank);
    splits_->front().set_place(place);
    splits_->end_block(kind, rank);
  }

  Place lower_block(FlowKind kind, std::uint32_t rank) {
    const BlockId block = order_[rank];
    const std::size_t start = result_.program.lines.size();
    FiberCode code;
    if (kind == FlowKind::kSplitOff) code.set_thread_register(kThread);
    const ValueId next = is_straight_ ? kNoValue : code.in_register(kNextBlock);
    const ValueId mask = rank == 0 && !latch_.contains(0)
                             ? kNoValue
                             : code.alu(AluOperation::kSeq, {next, code.constant(rank)});
    KernelOperations operations(
        code, {.program = program_,
               .module = module_,
               .function = function_,
               .launch = launch_,
               .memory = result_.memory,
               .shared = shared_,
               .shared_bytes = shared_bytes_,
               .local_bytes = local_bytes_,
               .fixed = fixed_,
               .mask = mask,
               .has_parameter_pointers = has_parameter_pointers_,
               .cuts_sums = cuts_sums_,
               .refuse = [this](const std::string& why, std::uint32_t at) { refuse(why, at); }});
    const std::vector<Instruction>& instructions = function_.blocks[block].instructions;
    ValueId target = code.constant(rank + 1 < order_.size() && block + 1 < rank_.size()
                                       ? following(block)
                                       : static_cast<std::int64_t>(order_.size()));
    Place place;
    for (const Instruction& i : instructions) {
      place = place_of(i.location);
      code.set_place(place);
      if (!kernel::ends_block(i)) {
        operations.lower(i);
        continue;
      }
      target = leave(i, code, operations, target);
    }
    // What is wanted later goes to its registers, for the fibers that were here.
    for (const auto& [id, value] : operations.values()) {
      if (fixed_[id] == kNoRegister || !liveness_.live_out(block).contains(id)) continue;
      const ValueId old = code.in_register(fixed_[id]);
      code.assign(fixed_[id],
                  mask == kNoValue ? value : code.alu(AluOperation::kSel, {mask, value, old}));
    }
    if (!is_straight_) {
      const ValueId now =
          mask == kNoValue ? target : code.alu(AluOperation::kSel, {mask, target, next});
      code.assign(kNextBlock, now);
      if (const ValueId count = counted(code, rank, now); count != kNoValue)
        code.memory(MemoryOperation::kBackendFrontend, Operator::kAdd,
                    {count, code.constant(static_cast<std::int64_t>(kFirstAddress))});
    }
    code.pack(first_free_, result_.program.lines, registers_);
    if (mask != kNoValue) mark_masked(rank, start);
    return place;
  }

  // What the frontend is to know the sum of at the end of the block.
  ValueId counted(FiberCode& code, std::uint32_t rank, ValueId now) const {
    if (const SplitRegion* const region = splits_->region_after(rank))
      return FlowSplits::counted(code, *region, now);
    for (const auto& [header, latch] : latch_)
      if (latch == rank) return code.alu(AluOperation::kSeq, {now, code.constant(header)});
    return kNoValue;
  }

  void mark_masked(std::uint32_t rank, std::size_t start) {
    std::vector<Line>& lines = result_.program.lines;
    for (std::size_t i = start; i < lines.size(); ++i)
      lines[i].mask = FiberMask{.block = rank, .begins = i == start};
  }

  std::int64_t following(BlockId block) const { return rank_[block + 1]; }

  // Where control goes after the block.
  ValueId leave(const Instruction& i, FiberCode& code, KernelOperations& operations,
                ValueId otherwise) {
    std::int64_t where = 0;
    switch (i.opcode) {
      case Opcode::kBra: where = rank_[i.targets[0]]; break;
      case Opcode::kBrx: return chosen(i, code, operations, otherwise);
      case Opcode::kRet:
      case Opcode::kExit: where = static_cast<std::int64_t>(order_.size()); break;
      default: refuse(fmt::format("'{}' is not supported", name_of(i.opcode)), i.location);
    }
    const ValueId there = code.constant(where);
    if (!i.guard.present()) return there;
    return code.alu(AluOperation::kSel, {operations.guard(i), there, otherwise});
  }

  // brx.idx: one of a list of targets.
  ValueId chosen(const Instruction& i, FiberCode& code, KernelOperations& operations,
                 ValueId otherwise) {
    const ValueId index = operations.operand(i, 0);
    ValueId where = code.constant(rank_[i.targets.back()]);
    for (std::size_t t = 0; t + 1 < i.targets.size(); ++t) {
      const ValueId is_it =
          code.alu(AluOperation::kSeq, {index, code.constant(static_cast<std::int64_t>(t))});
      where = code.alu(AluOperation::kSel, {is_it, code.constant(rank_[i.targets[t]]), where});
    }
    if (!i.guard.present()) return where;
    return code.alu(AluOperation::kSel, {operations.guard(i), where, otherwise});
  }

  Place place_of(std::uint32_t location) const {
    const kernel::SourceLocation& where = module_.locations[location];
    return {where.file, where.line};
  }

  const kernel::Program& program_;
  const kernel::exec::Launch& launch_;
  const TpaParameters& parameters_;
  const kernel::Module& module_;
  const Function function_;
  kernel::ControlFlowGraph graph_;
  kernel::Liveness liveness_;
  LoweredKernel result_;
  std::vector<BlockId> order_;
  std::vector<std::uint32_t> rank_;               // by block
  std::map<std::uint32_t, std::uint32_t> latch_;  // by rank of a loop's header
  std::vector<std::uint32_t> fixed_;              // by register of the kernel
  std::uint32_t first_free_ = 0;
  std::uint32_t registers_ = 0;
  kernel::exec::SharedLayout shared_;
  std::uint64_t shared_bytes_ = 0, local_bytes_ = 0;
  bool is_straight_ = false;
  bool cuts_sums_ = false;
  bool has_parameter_pointers_ = false;
  bool may_split_ = false;
  std::optional<FlowSplits> splits_;
};

}  // namespace

LoweredKernel lower_kernel(const kernel::Program& program, const kernel::exec::Launch& launch,
                           const TpaParameters& parameters) {
  if (auto lowered = KernelLowering(program, launch, parameters, true).run())
    return *std::move(lowered);
  return *KernelLowering(program, launch, parameters, false).run();
}

}  // namespace raddle::machine::tpa
