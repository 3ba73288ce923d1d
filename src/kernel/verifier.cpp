#include "kernel/verifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "base/error.h"
#include "base/stop_token.h"
#include "kernel/analysis/cfg.h"
#include "kernel/analysis/def_use.h"
#include "kernel/verify/context.h"

namespace raddle::kernel {
namespace {

class ModuleVerifier {
 public:
  ModuleVerifier(const Module& module, std::vector<VerifierMessage>& messages)
      : module_(module), context_(module, messages) {}

  void run() {
    check_tables();
    for (const Variable& variable : module_.variables) check_variable(variable);
    std::set<std::string_view> defined;
    for (const Function& function : module_.functions) {
      context_.enter_function(function);
      if (!function.is_declaration && !defined.insert(function.name).second)
        context_.report("is defined twice");
      check_function(function);
    }
  }

 private:
  // --- tables and variables ----------------------------------------------------------------------------------------------

  void check_tables() {
    if (module_.files.empty() || !module_.files[0].empty()) {
      context_.report_module("file 0 stands for an unknown file and must be empty");
    }
    if (module_.locations.empty() || module_.locations[0] != SourceLocation{}) {
      context_.report_module("location 0 stands for an unknown place and must be empty");
    }
    for (std::size_t i = 0; i < module_.locations.size(); ++i) {
      const SourceLocation& place = module_.locations[i];
      if (place.file >= module_.files.size()) {
        context_.report_module(fmt::format("location {}: file {} does not exist", i, place.file));
      }
      if (place.inlined_at != kNoId && place.inlined_at >= module_.locations.size()) {
        context_.report_module(
            fmt::format("location {}: location {} does not exist", i, place.inlined_at));
      }
    }
  }

  void check_variable(const Variable& variable) {
    const auto report = [&](const std::string& what) {
      context_.report_module(fmt::format("@{}: {}", variable.name, what));
    };
    if (variable.space != Space::kGlobal && variable.space != Space::kConst &&
        variable.space != Space::kShared) {
      report("a variable of a module lies in global, const or shared memory");
    }
    if (!std::has_single_bit(variable.alignment)) {
      report(fmt::format("the alignment {} is not a power of two", variable.alignment));
    }
    if (variable.initial.size() > variable.size) {
      report(fmt::format("the initialiser of {} bytes is longer than the variable's {}",
                         variable.initial.size(), variable.size));
    }
    const bool initialised = !variable.initial.empty() || !variable.relocations.empty();
    if (initialised && variable.space == Space::kShared)
      report("shared memory cannot be initialised");
    if (initialised && variable.linkage == Linkage::kExtern)
      report("an extern variable cannot be initialised");
    for (const Relocation& relocation : variable.relocations) {
      if (relocation.offset > variable.size ||
          relocation.bytes > variable.size - relocation.offset) {
        report(fmt::format("the address at offset {} reaches beyond the variable's {} bytes",
                           relocation.offset, variable.size));
      }
    }
  }

  // --- functions -----------------------------------------------------------------------------------------------------------

  void check_function(const Function& function) {
    check_frame(function);
    if (function.is_entry && !function.return_values.empty())
      context_.report("a kernel returns nothing");
    if (function.location >= module_.locations.size()) {
      context_.report(fmt::format("location {} does not exist", function.location));
    }
    if (function.is_declaration) {
      const bool bare = function.blocks.empty() && function.registers.empty() &&
                        function.locals.empty() && function.call_slots.empty();
      if (!bare) context_.report("a declaration has no body");
      return;
    }
    if (function.blocks.empty()) {
      context_.report("has no blocks");
      return;
    }
    for (const Register& reg : function.registers) {
      if (reg.type == Type::kNone)
        context_.report(fmt::format("register %{} has no type", reg.name));
    }
    check_blocks(function);
  }

  template <typename Item>
  void check_items(std::string_view what, const std::vector<Item>& items) {
    for (const Item& item : items) {
      if (!std::has_single_bit(item.alignment)) {
        context_.report(fmt::format("{} {}: the alignment {} is not a power of two", what,
                                    item.name, item.alignment));
      } else if (item.offset % item.alignment != 0) {
        context_.report(fmt::format("{} {}: the offset {} is not aligned to {}", what, item.name,
                                    item.offset, item.alignment));
      }
    }
    check_overlap(what, items);
  }

