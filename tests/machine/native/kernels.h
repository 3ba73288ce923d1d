// Runs a kernel given as PTX on `ref` and, compiled, on `native`, and compares what they leave in
// memory bit by bit.
#pragma once

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "lang/ptx/reader.h"
#include "machine/native/kernel_compiler.h"
#include "machine/ref/launcher.h"

namespace raddle::machine::native {

inline std::string module_of(const std::string& body) {
  return ".version 7.5\n.target sm_80\n.address_size 64\n" + body;
}

// A kernel of two arrays of 64-bit words and a number: `in` is where the thread's word lies, `out`
// where it writes one, %t the thread's number in the grid and %n the number.
inline std::string kernel_of(const std::string& code) {
  return module_of(fmt::format(R"(
.visible .entry test(.param .u64 in, .param .u64 out, .param .u32 n) {{
  .reg .b16 %h<16>; .reg .b32 %r<32>; .reg .b64 %l<32>; .reg .f32 %f<16>; .reg .f64 %d<16>;
  .reg .pred %p<8>; .reg .b32 %t, %n, %block, %size; .reg .b64 %in, %out, %step;
  .shared .align 8 .b8 tile[2048];
  ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u32 %n, [n];
  mov.u32 %t, %tid.x; mov.u32 %block, %ctaid.x; mov.u32 %size, %ntid.x;
  mad.lo.u32 %t, %block, %size, %t;
  mul.wide.u32 %step, %t, 8;
  add.u64 %in, %in, %step; add.u64 %out, %out, %step;
{}
  ret;
}})",
                               code));
}

struct Outcome {
  std::vector<std::uint64_t> words;
  std::vector<std::string> faults;
  std::uint64_t warp_instructions = 0;
  bool complete = true;
};

struct Shape {
  std::uint32_t blocks = 2;
  std::uint32_t threads = 64;
  std::uint32_t n = 40;
};

inline Outcome outcome_on(const std::string& machine, const std::vector<std::string>& settings,
                          const std::string& ptx, const std::vector<std::uint64_t>& input,
                          Shape shape) {
  ref::Launcher launcher(ptx, settings, machine);
  const std::uint64_t in = launcher.buffer(input);
  const std::uint64_t out = launcher.buffer(std::vector<std::uint64_t>(input.size(), 0x5555));
  const LaunchResult result =
      launcher.run("test", {shape.blocks, 1, 1}, {shape.threads, 1, 1}, {in, out, shape.n});
  Outcome outcome;
  outcome.words = launcher.read<std::uint64_t>(in, input.size());
  for (const std::uint64_t word : launcher.read<std::uint64_t>(out, input.size()))
    outcome.words.push_back(word);
  for (const Fault& fault : result.faults)
    outcome.faults.push_back(fault.message + " " + fault.location);
  outcome.warp_instructions = result.warp_instructions;
  outcome.complete = result.complete;
  return outcome;
}

inline const std::vector<std::string> kCompiledAtOnce{"compile_after_warp_instructions=0"};

inline void expect_same(const std::string& ptx, const std::vector<std::uint64_t>& input,
                        Shape shape = {}) {
  SCOPED_TRACE(fmt::format("{} blocks of {} threads\n{}", shape.blocks, shape.threads, ptx));
  const Outcome expected = outcome_on("ref", {}, ptx, input, shape);
  const Outcome compiled = outcome_on("native", kCompiledAtOnce, ptx, input, shape);
  ASSERT_EQ(compiled.words.size(), expected.words.size());
  const auto differ = std::ranges::mismatch(compiled.words, expected.words);
  if (differ.in1 != compiled.words.end()) {
    ADD_FAILURE() << fmt::format("word {} is {:#x}, on ref {:#x}",
                                 differ.in1 - compiled.words.begin(), *differ.in1, *differ.in2);
  }
  EXPECT_EQ(compiled.faults, expected.faults);
  EXPECT_EQ(compiled.complete, expected.complete);
  EXPECT_EQ(compiled.warp_instructions, expected.warp_instructions);
}

// How many of the kernel's instructions are left to the interpreter, control flow aside.
inline std::size_t carried_out(const std::string& ptx) {
  kernel::DeviceMemory memory(1u << 26);
  kernel::Program program(memory);
  program.load(ptx::read_ptx(ptx, "test.ptx"));
  program.link();
  return translate(*kernel::exec::decode(program, {0, 0})).carried_out;
}

// Bit patterns that tell operations apart: small numbers, ends of ranges, zeros, infinities, NaN.
inline std::vector<std::uint64_t> telling_words(std::size_t count) {
  const std::vector<std::uint64_t> known{0,
                                         1,
                                         0xffffffff,
                                         0x80000000,
                                         0x7fffffff,
                                         0x3f800000,
                                         0xbf800000,
                                         0x7f800000,
                                         0xff800000,
                                         0x7fc00000,
                                         0x00000001,
                                         0x80000001,
                                         0x4b800001,
                                         0xcf000000,
                                         0x4f800000,
                                         31,
                                         32,
                                         33,
                                         63,
                                         64,
                                         0x3ff0000000000000,
                                         0xbff0000000000000,
                                         0x7ff0000000000000,
                                         0x8000000000000000,
                                         0x7ff8000000000000,
                                         0x43e0000000000000,
                                         0xc3e0000000000000,
                                         0x41efffffffe00000,
                                         0x7fffffffffffffff};
  std::vector<std::uint64_t> words;
  std::uint64_t state = 12345;
  while (words.size() < count) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    words.push_back(words.size() % 3 == 0 ? state : known[(state >> 33) % known.size()]);
  }
  return words;
}

}  // namespace raddle::machine::native
