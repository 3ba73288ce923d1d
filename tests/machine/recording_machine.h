// A machine that has all that a timing model can record: samples, a trace, stalls by source line,
// occupancy. It computes on `ref` and makes the figures up from its counts, so that what carries
// them from the command line to the report is tested apart from any real model. Included once in a
// test program; its table is recording.toml.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "machine/kernel_machine.h"
#include "sim/trace.h"
#include "test_paths.h"

namespace raddle::machine {

inline const std::string kRecordingMachine = test_root() + "/tests/machine/recording.toml";

struct RecordingParameters {
  explicit RecordingParameters(const ParameterBinder& p) {
    p.boolean("samples", samples, "it makes samples");
    p.boolean("traces", traces, "it writes traces");
  }
  bool samples = true, traces = true;
};

class RecordingMachine : public KernelMachine {
 public:
  using Parameters = RecordingParameters;
  explicit RecordingMachine(const ParameterTable& table)
      : KernelMachine(table),
        ref_(make_kernel_machine(load_parameters("ref"))),
        description_(ref_->description()) {
    description_.name = "recording";
  }

  static Traits traits(const ParameterTable& table) {
    Traits traits{.honours = {RunOption::kCheck, RunOption::kLines, RunOption::kMaxCycles,
                              RunOption::kTimeout, RunOption::kHostThreads}};
    if (table.boolean("samples")) traits.honours.add(RunOption::kSample);
    if (table.boolean("traces")) traits.honours.add(RunOption::kTrace);
    return traits;
  }
  Peaks peaks() const override { return ref_->peaks(); }
  const DeviceDescription& description() const override { return description_; }

  LaunchResult launch(kernel::Program& program, const kernel::TextureTable& textures,
                      const Launch& launch, const LaunchOptions& options) override {
    LaunchResult result = ref_->launch(program, textures, launch, options);
    if (options.sample_cycles != Cycle(0)) sample(options.sample_cycles.count(), result);
    for (LineCost& line : result.lines) {
      line.stalls = {
          {"DRAM", CycleKind::kStall, 3.0 * static_cast<double>(line.warp_instructions)},
          {"barrier", CycleKind::kStall, 1.0 * static_cast<double>(line.warp_instructions)}};
      line.stall_cycles = 4.0 * static_cast<double>(line.warp_instructions);
    }
    result.kernel_launch->occupancy = {24.125, 48, 3, "registers"};
    const auto add = [&](const char* name, const char* unit, double value) {
      result.stats.push_back({"recorder", name, unit, "what the machine was told", value});
    };
    add("host_threads", "threads", options.host_threads);
    add("host_writes", "writes", static_cast<double>(writes_));
    add("host_bytes", "bytes", written_bytes_.as_double());
    add("first_stretch", "bytes", (last_address_ - first_address_).as_double());
    trace(options.trace, result);
    return result;
  }

  void host_wrote(Address address, Bytes bytes) override {
    if (writes_++ == 0) first_address_ = address;
    last_address_ = address;
    written_bytes_ += bytes;
  }

 private:
  // One nanosecond a cycle.
  static constexpr std::uint64_t kFemtosecondsPerCycle = 1'000'000;

  static void sample(std::uint64_t every, LaunchResult& result) {
    const std::uint64_t count = (result.cycles + every - 1) / every;
    result.sample_cycles = every;
    result.samples = {
        {"IPC", "thread instructions per cycle", "thread instructions executed in a cycle", {}},
        {"issued", "ratio", "share of the issue slots that issued", {}, CycleKind::kIssued},
        {"DRAM", "ratio", "share of the issue slots that waited for DRAM", {}, CycleKind::kStall}};
    for (std::uint64_t i = 0; i < count; ++i) {
      result.samples[0].values.push_back(static_cast<double>(i));
      result.samples[1].values.push_back(0.25);
      result.samples[2].values.push_back(0.75);
    }
  }

  void trace(sim::TraceFile* file, const LaunchResult& result) {
    const std::uint64_t end = now_ + result.cycles * kFemtosecondsPerCycle;
    if (file != nullptr) {
      if (stream_ == nullptr) {
        stream_ = &file->add_stream();
        track_ = stream_->add_track("kernels");
      }
      stream_->slice(track_, result.kernel, sim::Instant(now_), sim::Instant(end));
    }
    now_ = end;
  }

  std::unique_ptr<KernelMachine> ref_;
  DeviceDescription description_;
  sim::TraceStream* stream_ = nullptr;
  sim::Track track_;
  std::uint64_t now_ = 0;  // goes on from launch to launch
  std::uint64_t writes_ = 0;
  Bytes written_bytes_;
  Address first_address_, last_address_;
};
RADDLE_REGISTER_MACHINE("recording", RecordingMachine);

}  // namespace raddle::machine
