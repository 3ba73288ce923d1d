#include "kernel/analysis/call_inlining.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "base/demangle.h"
#include "base/error.h"
#include "kernel/analysis/call_slots.h"

namespace raddle::kernel {

namespace {

// The size of a kernel with everything inlined; larger ones would take hours to map.
constexpr std::size_t kMaxInstructions = 50'000;

template <typename Visitor>
void for_each_operand(Instruction& i, Visitor visit) {
  for (Operand& operand : i.destinations) visit(operand);
  for (Operand& operand : i.sources) visit(operand);
}

std::size_t size_of_code(const Function& function) {
  std::size_t size = 0;
  for (const Block& block : function.blocks) size += block.instructions.size();
  return size;
}

bool same_sizes(const std::vector<Slot>& a, const std::vector<Slot>& b) {
  return std::ranges::equal(a, b, {}, &Slot::size, &Slot::size);
}

// A function that a call may go to. `address`: of its code, if that is to be compared.
struct Arm {
  Function body;
  std::uint64_t address = 0;
};

// Puts what is called in the place of one call.
class Splicer {
 public:
  Splicer(Function& caller, BlockId block, std::size_t place)
      : caller_(caller), block_(block), call_(caller.blocks[block].instructions[place]) {
    auto& code = caller.blocks[block].instructions;
    const auto at = code.begin() + static_cast<std::ptrdiff_t>(place);
    after_.label = fmt::format("{}_after{}", caller.blocks[block].label, caller.blocks.size());
    after_.instructions.assign(std::make_move_iterator(at + 1),
                               std::make_move_iterator(code.end()));
    code.erase(at, code.end());
  }

  // Returns the block with what follows the call.
  BlockId run(std::vector<Arm> arms) {
    const bool is_indirect = call_.sources[0].is_register();
    std::size_t blocks = is_indirect ? 1 : 0;  // for an address that is nobody's
    for (const Arm& arm : arms) blocks += arm.body.blocks.size() + (is_indirect ? 1 : 0);
    end_ = block_ + 1 + static_cast<BlockId>(blocks);
    for (Block& block : caller_.blocks) move_targets(block);
    move_targets(after_);
    if (call_.guard.present()) {
      Instruction skip = branch_to(end_);
      skip.guard = {call_.guard.predicate, !call_.guard.negated};
      caller_.blocks[block_].instructions.push_back(std::move(skip));
    }
    for (Arm& arm : arms) {
      if (is_indirect) add_test(arm);
      add_body(arm.body);
    }
    if (is_indirect) {
      Instruction trap = made(Opcode::kTrap);
      fresh_.push_back({"", {std::move(trap)}});
    }
    fresh_.push_back(std::move(after_));
    caller_.blocks.insert(caller_.blocks.begin() + block_ + 1,
                          std::make_move_iterator(fresh_.begin()),
                          std::make_move_iterator(fresh_.end()));
    for (BlockId b = block_ + 1; b < end_; ++b)
      caller_.blocks[b].label = fmt::format("call{}_{}", caller_.blocks.size(), b);
    return end_;
  }

 private:
  Instruction made(Opcode opcode) const {
    Instruction i;
    i.opcode = opcode;
    i.location = call_.location;
    return i;
  }
  Instruction branch_to(BlockId target) const {
    Instruction branch = made(Opcode::kBra);
    branch.targets = {target};
    return branch;
  }
  BlockId next_block() const { return block_ + 1 + static_cast<BlockId>(fresh_.size()); }

  void move_targets(Block& block) const {
    if (block.instructions.empty()) return;
    for (BlockId& target : block.instructions.back().targets) {
      if (target > block_) target += end_ - block_;
    }
  }

  void add_test(const Arm& arm) {
    const auto differs = static_cast<RegisterId>(caller_.registers.size());
    caller_.registers.push_back({fmt::format("callee{}", differs), Type::kPred});
    Instruction compare = made(Opcode::kSetp);
    compare.type = Type::kU64;
    compare.compare = Compare::kNe;
    compare.destinations = {Operand::reg(differs)};
    compare.sources = {call_.sources[0], Operand::immediate(arm.address)};
    Instruction skip = branch_to(next_block() + 1 + static_cast<BlockId>(arm.body.blocks.size()));
    skip.guard = {differs, false};
    fresh_.push_back({"", {std::move(compare), std::move(skip)}});
  }

