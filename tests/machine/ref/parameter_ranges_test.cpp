// The reference machine is not built with parameters that no machine can have.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "machine/kernel_machine.h"

namespace raddle::machine::ref {
namespace {

std::string refusal(const std::string& setting) {
  ParameterTable table = load_parameters("ref");
  table.set(setting);
  try {
    make_kernel_machine(table);
  } catch (const Error& error) {
    return error.full_text();
  }
  return "no error";
}

std::string hint(const std::string& unit) {
  return "\nhint: " + (unit.empty() ? "" : "its unit: " + unit + "; ") +
         "`raddle machines show ref` prints all parameters";
}

TEST(ReferenceParameters, AreRefusedOutsideTheirRangesInExactWords) {
  struct Row {
    const char* setting;
    const char* words;
    const char* unit;
  };
  const std::vector<Row> rows{
      {"multiprocessors=0", "'multiprocessors' is 0, but must be from 1 to 65536", ""},
      {"multiprocessors=-1", "'multiprocessors' is -1, but must be from 1 to 65536", ""},
      {"multiprocessors=4294967296", "'multiprocessors' is 4294967296, but must be from 1 to 65536",
       ""},
      {"clock_hz=0", "'clock_hz' is 0.0, but must be from 1000.0 to 1000000000000.0", "Hz"},
      {"clock_hz=-1", "'clock_hz' is -1.0, but must be from 1000.0 to 1000000000000.0", "Hz"},
      {"warp_size=0", "'warp_size' is 0, but must be 32", "threads"},
      {"warp_size=16", "'warp_size' is 16, but must be 32", "threads"},
      {"warp_size=64", "'warp_size' is 64, but must be 32", "threads"},
      {"memory_bytes=-5", "'memory_bytes' is -5, but must be from 4096 to 1099511627776", "bytes"},
      {"memory_bytes=9000000000000000000",
       "'memory_bytes' is 9000000000000000000, but must be from 4096 to 1099511627776", "bytes"},
      {"constant_bytes=-1", "'constant_bytes' is -1, but must be from 0 to 268435456", "bytes"},
      {"max_threads_per_block=0", "'max_threads_per_block' is 0, but must be from 1 to 1024",
       "threads"},
      {"max_threads_per_block=2048", "'max_threads_per_block' is 2048, but must be from 1 to 1024",
       "threads"},
      {"max_threads_per_multiprocessor=31",
       "'max_threads_per_multiprocessor' is 31, but must be from 32 to 65536", "threads"},
      {"max_blocks_per_multiprocessor=0",
       "'max_blocks_per_multiprocessor' is 0, but must be from 1 to 65536", "blocks"},
      {"registers_per_block=0", "'registers_per_block' is 0, but must be from 1 to 268435456",
       "registers"},
      {"registers_per_multiprocessor=0",
       "'registers_per_multiprocessor' is 0, but must be from 1 to 268435456", "registers"},
      {"shared_bytes_per_block=-1",
       "'shared_bytes_per_block' is -1, but must be from 0 to 268435456", "bytes"},
      {"shared_bytes_per_multiprocessor=4294967296",
       "'shared_bytes_per_multiprocessor' is 4294967296, but must be from 0 to 268435456", "bytes"},
      {"register_unit=0", "'register_unit' is 0, but must be from 1 to 268435456", "registers"},
      {"shared_unit=0", "'shared_unit' is 0, but must be from 1 to 268435456", "bytes"},
      {"host_link_bytes_per_second=0",
       "'host_link_bytes_per_second' is 0.0, but must be from 1000.0 to 1000000000000000.0",
       "bytes per second"},
      {"stack_bytes_per_thread=-1",
       "'stack_bytes_per_thread' is -1, but must be from 0 to 268435456", "bytes"},
      {"slice_warp_instructions=0",
       "'slice_warp_instructions' is 0, but must be from 1 to 1000000000", "warp instructions"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(refusal(row.setting), std::string("parameter ") + row.words + hint(row.unit));
  }
}

TEST(ReferenceParameters, MayBeAnythingWithinTheirRanges) {
  for (const char* setting :
       {"multiprocessors=1", "clock_hz=1000", "warp_size=32", "memory_bytes=4096",
        "max_threads_per_block=1", "shared_bytes_per_block=0", "stack_bytes_per_thread=0"}) {
    EXPECT_EQ(refusal(setting), "no error") << setting;
  }
}

TEST(ReferenceParameters, AreWhatTheDeviceSaysOfItself) {
  ParameterTable table = load_parameters("ref");
  for (const char* setting : {"constant_bytes=1024", "registers_per_block=4096",
                              "registers_per_multiprocessor=8192", "clock_hz=2e9"}) {
    table.set(setting);
  }
  const auto machine = make_kernel_machine(table);
  EXPECT_EQ(machine->description().constant_bytes, 1024);
  EXPECT_EQ(machine->description().registers_per_block, 4096);
  EXPECT_EQ(machine->description().registers_per_multiprocessor, 8192);
  EXPECT_EQ(machine->description().clock_khz, 2'000'000);
}

}  // namespace
}  // namespace raddle::machine::ref
