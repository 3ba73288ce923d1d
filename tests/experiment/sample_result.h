// A result in which every field has a value of its own, so that a mixed-up or forgotten field
// shows.
#pragma once

#include "experiment/run_result.h"

namespace raddle::experiment {

inline machine::LaunchResult sample_launch() {
  machine::LaunchResult launch;
  launch.kernel = "void scale<float>(float*, int)";
  launch.kernel_launch = {.mangled = "_Z5scaleIfEvPfi",
                          .grid = {4, 3, 2},
                          .block = {64, 2, 1},
                          .dynamic_shared_bytes = 11,
                          .static_shared_bytes = 12,
                          .registers_per_thread = 13,
                          .occupancy = {35.5, 48, 6, "registers"},
                          .l1_split = {49152, 16384, "L1"}};
  launch.cycles = 1000;
  launch.seconds = 1e-6;
  launch.thread_instructions = 24000;
  launch.warp_instructions = 1000;
  launch.divergent_branches = 15;
  launch.branches = 16;
  launch.barriers = 17;
  launch
      .thread_instructions_by_class[static_cast<std::size_t>(kernel::InstructionClass::kInteger)] =
      18000;
  launch.thread_instructions_by_class[static_cast<std::size_t>(kernel::InstructionClass::kLoad)] =
      6000;
  launch.warp_instructions_by_class[static_cast<std::size_t>(kernel::InstructionClass::kInteger)] =
      750;
  machine::MemoryTraffic traffic;
  traffic.level = "global";
  traffic.load_instructions = 21;
  traffic.store_instructions = 22;
  traffic.atomic_instructions = 23;
  traffic.load_accesses = 24;
  traffic.store_accesses = 25;
  traffic.atomic_accesses = 26;
  traffic.bytes_read = 27;
  traffic.bytes_written = 28;
  traffic.segments = 132;
  traffic.bank_conflicts = 30;
  launch.memory.push_back(traffic);
  launch.stalls = {{"issued", machine::CycleKind::kIssued, 600, "a warp instruction was issued"},
                   {"memory", machine::CycleKind::kStall, 400, "a result of memory"}};
  launch.energy = {{"dram", 2.5}};
  launch.lines = {{"scale.cu:3",
                   31,
                   32,
                   33.5,
                   {{"DRAM", machine::CycleKind::kStall, 30.25},
                    {"barrier", machine::CycleKind::kStall, 3.25}}}};
  launch.sample_cycles = 400;
  launch.samples = {
      {"IPC", "thread instructions per cycle", "instructions in a cycle", {36, 37.5, 1}},
      {"issued",
       "ratio",
       "share of slots that issued",
       {0.25, 0.5, 0.75},
       machine::CycleKind::kIssued}};
  machine::Fault fault;
  fault.kind = machine::FaultKind::kOutOfBounds;
  fault.message = "out-of-bounds load of 4 bytes";
  fault.location = "scale.cu:3";
  fault.kernel = launch.kernel;
  fault.block = {1, 0, 0};
  fault.thread = {5, 6, 7};
  fault.details = {"warp 0 at scale.cu:3"};
  fault.ends_launch = true;
  launch.faults.push_back(fault);
  launch.fault_count = 34;
  launch.complete = false;
  return launch;
}

inline RunResult sample_result() {
  RunResult result;
  result.program = "scale.cu";
  result.arguments = {"--size", "1 000"};
  result.machine = "ref";
  result.implementation = "ref";
  result.parameters_hash = "0123456789abcdef";
  result.parameters = {{"clock_hz", 1e9, "Hz", "chosen", false},
                       {"multiprocessors", std::int64_t{4}, "1", "chosen", true},
                       {"machine", std::string("ref"), "", "", false},
                       {"strict", true, "", "", false}};
  result.partial = true;
  result.partial_reason = "interrupted";
  result.exit_status = 130;
  result.copies = {41, 42, 43, 44};
  result.host = {0.5, 46};
  result.raddle_version = "0.1.0";
  add_launch(result, sample_launch());
  return result;
}

}  // namespace raddle::experiment
