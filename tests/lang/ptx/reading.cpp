#include "lang/ptx/reading.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "base/error.h"
#include "kernel/text_form.h"
#include "lang/ptx/reader.h"
#include "test_paths.h"

namespace raddle::ptx::testing {
namespace {

constexpr std::string_view kHeader = ".version 7.5\n.target sm_70\n.address_size 64\n";

constexpr std::string_view kVariables =
    ".global .align 8 .b8 data[64]; .const .f32 table[4]; .shared .align 16 .b8 tile[256];\n"
    ".global .texref image; .global .samplerref filter; .global .surfref canvas;\n"
    ".visible .entry k(.param .u64 pointer, .param .u32 number)\n"
    "{\n"
    ".reg .pred %p<8>; .reg .b16 %rs<16>;\n"
    ".reg .b32 %r<32>;\n"
    ".reg .b64 %rd<32>;\n"
    ".reg .f32 %f<32>;\n"
    ".reg .f64 %fd<16>;\n";

}  // namespace

kernel::Module read(std::string_view text) {
  return read_ptx(std::string(kHeader) + std::string(text), "test.ptx");
}

std::string kernel_with(std::string_view body) {
  return std::string(kVariables) + std::string(body) + "\n}\n";
}

kernel::Module read_kernel(std::string_view body) { return read(kernel_with(body)); }

std::string code_of(const kernel::Module& module, std::string_view name) {
  const kernel::Function* function = module.find_function(name);
  if (function == nullptr) throw std::runtime_error("no such function");
  const kernel::FunctionText printer(module, *function);
  std::string text;
  for (const kernel::Block& block : function->blocks) {
    text += block.label + ":\n";
    for (const kernel::Instruction& instruction : block.instructions) {
      text += "  " + printer.instruction(instruction) + "\n";
    }
  }
  return text;
}

std::string instructions_of(std::string_view body) {
  const kernel::Module module = read_kernel(body);
  const kernel::Function& function = *module.find_function("k");
  const kernel::FunctionText printer(module, function);
  std::string text;
  for (const kernel::Block& block : function.blocks) {
    for (const kernel::Instruction& instruction : block.instructions) {
      const bool is_last =
          &block == &function.blocks.back() && &instruction == &block.instructions.back();
      if (is_last && instruction.opcode == kernel::Opcode::kRet) break;
      if (!text.empty()) text += "\n";
      text += printer.instruction(instruction);
    }
  }
  return text;
}

std::string error_of(std::string_view text) {
  try {
    read(text);
  } catch (const Error& error) {
    return error.full_text();
  }
  return {};
}

std::string kernel_error_of(std::string_view body) { return error_of(kernel_with(body)); }

std::string sample(const std::string& name) {
  std::ifstream file(test_root() + "/tests/lang/ptx/samples/" + name + ".ptx");
  if (!file) throw std::runtime_error("no sample " + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace raddle::ptx::testing
