// The inside of the lowering: the items emitted so far, the piece of fiber code that is being
// collected, and where the variables of the current flow live.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lang/e/alu_steps.h"
#include "lang/e/code.h"
#include "lang/e/fiber_graph.h"
#include "lang/e/lowering.h"
#include "lang/e/technique_choice.h"

namespace raddle::e {

// The fibers that statements run in.
struct RegionState {
  FrontOperand thickness = FrontOperand::of(1);
  std::uint32_t group = 0;  // layout of the fiber registers

  std::optional<std::int64_t> known() const {
    if (!thickness.is_number()) return std::nullopt;
    return thickness.constant.number;
  }
};

struct LoopLabels {
  std::string next;
  std::string end;
};

// Where an expanded function leaves its result.
struct ReturnPlace {
  std::optional<std::uint32_t> front_register;
  std::optional<std::uint32_t> fiber_register;
  std::string label;  // empty: the return is the function's last statement
};

// All that belongs to one flow at one point of its program; copied for the flows that it starts.
struct FlowState {
  std::map<std::uint32_t, std::uint32_t> front_registers;  // by symbol
  std::map<std::uint32_t, std::uint32_t> fiber_registers;  // by symbol
  std::map<std::uint32_t, const Symbol*> array_bindings;   // array parameters
  std::uint32_t next_front = 0;
  std::uint32_t next_fiber = 0;
  RegionState region;
  std::optional<std::uint32_t> mask_register;    // where fibers decided apart
  std::optional<std::uint32_t> parent_register;  // $$
  std::vector<LoopLabels> loops;
  std::optional<ReturnPlace> return_place;
};

class Lowering {
 public:
  Lowering(const Program& program, const SharedData& initial, const CompileOptions& options,
           Diagnostics& diagnostics)
      : program_(program), initial_(initial), options_(options), diagnostics_(diagnostics) {}

  Lowered run();

 private:
  // lowering.cpp: items, registers, batches.
  void emit(FrontOp op);
  void emit(Control control);
  void emit_label(const std::string& name);
  std::string new_label(std::string_view purpose);
  std::uint32_t new_front_register(Position position);
  std::uint32_t new_fiber_register(Position position);
  void release(std::uint32_t front, std::uint32_t fiber);
  void map_stacked();
  void flush();
  void flush_if_large();
  NodeId value_of(std::uint32_t fiber_register);
  void assign_fiber(std::uint32_t fiber_register, NodeId value);
  std::string data_directives() const;
  const Symbol& shared_symbol(const Expr& location) const;
  std::string symbol_name(const Expr& location) const;
  void touch(const Expr& location) { touched_.insert(shared_symbol(location).id); }

  // lowering_statements.cpp
  void lower(const Statement& statement);
  void lower_statement(const Statement& statement);
  void lower_block(const std::vector<StatementPtr>& statements);
  void lower_declaration(const Statement& statement);
  void lower_assignment(const Statement& statement);
  void assign_shared(const Statement& statement);
  void lower_thick(const Statement& statement);
  void lower_set_thickness(const Statement& statement);
  void lower_if(const Statement& statement);
  void lower_fiberwise_if(const Statement& statement);
  void lower_loop(const Statement& statement);
  void skip_without_fibers(const std::string& label, Position position);
  void lower_fiberwise_loop(const Statement& statement);
  void lower_jump(const Statement& statement);
  void lower_return(const Statement& statement);
  void branch(const Expr& condition, bool when, const std::string& label);
  bool runs_in_frontend(const Statement& statement) const;

  // lowering_calls.cpp
  void hoist(const Expr& expr);
  void hoist_calls(const Expr& expr);
  void hoist_reductions(const Expr& expr);
  void expand_call(const Expr& call);

  // lowering_front.cpp: values of the flow.
  FrontOperand front(const Expr& expr);
  FrontOperand front_guarded(const Expr& expr);
  FrontOperand front_binary(const Expr& expr);
  FrontOperand front_steps(const Expr& expr);
  FrontOperand front_conditional(const Expr& expr);
  FrontOperand front_element(const Expr& expr);
  FrontOperand front_address(const Expr& location);
  FrontOperand front_alu(std::string_view name, const FrontOperand& a, const FrontOperand& b = {},
                         const FrontOperand& c = {});
  FrontOperand front_load(FrontOp::Kind kind, const FrontOperand& address);
  void expect(const FrontOperand& holds);
  void fault_unless(const FrontOperand& sound, std::uint32_t line);
  void front_into(std::uint32_t reg, const FrontOperand& value);
  FrontOperand front_truth(const FrontOperand& value);

