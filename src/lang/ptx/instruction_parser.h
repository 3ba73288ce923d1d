// Reads one PTX instruction: finds its row in the instruction table, checks types and modifiers
// against it, binds the operands, and appends what it becomes to the function. Unknown and
// unsupported words are named in the error.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "lang/ptx/function_builder.h"
#include "lang/ptx/instruction_table.h"
#include "lang/ptx/operand_binder.h"
#include "lang/ptx/operand_parser.h"

namespace raddle::ptx {

class InstructionParser {
 public:
  explicit InstructionParser(Context& context) : context_(context), operands_(context) {}

  // The mnemonic's first word has been read; reads the rest up to and including the semicolon.
  void parse(FunctionBuilder& builder, const Token& mnemonic, kernel::Guard guard);

 private:
  // What is known of the instruction at hand.
  struct Reading {
    FunctionBuilder& builder;
    OperandBinder binder;
    const Form* form = nullptr;
    kernel::Instruction instruction;
    ExtraModifiers extra;
    std::uint32_t line = 0;
  };

  // name and types
  std::span<const Form> find_rows(std::size_t& name_words);
  void read_types(Reading& reading, std::span<const Form> rows, std::size_t name_words);
  void read_modifiers(Reading& reading, std::size_t name_words);
  void read_modifier(Reading& reading, std::string_view word, GroupSet allowed);
  void check_required(Reading& reading);
  void complete(Reading& reading);
  void parse_operands(Reading& reading);
  void finish(Reading& reading) {
    reading.builder.append(std::move(reading.instruction), reading.line);
  }

  // instructions whose operands follow no pattern (special_syntax.cpp)
  void parse_move(Reading& reading);
  void parse_pack(Reading& reading, const RawOperand& destination, const RawOperand& source);
  void parse_unpack(Reading& reading, const RawOperand& destination, const RawOperand& source);
  void parse_branch(Reading& reading);
  void parse_indexed_branch(Reading& reading);
  void parse_return(Reading& reading);
  void parse_async_copy(Reading& reading);
  void parse_texture(Reading& reading);
  void parse_texture_query(Reading& reading);
  void parse_surface_store(Reading& reading);
  void parse_cache_policy(Reading& reading);
  void parse_halves(Reading& reading);

  // matrices (matrix_syntax.cpp)
  void parse_mma(Reading& reading);
  void parse_matrix_access(Reading& reading);
  void parse_matrix_move(Reading& reading);
  void parse_tensor_float(Reading& reading);
  std::span<const RawOperand> fragment(const RawOperand& raw) const;
  static void check_fragment(Reading& reading, char matrix, std::size_t given, std::size_t wanted);

  // barriers in shared memory (memory_barrier_syntax.cpp)
  void parse_memory_barrier(Reading& reading);
  void parse_barrier_init(Reading& reading);
  void parse_barrier_change(Reading& reading, kernel::AtomicOp operation);
  void parse_barrier_test(Reading& reading);
  void parse_barrier_count(Reading& reading);
  void parse_copy_arrival(Reading& reading);
  bool has_word(std::string_view word) const;
  kernel::Instruction on_barrier(Reading& reading, kernel::Opcode opcode,
                                 const RawOperand& address);
  kernel::Operand add_wide(Reading& reading, kernel::Opcode opcode, const kernel::Operand& a,
                           const kernel::Operand& b);
  kernel::Operand widened(Reading& reading, const RawOperand& raw);

  kernel::Instruction related(const Reading& reading, kernel::Opcode opcode,
                              kernel::Type type) const;
  void bind_texture_address(Reading& reading, const RawOperand& address);
  kernel::Operand texture_handle(Reading& reading, const RawOperand& raw);

  // calls (call_parser.cpp)
  struct Callee {
    std::string name;
    std::vector<kernel::Slot> parameters;
    std::vector<kernel::Slot> return_values;
  };
  void parse_call(Reading& reading);
  std::vector<RawOperand> parse_call_list(Reading& reading);
  Callee find_callee(Reading& reading, std::string_view name, bool& is_indirect);
  Callee find_prototype(Reading& reading);
  std::vector<kernel::Instruction> take_results(Reading& reading, const Callee& callee,
                                                std::span<const RawOperand> returns);
  void pass_arguments(Reading& reading, const Callee& callee,
                      std::span<const RawOperand> arguments);
  std::uint32_t pass_value(Reading& reading, const kernel::Slot& parameter,
                           const RawOperand& value);

  Context& context_;
  OperandParser operands_;
  std::vector<std::string_view> words_;  // of the instruction at hand: add, .sat, .s32
};

}  // namespace raddle::ptx
