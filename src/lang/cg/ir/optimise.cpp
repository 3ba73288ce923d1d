#include "lang/cg/ir/passes.h"

#include "base/stop_token.h"

namespace raddle::cg {

void optimise(IrProgram& program, const Options& options) {
  for (int round = 0; round < 3; ++round) {
    do {
      throw_if_stopped("compiling Cg");
      simplify(program, options);
    } while (simplify_cells(program));
    remove_dead_code(program);
    flatten_branches(program);
  }
  simplify(program, options);
  remove_dead_code(program);
  combine(program, options);
  remove_dead_code(program);
}

}  // namespace raddle::cg
