// The three kernels of bench/calibration_kernels.cu on fermi, as the host program would launch
// them.
#pragma once

#include <unistd.h>

#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "lang/cuda/clang_driver.h"
#include "lang/cuda/nvcc_arguments.h"
#include "lang/ptx/reader.h"
#include "machine/kernel_machine.h"
#include "test_paths.h"

namespace raddle::machine::simt {

inline const std::string& calibration_ptx() {
  static const std::string text = [] {
    const auto output =
        std::filesystem::temp_directory_path() / ("raddle_calibration_" + std::to_string(getpid()));
    const std::vector<std::string> arguments{"-ptx", test_root() + "/bench/calibration_kernels.cu",
                                             "-o", output.string()};
    const cuda::CompileOutcome outcome =
        cuda::compile(cuda::parse_nvcc_arguments(arguments), cuda::find_toolchain());
    if (outcome.status != 0) throw Error(outcome.diagnostics);
    std::ostringstream read;
    read << std::ifstream(output).rdbuf();
    std::filesystem::remove(output);
    return read.str();
  }();
  return text;
}

struct CalibrationRun {
  LaunchResult result;
  double cpu_seconds = 0;  // that the launch took here
};
// `size`: elements of vecadd, else the side of a square.
inline CalibrationRun time_calibration(const std::string& name, std::uint32_t size) {
  const auto machine = make_kernel_machine(load_parameters("fermi"));
  kernel::DeviceMemory memory(1u << 28);
  kernel::Program program(memory);
  program.load(ptx::read_ptx(calibration_ptx(), "calibration_kernels.ptx"));
  const bool linear = name == "vecadd";
  const std::uint64_t elements = linear ? size : std::uint64_t{size} * size;
  Launch launch;
  const kernel::Module& module = program.module(0);
  for (std::uint32_t f = 0; f < module.functions.size(); ++f) {
    if (module.functions[f].name.find(name) != std::string::npos) launch.kernel = {0, f};
  }
  launch.parameters.resize(28);
  for (std::uint64_t array = 0; array < 3; ++array) {
    const std::uint64_t address = *memory.allocate(elements * sizeof(float));
    auto* values = reinterpret_cast<float*>(memory.view(address));
    for (std::uint64_t i = 0; i < elements; ++i) values[i] = static_cast<float>(i % 13) - 6.0f;
    if (array < 2) machine->host_wrote(Address(address), Bytes(elements * sizeof(float)));
    std::memcpy(launch.parameters.data() + 8 * array, &address, sizeof(address));
  }
  std::memcpy(launch.parameters.data() + 24, &size, sizeof(size));
  launch.grid = linear ? Dim3{size / 256, 1, 1} : Dim3{size / 16, size / 16, 1};
  launch.block = linear ? Dim3{256, 1, 1} : Dim3{16, 16, 1};
  CalibrationRun run;
  const std::clock_t start = std::clock();
  run.result = machine->launch(program, {}, launch, {});
  run.cpu_seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  return run;
}
inline LaunchResult run_calibration(const std::string& name, std::uint32_t size) {
  return time_calibration(name, size).result;
}

}  // namespace raddle::machine::simt
