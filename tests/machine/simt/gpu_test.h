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
std::string kernel_of(std::string_view body, std::string_view before = "");

std::string repeated(int times, std::string_view text);

class Fermi : public ref::Launcher {
 public:
  explicit Fermi(std::string_view ptx, const std::vector<std::string>& settings = {})
      : Launcher(ptx, settings, "fermi") {}

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

double stall(const LaunchResult& result, std::string_view name);
double all_slots(const LaunchResult& result);
double stat(const LaunchResult& result, std::string_view part, std::string_view name);
// Cycles that the kernel with the body many times takes more than with the body few times, for one
// time more.
double cycles_each(std::string_view before, std::string_view body, int few, int many,
                   std::uint32_t blocks = 1, std::uint32_t threads = 32,
                   const std::vector<std::string>& settings = {}, std::string_view behind = "");

}  // namespace raddle::machine::simt
