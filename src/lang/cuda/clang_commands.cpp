#include "lang/cuda/clang_commands.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>

#include "base/error.h"
#include "base/resource_paths.h"
#include "lang/cuda/gpu_architecture.h"

namespace raddle::cuda {

namespace {

namespace fs = std::filesystem;

class CommandBuilder {
 public:
  explicit CommandBuilder(const std::string& tool) : command_{{tool}, compiler_environment()} {}

  CommandBuilder& add(std::initializer_list<std::string> arguments) {
    command_.arguments.insert(command_.arguments.end(), arguments.begin(), arguments.end());
    return *this;
  }
  CommandBuilder& add(const std::vector<std::string>& arguments) {
    command_.arguments.insert(command_.arguments.end(), arguments.begin(), arguments.end());
    return *this;
  }
  Command finish() { return std::move(command_); }

 private:
  Command command_;
};

bool holds_any(const std::string& folder, std::initializer_list<const char*> names) {
  std::error_code ignored;
  for (const char* name : names) {
    if (fs::exists(fs::path(folder) / name, ignored)) return true;
  }
  return false;
}

bool is_toolkit_include_folder(const std::string& folder) {
  return holds_any(folder, {"cuda_runtime_api.h", "crt/host_config.h"});
}

bool is_toolkit_library_folder(const std::string& folder) {
  return holds_any(folder, {"libcudart.so", "libcudart_static.a", "stubs/libcuda.so"});
}

// -D, -U, -I … come in pairs.
std::vector<std::string> without_toolkit_includes(const std::vector<std::string>& flags) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i + 1 < flags.size(); i += 2) {
    const bool is_folder = flags[i] == "-I" || flags[i] == "-isystem";
    if (is_folder && is_toolkit_include_folder(flags[i + 1])) continue;
    kept.push_back(flags[i]);
    kept.push_back(flags[i + 1]);
  }
  return kept;
}

std::vector<std::string> without_toolkit_libraries(const std::vector<std::string>& flags) {
  std::vector<std::string> kept;
  for (const std::string& flag : flags) {
    if (flag.starts_with("-L") && is_toolkit_library_folder(flag.substr(2))) continue;
    kept.push_back(flag);
  }
  return kept;
}

// What nvcc lets pass without a word, clang shall too.
const std::vector<std::string> kLeniency = {"-Wno-c++11-narrowing",
                                            "-Wno-reserved-user-defined-literal",
                                            "-Wno-register",
                                            "-Wno-dynamic-exception-spec",
                                            "-Wno-deprecated-declarations",
                                            "-Wno-writable-strings",
                                            "-Wno-unknown-warning-option",
                                            "-Wno-ignored-optimization-argument",
                                            "-Wno-unused-result",
                                            "-Wno-cuda-compat",
                                            "-Wno-unknown-pragmas",
                                            "-Wno-unknown-cuda-version",
                                            "-Wno-pass-failed",
                                            "-Wno-deprecated-register"};

CommandBuilder clang_builder(const Toolchain& toolchain) {
  CommandBuilder builder(toolchain.clang);
  builder.add({"--no-default-config", "-Qunused-arguments",
               toolchain.colour ? "-fcolor-diagnostics" : "-fno-color-diagnostics"});
  return builder;
}

std::string standard_of(const CompileRequest& request, const SourceJob& job) {
  if (!request.standard.empty()) return request.standard;
  return job.needs_cxx20 ? "gnu++20" : "gnu++17";
}

void add_raddle_includes(CommandBuilder& builder, const Toolchain& toolchain) {
  builder.add({"-isystem", toolchain.include_folder + "/raddle/cuda", "-isystem",
               toolchain.include_folder + "/raddle", "-isystem",
               toolchain.include_folder + "/raddle/libcuxx", "-isystem", toolchain.include_folder});
}

void add_dependency_file(CommandBuilder& builder, const SourceJob& job) {
  if (!job.dependency_file.empty())
    builder.add({"-MD", "-MT", "program", "-MF", job.dependency_file});
}

bool has_clang_openmp() { return fs::exists("/usr/lib/llvm-19/lib/libomp.so"); }

// nvcc's host compiler finds omp.h whether or not -fopenmp is given. Without clang's own OpenMP
// library the pragmas are left out, which runs such a program in one thread, and a header of ours
// says so to the program.
void add_openmp(CommandBuilder& builder, const Toolchain& toolchain) {
  if (!has_clang_openmp()) builder.add({"-idirafter", toolchain.include_folder + "/raddle/openmp"});
}

