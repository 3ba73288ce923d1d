// A result as a machine with a timing model would give it: caches, issue slots, energy,
// utilisation, statistics, peaks. The figures are made up, but belong together: slots sum to the
// units' cycles, caches' misses go to the next level, and no peak is exceeded.
#pragma once

#include <string>

#include "experiment/run_result.h"

namespace raddle::report {

inline machine::MemoryTraffic traffic_of(const std::string& level, std::uint64_t read,
                                         std::uint64_t written, std::uint64_t hits = 0,
                                         std::uint64_t misses = 0) {
  machine::MemoryTraffic traffic;
  traffic.level = level;
  traffic.bytes_read = read;
  traffic.bytes_written = written;
  traffic.hits = hits;
  traffic.misses = misses;
  return traffic;
}

// A launch of matmul: waits for DRAM.
inline machine::LaunchResult timed_launch() {
  using kernel::InstructionClass;
  machine::LaunchResult launch;
  launch.kernel = "void matmul<16>(float const*, float const*, float*, int)";
  launch.kernel_launch = {.mangled = "_Z6matmulILi16EEvPKfS1_Pfi",
                          .grid = {16, 16, 1},
                          .block = {16, 16, 1},
                          .dynamic_shared_bytes = 0,
                          .static_shared_bytes = 2048,
                          .registers_per_thread = 24,
                          .occupancy = {24.125, 48, 3, "registers"},
                          .l1_split = {}};
  launch.cycles = 84'120;
  launch.seconds = 84'120 / 1.4e9;
  launch.thread_instructions = 13'500'000;
  launch.warp_instructions = 430'694;
  launch.branches = 70'000;
  launch.divergent_branches = 1'200;
  launch.barriers = 32'768;
  const auto set_class = [&launch](InstructionClass which, std::uint64_t threads) {
    launch.thread_instructions_by_class[static_cast<std::size_t>(which)] = threads;
    launch.warp_instructions_by_class[static_cast<std::size_t>(which)] = threads / 32;
  };
  set_class(InstructionClass::kFloat32, 5'400'000);
  set_class(InstructionClass::kLoad, 3'400'000);
  set_class(InstructionClass::kInteger, 2'700'000);
  set_class(InstructionClass::kMove, 1'000'000);
  set_class(InstructionClass::kControl, 650'000);
  set_class(InstructionClass::kStore, 350'000);
  machine::MemoryTraffic global = traffic_of("global", 8'388'608, 262'144);
  global.load_instructions = 65'536;
  global.store_instructions = 2'048;
  global.load_accesses = 2'097'152;
  global.store_accesses = 65'536;
  global.segments = 135'168;
  machine::MemoryTraffic shared = traffic_of("shared", 134'217'728, 8'388'608);
  shared.load_instructions = 1'048'576;
  shared.store_instructions = 65'536;
  shared.load_accesses = 33'554'432;
  shared.store_accesses = 2'097'152;
  shared.bank_conflicts = 4'096;
  shared.banked = true;
  machine::MemoryTraffic dram = traffic_of("DRAM", 1'572'864, 262'144);
  dram.outermost = true;
  launch.memory = {global, shared, traffic_of("L1", 8'388'608, 262'144, 40'960, 24'576),
                   traffic_of("L2", 3'145'728, 262'144, 12'288, 12'288), dram};
  // Sixteen units of one slot a cycle.
  launch.stalls = {{"issued", machine::CycleKind::kIssued, 430'694},
                   {"DRAM", machine::CycleKind::kStall, 740'256},
                   {"operands", machine::CycleKind::kStall, 94'214},
                   {"barrier", machine::CycleKind::kStall, 67'296},
                   {"shared memory", machine::CycleKind::kStall, 13'460}};
  launch.energy = {
      {"cores", 9.2e6}, {"register files", 6.1e6}, {"shared memory", 3.3e6}, {"L1", 1.4e6},
      {"L2", 0.9e6},    {"DRAM", 14.8e6},          {"leakage", 4.3e6}};
  launch.energy_set = "circuit";
  launch.utilisation = {
      {"DRAM", 76'549, 84'120, "DRAM"}, {"L2", 34'489, 84'120}, {"crossbar", 18'506, 84'120}};
  launch.stats = {{"L2", "hits", "accesses", "accesses that found their line", 12'288},
                  {"L2", "misses", "accesses", "accesses that did not find their line", 12'288},
                  {"dram.0", "row_hits", "commands", "accesses to a row that was open", 9'100},
                  {"dram.0", "mean_queue", "requests", "requests waiting, on average", 11.25}};
  launch.lines = {{"matmul.cu:12",
                   240'000,
                   7'600'000,
                   740'000,
                   {{"DRAM", machine::CycleKind::kStall, 700'000},
                    {"operands", machine::CycleKind::kStall, 40'000}}},
                  {"matmul.cu:14",
                   110'000,
                   3'500'000,
                   120'000,
                   {{"operands", machine::CycleKind::kStall, 54'214},
                    {"barrier", machine::CycleKind::kStall, 65'786}}},
                  {"matmul.cu:9",
                   80'694,
                   2'400'000,
                   55'226,
                   {{"DRAM", machine::CycleKind::kStall, 40'256},
                    {"shared memory", machine::CycleKind::kStall, 14'970}}}};
  launch.sample_cycles = 10'000;
  launch.samples = {{"IPC",
                     "thread instructions per cycle",
                     "thread instructions executed in a cycle",
                     {90, 150, 170, 175, 180, 182, 178, 170, 120}},
                    {"issued",
                     "ratio",
                     "share of the issue slots that issued",
                     {0.18, 0.3, 0.34, 0.35, 0.36, 0.36, 0.35, 0.34, 0.2},
                     machine::CycleKind::kIssued},
                    {"DRAM",
                     "ratio",
                     "share of the issue slots that waited for DRAM",
                     {0.8, 0.6, 0.5, 0.5, 0.49, 0.5, 0.5, 0.5, 0.7},
                     machine::CycleKind::kStall},
                    {"barrier",
                     "ratio",
                     "share of the issue slots that waited for a barrier",
                     {0.02, 0.1, 0.16, 0.15, 0.15, 0.14, 0.15, 0.16, 0.1},
                     machine::CycleKind::kStall},
                    {"DRAM reads",
                     "bytes per second",
                     "bytes that DRAM delivered",
                     {160e9, 90e9, 60e9, 50e9, 50e9, 50e9, 50e9, 50e9, 20e9}},
                    {"DRAM writes",
                     "bytes per second",
                     "bytes that went to DRAM",
                     {0, 1e9, 2e9, 2e9, 2e9, 2e9, 2e9, 10e9, 60e9}}};
  return launch;
}

// A second, smaller kernel that mostly issues.
inline machine::LaunchResult second_launch() {
  machine::LaunchResult launch = timed_launch();
  launch.kernel = "scale(float*, float)";
  launch.kernel_launch = {.mangled = "_Z5scalePff",
                          .grid = {256, 1, 1},
                          .block = {256, 1, 1},
                          .dynamic_shared_bytes = 0,
                          .static_shared_bytes = 0,
                          .registers_per_thread = 0,
                          .occupancy = {40, 48, 6, "threads"},
                          .l1_split = {}};
  launch.cycles = 12'000;
  launch.seconds = 12'000 / 1.4e9;
  launch.thread_instructions = 5'400'000;
  launch.warp_instructions = 168'750;
  launch.thread_instructions_by_class = {};
  launch.warp_instructions_by_class = {};
  launch.memory = {traffic_of("DRAM", 262'144, 262'144)};
  launch.memory[0].outermost = true;
  launch.stalls = {{"issued", machine::CycleKind::kIssued, 168'750},
                   {"DRAM", machine::CycleKind::kStall, 23'250}};
  launch.energy = {
      {"cores", 2.1e6}, {"register files", 1.2e6}, {"DRAM", 2.9e6}, {"leakage", 0.6e6}};
  launch.utilisation = {
      {"DRAM", 3'600, 12'000, "DRAM"}, {"L2", 2'400, 12'000}, {"crossbar", 1'200, 12'000}};
  launch.stats.clear();
  launch.lines.clear();
  for (machine::SampleSeries& series : launch.samples) series.values.resize(2);
  launch.samples[0].values = {430, 500};
  return launch;
}

inline experiment::RunResult empty_timed_result() {
  experiment::RunResult result;
  result.program = "matmul.cu";
  result.arguments = {"256"};
  result.machine = "fermi";
  result.implementation = "simt";
  result.parameters_hash = "0123456789abcdef";
  result.parameters = {
      {"machine", std::string("simt"), "", "", false},
      {"clock_hz", 1.4e9, "Hz", "GTX 480 data sheet: 1.4 GHz shader clock", false},
      {"multiprocessors", std::int64_t{16}, "1", "chosen: 15 on sale, 16 on the die", true},
      {"l1.bytes", std::int64_t{16384}, "bytes", "Fermi white paper, 16 KiB of the 64", false},
      {"l1.write_back", false, "", "Fermi white paper: write-through", false}};
  result.peaks = {1.4e9, 512, 177.4e9};
  result.copies = {524'288, 262'144, 0, 3};
  result.host = {0.84, 48u << 20};
  result.raddle_version = "0.1.0";
  return result;
}

inline experiment::RunResult timed_result() {
  experiment::RunResult result = empty_timed_result();
  add_launch(result, timed_launch());
  add_launch(result, second_launch());
  return result;
}

}  // namespace raddle::report
