#include "lang/cuda/nvcc_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/nearest_name.h"
#include "base/version.h"
#include "lang/cuda/gpu_architecture.h"
#include "lang/cuda/nvcc_flag_table.h"

namespace raddle::cuda {

namespace {

const Flag* find_flag(std::string_view name) {
  for (const Flag& flag : nvcc_flags()) {
    if (flag.name == name || flag.alias == name) return &flag;
  }
  return nullptr;
}

// -Ifolder, -DX=1, -O3, -lm …: the value follows the letter at once.
const Flag* find_joined(std::string_view argument) {
  constexpr std::string_view kLetters = "DUILlOxmot";
  if (argument.size() < 3 || argument[1] == '-' ||
      kLetters.find(argument[1]) == std::string_view::npos)
    return nullptr;
  // -m64 and -t4, but -march and -typo are other flags.
  constexpr std::string_view kNumbers = "mt";
  if (kNumbers.find(argument[1]) != std::string_view::npos &&
      (argument[2] < '0' || argument[2] > '9'))
    return nullptr;
  return find_flag(argument.substr(1, 1));
}

[[noreturn]] void unknown_flag(const std::string& argument) {
  std::vector<std::string> names;
  for (const Flag& flag : nvcc_flags()) {
    names.push_back(fmt::format("-{}", flag.name));
    if (flag.alias.size() > 1) names.push_back(fmt::format("--{}", flag.alias));
  }
  const std::string written = argument.substr(0, argument.find('='));
  throw Error(fmt::format("unknown option '{}'", argument), {}, suggestion(written, names));
}

// What nvcc does not take but gcc and clang do; it can only be meant for them.
bool is_host_flag(std::string_view argument) {
  return argument.starts_with("-W") || argument.starts_with("-f") ||
         argument.starts_with("-march=") || argument.starts_with("-mtune=") ||
         argument.starts_with("-pthread") || argument.starts_with("-ggdb") ||
         argument == "-rdynamic" || argument == "-pedantic" || argument == "-static-libstdc++" ||
         argument == "-static-libgcc";
}

Language language_of(const Reading& reading, const std::string& path) {
  const std::filesystem::path file(path);
  const std::string ending = file.extension().string();
  const auto is_one_of = [&](std::initializer_list<const char*> endings) {
    return std::find(endings.begin(), endings.end(), ending) != endings.end();
  };
  if (is_one_of({".o", ".obj", ".a", ".so", ".lo"}) || path.find(".so.") != std::string::npos)
    return Language::kObject;
  if (reading.language) return *reading.language;
  if (is_one_of({".cu", ".cup"})) return Language::kCuda;
  if (ending == ".c") return Language::kC;
  if (is_one_of({".cpp", ".cc", ".cxx", ".c++", ".C", ".CPP", ".ii"})) return Language::kCxx;
  if (is_one_of({".s", ".S"})) return Language::kAssembler;
  if (ending == ".ptx")
    throw Error("a .ptx file is not compiled", path, fmt::format("run it: raddle run {}", path));
  throw Error("unknown kind of file", path, "known extensions: .cu .c .cpp .cc .cxx .s .o .a .so");
}

void finish_optimisation(Reading& reading) {
  const bool debugging = reading.debug || reading.device_debug;
  const std::string level = !reading.optimisation.empty() ? reading.optimisation
                            : debugging                   ? "-O0"
                                                          : "-O2";
  reading.request.host_flags.insert(reading.request.host_flags.begin(), level);
  if (reading.debug) reading.request.host_flags.emplace_back("-g");
  // nvcc's -O is for the host: device code is optimised at level 3 unless -G asks to debug it.
  // Unoptimised device code would keep everything in local memory; -O1 is as near to the source as
  // is useful.
  reading.request.device_flags.insert(reading.request.device_flags.begin(),
                                      reading.device_debug ? "-O1" : "-O3");
}

}  // namespace

void read_arguments(Reading& reading, std::span<const std::string> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument.size() < 2 || argument[0] != '-') {
      reading.input_paths.push_back(argument);
      continue;
    }
    const std::string_view bare = std::string_view(argument).substr(argument[1] == '-' ? 2 : 1);
    const std::size_t equals = bare.find('=');
    if (const Flag* flag = find_flag(bare.substr(0, equals)); flag != nullptr) {
      if (flag->value == Value::kNone) {
        if (equals != std::string_view::npos)
          throw Error(fmt::format("-{} takes no value", flag->name));
        flag->apply(reading, {});
      } else if (equals != std::string_view::npos) {
        flag->apply(reading, std::string(bare.substr(equals + 1)));
      } else if (i + 1 < arguments.size()) {
        flag->apply(reading, arguments[++i]);
      } else {
        throw Error(fmt::format("{} needs a value", argument));
      }
    } else if (const Flag* joined = find_joined(argument); joined != nullptr) {
      joined->apply(reading, argument.substr(2));
    } else if (is_host_flag(argument) || reading.forward_unknown) {
      add_host_flag(reading, argument);
    } else {
      unknown_flag(argument);
    }
  }
}

CompileRequest parse_nvcc_arguments(std::span<const std::string> arguments) {
  Reading reading;
  read_arguments(reading, arguments);
  CompileRequest& request = reading.request;
  if (request.stage == Stage::kVersion || request.stage == Stage::kHelp) return request;
  if (reading.input_paths.empty()) throw Error("no input file", {}, "raddle cc FILE.cu -o PROGRAM");
  for (const std::string& path : reading.input_paths)
    request.inputs.push_back({path, language_of(reading, path)});
  request.architecture = supported_architecture(preferred_architecture(reading.architectures));
  const bool one_output = request.stage != Stage::kLink && request.stage != Stage::kDeviceLink &&
                          request.stage != Stage::kArchive;
  if (one_output && request.inputs.size() > 1 && !request.output.empty()) {
    throw Error(
        fmt::format("-o names one file, but there are {} to compile", request.inputs.size()));
  }
  finish_optimisation(reading);
  return request;
}

std::string nvcc_version_text() {
  return fmt::format(
      // CMake looks for the beginning of this line.
      "nvcc: NVIDIA (R) Cuda compiler driver's flags, taken by raddle cc for simulated devices\n"
      "Raddle {}; takes the flags of nvcc and contains nothing of it\n"
      "Cuda compilation tools, release 12.3, V{} (raddle)\n",
      kVersion, kToolkitVersion);
}

std::string nvcc_flags_help() {
  std::string text = "Flags, with one dash or two, a value after '=' or as the next argument:\n";
  std::string line = " ";
  for (const Flag& flag : nvcc_flags()) {
    std::string name = fmt::format(" -{}", flag.name);
    if (flag.value == Value::kNeeded) name += flag.name.size() == 1 ? "…" : "=…";
    if (line.size() + name.size() > 100) {
      text += line + "\n";
      line = " ";
    }
    line += name;
  }
  return text + line + "\n";
}

}  // namespace raddle::cuda
