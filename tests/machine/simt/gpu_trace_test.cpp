// Traces of the SIMT GPU: read back by decoders that are not ours to write, and held against what
// the result of the same launch says.
#include "machine/simt/gpu_trace.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "base/atomic_file.h"
#include "machine/ref/launcher.h"
#include "machine/ref/ptx_module.h"
#include "sim/trace_reader.h"
#include "test_paths.h"

namespace raddle::machine::simt {
namespace {

// Each thread loads a word, meets the others of its block, counts in an atomic and stores.
constexpr std::string_view kMixed = R"(
.visible .entry mixed(.param .u64 data, .param .u64 count) {
  .reg .b32 %r<8>; .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [data];
  ld.param.u64 %rd2, [count];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mad.lo.u32 %r1, %r2, 64, %r1;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd3;
  ld.global.u32 %r3, [%rd4];
  bar.sync 0;
  atom.global.add.u32 %r4, [%rd2], 1;
  add.u32 %r5, %r3, %r4;
  st.global.u32 [%rd4], %r5;
  ret;
}
.visible .entry forever(.param .u64 data, .param .u64 count) {
  .reg .b32 %r<2>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [data];
AGAIN:
  ld.volatile.global.u32 %r1, [%rd1];
  bra AGAIN;
}
)";

struct Line {  // an event as trace_reader.h writes it
  std::uint64_t time;
  std::string rest;
};

class GpuTraceTest : public testing::Test {
 protected:
  ~GpuTraceTest() override { std::filesystem::remove_all(folder_); }