  // lowering_fibers.cpp: values of fibers.
  NodeId fiber(const Expr& expr);
  NodeId fiber_load(const Expr& place);
  NodeId fiber_binary(const Expr& expr);
  NodeId fiber_operation(BinaryOperator op, Type type, NodeId left, NodeId right,
                         std::uint32_t line);
  NodeId fiber_conditional(const Expr& expr);
  NodeId fiber_steps(const Expr& expr);
  NodeId fiber_address(const Expr& location);
  NodeId mask_of(NodeId value);
  NodeId current_mask();
  bool is_masked() const { return condition_mask_ != kNoNode || flow_.mask_register.has_value(); }
  bool is_for_frontend(const Expr& expr) const;
  NodeId masked(NodeId address);
  NodeId number(std::int64_t value) { return graph_.front(FrontOperand::of(value)); }

  // lowering_constructs.cpp
  void lower_multi(const Statement& statement);
  void lower_prefix(const Statement& statement);
  void lower_compaction(const Statement& statement);
  std::string choose(const Statement& statement);
  std::uint32_t line_of(const Statement& statement) const;
  void lower_backend_frontend(const Statement& statement);
  FrontOperand reduce(MultiOperator op, NodeId value, const FrontOperand& start, Position position);
  std::uint32_t act(std::string name, std::vector<NodeId> operands, bool sends_entries = false);
  std::string ordering_instruction(const std::string& technique) const;
  std::optional<std::int64_t> known_word(const Expr& location) const;

  // lowering_flows.cpp
  void lower_split(const Statement& statement);
  void lower_par(const Statement& statement);
  void lower_par_for(const Statement& statement);
  void lower_par_loop(const Statement& statement);
  void defer_body(const std::string& label, FlowState state, const Statement& statement);
  void defer(const std::string& label, FlowState state, std::function<void()> body);
  FlowState child_state(const FrontOperand& thickness);

  const Program& program_;
  const SharedData& initial_;
  const CompileOptions& options_;
  std::set<const ForcedTechnique*> taken_techniques_;  // that some construct was asked to take
  Diagnostics& diagnostics_;
  Lowered result_;

  std::vector<Item> items_;
  FlowState flow_;
  std::uint32_t source_line_ = 0;
  std::uint32_t next_temporary_ = 0;
  std::uint32_t next_label_ = 0;
  std::uint32_t next_group_ = 1;
  std::map<std::uint32_t, std::uint32_t> layouts_;  // registers of each group
  std::optional<FrontOperand> machine_thickness_;   // what R33 is known to hold

  FiberGraph graph_;
  std::map<std::uint32_t, NodeId> assigned_;  // fiber registers that the batch changes
  std::map<std::pair<std::string, std::vector<FrontOperand>>, FrontOperand> front_values_;
  NodeId condition_mask_ = kNoNode;         // inside ?:, && and ||
  std::optional<FrontOperand> front_mask_;  // the same in frontend code
  // Set while the frontend computes for fibers of which perhaps none takes part: -1 as long as
  // nothing was divided by zero or read outside of its array.
  std::optional<FrontOperand> sound_;

  struct Hoisted {
    std::optional<FrontOperand> front;
    std::optional<std::uint32_t> fiber_register;
  };
  std::map<const Expr*, Hoisted> hoisted_;

  struct Deferred {
    std::string label;
    FlowState state;
    std::function<void()> body;
    std::uint32_t source_line = 0;
  };
  std::vector<Deferred> deferred_;

  std::set<std::uint32_t> touched_;  // shared variables that code so far may have changed
  std::uint32_t repeated_ = 0;       // loops, functions and flows around
  bool uses_scratchpads_ = false;    // some multioperation or multiprefix does
  bool uses_reduction_word_ = false;
  bool uses_heap_ = false;
};

// Whether a part of the expression reads shared memory, or does what a fiber that takes no part
// must not do: reads and divisions.
bool reads_shared(const Expr& expr);
bool needs_mask(const Expr& expr);

}  // namespace raddle::e