  // A parameter or result of the callee is the caller's slot for it; one that the call leaves out
  // has a slot of its own.
  static std::vector<std::uint32_t> slots_of(Function& caller, const std::vector<Slot>& formal,
                                             const std::vector<std::uint32_t>& actual) {
    std::vector<std::uint32_t> slots = actual;
    for (std::size_t s = slots.size(); s < formal.size(); ++s) {
      slots.push_back(static_cast<std::uint32_t>(caller.call_slots.size()));
      caller.call_slots.push_back(formal[s]);
    }
    return slots;
  }

  void add_body(Function& body) {
    const BlockId first = next_block();
    const auto registers = static_cast<RegisterId>(caller_.registers.size());
    const auto locals = static_cast<std::uint32_t>(caller_.locals.size());
    const auto parameters = slots_of(caller_, body.parameters, call_.call.arguments);
    const auto results = slots_of(caller_, body.return_values, call_.call.returns);
    const auto slots = static_cast<std::uint32_t>(caller_.call_slots.size());
    const auto rename = [&](Operand& operand) {
      if (operand.is_register()) operand.index += registers;
      if (operand.kind != Operand::Kind::kSymbol) return;
      switch (operand.symbol) {
        case SymbolKind::kLocal: operand.index += locals; break;
        case SymbolKind::kCallSlot: operand.index += slots; break;
        case SymbolKind::kParameter:
          operand.index = parameters[operand.index];
          operand.symbol = SymbolKind::kCallSlot;
          break;
        case SymbolKind::kReturnValue:
          operand.index = results[operand.index];
          operand.symbol = SymbolKind::kCallSlot;
          break;
        default: break;
      }
    };
    for (Block& block : body.blocks) {
      for (Instruction& i : block.instructions) {
        if (i.guard.present()) i.guard.predicate += registers;
        for_each_operand(i, rename);
        for (BlockId& target : i.targets) target += first;
        for (std::uint32_t& slot : i.call.arguments) slot += slots;
        for (std::uint32_t& slot : i.call.returns) slot += slots;
        // By a pointer to its own parameters, which are local memory then (call_slots.h).
        if (i.space == Space::kParam && i.sources[0].is_register()) i.space = Space::kLocal;
        if (i.location == 0) i.location = call_.location;
        if (i.opcode != Opcode::kRet) continue;
        i.opcode = Opcode::kBra;
        i.targets = {end_};
      }
      fresh_.push_back(std::move(block));
    }
    std::ranges::copy(body.registers, std::back_inserter(caller_.registers));
    std::ranges::copy(body.locals, std::back_inserter(caller_.locals));
    std::ranges::copy(body.call_slots, std::back_inserter(caller_.call_slots));
  }

  Function& caller_;
  BlockId block_;
  Instruction call_;
  Block after_;
  BlockId end_ = 0;           // where `after_` will be
  std::vector<Block> fresh_;  // from block_ + 1 on
};

class Inliner {
 public:
  Inliner(const Program& program, FunctionRef kernel, std::string_view target)
      : program_(program), kernel_(kernel), target_(target) {}

  Function run() { return expanded(kernel_); }

 private:
  Function expanded(FunctionRef ref) {
    within_.push_back(ref);
    Function function = program_.function(ref);
    if (ref.module != kernel_.module) use_addresses(function, ref.module);
    for (BlockId b = 0; b < function.blocks.size(); ++b) {
      for (std::size_t i = 0; i < function.blocks[b].instructions.size(); ++i) {
        Instruction& call = function.blocks[b].instructions[i];
        if (call.opcode != Opcode::kCall) continue;
        std::vector<Arm> arms = arms_of(call, ref.module);
        if (arms.empty()) {
          use_own_library(call, ref.module);
          continue;
        }
        std::size_t size = size_of_code(function);
        for (const Arm& arm : arms) size += size_of_code(arm.body);
        if (size > kMaxInstructions) refuse_size(call, ref.module);
        b = Splicer(function, b, i).run(std::move(arms)) - 1;
        break;
      }
    }
    within_.pop_back();
    return function;
  }

