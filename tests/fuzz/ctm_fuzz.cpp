// A libFuzzer target: whatever bytes come, the assembler makes a program of them or raises an
// Error, and what it made disassembles to text that assembles to the same words.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "lang/ctm/assembler.h"
#include "lang/ctm/disassembler.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  raddle::machine::overlay::Shader shader;
  try {
    shader = raddle::ctm::assemble(text, "fuzz.ctm");
  } catch (const raddle::Error&) {
    return 0;
  }
  const auto back = raddle::ctm::assemble(raddle::ctm::disassemble(shader), "again.ctm");
  if (back.code.size() != shader.code.size()) std::abort();
  return 0;
}
