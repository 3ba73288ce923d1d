// Builds one function of the kernel IR from PTX statements in their order: keeps the names of the
// nested scopes, collects instructions, and at the end resolves labels and cuts the code into basic
// blocks. A block starts at a label that something branches to and after every instruction that
// ends one; the labels of debug information cut nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "lang/ptx/context.h"
#include "lang/ptx/scope.h"

namespace raddle::ptx {

struct Label {
  std::string_view name;
  std::uint32_t position = 0;  // of the instruction it stands before
  bool is_target = false;
};

// A function's code before it is cut into blocks.
struct LinearCode {
  std::vector<kernel::Instruction> instructions;
  std::vector<std::uint32_t> lines;  // in the PTX, of each instruction
  std::vector<Label> labels;
};

class FunctionBuilder {
 public:
  FunctionBuilder(Context& context, kernel::Function function);

  void open_scope();
  void close_scope();

  void declare_register(std::string_view name, kernel::Type type);
  void declare_registers(const RegisterRange& range);
  void declare_call_slot(std::string_view name, std::uint32_t size, std::uint32_t alignment);
  void declare_local(std::string_view name, std::uint64_t size, std::uint32_t alignment);
  // A name for something that is not the function's own (a shared variable declared in its body).
  void declare_symbol(std::string_view name, const kernel::Operand& symbol);

  // A register or the address of a symbol, from the innermost scope outwards and at last among the
  // module's names.
  std::optional<kernel::Operand> find(std::string_view name);
  kernel::RegisterId add_register(std::string_view name, kernel::Type type);
  std::uint32_t add_call_slot(std::string_view name, std::uint32_t size, std::uint32_t alignment);
  // PTX's carry flag, which its instructions do not name.
  kernel::RegisterId carry_flag();
  kernel::Type type_of(kernel::RegisterId id) const { return function_.registers[id].type; }
  const kernel::Function& function() const { return function_; }

  void append(kernel::Instruction instruction, std::uint32_t line);
  void define_label(std::string_view name);
  // What an instruction's `targets` hold until the function is finished.
  LabelUseId use_label(std::string_view name, std::uint32_t line);
  void add_branch_table(std::string_view name, std::vector<LabelUseId> uses);
  void use_branch_table(std::string_view name,
                        std::uint32_t line);  // by the instruction appended next

  void add_prototype(std::string_view name, std::uint32_t index) { prototypes_[name] = index; }
  std::optional<std::uint32_t> find_prototype(std::string_view name) const;

  void set_location(std::uint32_t location, std::uint32_t line);
  std::uint32_t location() const { return location_; }

  // Old PTX returns values in registers: each `ret` stores them into the return slots.
  std::vector<kernel::RegisterId> return_registers;

  // Resolves everything and hands the function over; `labels` gets every label with its final
  // position.
  kernel::Function finish(std::vector<Label>& labels);

 private:
  struct LabelUse {
    std::string_view name;
    std::uint32_t line = 0;
    std::uint32_t location = 0;
    LabelId label = kernel::kNoId;
  };
  struct TableUse {
    std::string_view name;
    std::uint32_t line = 0;
    std::uint32_t location = 0;
    std::uint32_t instruction = 0;
  };

  void check_undeclared(std::string_view name) const;
  void check_frame(std::uint64_t bytes, std::string_view what);
  std::optional<kernel::Operand> find_in_ranges(Scope& scope, std::string_view name);
  void resolve_labels();
  void resolve_branch_tables();
  void locate_first_instructions();
  void end_with_return();
  void cut_into_blocks();
  std::string block_label(std::uint32_t block, std::uint32_t position) const;

  Context& context_;
  kernel::Function function_;
  std::vector<Scope> scopes_;
  LinearCode code_;
  std::vector<LabelUse> uses_;
  std::unordered_map<std::string_view, std::vector<LabelUseId>> tables_;
  std::vector<TableUse> table_uses_;
  std::unordered_map<std::string_view, std::uint32_t> prototypes_;
  std::unordered_multimap<std::string, std::uint32_t> closed_slots_;
  kernel::RegisterId carry_ = kernel::kNoId;
  std::uint32_t location_ = 0;
  std::uint64_t local_bytes_ = 0;
  std::uint64_t slot_bytes_ = 0;
};

}  // namespace raddle::ptx