  std::vector<Arm> arms_of(const Instruction& call, std::uint32_t module) {
    std::vector<Arm> arms;
    if (call.sources[0].kind == Operand::Kind::kSymbol) {
      const SystemFunction system = program_.system_function(module, call.sources[0].index);
      const FunctionRef callee = program_.resolve_function(module, call.sources[0].index);
      if (system == SystemFunction::kUnresolved) {
        throw Error(fmt::format("the function {} is not defined",
                                demangled(program_.function(callee).name)),
                    where(call, module));
      }
      if (system == SystemFunction::kNone) arms.push_back({body_of(callee, call, module)});
      return arms;
    }
    for (const FunctionRef callee : program_.address_taken_functions()) {
      const Function& function = program_.function(callee);
      if (function.is_entry || function.is_declaration || !fits(function, call, module)) continue;
      arms.push_back({body_of(callee, call, module), program_.code_address(callee)});
    }
    if (arms.empty()) {
      throw Error(fmt::format("kernel '{}' calls through a pointer, and no function whose address "
                              "is taken has that signature",
                              kernel_name()),
                  where(call, module));
    }
    return arms;
  }

  bool fits(const Function& function, const Instruction& call, std::uint32_t module) const {
    if (call.call.prototype == kNoId)
      return call.call.arguments.size() == function.parameters.size() &&
             call.call.returns.size() == function.return_values.size();
    const Prototype& wanted = program_.module(module).prototypes[call.call.prototype];
    return same_sizes(wanted.parameters, function.parameters) &&
           same_sizes(wanted.return_values, function.return_values);
  }

  Function body_of(FunctionRef callee, const Instruction& call, std::uint32_t module) {
    if (std::ranges::find(within_, callee) != within_.end()) {
      throw Error(fmt::format("kernel '{}' calls {}, which may call itself, and {} does not "
                              "support recursion",
                              kernel_name(), demangled(program_.function(callee).name), target_),
                  where(call, module), "recursion runs on ref and on the SIMT machines");
    }
    return expanded(callee);
  }

  // What another module calls by its own numbers, as everybody knows it.
  void use_addresses(Function& function, std::uint32_t module) const {
    for (Block& block : function.blocks) {
      for (Instruction& i : block.instructions) {
        i.location = 0;
        for (Operand& source : i.sources) {
          if (source.kind != Operand::Kind::kSymbol) continue;
          if (source.symbol == SymbolKind::kFunction && i.opcode != Opcode::kCall)
            source = Operand::immediate(
                program_.code_address(program_.resolve_function(module, source.index)));
          if (source.symbol != SymbolKind::kVariable || source.kind != Operand::Kind::kSymbol)
            continue;
          const Variable& variable = program_.module(module).variables[source.index];
          if (variable.space == Space::kShared) {
            throw Error(fmt::format("kernel '{}' calls {}, which has shared memory of its own in "
                                    "another file, and {} does not support that",
                                    kernel_name(), demangled(function.name), target_),
                        program_.module(module).name, "define both in one file");
          }
          source =
              Operand::immediate(program_.variable_address(module, source.index) + source.bits);
        }
      }
    }
  }

  // A call of the device library, as the kernel's module declares it.
  void use_own_library(Instruction& call, std::uint32_t module) const {
    const auto& own = program_.module(kernel_.module).functions;
    const std::string& name = program_.module(module).functions[call.sources[0].index].name;
    const auto found = std::ranges::find(own, name, &Function::name);
    if (found == own.end()) {
      throw Error(fmt::format("kernel '{}' calls {} in another file and not in its own, and "
                              "{} does not support that",
                              kernel_name(), demangled(name), target_),
                  program_.module(module).name, "define both in one file");
    }
    call.sources[0].index = static_cast<std::uint32_t>(found - own.begin());
  }

  [[noreturn]] void refuse_size(const Instruction& call, std::uint32_t module) const {
    throw Error(fmt::format("kernel '{}' has more than {} instructions with all that it calls",
                            kernel_name(), kMaxInstructions),
                where(call, module), fmt::format("{} inlines every call", target_));
  }

  std::string kernel_name() const { return demangled(program_.function(kernel_).name); }
  std::string where(const Instruction& call, std::uint32_t module) const {
    return program_.module(module).describe_location(call.location);
  }

  const Program& program_;
  FunctionRef kernel_;
  std::string_view target_;
  std::vector<FunctionRef> within_;  // functions that are being expanded, the kernel first
};

bool has_calls(const Function& function) {
  return std::ranges::any_of(function.blocks, [](const Block& block) {
    return std::ranges::any_of(block.instructions,
                               [](const Instruction& i) { return i.opcode == Opcode::kCall; });
  });
}

}  // namespace

Function inline_calls(const Program& program, FunctionRef kernel, std::string_view target) {
  Function function = program.function(kernel);
  if (!has_calls(function)) return function;
  function = Inliner(program, kernel, target).run();
  keep_slots_in_registers(function);
  return function;
}

}  // namespace raddle::kernel
