// The table of nvcc's flags: their names, whether they take a value, and what each does to the
// request that is being read. Used by nvcc_arguments.cpp alone.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lang/cuda/compile_request.h"

namespace raddle::cuda {

// The command line being read, and what only its end decides.
struct Reading {
  CompileRequest request;
  std::vector<std::string> input_paths;
  std::vector<int> architectures;
  std::optional<Language> language;  // -x
  std::string optimisation;          // -O
  bool debug = false;                // -g
  bool device_debug = false;         // -G
  bool forward_unknown = false;      // -forward-unknown-to-host-compiler
  int depth = 0;                     // of option files within option files
};

enum class Value { kNone, kNeeded };

struct Flag {
  std::string_view name;   // without dashes; nvcc takes one dash and two alike
  std::string_view alias;  // nvcc's long name
  Value value;
  void (*apply)(Reading&, const std::string& value);
};

std::span<const Flag> nvcc_flags();

// A flag of the host compiler's own.
void add_host_flag(Reading& reading, const std::string& flag);
// Reads arguments into `reading`; the files that flags name may hold more of them. In
// nvcc_arguments.cpp.
void read_arguments(Reading& reading, std::span<const std::string> arguments);

}  // namespace raddle::cuda
