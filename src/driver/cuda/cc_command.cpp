#include "driver/cuda/cc_command.h"

#include "base/console.h"
#include "base/error.h"
#include "base/exit_status.h"
#include "driver/cuda/inter_thread_check.h"
#include "lang/cuda/clang_driver.h"
#include "lang/cuda/nvcc_arguments.h"

namespace raddle::driver::cuda {

namespace {

constexpr const char* kHelp =
    "raddle cc: compiles CUDA programs for simulated devices, with nvcc's flags\n"
    "\n"
    "Usage: raddle cc FILE… [-o PROGRAM] [FLAGS]\n"
    "\n"
    "Examples:\n"
    "  raddle cc vecadd.cu -o vecadd && ./vecadd       an ordinary program; RADDLE_MACHINE chooses "
    "its device\n"
    "  raddle cc -O3 -arch=sm_70 -c kernels.cu         an object, to be linked later\n"
    "  raddle cc main.cpp kernels.o -o program         host files and objects mixed\n"
    "  raddle cc -ptx kernels.cu                       the device's half as PTX text\n"
    "  make NVCC=\"raddle cc\"                           in a Makefile; a symbolic link named nvcc "
    "works as well\n"
    "\n";

}  // namespace

int cc_command(std::span<const std::string> arguments) {
  raddle::cuda::CompileRequest request;
  try {
    request = raddle::cuda::parse_nvcc_arguments(arguments);
  } catch (const Error& error) {
    print_error("raddle cc: " + error.full_text() + "\n");
    return kUsageFault;
  }
  if (request.stage == raddle::cuda::Stage::kVersion) {
    print(raddle::cuda::nvcc_version_text());
    return 0;
  }
  if (request.stage == raddle::cuda::Stage::kHelp) {
    print(kHelp + raddle::cuda::nvcc_flags_help());
    return 0;
  }
  raddle::cuda::Toolchain toolchain = raddle::cuda::find_toolchain();
  toolchain.colour = colour_errors();
  if (request.verbose || request.dry_run)
    print_error(raddle::cuda::toolkit_variables(toolchain, request));
  raddle::cuda::CompileExtras extras;
  extras.check_inter_thread = check_inter_thread;
  const raddle::cuda::CompileOutcome outcome = raddle::cuda::compile(request, toolchain, extras);
  print_error(outcome.diagnostics);
  print(outcome.output);
  return outcome.status == 0 ? 0 : kUserFault;
}

}  // namespace raddle::driver::cuda
