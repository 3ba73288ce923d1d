// CUDA programs: .cu files, and executables that `raddle cc` made. They run as processes of their
// own, on the CUDA runtime of src/host.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/atomic_file.h"
#include "base/cache_folder.h"
#include "base/console.h"
#include "base/error.h"
#include "base/exit_status.h"
#include "base/resource_paths.h"
#include "base/shell_words.h"
#include "driver/cuda/cc_command.h"
#include "driver/cuda/executable_run.h"
#include "driver/cuda/inter_thread_check.h"
#include "driver/cuda/toolkit_command.h"
#include "driver/driver.h"
#include "driver/ptx/kernel_graph.h"
#include "driver/simulated_run.h"
#include "lang/cuda/compile_cache.h"
#include "lang/cuda/nvcc_arguments.h"
#include "lang/cuda/process.h"

namespace raddle::driver::cuda {
namespace {

namespace fs = std::filesystem;

// Benchmarks that are called by their folder, too: dmt/scan is not scan.
constexpr std::string_view kBetweenThreads = "dmt/";

// NAME is benchmarks/cuda/NAME.cu or benchmarks/cuda/NAME/NAME.cu; dmt/NAME is
// benchmarks/dmt/NAME.cu.
fs::path bundled_source(const std::string& name) {
  const fs::path all = resource_paths().benchmarks;
  const fs::path folder = all / "cuda";
  const fs::path by_folder = name.starts_with(kBetweenThreads) ? all / (name + ".cu") : fs::path();
  std::error_code ignored;
  for (const fs::path& candidate :
       {folder / (name + ".cu"), folder / name / (name + ".cu"), by_folder}) {
    if (fs::is_regular_file(candidate, ignored)) return candidate;
  }
  return {};
}

bool is_elf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 4> magic{};
  return file.read(magic.data(), magic.size()) &&
         magic == std::array<char, 4>{'\x7f', 'E', 'L', 'F'};
}

raddle::cuda::CompileRequest compile_request(const FoundProgram& program,
                                             const std::string& compile_flags) {
  std::vector<std::string> flags = shell_words(compile_flags);
  flags.push_back(program.path);
  raddle::cuda::CompileRequest request = raddle::cuda::parse_nvcc_arguments(flags);
  if (request.stage != raddle::cuda::Stage::kLink || request.inputs.size() != 1 ||
      !request.output.empty()) {
    throw Error("--cc takes compiler flags for one program, such as -DN=4 or -use_fast_math");
  }
  return request;
}

raddle::cuda::Toolchain toolchain() {
  raddle::cuda::Toolchain found = raddle::cuda::find_toolchain();
  found.colour = colour_errors();
  return found;
}

class CudaDriver : public Driver {
 public:
  CudaDriver()
      : Driver({.name = "cuda",
                .endings = {".cu", ".cup"},
                .compiled = {".cu", ".cup"},
                .drawn = {".cu"},
                .draw_options = {"--kernel", "--set", "--placed", "--block", "--piece"},
                .other_files = "executables made by raddle cc",
                .form = machine::ProgramForm::kKernels,
                .default_machine = "ref"}) {}

  bool recognises(const std::string& path) const override {
    return is_elf(path) && access(path.c_str(), X_OK) == 0;
  }

  std::optional<FoundProgram> bundled(const std::string& name) const override {
    const fs::path source = bundled_source(name);
    if (source.empty()) return std::nullopt;
    FoundProgram program = program_at(source.string());
    if (name.starts_with(kBetweenThreads)) program.name = "dmt-" + program.name;
    return program;
  }

  std::vector<std::string> bundled_programs() const override {
    std::vector<std::string> names;
    std::error_code ignored;
    for (const auto& [folder, prefix] :
         {std::pair("cuda", std::string_view()), std::pair("dmt", kBetweenThreads)}) {
      for (const fs::directory_entry& entry :
           fs::directory_iterator(resource_paths().benchmarks / folder, ignored)) {
        const std::string name = std::string(prefix) + entry.path().stem().string();
        if (!bundled_source(name).empty()) names.push_back(name);
      }
    }
    return names;
  }

