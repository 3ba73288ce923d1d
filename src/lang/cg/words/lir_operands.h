// The part of lowering that is about operands: which components of which values are needed, the
// registers they get, and how an operand reads numbers that lie in several places.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lang/cg/words/lir.h"
#include "lang/cg/words/literal_pool.h"

namespace raddle::cg {

class OperandLowering {
 public:
  OperandLowering(const IrProgram& program, std::uint16_t first_literal, const Options& options,
                  const std::string& file_name);

 protected:
  static constexpr std::int8_t kDead = -1;
  // What is known of a value.
  struct Uses {
    std::uint8_t live = 0;  // components
    unsigned count = 0;     // operands and others that mention it
    std::array<std::int8_t, 4> component{kDead, kDead, kDead, kDead};
    std::uint32_t place = 0;  // register
    bool has_place = false;
    const IrNode* output = nullptr;  // writes straight to an output
    bool is_top = false;
  };

  // What is read, and by whom.
  void use(const Ref& ref);
  void use_all(const std::array<Ref, 4>& refs, unsigned width);
  void find_live();
  // The comparison whose 0 or 1 a condition is, where it can be tested itself.
  const IrValue* test_behind(const Ref& condition) const;
  // A value that only goes to one output is computed there.
  void plan_output(const IrNode& node);

  // Registers and items.
  std::uint32_t new_register(unsigned count);
  Uses& placed(ValueId id);
  void push(LirOp op, Place place);
  void push_control(ItemKind kind, Place place, bool inverted = false, std::uint16_t count = 0);

  // Operands.
  static std::optional<Lane> free_lane(const Ref& ref);
  LirPlace place_of(const Ref& ref);
  Lane lane_of(const Ref& ref);
  // Literals alone: by their absolute values where all have the same sign and need no register.
  LirOperand literals(const std::array<Ref, 4>& refs, unsigned width, Place place);
  LirOperand plain(const std::array<Ref, 4>& refs, unsigned width, Place place);
  // Copies numbers of several registers into one.
  LirOperand gather(const std::array<Ref, 4>& refs, unsigned width, Place place);
  // Reads refs from a register that holds `distinct`.
  LirOperand gathered(const Refs& distinct, const std::array<Ref, 4>& refs, unsigned width,
                      Place place);
  // Component n of the register becomes refs[n]; one copy for each register that is read.
  void copy_into(std::uint32_t target, const Refs& refs, Place place);
  LirOperand operand(const Source& source, unsigned width, Place place);
  // All lanes from a register, also 0, ½ and 1, and without a sign.
  LirOperand as_register(const std::array<Ref, 4>& refs, unsigned width, Place place);

  const IrProgram& program_;
  const Options& options_;
  LiteralPool pool_;
  LirProgram result_;
  std::vector<Uses> uses_;
  std::map<Refs, std::uint32_t> gathered_;  // in this stretch of code, by what they hold
};

}  // namespace raddle::cg
