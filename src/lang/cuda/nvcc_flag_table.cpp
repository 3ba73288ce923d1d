#include "lang/cuda/nvcc_flag_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/shell_words.h"
#include "lang/cuda/gpu_architecture.h"

namespace raddle::cuda {

namespace {

bool truth(std::string_view flag, const std::string& value) {
  if (value == "true") return true;
  if (value == "false") return false;
  throw Error(fmt::format("-{} takes true or false, not '{}'", flag, value));
}

void set_stage(Reading& reading, Stage stage) { reading.request.stage = stage; }

void add_architecture(Reading& reading, std::string_view name) {
  const std::optional<int> number = architecture_number(name);
  if (!number)
    throw Error(fmt::format("unknown GPU architecture '{}'", name), {},
                "write it as sm_70 or compute_70");
  reading.architectures.emplace_back(*number);
}

// arch=compute_70,code=[sm_70,compute_70]: what counts is the code that may run, and PTX is all the
// code there is.
void add_generated_code(Reading& reading, const std::string& value) {
  constexpr std::string_view kArch = "arch=";
  const std::size_t start = value.find(kArch);
  if (start == std::string::npos) {
    throw Error(fmt::format("-gencode '{}' lacks arch=", value), {},
                "write it as arch=compute_70,code=sm_70");
  }
  const std::string_view rest = std::string_view(value).substr(start + kArch.size());
  add_architecture(reading, rest.substr(0, rest.find(',')));
}

// The parts between commas and blanks; `\,` is a comma of the part.
std::vector<std::string> split_list(const std::string& value) {
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] == '\\' && i + 1 < value.size() && value[i + 1] == ',') {
      parts.back() += value[++i];
    } else if (value[i] == ',' || value[i] == ' ' || value[i] == '\t') {
      parts.emplace_back();
    } else {
      parts.back() += value[i];
    }
  }
  std::erase_if(parts, [](const std::string& part) { return part.empty(); });
  return parts;
}

void add_host_flags(Reading& reading, const std::string& value) {
  for (const std::string& flag : split_list(value)) add_host_flag(reading, flag);
}

void add_linker_flags(Reading& reading, const std::string& value) {
  for (const std::string& flag : split_list(value)) {
    reading.request.link_flags.emplace_back("-Xlinker");
    reading.request.link_flags.emplace_back(flag);
  }
}

void add_common(Reading& reading, const char* flag, const std::string& value) {
  reading.request.common_flags.emplace_back(flag);
  reading.request.common_flags.emplace_back(value);
}

// The runtime is linked with every program; other libraries of ours are (cuda_library.h) where
// asked for.
void add_library(Reading& reading, const std::string& name) {
  constexpr std::array<std::string_view, 8> kRuntime = {
      "cudart", "cudart_static", "cuda", "cudadevrt", "cutil", "nvToolsExt", "nvrtc", "culibos"};
  constexpr std::array<std::string_view, 8> kMissing = {
      "cufftw", "cusolverMg", "cusolverMp", "cudnn", "nvjpeg", "npps", "nppc", "cudpp"};
  if (std::find(kRuntime.begin(), kRuntime.end(), name) != kRuntime.end()) return;
  if (std::find(kMissing.begin(), kMissing.end(), name) != kMissing.end()) {
    throw Error(
        fmt::format("-l{}: this library is not part of Raddle", name), {},
        "docs/cuda-support.md lists what is; omit the flag if the program does not call the "
        "library");
  }
  reading.request.link_flags.emplace_back("-l" + name);
}

void set_language(Reading& reading, const std::string& value) {
  if (value == "cu") {
    reading.language = Language::kCuda;
  } else if (value == "c") {
    reading.language = Language::kC;
  } else if (value == "c++") {
    reading.language = Language::kCxx;
  } else {
    throw Error(fmt::format("-x takes c, c++ or cu, not '{}'", value));
  }
}

// clang compiles our headers from C++14 on; older programs compile as that too.
void set_standard(Reading& reading, const std::string& value) {
  constexpr std::array<std::string_view, 6> kOld = {"c++98",   "c++03",   "c++11",
                                                    "gnu++98", "gnu++03", "gnu++11"};
  const bool old = std::find(kOld.begin(), kOld.end(), value) != kOld.end() || value == "c++0x" ||
                   value == "gnu++0x";
  reading.request.standard = old ? "gnu++14" : value;
}

void set_max_registers(Reading& reading, const std::string& value) {
  int number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number < 0) {
    throw Error(fmt::format("-maxrregcount takes a number, not '{}'", value));
  }
  reading.request.max_registers = number;
}

