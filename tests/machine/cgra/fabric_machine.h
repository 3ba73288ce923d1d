// Kernels as PTX text on a whole fabric machine, and what is asked of their results.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "machine/ref/launcher.h"
#include "machine/ref/ptx_module.h"

namespace raddle::machine::cgra {

// A kernel k(buffer, n): %rd1 is the buffer, %r1 is n, %r2 the thread's number in the block, %r3
// in the grid, %rd2 the address of its own word of the buffer. Its lines are those of k.cu.
inline std::string kernel_of(std::string_view body, std::string_view before = "") {
  return ref::module_of(".file 1 \"k.cu\"\n" + std::string(before) + R"(
.visible .entry k(.param .u64 buffer, .param .u32 n) {
  .reg .pred %p<16>; .reg .b32 %r<64>; .reg .f32 %f<64>; .reg .b64 %rd<16>;
  .shared .align 16 .b8 tile[8192];
  .loc 1 1 1
  ld.param.u64 %rd1, [buffer];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  mov.u32 %r4, %ctaid.x;
  mov.u32 %r5, %ntid.x;
  mad.lo.u32 %r3, %r4, %r5, %r2;
  mul.wide.u32 %rd3, %r3, 4;
  add.u64 %rd2, %rd1, %rd3;
)" + std::string(body) + "\n  ret;\n}\n");
}

// Declarations for values between threads; the names of channels are letters: a is 97.
constexpr std::string_view kInterThread =
    ".extern .func __raddle_it_tag_u32(.param .b32 a, .param .b64 n0, .param .b64 n1, .param .b64 "
    "n2, .param .b64 n3);\n"
    ".extern .func (.param .b32 r) __raddle_it_recv_const_u32(.param .b32 a, .param .b32 x, .param "
    ".b32 y, .param .b32 z, .param .b32 w, .param .b64 n0, .param .b64 n1, .param .b64 n2, .param "
    ".b64 n3);\n"
    ".extern .func (.param .b32 r) __raddle_it_recv_load_u32(.param .b64 a, .param .b32 p, .param "
    ".b32 x, .param .b32 y, .param .b32 z, .param .b32 w);\n";

// No mapping takes fewer cycles than the bound says.
inline void expect_within_bound(const LaunchResult& result) {
  if (result.fabric) {
    EXPECT_GE(static_cast<double>(result.cycles), result.fabric->bound_cycles);
  }
}

class FabricMachine : public ref::Launcher {
 public:
  explicit FabricMachine(std::string_view ptx, std::vector<std::string> settings = {},
                         const std::string& machine = "mt-cgra")
      : Launcher(ptx, std::move(settings), machine) {}

  // The kernel k with a buffer of so many zero words.
  LaunchResult run_k(std::uint32_t blocks, std::uint32_t threads, std::uint32_t n = 0,
                     std::size_t words = 1024) {
    buffer_ = buffer(std::vector<std::uint32_t>(words, 0));
    LaunchResult result = run("k", {blocks, 1, 1}, {threads, 1, 1}, {buffer_, n});
    expect_within_bound(result);
    return result;
  }
  std::vector<std::uint32_t> words(std::size_t count) const {
    return read<std::uint32_t>(buffer_, count);
  }

 private:
  std::uint64_t buffer_ = 0;
};

// What the kernel leaves in the first words of the buffer.
inline std::vector<std::uint32_t> words_after(const std::string& ptx, const std::string& machine,
                                              std::uint32_t blocks, std::uint32_t threads,
                                              std::uint32_t n, std::size_t words) {
  FabricMachine m(ptx, {}, machine);
  const LaunchResult result = m.run_k(blocks, threads, n);
  EXPECT_TRUE(result.complete) << machine;
  EXPECT_TRUE(result.faults.empty()) << machine;
  return m.words(words);
}

inline void expect_as_ref(const std::string& ptx, std::uint32_t blocks, std::uint32_t threads,
                          std::uint32_t n = 0, const std::string& machine = "mt-cgra") {
  EXPECT_EQ(words_after(ptx, machine, blocks, threads, n, 1024),
            words_after(ptx, "ref", blocks, threads, n, 1024));
}

}  // namespace raddle::machine::cgra
