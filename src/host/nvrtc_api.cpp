// NVRTC: CUDA source compiled at run time, by the compiler that made the program.
#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <new>
#include <optional>

#include "base/error.h"
#include "host/cuda_api.h"
#include "lang/cuda/runtime_compilation.h"

// NOLINTNEXTLINE(bugprone-reserved-identifier): the interface's own name
struct _nvrtcProgram {
  raddle::cuda::RuntimeProgram program;
  std::optional<raddle::cuda::RuntimeOutcome> outcome;
};

namespace {

// Those for which the compiler writes PTX.
constexpr std::array<int, 10> kArchitectures = {50, 52, 53, 60, 61, 62, 70, 72, 75, 80};

// Texts go out with the NUL at their end.
nvrtcResult give_size(const std::string& text, size_t* bytes) {
  if (bytes == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  *bytes = text.size() + 1;
  return NVRTC_SUCCESS;
}

nvrtcResult give_text(const std::string& text, char* destination) {
  if (destination == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  std::memcpy(destination, text.c_str(), text.size() + 1);
  return NVRTC_SUCCESS;
}

bool is_compiled(nvrtcProgram program) {
  return program != nullptr && program->outcome && program->outcome->good;
}

}  // namespace

const char* nvrtcGetErrorString(nvrtcResult result) {
  switch (result) {
    case NVRTC_SUCCESS: return "NVRTC_SUCCESS";
    case NVRTC_ERROR_OUT_OF_MEMORY: return "NVRTC_ERROR_OUT_OF_MEMORY";
    case NVRTC_ERROR_PROGRAM_CREATION_FAILURE: return "NVRTC_ERROR_PROGRAM_CREATION_FAILURE";
    case NVRTC_ERROR_INVALID_INPUT: return "NVRTC_ERROR_INVALID_INPUT";
    case NVRTC_ERROR_INVALID_PROGRAM: return "NVRTC_ERROR_INVALID_PROGRAM";
    case NVRTC_ERROR_INVALID_OPTION: return "NVRTC_ERROR_INVALID_OPTION";
    case NVRTC_ERROR_COMPILATION: return "NVRTC_ERROR_COMPILATION";
    case NVRTC_ERROR_BUILTIN_OPERATION_FAILURE: return "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE";
    case NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION:
      return "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION";
    case NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION:
      return "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION";
    case NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID: return "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID";
    case NVRTC_ERROR_INTERNAL_ERROR: return "NVRTC_ERROR_INTERNAL_ERROR";
    case NVRTC_ERROR_TIME_FILE_WRITE_FAILED: return "NVRTC_ERROR_TIME_FILE_WRITE_FAILED";
  }
  return "NVRTC_ERROR unknown";
}

nvrtcResult nvrtcVersion(int* major, int* minor) {
  if (major == nullptr || minor == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  *major = CUDART_VERSION / 1000;
  *minor = CUDART_VERSION % 1000 / 10;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetNumSupportedArchs(int* count) {
  if (count == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  *count = static_cast<int>(kArchitectures.size());
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int* architectures) {
  if (architectures == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  std::copy(kArchitectures.begin(), kArchitectures.end(), architectures);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* source, const char* name,
                               int header_count, const char* const* headers,
                               const char* const* include_names) {
  const bool has_headers = headers != nullptr && include_names != nullptr;
  if (program == nullptr || source == nullptr || header_count < 0) return NVRTC_ERROR_INVALID_INPUT;
  if (header_count > 0 && !has_headers) return NVRTC_ERROR_INVALID_INPUT;
  auto* made = new (std::nothrow) _nvrtcProgram;
  if (made == nullptr) return NVRTC_ERROR_OUT_OF_MEMORY;
  made->program.source = {name == nullptr ? "" : name, source};
  for (int i = 0; i < header_count; ++i)
    made->program.headers.push_back({include_names[i], headers[i]});
  *program = made;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
  if (program == nullptr || *program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  delete *program;
  *program = nullptr;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char* const* options) {
  if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  if (count < 0 || (count > 0 && options == nullptr)) return NVRTC_ERROR_INVALID_INPUT;
  try {
    program->outcome = raddle::cuda::compile_at_run_time(
        program->program, std::vector<std::string>(options, options + count));
  } catch (const raddle::Error& error) {
    program->outcome.emplace();
    program->outcome->log = error.full_text() + "\n";
    return NVRTC_ERROR_INTERNAL_ERROR;
  } catch (const std::exception& fault) {
    program->outcome.emplace();
    program->outcome->log = fault.what();
    return NVRTC_ERROR_INTERNAL_ERROR;
  }
  if (!program->outcome->good_options) return NVRTC_ERROR_INVALID_OPTION;
  return program->outcome->good ? NVRTC_SUCCESS : NVRTC_ERROR_COMPILATION;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t* bytes) {
  if (!is_compiled(program)) return NVRTC_ERROR_INVALID_PROGRAM;
  return give_size(program->outcome->ptx, bytes);
}

nvrtcResult nvrtcGetPTX(nvrtcProgram program, char* text) {
  if (!is_compiled(program)) return NVRTC_ERROR_INVALID_PROGRAM;
  return give_text(program->outcome->ptx, text);
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t* bytes) {
  return nvrtcGetPTXSize(program, bytes);
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* image) { return nvrtcGetPTX(program, image); }

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t* bytes) {
  if (program == nullptr || !program->outcome) return NVRTC_ERROR_INVALID_PROGRAM;
  return give_size(program->outcome->log, bytes);
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* text) {
  if (program == nullptr || !program->outcome) return NVRTC_ERROR_INVALID_PROGRAM;
  return give_text(program->outcome->log, text);
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char* expression) {
  if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  if (expression == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  if (program->outcome) return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
  program->program.expressions.emplace_back(expression);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char* expression, const char** name) {
  if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  if (expression == nullptr || name == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  if (!is_compiled(program)) return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
  const auto found = program->outcome->names.find(expression);
  if (found == program->outcome->names.end()) return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
  *name = found->second.c_str();
  return NVRTC_SUCCESS;
}
