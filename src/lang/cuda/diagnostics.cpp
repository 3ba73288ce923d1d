#include "lang/cuda/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace raddle::cuda {

namespace {

struct MissingHeader {
  std::string_view name;  // a beginning of the header's name
  std::string_view what;
};

constexpr std::array<MissingHeader, 21> kMissingHeaders = {{
    {"cudaGL", "graphics interop"},
    {"cuda_d3d", "graphics interop"},
    {"cuda_egl_interop", "graphics interop"},
    {"cuda_vdpau_interop", "graphics interop"},
    {"cufftw", "cuFFT's interface in FFTW's manner"},
    {"cusolverSp", "cuSOLVER for sparse matrices"},
    {"cusolverRf", "refactorization in cuSOLVER"},
    {"cusolverMg", "cuSOLVER on several devices"},
    {"cudnn", "the library cuDNN"},
    {"nvrtc", "compiling at run time (NVRTC)"},
    {"npp", "the library NPP"},
    {"cudpp", "the library CUDPP"},
    {"cutlass/", "the library CUTLASS"},
    {"nccl", "the library NCCL"},
    {"nvml", "the library NVML"},
    {"cupti", "the library CUPTI"},
    {"mma.h", "the matrix unit (mma.h)"},
    {"cuda_pipeline", "copying asynchronously to shared memory (cuda_pipeline.h)"},
    {"cuda_awbarrier", "the split barrier (cuda_awbarrier.h)"},
    {"cooperative_groups/memcpy_async", "copying asynchronously to shared memory (memcpy_async.h)"},
    {"cuda_fp8", "8-bit floating point (cuda_fp8.h)"},
}};

constexpr std::array<std::string_view, 5> kLibraries = {"cublas", "cufft", "curand", "cusolver",
                                                        "cusparse"};

struct Package {
  std::string_view header;  // a beginning of the header's name
  std::string_view name;
};

// Header-only libraries that Debian has.
constexpr std::array<Package, 4> kPackages = {{{"thrust/", "libthrust-dev"},
                                               {"cub/", "libcub-dev"},
                                               {"cuda/", "libcu++-dev"},
                                               {"nv/target", "libcu++-dev"}}};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t place = text.find(from); place != std::string::npos;
       place = text.find(from, place + to.size())) {
    text.replace(place, from.size(), to);
  }
}

// "reference to __global__ function 'child' in __device__ function": a launch in device code.
bool translate_nested_launch(std::string& line) {
  constexpr std::string_view kBefore = "reference to __global__ function '";
  const std::size_t start = line.find(kBefore);
  if (start == std::string::npos) return false;
  const std::size_t name = start + kBefore.size();
  const std::size_t end = line.find('\'', name);
  const std::size_t tail = line.find(" function", end);
  if (end == std::string::npos || tail == std::string::npos || line.find("__host__", end) < tail)
    return false;
  const std::string kernel = line.substr(name, end - name);
  line.replace(
      start, tail + 9 - start,
      fmt::format("dynamic parallelism is not supported: kernel '{}' is launched from device code",
                  kernel));
  return true;
}

std::string hint_for_missing_header(std::string_view line) {
  constexpr std::string_view kAfter = "' file not found";
  const std::size_t end = line.find(kAfter);
  if (end == std::string_view::npos) return {};
  const std::size_t start = line.rfind('\'', end - 1);
  if (start == std::string_view::npos) return {};
  const std::string_view name = line.substr(start + 1, end - start - 1);
  for (const Package& package : kPackages) {
    if (name.starts_with(package.header))
      return fmt::format("hint: install it: apt-get install {}\n", package.name);
  }
  for (const MissingHeader& header : kMissingHeaders) {
    if (name.starts_with(header.name))
      return fmt::format("hint: {} is not supported\n", header.what);
  }
  return {};
}

// "… identifier 'cudaGraphCreate'": a call of the CUDA runtime that is not there.
std::string hint_for_missing_call(std::string_view line) {
  for (const std::string_view before :
       {"use of undeclared identifier '", "undefined reference to `", "unknown type name '"}) {
    const std::size_t start = line.find(before);
    if (start == std::string_view::npos) continue;
    const std::string_view rest = line.substr(start + before.size());
    const std::string_view name = rest.substr(0, rest.find('\''));
    const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
    const bool runtime = name.starts_with("cuda") && name.size() > 4 && is_upper(name[4]);
    const bool driver = name.starts_with("cu") && name.size() > 2 && is_upper(name[2]);
    const bool library = std::ranges::any_of(kLibraries, [&](std::string_view prefix) {
      return name.starts_with(prefix) && name.size() > prefix.size() &&
             is_upper(name[prefix.size()]);
    });
    if (runtime || driver || library)
      return fmt::format(
          "hint: {} is not part of Raddle's CUDA; docs/cuda-support.md lists what is\n", name);
  }
  if (line.find("undefined reference to `main'") == std::string_view::npos) return {};
  return "hint: the program has no main; kernels alone can be run too: raddle cc -ptx FILE.cu, "
         "then raddle run FILE.ptx\n";
}