// Both halves of a CUDA file, up to what tells them apart.
CommandBuilder cuda_builder(const Toolchain& toolchain, const CompileRequest& request,
                            const SourceJob& job) {
  CommandBuilder builder = clang_builder(toolchain);
  builder.add({"-x", "cuda", "-nocudainc", "-nocudalib", "--cuda-path=/nonexistent", "-Xclang",
               "-target-sdk-version=12.3",
               // From C++20 on, clang takes a __host__ and a __device__ function of one signature
               // for the same when it reads them from a precompiled header, as it would merge the
               // contents of two modules. CUDA has no modules.
               "-Xclang", "-fno-cxx-modules",
               // Declarations of functions with ... that are never called, as traits have them.
               "-Xclang", "-fcuda-allow-variadic-functions",
               fmt::format("--cuda-gpu-arch=sm_{}", request.architecture),
               "-std=" + standard_of(request, job)});
  builder.add(kLeniency);
  builder.add(without_toolkit_includes(request.common_flags));
  add_raddle_includes(builder, toolchain);
  add_openmp(builder, toolchain);
  if (job.header_file.empty()) {
    builder.add({"-include", "cuda_runtime.h"});
  } else {
    builder.add({"-Xclang", "-include-pch", "-Xclang", job.header_file});
  }
  if (!job.overlay_file.empty()) builder.add({"-ivfsoverlay", job.overlay_file});
  return builder;
}

void add_host_flags(CommandBuilder& builder, const CompileRequest& request) {
  // The reference that a program checks its device by often overflows on the way. The device's
  // arithmetic wraps, and so must this.
  builder.add({"-fwrapv"});
  builder.add(request.host_flags);
  if (request.openmp && has_clang_openmp()) builder.add({"-fopenmp"});
  if (request.no_warnings) builder.add({"-w"});
}

// Messages name the line that called the runtime. Programs that are compiled with -g have more.
void add_host_lines(CommandBuilder& builder, const CompileRequest& request) {
  const auto is_debug = [](const std::string& flag) { return flag.starts_with("-g"); };
  if (!request.host_lines || std::ranges::any_of(request.host_flags, is_debug)) return;
  builder.add({"-gline-tables-only", "-fdebug-compilation-dir=.", "-fdebug-prefix-map=./="});
}

// nvcc keeps what such programs count on and C++ leaves undefined; docs/cuda-semantics.md has the
// reasons.
const std::vector<std::string> kDeviceSemantics = {
    "-Xclang", "-no-enable-noundef-analysis",  // an argument that is not set in all lanes
    "-fno-strict-return",                      // a function that ends without its return
    "-fno-strict-aliasing", "-fno-finite-loops",
    // Fuses products and sums as nvcc does, but not where the device library must not.
    "-ffp-contract=fast-honor-pragmas"};

std::string toolkit_library_flag(const Toolchain& toolchain) {
  return "-L" + toolchain.toolkit_folder + "/lib64";
}

void add_device_flags(CommandBuilder& builder, const CompileRequest& request) {
  builder.add(kDeviceSemantics);
  builder.add({"--cuda-device-only", "--cuda-feature=+" + ptx_feature(request.architecture),
               "-gline-tables-only", "-fdebug-compilation-dir=.",
               "-fdebug-prefix-map=./=", "-mllvm", "-inline-threshold=1000",
               // Keeps clang from turning tables of strings into tables of distances, which its
               // backend for PTX cannot write. Nothing else depends on it.
               "-mcmodel=large",
               // Else clang makes explicit instantiations of templates private to the device: other
               // files could not call them, nor could the host write to the variables among them.
               // Private symbols have a suffix then, which ptx_text.h removes.
               "-fgpu-rdc", "-cuid=raddle"});
  builder.add(request.device_flags);
  builder.add({"-w"});  // the host's half gives the warnings; twice is once too often
}

}  // namespace

Toolchain find_toolchain() {
  Toolchain toolchain;
  if (const char* chosen = std::getenv("RADDLE_CLANG"); chosen != nullptr && *chosen != '\0') {
    toolchain.clang = find_tool(chosen);
    if (toolchain.clang.empty() && chosen[0] == '/' && access(chosen, X_OK) == 0)
      toolchain.clang = chosen;
    if (toolchain.clang.empty())
      throw Error(fmt::format("RADDLE_CLANG names '{}', which is not a program", chosen));
  } else {
    toolchain.clang = find_tool("clang++-19");
  }
  if (toolchain.clang.empty()) {
    throw Error("clang++-19 was not found; it compiles CUDA programs", {},
                "install it: apt-get install clang-19");
  }
  const ResourcePaths paths = resource_paths();
  toolchain.include_folder = paths.include.string();
  toolchain.library_folder = paths.library.string();
  toolchain.source_folder = (paths.root / "libraries").string();
  if (const char* toolkit = std::getenv("RADDLE_TOOLKIT"); toolkit != nullptr)
    toolchain.toolkit_folder = toolkit;
  return toolchain;
}

std::string compiler_identity(const Toolchain& toolchain) {
  std::error_code ignored;
  const fs::path clang = fs::canonical(toolchain.clang, ignored);
  return fmt::format("{} {} {}", clang.string(), fs::file_size(clang, ignored),
                     fs::last_write_time(clang, ignored).time_since_epoch().count());
}

std::string toolkit_variables(const Toolchain& toolchain, const CompileRequest& request) {
  const std::string& top = toolchain.toolkit_folder;
  if (top.empty()) return {};
  return fmt::format(
      "#$ TOP={0}\n#$ PATH={0}/bin\n#$ NVVMIR_LIBRARY_DIR={0}/nvvm/libdevice\n"
      "#$ INCLUDES=-I{0}/include\n#$ LIBRARIES={1}\n#$ DEVICE=-arch compute_{2}\n",
      top, toolkit_library_flag(toolchain), request.architecture);
}

