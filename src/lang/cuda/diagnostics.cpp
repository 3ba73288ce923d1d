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

constexpr std::array<MissingHeader, 16> kMissingHeaders = {{
    {"cuda_gl_interop", "graphics interop"},
    {"cudaGL", "graphics interop"},
    {"cuda_d3d", "graphics interop"},
    {"cuda_egl_interop", "graphics interop"},
    {"cuda_vdpau_interop", "graphics interop"},
    {"cublas", "the library cuBLAS"},
    {"cufft", "the library cuFFT"},
    {"curand", "the library cuRAND"},
    {"cusparse", "the library cuSPARSE"},
    {"cusolver", "the library cuSOLVER"},
    {"cudnn", "the library cuDNN"},
    {"nvrtc", "compiling at run time (NVRTC)"},
    {"npp", "the library NPP"},
    {"thrust/", "the library Thrust"},
    {"cub/", "the library CUB"},
    {"cudpp", "the library CUDPP"},
}};

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
    if (runtime || driver)
      return fmt::format(
          "hint: {} is not part of Raddle's CUDA; docs/cuda-support.md lists what is\n", name);
  }
  if (line.find("undefined reference to `main'") == std::string_view::npos) return {};
  return "hint: the program has no main; kernels alone can be run too: raddle cc -ptx FILE.cu, "
         "then raddle run FILE.ptx\n";
}

}  // namespace

std::string translate_diagnostics(const std::string& text) {
  std::string result;
  std::vector<std::string> hints;
  const auto add_hint = [&](const std::string& hint) {
    if (!hint.empty() && std::find(hints.begin(), hints.end(), hint) == hints.end())
      hints.push_back(hint);
  };
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    std::string line = text.substr(start, end - start);
    start = end + 1;
    if (translate_nested_launch(line))
      add_hint("hint: launch the kernel from the host, between two kernels or in a loop\n");
    add_hint(hint_for_missing_header(line));
    add_hint(hint_for_missing_call(line));
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