  // dmt/NAME passes values between threads; NAME does the same with shared memory.
  std::string other_form(const std::string& program,
                         const machine::Traits& machine) const override {
    if (machine.passes_values_between_threads) return {};
    const std::size_t place = program.rfind(kBetweenThreads);
    const bool is_folder = place == 0 || (place != std::string::npos && program[place - 1] == '/');
    if (!is_folder) return {};
    std::string twin = program.substr(place + kBetweenThreads.size());
    return bundled_source(twin).empty() ? std::string() : twin;
  }

  PreparedProgram prepare(const FoundProgram& program, const std::string& compile_flags,
                          const std::string& output_folder) const override {
    if (!has_ending(program.path)) return {.file = fs::absolute(program.path).string()};
    raddle::cuda::CompiledProgram compiled =
        raddle::cuda::compile_cached(compile_request(program, compile_flags), toolchain(),
                                     cache_folder(output_folder), check_inter_thread);
    return {compiled.executable, compiled.status, compiled.diagnostics, compiled.from_cache};
  }

  std::string simulator() const override {
    return (resource_paths().library / "libraddle-cudart.so").string();
  }

  ProgramRun run(const RunJob& job) const override {
    const PreparedProgram prepared = [&] {
      const StopScope scope(stop_in_time(job.request.settings));
      return prepare(job.program, job.request.compile_flags, job.request.output_folder);
    }();
    print_error(prepared.diagnostics);
    if (prepared.status == 0) return run_executable(prepared.file, job);
    return {.status = kUserFault, .compiled = false};
  }

  // The runtime prints what went wrong in a kernel; what remains is a program that ended in a way
  // it could not foresee, or before it used the device at all.
  std::string explain_end(const FoundProgram& program, const ProgramRun& run) const override {
    if (run.out_of_time) {
      return fmt::format("raddle: error: stopped by --timeout\n  in host code{}\n",
                         run.used_device ? "" : ", before the first CUDA call");
    }
    if (run.result || run.signal != 0) return Driver::explain_end(program, run);
    if (run.used_device) {
      return fmt::format(
          "raddle: {}: the program ended with status {} without running its exit handlers; no "
          "result was written\n"
          "hint: _exit and exec skip them; exit and return do not\n",
          program.asked, run.status);
    }
    if (run.status == 0 && !has_ending(program.path)) {
      throw Error("the program wrote no result: it did not use Raddle's CUDA runtime",
                  program.asked, "compile it with raddle cc, or run its .cu file");
    }
    return fmt::format(
        "raddle: {}: the program ended with status {} before its first CUDA call; no result was "
        "written\n",
        program.asked, run.status);
  }

  std::optional<std::string> draw(const FoundProgram& program,
                                  const DrawRequest& request) const override {
    if (!has_ending(program.path)) return Driver::draw(program, request);
    raddle::cuda::CompileRequest compile = compile_request(program, request.compile_flags);
    const raddle::cuda::TemporaryFolder folder;
    compile.stage = raddle::cuda::Stage::kPtx;
    compile.output = folder.file("kernels.ptx");
    const raddle::cuda::CompileOutcome outcome = raddle::cuda::compile(compile, toolchain());
    print_error(outcome.diagnostics);
    if (outcome.status != 0) return std::nullopt;
    return ptx::draw_kernels(read_file(compile.output), program.asked, request);
  }

  std::vector<HostTool> host_tools() const override {
    using raddle::cuda::find_tool;
    const char* const chosen = std::getenv("RADDLE_CLANG");
    const std::string clang = chosen != nullptr && *chosen != '\0' ? chosen : "clang++-19";
    return {{clang, "compiles CUDA programs", "clang-19",
             fs::path(clang).is_absolute() && access(clang.c_str(), X_OK) == 0 ? clang
                                                                               : find_tool(clang)},
            {"ld", "links them", "binutils", find_tool("ld")},
            {"ar", "makes libraries of them", "binutils", find_tool("ar")}};
  }

  std::vector<Tool> tools() const override {
    return {{"cc", "compile CUDA programs, with nvcc's flags", cc_command, "nvcc"},
            {"toolkit", "make a folder with the shape of a CUDA toolkit", toolkit_command}};
  }
};
RADDLE_REGISTER_DRIVER(CudaDriver);

}  // namespace
}  // namespace raddle::driver::cuda
