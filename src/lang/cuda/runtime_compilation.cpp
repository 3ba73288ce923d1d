#include "lang/cuda/runtime_compilation.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/atomic_file.h"
#include "base/error.h"
#include "lang/cuda/clang_driver.h"
#include "lang/cuda/nvcc_arguments.h"
#include "lang/cuda/process.h"

namespace raddle::cuda {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNamePrefix = "__raddle_name_";

// Options that say how NVRTC itself works: there is nothing here that they would change.
bool is_ignored(std::string_view option) {
  for (const std::string_view known :
       {"builtin-initializer-list", "builtin-move-forward", "modify-stack-limit", "dopt", "pch",
        "no-source-include", "minimal", "time", "split-compile", "jump-table-density",
        "device-stack-protector", "no-cache", "brief-diagnostics", "diag-error", "diag-suppress",
        "diag-warn", "unified-pointer-param", "version-ident", "device-float128"}) {
    const std::size_t dashes = option.starts_with("--") ? 2 : 1;
    if (option.substr(std::min(dashes, option.size())).starts_with(known)) return true;
  }
  return false;
}

bool is_default_device(std::string_view option) {
  return option == "-default-device" || option == "--device-as-default-execution-space";
}

// NVRTC takes an option with its value in one string, "-I folder", and in two.
std::vector<std::string> split_options(const std::vector<std::string>& options) {
  std::vector<std::string> result;
  for (const std::string& option : options) {
    const std::size_t begin = option.find_first_not_of(' ');
    if (begin == std::string::npos) continue;
    const std::string text = option.substr(begin, option.find_last_not_of(' ') + 1 - begin);
    const std::size_t space = text.find(' ');
    if (text.front() == '-' && space != std::string::npos && text.find('=') > space) {
      result.push_back(text.substr(0, space));
      result.push_back(text.substr(text.find_first_not_of(' ', space)));
    } else {
      result.push_back(text);
    }
  }
  return result;
}

// A pointer to each expression, whose initialiser in the PTX is the symbol's name.
std::string name_variables(const std::vector<std::string>& expressions) {
  std::string text;
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    std::string expression = expressions[i];
    const std::size_t begin = expression.find_first_not_of(" &");
    if (begin != std::string::npos) expression.erase(0, begin);
    text += fmt::format("__device__ __attribute__((used)) auto* {}{} = &{};\n", kNamePrefix, i,
                        expression);
  }
  return text;
}

// Takes the pointers out of the PTX, and the names out of them.
void take_names(RuntimeOutcome& outcome, const std::vector<std::string>& expressions) {
  std::string rest;
  for (std::size_t start = 0; start < outcome.ptx.size();) {
    const std::size_t end = std::min(outcome.ptx.find('\n', start), outcome.ptx.size() - 1) + 1;
    const std::string_view line(outcome.ptx.data() + start, end - start);
    start = end;
    const std::size_t place = line.find(kNamePrefix);
    const std::size_t equals = line.find(" = ");
    if (place == std::string_view::npos || equals == std::string_view::npos) {
      rest += line;
      continue;
    }
    const std::size_t index = std::stoul(std::string(line.substr(place + kNamePrefix.size())));
    std::string_view name = line.substr(equals + 3);
    name = name.substr(0, name.find(';'));
    constexpr std::string_view kGeneric = "generic(";
    if (name.starts_with(kGeneric))
      name = name.substr(kGeneric.size(), name.find(')') - kGeneric.size());
    if (index < expressions.size()) outcome.names[expressions[index]] = name;
  }
  outcome.ptx = rest;
}

}  // namespace

RuntimeOutcome compile_at_run_time(const RuntimeProgram& program,
                                   const std::vector<std::string>& options) {
  RuntimeOutcome outcome;
  const TemporaryFolder folder;
  // Programs test for this macro where they would include what only a host has.
  std::vector<std::string> arguments = {
      "-ptx", "-x", "cu", "-D__CUDACC_RTC__=1", "-I" + folder.path(), "-I."};
  bool default_device = false;
  for (const std::string& option : split_options(options)) {
    if (is_default_device(option)) {
      default_device = true;
    } else if (!is_ignored(option)) {
      arguments.push_back(option);
    }
  }
  const std::string source = folder.file("program.cu");
  const std::string output = folder.file("program.ptx");
  arguments.insert(arguments.end(), {source, "-o", output});
  CompileRequest request;
  try {
    request = parse_nvcc_arguments(arguments);
  } catch (const Error& error) {
    outcome.good_options = false;
    outcome.log = error.full_text() + "\n";
    return outcome;
  }

  for (const MemorySource& header : program.headers) {
    const fs::path file = folder.file(header.name);
    fs::create_directories(file.parent_path());
    write_file_atomically(file.string(), header.text);
  }
  const std::string name = program.source.name.empty() ? "default_program" : program.source.name;
  write_file_atomically(
      source, fmt::format("{}#line 1 \"{}\"\n{}\n{}",
                          default_device ? "#pragma clang force_cuda_host_device begin\n" : "",
                          name, program.source.text, name_variables(program.expressions)));
  const CompileOutcome compiled = compile(request, find_toolchain());
  outcome.log = compiled.diagnostics;
  outcome.good = compiled.status == 0;
  if (!outcome.good) return outcome;
  outcome.ptx = read_file(output);
  take_names(outcome, program.expressions);
  return outcome;
}

}  // namespace raddle::cuda
