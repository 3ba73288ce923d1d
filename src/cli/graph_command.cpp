#include "base/console.h"
#include "base/exit_status.h"
#include "cli/commands.h"
#include "driver/driver.h"

namespace raddle::cli {

int graph_command(const GraphOptions& options) {
  const driver::FoundProgram program = driver::find_program(options.program);
  const std::optional<std::string> drawing = program.driver->draw(program, options);
  if (!drawing) return kUserFault;
  print(*drawing);
  return 0;
}

}  // namespace raddle::cli
