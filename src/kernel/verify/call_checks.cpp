#include <fmt/format.h>

#include "kernel/verify/context.h"

namespace raddle::kernel {
namespace {

void check_slots(VerifyContext& context, std::string_view what,
                 const std::vector<std::uint32_t>& passed, const std::vector<Slot>& expected,
                 const std::string& callee) {
  if (passed.size() != expected.size()) {
    context.report(fmt::format("{} takes {} {}{}, not {}", callee, expected.size(), what,
                               expected.size() == 1 ? "" : "s", passed.size()));
    return;
  }
  const auto& slots = context.function().call_slots;
  for (std::size_t i = 0; i < passed.size(); ++i) {
    if (passed[i] >= slots.size()) continue;  // reported already
    if (slots[passed[i]].size != expected[i].size) {
      context.report(fmt::format("{} {} of {} has {} bytes, not {}", what, i + 1, callee,
                                 expected[i].size, slots[passed[i]].size));
    }
  }
}

void check_existence(VerifyContext& context, const std::vector<std::uint32_t>& passed) {
  for (const std::uint32_t slot : passed) {
    if (slot >= context.function().call_slots.size()) {
      context.report(fmt::format("call slot {} does not exist", slot));
    }
  }
}

}  // namespace

void verify_call(VerifyContext& context, const Instruction& instruction) {
  const Module& module = context.module();
  const CallInfo& call = instruction.call;
  check_existence(context, call.arguments);
  check_existence(context, call.returns);
  if (call.prototype != kNoId && call.prototype >= module.prototypes.size()) {
    context.report(fmt::format("prototype {} does not exist", call.prototype));
    return;
  }
  const Operand& callee = instruction.sources[0];
  if (callee.kind == Operand::Kind::kSymbol) {
    if (callee.symbol != SymbolKind::kFunction) return;  // reported already
    const Function& function = module.functions[callee.index];
    const std::string name = "@" + function.name;
    if (function.is_entry) {
      context.report(fmt::format("{} is a kernel and cannot be called", name));
      return;
    }
    check_slots(context, "argument", call.arguments, function.parameters, name);
    check_slots(context, "return value", call.returns, function.return_values, name);
    return;
  }
  if (!callee.is_register()) return;  // reported already
  if (call.prototype == kNoId) {
    context.report("a call through a register needs a prototype");
    return;
  }
  const Prototype& prototype = module.prototypes[call.prototype];
  const std::string name = "prototype " + prototype.name;
  check_slots(context, "argument", call.arguments, prototype.parameters, name);
  check_slots(context, "return value", call.returns, prototype.return_values, name);
}

}  // namespace raddle::kernel
