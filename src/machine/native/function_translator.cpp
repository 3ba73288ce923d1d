#include "machine/native/function_translator.h"

#include <cstddef>

#include "kernel/analysis/liveness.h"
#include "kernel/analysis/uniformity.h"
#include "kernel/exec/compiled_code.h"
#include "kernel/special_registers.h"

namespace raddle::machine::native {

using kernel::BlockId;
using kernel::Opcode;
using kernel::Operand;
using kernel::exec::CompiledState;
using kernel::exec::DecodedInstruction;
using kernel::exec::Handler;

namespace {

// The clock says how many instructions were executed before: the interpreter knows.
bool reads_clock(const DecodedInstruction& d) {
  return d.ir->opcode == Opcode::kMov && d.ir->sources[0].kind == Operand::Kind::kSpecial &&
         kernel::is_clock(d.ir->sources[0].special);
}

}  // namespace

std::vector<bool> uniform_registers(const kernel::exec::DecodedFunction& function) {
  std::vector<bool> uniform(function.ir->registers.size(), false);
  if (!function.ir->is_entry) return uniform;
  const kernel::ControlFlowGraph graph(*function.ir);
  const kernel::Liveness liveness(*function.ir, graph);
  const kernel::UniformityAnalysis analysis(*function.ir, graph, liveness);
  // Lanes that wait for each other apart, or that take turns at polling, may come to one place in
  // different rounds of a loop.
  for (const DecodedInstruction& d : function.code) {
    const bool waits = d.handler == Handler::kBarrier || d.handler == Handler::kSync ||
                       d.handler == Handler::kCall || d.handler == Handler::kInterThread;
    if (d.polls || (waits && analysis.of_block(d.block) == kernel::Uniformity::kDivergent))
      return uniform;
  }
  for (kernel::RegisterId id = 0; id < uniform.size(); ++id)
    uniform[id] = analysis.of_register(id) != kernel::Uniformity::kDivergent;
  return uniform;
}

FunctionTranslator::FunctionTranslator(const kernel::exec::DecodedFunction& function,
                                       std::string name)
    : function_(function),
      name_(std::move(name)),
      uniform_(uniform_registers(function)),
      registers_(text_, function, uniform_),
      operations_(text_, registers_),
      memory_(text_, registers_, operations_, function,
              [this](const Decoded& d) { carry_out_aside(d); }) {}

// Control may go to the interpreter here.
bool FunctionTranslator::leaves_at(const DecodedInstruction& d) const {
  switch (d.handler) {
    case Handler::kLaneLoop:
    case Handler::kWarp: return reads_clock(d);
    case Handler::kNothing: return false;
    default: return true;
  }
}

// Blocks, and what follows an instruction that the interpreter executes. A block that begins with
// such an instruction is the interpreter's.
void FunctionTranslator::find_entries() {
  entries_.assign(function_.code.size(), false);
  const auto can_begin = [&](std::uint32_t pc) {
    const DecodedInstruction& d = function_.code[pc];
    return !leaves_at(d) || d.handler == Handler::kBranch || d.handler == Handler::kSync;
  };
  for (const kernel::exec::DecodedBlock& block : function_.blocks) {
    for (std::uint32_t pc = block.first; pc < block.end; ++pc) {
      // The interpreter goes on to the end of the block after an exchange between lanes.
      const bool begins = pc == block.first || (leaves_at(function_.code[pc - 1]) &&
                                                function_.code[pc - 1].handler != Handler::kSync);
      entries_[pc] = begins && can_begin(pc);
    }
  }
}

// What has to be in the frame where control may leave.
void FunctionTranslator::find_needed() {
  const kernel::ControlFlowGraph graph(*function_.ir);
  const kernel::Liveness liveness(*function_.ir, graph);
  needed_.resize(function_.code.size());
  needed_after_.resize(function_.blocks.size());
  for (BlockId b = 0; b < function_.blocks.size(); ++b) {
    const kernel::exec::DecodedBlock& block = function_.blocks[b];
    BitSet live = liveness.live_out(b);
    live.for_each([&](std::uint32_t id) { needed_after_[b].push_back(id); });
    for (std::uint32_t pc = block.end; pc-- > block.first;) {
      const DecodedInstruction& d = function_.code[pc];
      if (!kernel::is_partial_write(*d.ir))
        kernel::for_each_def(*d.ir, [&](kernel::RegisterId id) { live.erase(id); });
      kernel::for_each_use(*d.ir, [&](kernel::RegisterId id) { live.insert(id); });
      if (leaves_at(d)) live.for_each([&](std::uint32_t id) { needed_[pc].push_back(id); });
    }
  }
}

std::string FunctionTranslator::label_of(std::uint32_t pc) const {
  return fmt::format("{}{}", all_lanes_ ? "all" : "some", pc);
}

std::string FunctionTranslator::translate() {
  find_entries();
  find_needed();
  prologue();
  variant(true);
  variant(false);
  return fmt::format("define void @{}(ptr noalias %state) #0 {{\n{}}}\n", name_, text_.text());
}

void FunctionTranslator::prologue() {
  text_.label("begin");
  const auto field = [&](const char* name, const char* type, std::size_t offset) {
    text_.line("%{}_at = getelementptr i8, ptr %state, i64 {}", name, offset);
    text_.line("%{0} = load {1}, ptr %{0}_at, align 4", name, type);
  };
  field("frame", "ptr", offsetof(CompiledState, frame));
  field("global", "ptr", offsetof(CompiledState, global));
  field("global_bytes", "i64", offsetof(CompiledState, global_bytes));
  field("shared", "ptr", offsetof(CompiledState, shared));
  field("shared_bytes", "i64", offsetof(CompiledState, shared_bytes));
  field("parameters", "ptr", offsetof(CompiledState, parameters));
  field("budget", "i64", offsetof(CompiledState, budget));
  field("carry_out", "ptr", offsetof(CompiledState, carry_out));
  field("pc", "i32", offsetof(CompiledState, pc));
  field("mask", "i32", offsetof(CompiledState, mask));
  field("live", "i32", offsetof(CompiledState, live));
  field("rank_limit", "i32", offsetof(CompiledState, rank_limit));
  text_.line("%at_instruction_at = getelementptr i8, ptr %state, i64 {}",
             offsetof(CompiledState, at_instruction));
  text_.line("%left = alloca i64");
  text_.line("store i64 %budget, ptr %left");
  text_.line("%others = xor i32 %mask, -1");
  text_.line("%lanes = bitcast i32 %mask to <32 x i1>");
  text_.line("%first = call i32 @llvm.cttz.i32(i32 %mask, i1 false)");
  text_.line("%whole = icmp eq i32 %mask, -1");
  text_.line("%missing_bits = and i32 %live, %others");
  text_.line("%complete = icmp eq i32 %missing_bits, 0");
  text_.line("br i1 %whole, label %all, label %some");
}

void FunctionTranslator::variant(bool all_lanes) {
  all_lanes_ = all_lanes;
  text_.label(all_lanes ? "all" : "some");
  std::string cases;
  for (std::uint32_t pc = 0; pc < entries_.size(); ++pc) {
    if (entries_[pc]) cases += fmt::format(" i32 {}, label %{}", pc, label_of(pc));
  }
  text_.line("switch i32 %pc, label %{}out [{} ]", all_lanes ? "all" : "some", cases);
  text_.label(all_lanes ? "allout" : "someout");
  hand_over(0, false);  // nobody comes here
  for (BlockId b = 0; b < function_.blocks.size(); ++b) block(b);
}

// Stops before this instruction, or before the block that begins with it.
void FunctionTranslator::hand_over(std::uint32_t pc, bool at_instruction) {
  text_.line("store i32 {}, ptr %pc_at", pc);
  text_.line("store i32 {}, ptr %at_instruction_at", at_instruction ? 1 : 0);
  const std::string left = text_.op("load i64, ptr %left");
  text_.line("store i64 {}, ptr %budget_at", left);
  text_.line("ret void");
}

void FunctionTranslator::block(BlockId id) {
  const kernel::exec::DecodedBlock& block = function_.blocks[id];
  for (std::uint32_t pc = block.first; pc < block.end; ++pc) {
    if (!entries_[pc]) continue;
    text_.label(label_of(pc));
    if (pc == block.first) {
      const std::string left = text_.op("load i64, ptr %left");
      const std::string less = text_.op("sub i64 {}, {}", left, block.end - block.first);
      text_.line("store i64 {}, ptr %left", less);
    }
    straight_line(pc);
  }
}

void FunctionTranslator::straight_line(std::uint32_t pc) {
  registers_.begin(all_lanes_);
  const BlockId id = function_.code[pc].block;
  const kernel::exec::DecodedBlock& block = function_.blocks[id];
  bool polled = false;
  for (std::uint32_t p = block.first; p < block.end; ++p) polled |= function_.code[p].polls;
  for (; pc < block.end; ++pc) {
    const DecodedInstruction& d = function_.code[pc];
    if (d.handler == Handler::kNothing) continue;
    if (d.handler == Handler::kBranch) {
      branch(pc);
      return;
    }
    if (d.handler == Handler::kSync && !d.guarded) {
      // All lanes of the warp that live are here: nobody waits.
      write_back(pc);
      const std::string met = text_.fresh_label("met");
      const std::string apart = text_.fresh_label("apart");
      text_.line("br i1 %complete, label %{}, label %{}", met, apart);
      text_.label(apart);
      hand_over(pc, true);
      text_.label(met);
      if (d.ir->opcode != Opcode::kWarpSync) carry_out(d);
      continue;
    }
    if (leaves_at(d)) {
      write_back(pc);
      hand_over(pc, true);
      return;
    }
    const bool done =
        d.handler == Handler::kLaneLoop ? operations_.translate(d) : memory_.translate(d);
    done ? ++translated_ : ++carried_out_;
    if (!done) carry_out(d);
  }
  for (const kernel::RegisterId register_id : needed_after_[id]) registers_.settle(register_id);
  go_to(id + 1, polled);
}

void FunctionTranslator::write_back(std::uint32_t pc) {
  for (const kernel::RegisterId id : needed_[pc]) registers_.settle(id);
}

void FunctionTranslator::call_interpreter(const DecodedInstruction& d) {
  std::string active = all_lanes_ ? "-1" : "%mask";
  if (d.guarded) {
    const Value guard = text_.spread(operations_.guard(d));
    const std::string word = text_.op("bitcast <32 x i1> {} to i32", guard.text);
    active = text_.op("and i32 {}, {}", word, active);
  }
  const std::string left = text_.op("load i64, ptr %left");
  text_.line("store i64 {}, ptr %budget_at", left);  // should the launch end here
  text_.line("call void %carry_out(ptr %state, i32 {}, i32 {})", pc_of(d), active);
}

// By the interpreter, in the main path.
void FunctionTranslator::carry_out(const DecodedInstruction& d) {
  kernel::for_each_use(*d.ir, [&](kernel::RegisterId id) { registers_.settle(id); });
  kernel::for_each_def(*d.ir, [&](kernel::RegisterId id) { registers_.settle(id); });
  call_interpreter(d);
  kernel::for_each_def(*d.ir, [&](kernel::RegisterId id) { registers_.forget(id); });
}

// The same where most runs do not come along: what is known of registers stays as it is.
void FunctionTranslator::carry_out_aside(const DecodedInstruction& d) {
  kernel::for_each_use(*d.ir, [&](kernel::RegisterId id) { registers_.spill(id); });
  kernel::for_each_def(*d.ir, [&](kernel::RegisterId id) { registers_.spill(id); });
  call_interpreter(d);
}

void FunctionTranslator::branch(std::uint32_t pc) {
  const DecodedInstruction& d = function_.code[pc];
  write_back(pc);
  bool polled = false;
  const kernel::exec::DecodedBlock& block = function_.blocks[d.block];
  for (std::uint32_t p = block.first; p < block.end; ++p) polled |= function_.code[p].polls;
  if (!d.guarded) {
    go_to(d.ir->targets[0], polled);
    return;
  }
  const std::string taken = text_.fresh_label("taken");
  const std::string next = text_.fresh_label("next");
  const Value guard = operations_.guard(d);
  if (guard.uniform) {
    text_.line("br i1 {}, label %{}, label %{}", guard.text, taken, next);
  } else {
    const std::string word = text_.op("bitcast <32 x i1> {} to i32", guard.text);
    const std::string ours = all_lanes_ ? word : text_.op("and i32 {}, %mask", word);
    const std::string all = text_.op("icmp eq i32 {}, {}", ours, all_lanes_ ? "-1" : "%mask");
    const std::string none = text_.op("icmp eq i32 {}, 0", ours);
    const std::string not_all = text_.fresh_label("notall");
    const std::string parted = text_.fresh_label("parted");
    text_.line("br i1 {}, label %{}, label %{}", all, taken, not_all);
    text_.label(not_all);
    text_.line("br i1 {}, label %{}, label %{}", none, next, parted);
    text_.label(parted);
    hand_over(pc, true);
  }
  text_.label(taken);
  go_to(d.ir->targets[0], polled);
  text_.label(next);
  go_to(d.block + 1, polled);
}

// After a block that polls the interpreter looks whether lanes get anywhere.
void FunctionTranslator::go_to(BlockId target, bool polled) {
  if (target == function_.blocks.size()) {
    text_.line("unreachable");  // the verifier lets no function end without ret or exit
    return;
  }
  const std::uint32_t first = function_.blocks[target].first;
  if (polled || !entries_[first]) {
    hand_over(first, false);
    return;
  }
  const std::string left = text_.op("load i64, ptr %left");
  const std::string some = text_.op("icmp sgt i64 {}, 0", left);
  const std::string free =
      text_.op("icmp ult i32 {}, %rank_limit", function_.order[function_.code[first].block]);
  const std::string on = text_.op("and i1 {}, {}", some, free);
  const std::string out = text_.fresh_label("out");
  text_.line("br i1 {}, label %{}, label %{}", on, label_of(first), out);
  text_.label(out);
  hand_over(first, false);
}

}  // namespace raddle::machine::native