void set_fast_math(Reading& reading) {
  std::vector<std::string>& flags = reading.request.device_flags;
  for (const char* flag :
       {"-fgpu-flush-denormals-to-zero", "-fgpu-approx-transcendentals", "-D__USE_FAST_MATH__=1",
        "-mllvm", "-nvptx-prec-divf32=0", "-mllvm", "-nvptx-prec-sqrtf32=0"}) {
    flags.emplace_back(flag);
  }
}

// For levels that it does not know, clang takes the highest and warns.
void set_optimisation(Reading& reading, const std::string& value) {
  const bool beyond = value.size() == 1 && value[0] > '3' && value[0] <= '9';
  reading.optimisation = "-O" + (beyond ? std::string("3") : value);
}

void set_llvm_option(Reading& reading, const char* option) {
  reading.request.device_flags.emplace_back("-mllvm");
  reading.request.device_flags.emplace_back(option);
}

void set_machine(Reading&, const std::string& value) {
  if (value != "64") throw Error(fmt::format("-m{}: simulated devices are 64-bit only", value));
}

void read_options_file(Reading& reading, const std::string& value) {
  if (reading.depth > 8) throw Error("option files include each other in a cycle", value);
  for (const std::string& file : split_list(value)) {
    ++reading.depth;
    read_arguments(reading, shell_words(read_file(file)));
    --reading.depth;
  }
}

[[noreturn]] void refuse_machine_code(const char* flag) {
  throw Error(fmt::format("-{}: simulated devices have no machine code", flag), {},
              "PTX is what the machines execute: use -ptx");
}

void make_image(Reading& reading, const char* ending) {
  set_stage(reading, Stage::kDeviceImage);
  reading.request.image_ending = ending;
}

void ignore(Reading&, const std::string&) {}

constexpr Value kNone = Value::kNone;
constexpr Value kNeeded = Value::kNeeded;
using Text = const std::string&;

