// This host as a machine: data-driven programs run on it natively, on the runtime of raddle/ddm.h.
// Nothing is simulated, so it has no parameters to check and no peaks to compare with.
#include "machine/machine.h"

namespace raddle::machine::ddm {
namespace {

class HostMachine : public Machine {
 public:
  using Parameters = NoParameters;
  explicit HostMachine(const ParameterTable& table) : Machine(table) {}

  static Traits traits(const ParameterTable& /*table*/) {
    return {.forms = {ProgramForm::kDataDriven},
            .honours = {RunOption::kCheck, RunOption::kTrace, RunOption::kTimeout},
            .finds = checks_from_text("race"),
            .simulated = false};
  }
  Peaks peaks() const override { return {}; }
};
RADDLE_REGISTER_MACHINE("ddm", HostMachine);

}  // namespace
}  // namespace raddle::machine::ddm
