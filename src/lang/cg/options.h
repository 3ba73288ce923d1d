// How a Cg program is compiled.
#pragma once

#include <string>
#include <vector>

#include "lang/cg/syntax/preprocessor.h"

namespace raddle::cg {

struct Options {
  std::string entry;  // empty: main, or the only function that no other calls
  std::vector<PredefinedMacro> macros;
  std::vector<std::string> include_folders;  // of #include, after the file's own
  // 0: every operation as it is written, one an instruction; 1: all improvements.
  int level = 1;
  // Results are the same bit for bit at every level; otherwise x + 0, 0 * x and the like may be
  // dropped and a * b + c may be rounded once.
  bool strict = false;
  // Buffers have levels, each half as wide and high as the one before: what texture functions say
  // about them counts. Otherwise it is dropped.
  bool mipmaps = false;
  // The processor rounds a * b + c once (its parameter `fused_mad`).
  bool fused_mad = false;
};

}  // namespace raddle::cg