  // Launches the kernels one after the other on one machine.
  std::vector<LaunchResult> run(const std::vector<std::string>& kernels, const std::string& path,
                                unsigned host_threads = 1) {
    ref::Launcher launcher(ref::module_of(kMixed), {}, "fermi");
    const std::uint64_t data = launcher.buffer(std::vector<std::uint32_t>(64 * kBlocks));
    const std::uint64_t count = launcher.buffer(std::vector<std::uint32_t>(1));
    std::unique_ptr<sim::TraceFile> file;
    if (!path.empty()) file = std::make_unique<sim::TraceFile>(path);
    launcher.options().trace = file.get();
    launcher.options().host_threads = host_threads;
    launcher.options().control = RunControl(Cycle(20'000));
    std::vector<LaunchResult> results;
    for (const std::string& kernel : kernels)
      results.push_back(launcher.run(kernel, {kBlocks, 1, 1}, {64, 1, 1}, {data, count}));
    if (file != nullptr) file->finish();
    return results;
  }
  static int check(const std::string& path, const std::string& tracks = "") {
    return std::system(
        fmt::format("/usr/bin/python3 {}/tests/machine/simt/check_trace.py {} {} >&2", test_root(),
                    path, tracks)
            .c_str());
  }
  // The events of a track, "SM 0/block place 0/warp 1".
  static std::vector<Line> events(const std::string& path, const std::string& track) {
    std::vector<Line> lines;
    for (const std::string& text : sim::events_of(read_file(path))) {
      const std::size_t space = text.find(' ');
      if (text.compare(space + 1, track.size() + 1, track + " ") == 0)
        lines.push_back({std::stoull(text), text.substr(space + track.size() + 2)});
    }
    return lines;
  }
  static std::size_t count(const std::string& path, const std::string& what) {
    std::size_t found = 0;
    for (const std::string& text : sim::events_of(read_file(path))) found += text.ends_with(what);
    return found;
  }

  static constexpr std::uint32_t kBlocks = 20;
  std::filesystem::path folder_ = [] {
    std::string name = testing::TempDir() + "raddle-gpu-trace-XXXXXX";
    return std::filesystem::path(mkdtemp(name.data()));
  }();
};

TEST_F(GpuTraceTest, IsReadByADecoderThatIsNotOurs) {
  run({"mixed", "mixed"}, folder_ / "a");
  EXPECT_EQ(
      check(folder_ / "a", "fermi 'SM 14' 'block place 1' 'warp 1' 'L2 slice 11' 'kernels 0'"), 0);
  EXPECT_NE(check(folder_ / "a", "'SM 15'"), 0);
}

TEST_F(GpuTraceTest, HasTheSameBytesForAnyNumberOfHostThreads) {
  run({"mixed", "mixed"}, folder_ / "one", 1);
  run({"mixed", "mixed"}, folder_ / "three", 3);
  EXPECT_EQ(read_file(folder_ / "one"), read_file(folder_ / "three"));
}

TEST_F(GpuTraceTest, ChangesNothingElse) {
  const LaunchResult plain = run({"mixed"}, "").front();
  const LaunchResult traced = run({"mixed"}, folder_ / "a").front();
  EXPECT_EQ(plain.cycles, traced.cycles);
  ASSERT_EQ(plain.stats.size(), traced.stats.size());
  for (std::size_t i = 0; i < plain.stats.size(); ++i)
    EXPECT_EQ(plain.stats[i].value, traced.stats[i].value) << plain.stats[i].name;
}

TEST_F(GpuTraceTest, LeavesNoGapInTheLifeOfAWarp) {
  run({"mixed"}, folder_ / "a");
  const std::vector<Line> place = events(folder_ / "a", "SM 0/block place 0");
  ASSERT_EQ(place.size(), 2u);
  EXPECT_EQ(place[0].rest, "begin mixed block 0");
  const std::vector<Line> warp = events(folder_ / "a", "SM 0/block place 0/warp 1");
  ASSERT_GT(warp.size(), 8u);
  EXPECT_EQ(warp.front().time, place[0].time);
  EXPECT_LE(warp.back().time, place[1].time);
  std::vector<std::string> states;
  for (std::size_t i = 0; i + 1 < warp.size(); i += 2) {
    EXPECT_EQ(warp[i + 1].rest, "end");
    EXPECT_LT(warp[i].time, warp[i + 1].time);
    if (i > 0) {
      EXPECT_EQ(warp[i - 1].time, warp[i].time);
      EXPECT_NE(warp[i - 2].rest, warp[i].rest) << "stretches of one kind are one slice";
    }
    states.push_back(warp[i].rest);
  }
  for (const char* state :
       {"begin issued", "begin long scoreboard (memory)", "begin ordered access"})
    EXPECT_NE(std::find(states.begin(), states.end(), state), states.end()) << state;
}

TEST_F(GpuTraceTest, HasASliceForEveryMissAndEveryRead) {
  const LaunchResult result = run({"mixed"}, folder_ / "a").front();
  const auto stat = [&](std::string_view component, std::string_view name) {
    for (const sim::StatValue& value : result.stats) {
      if (value.component == component && value.name == name) return value.value;
    }
    return -1.0;
  };
  EXPECT_EQ(count(folder_ / "a", " begin L1 miss"), stat("L1", "fetches"));
  EXPECT_EQ(count(folder_ / "a", " begin constant cache miss"), stat("constant cache", "fetches"));
  EXPECT_EQ(count(folder_ / "a", " begin atomic"), 2 * kBlocks);
  EXPECT_EQ(count(folder_ / "a", " begin store"), 2 * kBlocks);
  EXPECT_EQ(count(folder_ / "a", " begin DRAM read"), stat("DRAM", "reads"));
  EXPECT_EQ(count(folder_ / "a", " begin hit") + count(folder_ / "a", " begin miss") +
                count(folder_ / "a", " begin waits for a line on its way"),
            stat("memory partitions", "taken"));
}

TEST_F(GpuTraceTest, GoesOnBehindALaunchThatWasStopped) {
  const std::vector<LaunchResult> results = run({"mixed", "forever", "mixed"}, folder_ / "a");
  ASSERT_FALSE(results[1].complete);
  ASSERT_TRUE(results[2].complete);
  EXPECT_EQ(check(folder_ / "a"), 0);
  const std::vector<Line> kernels = events(folder_ / "a", "fermi/kernels 0");
  ASSERT_EQ(kernels.size(), 6u);
  EXPECT_EQ(kernels[2].rest, "begin forever");
  EXPECT_LE(kernels[3].time, kernels[4].time);
}

}  // namespace
}  // namespace raddle::machine::simt