  template <typename Item>
  void check_overlap(std::string_view what, const std::vector<Item>& items) {
    std::vector<const Item*> sorted;
    for (const Item& item : items) {
      if (item.size > 0) sorted.push_back(&item);
    }
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Item* a, const Item* b) { return a->offset < b->offset; });
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      if (std::uint64_t{sorted[i - 1]->offset} + sorted[i - 1]->size > sorted[i]->offset) {
        context_.report(
            fmt::format("{} {} overlaps {}", what, sorted[i]->name, sorted[i - 1]->name));
      }
    }
  }

  void check_frame(const Function& function) {
    check_items("parameter", function.parameters);
    check_items("return value", function.return_values);
    check_items("call slot", function.call_slots);
    check_items("local", function.locals);
  }

  void check_blocks(const Function& function) {
    tagged_.clear();
    received_.clear();
    bool sound = true;
    bool has_phi = false;
    for (BlockId id = 0; id < function.blocks.size(); ++id) {
      context_.enter_block(id);
      const auto& instructions = function.blocks[id].instructions;
      for (std::size_t i = 0; i < instructions.size(); ++i) {
        throw_if_stopped("checking the kernel IR");
        context_.enter_instruction(&instructions[i]);
        sound &= verify_instruction(context_, instructions[i]);
        has_phi |= is_phi(instructions[i]);
        note_channel(instructions[i]);
        if (ends_block(instructions[i]) && i + 1 < instructions.size()) {
          context_.report(
              fmt::format("{} must be the last of its block", name_of(instructions[i].opcode)));
          sound = false;
        }
      }
    }
    context_.enter_function(function);
    check_channels();
    if (!sound) return;
    check_end(function);
    if (has_phi) verify_ssa(context_);
  }

  // Control must not run off the function's last block.
  void check_end(const Function& function) {
    const auto& instructions = function.blocks.back().instructions;
    if (!instructions.empty()) {
      const Instruction& last = instructions.back();
      if (ends_block(last) && !last.guard.present()) return;
      if (last.opcode == Opcode::kCall && calls_no_return(last)) return;
    }
    const ControlFlowGraph graph(function);
    const auto last_block = static_cast<BlockId>(function.blocks.size() - 1);
    if (!graph.reachable(last_block)) return;
    context_.enter_block(last_block);
    context_.report("control runs off the end of the function");
  }

  bool calls_no_return(const Instruction& call) const {
    const Operand& callee = call.sources[0];
    return callee.kind == Operand::Kind::kSymbol && callee.symbol == SymbolKind::kFunction &&
           module_.functions[callee.index].no_return;
  }

  // --- channels between threads ------------------------------------------------------------------------------------------

  void note_channel(const Instruction& instruction) {
    const std::uint32_t channel = instruction.inter_thread.channel;
    if (instruction.opcode == Opcode::kItTag) tagged_.emplace(channel, instruction.type);
    if (instruction.opcode == Opcode::kItReceiveConst) received_.emplace(channel, instruction.type);
  }

  void check_channels() {
    for (const auto& [channel, type] : received_) {
      const auto tag = tagged_.find(channel);
      if (tag == tagged_.end()) {
        context_.report(
            fmt::format("channel {} is received from but nothing is tagged on it", channel));
      } else if (size_of(tag->second) != size_of(type)) {
        context_.report(fmt::format("channel {} carries {} but is received as {}", channel,
                                    name_of(tag->second), name_of(type)));
      }
    }
  }

  const Module& module_;
  VerifyContext context_;
  std::map<std::uint32_t, Type> tagged_;  // in the function, by channel: the type of the first
  std::map<std::uint32_t, Type> received_;
};

}  // namespace

std::vector<VerifierMessage> verify(const Module& module) {
  std::vector<VerifierMessage> messages;
  ModuleVerifier(module, messages).run();
  return messages;
}

void require_valid(const Module& module) {
  const std::vector<VerifierMessage> messages = verify(module);
  if (!messages.empty()) throw Error(messages[0].text, messages[0].where);
}

}  // namespace raddle::kernel
