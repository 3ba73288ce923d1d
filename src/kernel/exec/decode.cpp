#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "base/demangle.h"
#include "base/error.h"
#include "kernel/analysis/channel_checks.h"
#include "kernel/exec/decoded.h"
#include "kernel/exec/function_decoder.h"

namespace raddle::kernel::exec {
namespace {

// An address in shared memory has 32 bits.
constexpr std::uint64_t kLargestSharedMemory = std::uint64_t{1} << 32;

// The functions a kernel can reach, the kernel first.
std::vector<FunctionRef> reachable(const Program& program, FunctionRef kernel) {
  std::vector<FunctionRef> list{kernel};
  auto add = [&](FunctionRef ref) {
    if (program.function(ref).is_declaration) return;
    if (std::find(list.begin(), list.end(), ref) == list.end()) list.push_back(ref);
  };
  // The list grows on the way.
  for (std::size_t next = 0; next < list.size(); ++next) {  // NOLINT(modernize-loop-convert)
    const FunctionRef current = list[next];
    for (const Block& block : program.function(current).blocks) {
      for (const Instruction& instruction : block.instructions) {
        if (instruction.opcode != Opcode::kCall) continue;
        const Operand& callee = instruction.sources[0];
        if (callee.kind == Operand::Kind::kSymbol) {
          add(program.resolve_function(current.module, callee.index));
        } else {
          for (FunctionRef ref : program.address_taken_functions()) add(ref);
        }
      }
    }
  }
  return list;
}

// Numbers the places that receive from channels.
void collect_receive_sites(DecodedFunction& function, DecodedKernel& kernel) {
  using Place = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // file, line, column
  std::map<std::tuple<Place, std::uint32_t, std::array<std::int32_t, 3>, std::uint32_t>,
           std::uint32_t>
      by_place;
  for (DecodedInstruction& d : function.code) {
    if (d.handler != Handler::kInterThread) continue;
    if (!function.ir->is_entry) {
      throw Error(fmt::format("the function {} communicates between threads but was not inlined",
                              demangled(function.ir->name)),
                  function.module->describe_location(d.ir->location),
                  "mark it __forceinline__: channels belong to a kernel");
    }
    const InterThread& operation = d.ir->inter_thread;
    kernel.channels = std::max(kernel.channels, operation.channel + 1);
    if (d.ir->opcode == Opcode::kItTag) continue;
    const auto next = static_cast<std::uint32_t>(kernel.receive_sites.size());
    const bool loads = d.ir->opcode == Opcode::kItReceiveLoad;
    // Instructions of one place in the source take turns in receiving.
    std::uint32_t site = next;
    if (d.ir->location != 0 && !loads) {
      const SourceLocation& at = function.module->locations[d.ir->location];
      const Place place(at.file, at.line, at.column);
      site = by_place
                 .emplace(std::tuple(place, operation.channel, operation.delta, operation.window),
                          next)
                 .first->second;
    }
    if (site == next) kernel.receive_sites.push_back({operation, loads});
    if (!loads) d.number = site;
  }
}

void add_shared_variables(const Module& module, std::uint32_t index, const Function& function,
                          SharedLayout& shared) {
  for (const Block& block : function.blocks) {
    for (const Instruction& instruction : block.instructions) {
      for (const Operand& source : instruction.sources) {
        if (source.kind != Operand::Kind::kSymbol || source.symbol != SymbolKind::kVariable)
          continue;
        if (module.variables[source.index].space == Space::kShared)
          shared.add(module, index, source.index);
      }
    }
  }
}

bool passes_values(const Function& function) {
  for (const Block& block : function.blocks) {
    for (const Instruction& instruction : block.instructions) {
      if (handler_of(instruction) == Handler::kInterThread) return true;
    }
  }
  return false;
}

}  // namespace

const DecodedFunction* DecodedKernel::find(FunctionRef ref) const {
  for (const auto& function : functions) {
    if (function->ref == ref) return function.get();
  }
  return nullptr;
}

std::unique_ptr<DecodedKernel> decode(const Program& program, FunctionRef kernel) {
  return decode(program, kernel, program.function(kernel));
}

std::unique_ptr<DecodedKernel> decode(const Program& program, FunctionRef kernel,
                                      const Function& body) {
  auto out = std::make_unique<DecodedKernel>();
  const std::vector<FunctionRef> functions = reachable(program, kernel);
  SharedLayout shared;
  for (FunctionRef ref : functions)
    add_shared_variables(program.module(ref.module), ref.module, program.function(ref), shared);
  shared.finish();
  if (shared.size() >= kLargestSharedMemory) {
    throw Error(fmt::format("the kernel {} needs {} bytes of shared memory, whose addresses have "
                            "32 bits",
                            demangled(program.function(kernel).name), shared.size()),
                program.module(kernel.module).name);
  }
  out->static_shared_bytes = static_cast<std::uint32_t>(shared.size());
  for (FunctionRef ref : functions) {
    const Function& function = ref == kernel ? body : program.function(ref);
    // Whoever brings a body of their own reads its registers, and so does who sends to a thread.
    const bool shares = &function == &program.function(ref) && !passes_values(function);
    out->functions.push_back(decode_function(
        program, ref, function, shared,
        shares ? share_places(function) : separate_registers(function), out->memory_instructions));
  }
  for (const auto& function : out->functions) collect_receive_sites(*function, *out);
  if (out->channels > 0) check_channels(*out->entry().module, *out->entry().ir);
  for (const auto& function : out->functions) {
    for (DecodedInstruction& d : function->code) {
      if (d.handler != Handler::kCall || d.ir->sources[0].kind != Operand::Kind::kSymbol) continue;
      d.number = static_cast<std::uint32_t>(out->call_targets.size());
      const std::uint32_t module = function->ref.module;
      out->call_targets.push_back(
          {program.system_function(module, d.ir->sources[0].index),
           out->find(program.resolve_function(module, d.ir->sources[0].index))});
    }
  }
  return out;
}

}  // namespace raddle::kernel::exec