Command device_command(const Toolchain& toolchain, const CompileRequest& request,
                       const SourceJob& job) {
  CommandBuilder builder = cuda_builder(toolchain, request, job);
  add_device_flags(builder, request);
  add_dependency_file(builder, job);
  return builder.add({"-S", job.source, "-o", job.output}).finish();
}

Command host_command(const Toolchain& toolchain, const CompileRequest& request,
                     const SourceJob& job, const std::string& image, const std::string& mode) {
  CommandBuilder builder = cuda_builder(toolchain, request, job);
  builder.add({"--cuda-host-only", "-Xclang", "-fcuda-include-gpubinary", "-Xclang", image});
  // Before the source, or clang leaves out the image of a file without kernels and variables.
  if (request.relocatable) builder.add({"-include", "device/registered_image.h"});
  add_host_lines(builder, request);
  add_host_flags(builder, request);
  builder.add(request.dependency_flags);
  add_dependency_file(builder, job);
  return builder.add({mode, job.source, "-o", job.output}).finish();
}

Command header_command(const Toolchain& toolchain, const CompileRequest& request,
                       const SourceJob& job, bool device) {
  CommandBuilder builder = cuda_builder(toolchain, request, job);
  if (device) {
    add_device_flags(builder, request);
  } else {
    builder.add({"--cuda-host-only"});
    add_host_flags(builder, request);
  }
  add_dependency_file(builder, job);
  // The cache compares contents; times would forbid what a fresh checkout changed in nothing but
  // its time.
  return builder
      .add({"-Xclang", "-fno-pch-timestamp", "-Xclang", "-emit-pch", "-S", job.source, "-o",
            job.output})
      .finish();
}

Command preprocess_command(const Toolchain& toolchain, const CompileRequest& request,
                           const SourceJob& job, const std::string& mode) {
  CommandBuilder builder = cuda_builder(toolchain, request, job);
  builder.add({"--cuda-host-only", "-w"});
  if (mode != "-E") builder.add(request.dependency_flags);
  if (mode == "-E") builder.add({"-E"});
  builder.add({job.source});
  if (!job.output.empty()) builder.add({"-o", job.output});
  return builder.finish();
}

Command plain_command(const Toolchain& toolchain, const CompileRequest& request, Language language,
                      const SourceJob& job) {
  CommandBuilder builder = clang_builder(toolchain);
  const bool is_c = language == Language::kC;
  builder.add({"-Wno-unused-command-line-argument"});  // an assembler file takes few flags
  if (language != Language::kAssembler) {
    builder.add({"-x", is_c ? "c" : "c++"});
    const bool standard_fits = request.standard.find("++") != std::string::npos;
    if (is_c) {
      builder.add({"-std=gnu17", "-Wno-implicit-function-declaration", "-Wno-implicit-int",
                   "-Wno-int-conversion", "-Wno-incompatible-function-pointer-types",
                   "-Wno-return-type"});
    } else {
      builder.add({"-std=" + (standard_fits ? request.standard : std::string("gnu++17"))});
    }
    builder.add(kLeniency);
    builder.add(without_toolkit_includes(request.common_flags));
    add_raddle_includes(builder, toolchain);
    add_openmp(builder, toolchain);
    add_host_lines(builder, request);
    add_host_flags(builder, request);
    builder.add(request.dependency_flags);
    add_dependency_file(builder, job);
  }
  return builder.add({"-c", job.source, "-o", job.output}).finish();
}

Command link_command(const Toolchain& toolchain, const CompileRequest& request,
                     const std::vector<std::string>& objects, const std::string& output) {
  CommandBuilder builder = clang_builder(toolchain);
  builder.add(request.host_flags);
  builder.add(objects);
  builder.add(without_toolkit_libraries(request.link_flags));
  if (request.openmp && has_clang_openmp()) builder.add({"-fopenmp"});
  // By its path, which the program then loads it by: written here, or in the toolkit's library.
  // CMake takes the line with the toolkit's folder for the one that links, and reads from it which
  // runtime library is the default.
  if (toolchain.toolkit_folder.empty()) {
    builder.add({toolchain.library_folder + "/libraddle-cudart.so"});
  } else {
    builder.add({toolkit_library_flag(toolchain), "-lcudart_static"});
  }
  return builder.add({"-lm", "-o", output}).finish();
}

Command archive_command(const CompileRequest& request, const std::vector<std::string>& objects,
                        const std::string& output) {
  const std::string tool = find_tool("ar");
  if (tool.empty())
    throw Error("ar was not found; it makes libraries", {}, "install it: apt-get install binutils");
  CommandBuilder builder(tool);
  if (request.archive_flags.empty()) builder.add({"rcs"});
  builder.add(request.archive_flags);
  return builder.add({output}).add(objects).finish();
}

}  // namespace raddle::cuda
