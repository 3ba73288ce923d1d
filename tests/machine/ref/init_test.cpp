// Reads of memory that nobody has written, each beside the same program that writes it first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machine/ref/launcher.h"
#include "machine/ref/ptx_module.h"

namespace raddle::machine::ref {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// %r1: the thread; %rd4, %rd5: its word of shared memory and of global memory; `local` has 16
// bytes.
std::string entry(const std::string& body) {
  return ".file 1 \"k.cu\"\n"
         ".visible .entry k(.param .u64 memory) {\n"
         "  .shared .align 8 .b8 s[256]; .local .align 8 .b8 local[16];\n"
         "  .reg .b32 %r<20>; .reg .b64 %rd<20>;\n"
         "  ld.param.u64 %rd1, [memory];\n"
         "  mov.u32 %r1, %tid.x; mov.u64 %rd2, s; mov.u64 %rd6, local;\n"
         "  mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd2, %rd3; add.u64 %rd5, %rd1, %rd3;\n" +
         body + "  ret;\n}\n";
}

struct Memory {
  std::uint64_t words_written = 0;
};

LaunchResult check(const std::string& body, const Memory& written = {}, Dim3 grid = {1, 1, 1}) {
  Launcher launcher(module_of(entry(body)));
  launcher.options().check = checks_from_text("init");
  launcher.memory().watch_writes();
  const std::uint64_t memory = launcher.buffer(std::vector<std::uint32_t>(64));
  launcher.memory().mark_written(memory, written.words_written * 4);
  return launcher.run("k", grid, {32, 1, 1}, {memory});
}

TEST(UninitialisedReads, GlobalMemoryThatNobodyWroteIsNamedWithItsAllocation) {
  const std::string load = ".loc 1 7 3\n ld.global.u32 %r2, [%rd5];\n";
  const LaunchResult result = check(load, {.words_written = 20});
  ASSERT_EQ(result.faults.size(), 1u);
  const Fault& fault = result.faults[0];
  EXPECT_EQ(fault.kind, FaultKind::kUninitialisedRead);
  EXPECT_EQ(fault.count, 12u);
  EXPECT_EQ(fault.thread.x, 20u);
  EXPECT_EQ(fault.location, "k.cu:7");
  EXPECT_EQ(fault.column, 3u);
  EXPECT_THAT(fault.message,
              StartsWith("load of 4 bytes of global memory that nobody has written"));
  EXPECT_THAT(fault.message, HasSubstr(", 80 bytes into the 256-byte allocation at "));
  EXPECT_EQ(check(load, {.words_written = 32}).fault_count, 0u);
}

TEST(UninitialisedReads, WhatAKernelWroteMayBeRead) {
  EXPECT_EQ(check("st.global.u32 [%rd5], %r1; ld.global.u32 %r2, [%rd5];\n").fault_count, 0u);
  EXPECT_EQ(check("st.global.u16 [%rd5], 1; ld.global.u16 %r2, [%rd5+2];\n").fault_count, 32u);
  // A structure {short; gap}, copied as one word.
  EXPECT_EQ(check("st.global.u16 [%rd5], 1; ld.global.u32 %r2, [%rd5];\n").fault_count, 0u);
}

TEST(UninitialisedReads, AnAtomicReadsBeforeItWrites) {
  const std::string twice =
      "atom.global.add.u32 %r2, [%rd5], 1; atom.global.add.u32 %r2, [%rd5], 1;\n";
  EXPECT_EQ(check(twice).fault_count, 32u);
  EXPECT_EQ(check(twice, {.words_written = 32}).fault_count, 0u);
}

TEST(UninitialisedReads, SharedMemoryIsFreshInEachBlock) {
  const std::string only_first_block =
      ".reg .pred %p1; mov.u32 %r3, %ctaid.x; setp.eq.u32 %p1, %r3, 0;\n"
      "@%p1 st.shared.u32 [%rd4], %r1; ld.shared.u32 %r2, [%rd4];\n";
  EXPECT_EQ(check(only_first_block, {}, {1, 1, 1}).fault_count, 0u);
  const LaunchResult result = check(only_first_block, {}, {3, 1, 1});
  EXPECT_EQ(result.fault_count, 64u);
  EXPECT_EQ(result.faults.at(0).block.x, 1u);
  EXPECT_THAT(result.faults.at(0).message, HasSubstr("of shared memory that nobody has written"));
}

TEST(UninitialisedReads, LocalVariablesAreFoundInEachThread) {
  EXPECT_EQ(check("ld.local.u32 %r2, [%rd6];\n").fault_count, 32u);
  EXPECT_EQ(check("st.local.u32 [%rd6], 1; ld.local.u32 %r2, [%rd6];\n").fault_count, 0u);
}

TEST(UninitialisedReads, RunsWithoutTheCheckSayNothing) {
  Launcher launcher(module_of(entry("ld.shared.u32 %r2, [%rd4];\n")));
  launcher.options().check = checks_from_text("memory,barrier,race");
  const std::uint64_t memory = launcher.buffer(std::vector<std::uint32_t>(64));
  EXPECT_EQ(launcher.run("k", {1, 1, 1}, {32, 1, 1}, {memory}).fault_count, 0u);
}

}  // namespace
}  // namespace raddle::machine::ref