// Calls of raddle/dmt.h, whose static arguments are template arguments.
std::string hint_for_inter_thread(std::string_view line) {
  struct Argument {
    std::string_view parameter, what;
  };
  constexpr std::array<Argument, 4> kArguments = {{{"delta", "distance between threads"},
                                                   {"window", "window of a receive"},
                                                   {"constant", "constant of fromThreadOrConst"},
                                                   {"name", "name of a channel"}}};
  for (const Argument& argument : kArguments) {
    const std::string text = fmt::format(
        "invalid explicitly-specified argument for template parameter '{}'", argument.parameter);
    if (line.find("dmt.h:") != std::string_view::npos && line.find(text) != std::string_view::npos)
      return fmt::format(
          "hint: the {} must be a constant: a literal, a constexpr variable or a template "
          "parameter\n",
          argument.what);
  }
  if (line.find("call to deleted function 'fromThreadOrMem'") == std::string_view::npos) return {};
  return "hint: fromThreadOrMem takes an element in memory, such as A[i], not its address and not "
         "a "
         "value computed from it\n";
}

// A compiler that fails in itself prints where it was, for those who know it from inside.
bool is_part_of_stack_dump(std::string_view line) {
  const std::size_t place = line.find_first_not_of(' ');
  if (place == std::string_view::npos) return false;
  const std::string_view text = line.substr(place);
  const auto is_digit = [&](std::size_t i) {
    return i < text.size() && text[i] >= '0' && text[i] <= '9';
  };
  const bool numbered = is_digit(0) && text.find(".\t") <= 3;
  const bool frame = text[0] == '#' && is_digit(1);
  // "7  libLLVM.so.19.1 0x00007f75d2694a71 …": so it is where no symbolizer could be run.
  const bool plain_frame = is_digit(0) && text.find(" 0x") != std::string_view::npos &&
                           text.find_first_not_of("0123456789") == text.find(' ');
  return numbered || frame || plain_frame || text.starts_with("PLEASE submit a bug report") ||
         text.starts_with("Stack dump");
}

// "fatal error: error in backend: …" is a full disk or a fault of clang's own.
std::string translate_backend_error(std::string& line) {
  constexpr std::string_view kBefore = "error in backend: ";
  constexpr std::string_view kInput = "IO failure on output stream: ";
  const std::size_t start = line.find(kBefore);
  if (start == std::string::npos) return {};
  const std::string what = line.substr(start + kBefore.size());
  if (!what.starts_with(kInput))
    return "hint: this is a bug in clang; rewriting the code may avoid it\n";
  line = fmt::format("raddle cc: error: cannot write the output: {}", what.substr(kInput.size()));
  return "hint: free some space, name another file with -o or another folder with TMPDIR\n";
}

}  // namespace

std::string translate_diagnostics(const std::string& text) {
  std::string result;
  std::vector<std::string> hints;
  const auto add_hint = [&](const std::string& hint) {
    if (!hint.empty() && std::find(hints.begin(), hints.end(), hint) == hints.end())
      hints.push_back(hint);
  };
  const bool failed_in_itself = text.find("PLEASE submit a bug report") != std::string::npos;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    std::string line = text.substr(start, end - start);
    start = end + 1;
    if (failed_in_itself && is_part_of_stack_dump(line)) continue;
    add_hint(translate_backend_error(line));
    if (translate_nested_launch(line))
      add_hint("hint: launch the kernel from the host, between two kernels or in a loop\n");
    add_hint(hint_for_missing_header(line));
    add_hint(hint_for_missing_call(line));
    add_hint(hint_for_inter_thread(line));
    for (const char* side : {" when compiling for host", " when compiling for sm_"}) {
      if (const std::size_t place = line.find(side); place != std::string::npos)
        line = line.substr(0, place) + ".";
    }
    result += line + "\n";
  }
  replace_all(result, "clang++-19: error:", "raddle cc: error:");
  for (const std::string& hint : hints) result += hint;
  return result;
}

}  // namespace raddle::cuda