constexpr Flag kFlags[] = {
    // What to make
    {"c", "compile", kNone, [](Reading& r, Text) { set_stage(r, Stage::kCompile); }},
    {"dc", "device-c", kNone,
     [](Reading& r, Text) {
       set_stage(r, Stage::kCompile);
       r.request.relocatable = true;
     }},
    {"dw", "device-w", kNone, [](Reading& r, Text) { set_stage(r, Stage::kCompile); }},
    {"o", "output-file", kNeeded, [](Reading& r, Text value) { r.request.output = value; }},
    {"odir", "output-directory", kNeeded,
     [](Reading& r, Text value) { r.request.output_folder = value; }},
    {"ptx", "ptx", kNone, [](Reading& r, Text) { set_stage(r, Stage::kPtx); }},
    {"cuda", "cuda", kNone, [](Reading& r, Text) { set_stage(r, Stage::kHostSource); }},
    {"E", "preprocess", kNone, [](Reading& r, Text) { set_stage(r, Stage::kPreprocess); }},
    {"M", "generate-dependencies", kNone,
     [](Reading& r, Text) {
       set_stage(r, Stage::kDependencies);
       r.request.dependency_flags.emplace_back("-M");
     }},
    {"MM", "generate-nonsystem-dependencies", kNone,
     [](Reading& r, Text) {
       set_stage(r, Stage::kDependencies);
       r.request.dependency_flags.emplace_back("-MM");
     }},
    {"MD", "generate-dependencies-with-compile", kNone,
     [](Reading& r, Text) { r.request.dependency_flags.emplace_back("-MD"); }},
    {"MMD", "generate-nonsystem-dependencies-with-compile", kNone,
     [](Reading& r, Text) { r.request.dependency_flags.emplace_back("-MMD"); }},
    {"MP", "generate-dependency-targets", kNone,
     [](Reading& r, Text) { r.request.dependency_flags.emplace_back("-MP"); }},
    {"MF", "dependency-output", kNeeded,
     [](Reading& r, Text value) {
       for (Text part : {std::string("-MF"), value}) r.request.dependency_flags.emplace_back(part);
     }},
    {"MT", "dependency-target-name", kNeeded,
     [](Reading& r, Text value) {
       for (Text part : {std::string("-MT"), value}) r.request.dependency_flags.emplace_back(part);
     }},
    {"dlink", "device-link", kNone, [](Reading& r, Text) { set_stage(r, Stage::kDeviceLink); }},
    {"link", "link", kNone, [](Reading& r, Text) { set_stage(r, Stage::kLink); }},
    {"lib", "lib", kNone, [](Reading& r, Text) { set_stage(r, Stage::kArchive); }},
    {"shared", "shared", kNone,
     [](Reading& r, Text) {
       r.request.link_flags.emplace_back("-shared");
       r.request.host_flags.emplace_back("-fPIC");
     }},
    {"cubin", "cubin", kNone, [](Reading& r, Text) { make_image(r, ".cubin"); }},
    {"fatbin", "fatbin", kNone, [](Reading& r, Text) { make_image(r, ".fatbin"); }},
    {"optix-ir", "optix-ir", kNone, [](Reading&, Text) { refuse_machine_code("optix-ir"); }},
    {"run", "run", kNone,
     [](Reading& r, Text) {
       set_stage(r, Stage::kLink);
       r.request.run = true;
     }},
    {"run-args", "run-args", kNeeded,
     [](Reading& r, Text value) {
       for (Text argument : split_list(value)) r.request.run_arguments.emplace_back(argument);
     }},
    {"version", "V", kNone, [](Reading& r, Text) { set_stage(r, Stage::kVersion); }},
    {"help", "h", kNone, [](Reading& r, Text) { set_stage(r, Stage::kHelp); }},

    // The language
    {"D", "define-macro", kNeeded, [](Reading& r, Text value) { add_common(r, "-D", value); }},
    {"U", "undefine-macro", kNeeded, [](Reading& r, Text value) { add_common(r, "-U", value); }},
    {"I", "include-path", kNeeded, [](Reading& r, Text value) { add_common(r, "-I", value); }},
    {"isystem", "system-include", kNeeded,
     [](Reading& r, Text value) { add_common(r, "-isystem", value); }},
    {"include", "pre-include", kNeeded,
     [](Reading& r, Text value) { add_common(r, "-include", value); }},
    {"x", "x", kNeeded, set_language},
    {"std", "std", kNeeded, set_standard},
    {"default-stream", "default-stream", kNeeded,
     [](Reading& r, Text value) {
       if (value == "per-thread") add_common(r, "-D", "CUDA_API_PER_THREAD_DEFAULT_STREAM=1");
     }},
    {"expt-relaxed-constexpr", "expt-relaxed-constexpr", kNone, ignore},  // clang needs no leave
    {"expt-extended-lambda", "extended-lambda", kNone, ignore},
    {"restrict", "restrict", kNone, ignore},

    // The device
    {"arch", "gpu-architecture", kNeeded,
     [](Reading& r, Text value) { add_architecture(r, value); }},
    {"code", "gpu-code", kNeeded, ignore},
    {"gencode", "generate-code", kNeeded, add_generated_code},
    {"rdc", "relocatable-device-code", kNeeded,
     [](Reading& r, Text value) { r.request.relocatable = truth("rdc", value); }},
    {"use_fast_math", "use_fast_math", kNone, [](Reading& r, Text) { set_fast_math(r); }},
    {"ftz", "ftz", kNeeded,
     [](Reading& r, Text value) {
       r.request.device_flags.emplace_back(truth("ftz", value)
                                               ? "-fgpu-flush-denormals-to-zero"
                                               : "-fno-gpu-flush-denormals-to-zero");
     }},
    {"prec-div", "prec-div", kNeeded,
     [](Reading& r, Text value) {
       set_llvm_option(r,
                       truth("prec-div", value) ? "-nvptx-prec-divf32=2" : "-nvptx-prec-divf32=0");
     }},
    {"prec-sqrt", "prec-sqrt", kNeeded,
     [](Reading& r, Text value) {
       set_llvm_option(
           r, truth("prec-sqrt", value) ? "-nvptx-prec-sqrtf32=1" : "-nvptx-prec-sqrtf32=0");
     }},
    {"fmad", "fmad", kNeeded,
     [](Reading& r, Text value) {
       r.request.device_flags.emplace_back(truth("fmad", value) ? "-ffp-contract=fast-honor-pragmas"
                                                                : "-ffp-contract=off");
     }},
    {"maxrregcount", "maxrregcount", kNeeded, set_max_registers},
    {"G", "device-debug", kNone, [](Reading& r, Text) { r.device_debug = true; }},
    {"lineinfo", "generate-line-info", kNone, ignore},  // every program has its lines
    {"ewp", "extensible-whole-program", kNone, ignore},
    {"dlto", "dlink-time-opt", kNone, ignore},
    {"src-in-ptx", "source-in-ptx", kNone, ignore},
    {"Xptxas", "ptxas-options", kNeeded, ignore},
    {"Xnvlink", "nvlink-options", kNeeded, ignore},
    {"Xfatbin", "fatbin-options", kNeeded, ignore},
    {"no-compress", "no-compress", kNone, ignore},
    {"compress-mode", "compress-mode", kNeeded, ignore},
    {"extra-device-vectorization", "extra-device-vectorization", kNone, ignore},
    {"res-usage", "resource-usage", kNone, ignore},

    // The host
    {"O", "optimize", kNeeded, set_optimisation},
    {"g", "debug", kNone, [](Reading& r, Text) { r.debug = true; }},
    {"pg", "profile", kNone, [](Reading& r, Text) { r.request.host_flags.emplace_back("-pg"); }},
    {"Xcompiler", "compiler-options", kNeeded, add_host_flags},
    {"ccbin", "compiler-bindir", kNeeded, ignore},  // clang compiles both sides
    {"allow-unsupported-compiler", "allow-unsupported-compiler", kNone, ignore},
    {"forward-unknown-to-host-compiler", "forward-unknown-to-host-compiler", kNone,
     [](Reading& r, Text) { r.forward_unknown = true; }},
    {"forward-unknown-opts", "forward-unknown-opts", kNone,
     [](Reading& r, Text) { r.forward_unknown = true; }},
    {"m", "machine", kNeeded, set_machine},
    {"w", "disable-warnings", kNone, [](Reading& r, Text) { r.request.no_warnings = true; }},
    {"Werror", "Werror", kNeeded, ignore},
    {"Wno-deprecated-gpu-targets", "Wno-deprecated-gpu-targets", kNone, ignore},
    {"Wreorder", "Wreorder", kNone,
     [](Reading& r, Text) { r.request.host_flags.emplace_back("-Wreorder"); }},
    {"Wdefault-stream-launch", "Wdefault-stream-launch", kNone, ignore},
    {"Wmissing-launch-bounds", "Wmissing-launch-bounds", kNone, ignore},
    {"Wext-lambda-captures-this", "Wext-lambda-captures-this", kNone, ignore},
    {"diag-suppress", "diag-suppress", kNeeded, ignore},
    {"diag-warn", "diag-warn", kNeeded, ignore},
    {"diag-error", "diag-error", kNeeded, ignore},
    {"Xcudafe", "Xcudafe", kNeeded, ignore},
    {"err-no", "display-error-number", kNone, ignore},
    {"brief-diag", "brief-diagnostics", kNeeded, ignore},

    // Linking
    {"L", "library-path", kNeeded,
     [](Reading& r, Text value) { r.request.link_flags.emplace_back("-L" + value); }},
    {"l", "library", kNeeded,
     [](Reading& r, Text value) {
       for (Text name : split_list(value)) add_library(r, name);
     }},
    {"Xlinker", "linker-options", kNeeded, add_linker_flags},
    {"Xarchive", "archive-options", kNeeded,
     [](Reading& r, Text value) {
       for (Text flag : split_list(value)) r.request.archive_flags.emplace_back(flag);
     }},
    {"cudart", "cudart", kNeeded, ignore},
    {"cudadevrt", "cudadevrt", kNeeded, ignore},

    // The driver
    {"v", "verbose", kNone, [](Reading& r, Text) { r.request.verbose = true; }},
    {"dryrun", "dryrun", kNone, [](Reading& r, Text) { r.request.dry_run = true; }},
    {"keep", "save-temps", kNone, ignore},
    {"keep-dir", "keep-dir", kNeeded, ignore},
    {"t", "threads", kNeeded, ignore},
    {"split-compile", "split-compile", kNeeded, ignore},
    {"time", "time", kNeeded, ignore},
    {"clean", "clean-targets", kNone, ignore},
    {"noprof", "no-align-double", kNone, ignore},
    {"optf", "options-file", kNeeded, read_options_file},
};
}  // namespace

std::span<const Flag> nvcc_flags() { return kFlags; }

void add_host_flag(Reading& reading, const std::string& flag) {
  if (flag == "-fopenmp") {
    reading.request.openmp = true;
    return;
  }
  constexpr std::string_view kStandard = "-std=";
  if (flag.starts_with(kStandard) || flag == "-ansi") {
    // One standard for both halves; that of C is not meant for them.
    if (flag.find("++") != std::string::npos) set_standard(reading, flag.substr(kStandard.size()));
    return;
  }
  const bool for_another_compiler = flag.starts_with("/");  // /W3, /EHsc: Visual C++
  if (!for_another_compiler) reading.request.host_flags.emplace_back(flag);
}

}  // namespace raddle::cuda
