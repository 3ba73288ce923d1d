// Kernels as PTX text on the whole of fermi, and what is asked of their results.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "machine/ref/launcher.h"
#include "machine/ref/ptx_module.h"

namespace raddle::machine::simt {

// A kernel k(buffer, n): %rd1 is the buffer, %r1 is n, %r2 the thread's number in the block, %r3
// in the grid, %rd2 the address of its own word of the buffer.
inline std::string kernel_of(std::string_view body, std::string_view before = "") {
  return ref::module_of(std::string(before) + R"(
.visible .entry k(.param .u64 buffer, .param .u32 n) {
  .reg .pred %p<8>; .reg .b32 %r<64>; .reg .f32 %f<16>; .reg .b64 %rd<16>; .reg .f64 %d<16>;
  .shared .align 16 .b8 tile[8192];
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

inline std::string repeated(int times, std::string_view text) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

class Fermi : public ref::Launcher {
 public:
  explicit Fermi(std::string_view ptx, std::vector<std::string> settings = {})
      : Launcher(ptx, std::move(settings), "fermi") {}

  // The kernel k with a buffer of so many zero words.
  LaunchResult run_k(std::uint32_t blocks, std::uint32_t threads, std::uint32_t n = 0,
                     std::size_t words = 1024) {
    buffer_ = buffer(std::vector<std::uint32_t>(words, 0));
    return run("k", {blocks, 1, 1}, {threads, 1, 1}, {buffer_, n});
  }
  std::vector<std::uint32_t> words(std::size_t count) const {
    return read<std::uint32_t>(buffer_, count);
  }

 private:
  std::uint64_t buffer_ = 0;
};

inline double stall(const LaunchResult& result, std::string_view name) {
  for (const Stall& share : result.stalls) {
    if (share.name == name) return share.cycles;
  }
  ADD_FAILURE() << "no stall cause " << name;
  return 0;
}
inline double all_slots(const LaunchResult& result) {
  double sum = 0;
  for (const Stall& share : result.stalls) sum += share.cycles;
  return sum;
}
inline double stat(const LaunchResult& result, std::string_view part, std::string_view name) {
  for (const sim::StatValue& value : result.stats) {
    if (value.component == part && value.name == name) return value.value;
  }
  ADD_FAILURE() << "no figure " << part << " " << name;
  return 0;
}
// Cycles that the kernel with the body many times takes more than with the body few times, for one
// time more.
inline double cycles_each(std::string_view before, std::string_view body, int few, int many,
                          std::uint32_t blocks = 1, std::uint32_t threads = 32,
                          const std::vector<std::string>& settings = {},
                          std::string_view behind = "") {
  const auto cycles = [&](int times) {
    Fermi gpu(kernel_of(std::string(before) + repeated(times, body) + std::string(behind)),
              settings);
    const LaunchResult result = gpu.run_k(blocks, threads, 0, 1u << 16);
    EXPECT_TRUE(result.complete);
    return static_cast<double>(result.cycles);
  };
  return (cycles(many) - cycles(few)) / (many - few);
}

}  // namespace raddle::machine::simt
