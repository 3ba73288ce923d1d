// Cycle by cycle: the schedules of the paper's Tables 1 and 2, who is selected, who waits for what.
#include "machine/overlay/schedule.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "machine/overlay/batch_selector.h"
#include "machine/overlay/overlay_machine.h"
#include "machine/overlay/small_run.h"

namespace raddle::machine::overlay {
namespace {

using ::testing::ElementsAre;
using Kind = ScheduleEvent::Kind;

// A run on the overlay, with all that happened.
class TimedRun {
 public:
  TimedRun(const std::string& program, std::uint32_t threads,
           const std::vector<std::string>& settings = {})
      : run_(program, threads) {
    for (unsigned sampler = 0; sampler < 3; ++sampler) {
      run_.input(sampler, 4, {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 1, 2, 3}, {4, 5, 6, 7}});
    }
    ParameterTable table = load_parameters("overlay");
    for (const std::string& setting : settings) table.set(setting);
    const OverlayMachine machine(table);
    result = machine.run(run_.configuration, run_.memory, {}, &schedule);
  }

  std::vector<ScheduleEvent> of(Kind kind) const {
    std::vector<ScheduleEvent> events;
    for (const ScheduleEvent& event : schedule) {
      if (event.kind == kind) events.push_back(event);
    }
    return events;
  }
  std::vector<std::uint64_t> cycles_of(Kind kind, int batch = -1) const {
    std::vector<std::uint64_t> cycles;
    for (const ScheduleEvent& event : of(kind)) {
      if (batch < 0 || event.batch == batch) cycles.push_back(event.cycle.count());
    }
    return cycles;
  }
  double stall(const std::string& name) const {
    for (const Stall& share : result.stalls) {
      if (share.name == name) return share.cycles;
    }
    return -1;
  }

  // "component.name"
  double stat(const std::string& name) const {
    for (const sim::StatValue& stat : result.stats) {
      if (stat.component + "." + stat.name == name) return stat.value;
    }
    return -1;
  }

  Schedule schedule;
  LaunchResult result;
  SmallRun run_;
};

std::string repeated(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

// The rows of the paper's tables: cycle, what the register file reads, which threads become ready.
// Threads are numbered over the batches in the order in which their operands are read; those whose
// operands were read before the first row do not show, as in the paper.
std::vector<std::string> table_rows(const TimedRun& run, std::uint64_t first, unsigned rows) {
  std::map<std::uint64_t, std::array<std::string, 3>> cells;
  std::map<unsigned, unsigned> alu_order, tex_order;  // context → number of the batch
  const auto number = [](std::map<unsigned, unsigned>& order, unsigned batch) {
    return order.emplace(batch, static_cast<unsigned>(order.size())).first->second;
  };
  for (const ScheduleEvent& event : run.schedule) {
    const std::uint64_t cycle = event.cycle.count();
    if (cycle < first || cycle >= first + rows) continue;
    auto& row = cells[cycle - first];
    const auto read = [&](const char* what, std::map<unsigned, unsigned>& order) {
      const unsigned thread = number(order, event.batch) * 4;
      row[0] +=
          fmt::format("{}(T{},T{},T{},T{})", what, thread, thread + 1, thread + 2, thread + 3);
    };
    const auto ready = [&](const std::map<unsigned, unsigned>& order) -> std::string {
      const auto found = order.find(event.batch);
      return found == order.end() ? "" : fmt::format("T{}", found->second * 4 + event.thread);
    };
    switch (event.kind) {
      case Kind::kReadA: read("ALU:A", alu_order); break;
      case Kind::kReadB: read("ALU:B", alu_order); break;
      case Kind::kReadC: read("ALU:C", alu_order); break;
      case Kind::kReadTex: read("TEX:A", tex_order); break;
      case Kind::kAluReady: row[1] += ready(alu_order); break;
      case Kind::kTexReady: row[2] += ready(tex_order); break;
      default: break;
    }
  }
  std::vector<std::string> lines;
  for (unsigned cycle = 0; cycle < rows; ++cycle) {
    lines.push_back(
        fmt::format("{} {} | {} | {}", cycle, cells[cycle][0], cells[cycle][1], cells[cycle][2]));
  }
  return lines;
}

// The first cycle from which on the ALU reads operands without a gap, with a TEX in every fourth
// slot if asked: the steady state that the tables show.
std::uint64_t steady_start(const TimedRun& run, bool with_tex) {
  std::map<std::uint64_t, bool> alu, tex;
  for (const std::uint64_t cycle : run.cycles_of(Kind::kReadA)) alu[cycle] = true;
  for (const std::uint64_t cycle : run.cycles_of(Kind::kReadTex)) tex[cycle] = true;
  for (const auto& [cycle, yes] : alu) {
    const auto is_full = [&](std::uint64_t at) {
      return alu.contains(at) && (!with_tex || tex.contains(at + 3));
    };
    if (is_full(cycle) && is_full(cycle + 4) && is_full(cycle + 8)) return cycle;
  }
  return 0;
}

TEST(Schedule, Table1HoldsRowByRow) {
  const TimedRun run(repeated("MAD r1 r0 r0 r0\n", 4) + "MOV o0 r1\nEND\n", 64,
                     {"coordinates.cycles_per_batch=1"});
  EXPECT_THAT(table_rows(run, run.cycles_of(Kind::kReadA).at(0), 11),
              ElementsAre("0 ALU:A(T0,T1,T2,T3) |  | ",      //
                          "1 ALU:B(T0,T1,T2,T3) |  | ",      //
                          "2 ALU:C(T0,T1,T2,T3) |  | ",      //
                          "3  | T0 | ",                      //
                          "4 ALU:A(T4,T5,T6,T7) | T1 | ",    //
                          "5 ALU:B(T4,T5,T6,T7) | T2 | ",    //
                          "6 ALU:C(T4,T5,T6,T7) | T3 | ",    //
                          "7  | T4 | ",                      //
                          "8 ALU:A(T8,T9,T10,T11) | T5 | ",  //
                          "9 ALU:B(T8,T9,T10,T11) | T6 | ",  //
                          "10 ALU:C(T8,T9,T10,T11) | T7 | "));
}

TEST(Schedule, Table2HoldsRowByRow) {
  const TimedRun run(repeated("MAD r1 r0 r0 r0\nTEX r2 r0.rg s0\n", 3) + "MOV o0 r1\nEND\n", 256);
  const std::uint64_t start = steady_start(run, true);
  ASSERT_GT(start, 0U);
  EXPECT_THAT(table_rows(run, start, 11),
              ElementsAre("0 ALU:A(T0,T1,T2,T3) |  | ",        //
                          "1 ALU:B(T0,T1,T2,T3) |  | ",        //
                          "2 ALU:C(T0,T1,T2,T3) |  | ",        //
                          "3 TEX:A(T0,T1,T2,T3) | T0 | ",      //
                          "4 ALU:A(T4,T5,T6,T7) | T1 | T0",    //
                          "5 ALU:B(T4,T5,T6,T7) | T2 | T1",    //
                          "6 ALU:C(T4,T5,T6,T7) | T3 | T2",    //
                          "7 TEX:A(T4,T5,T6,T7) | T4 | T3",    //
                          "8 ALU:A(T8,T9,T10,T11) | T5 | T4",  //
                          "9 ALU:B(T8,T9,T10,T11) | T6 | T5",  //
                          "10 ALU:C(T8,T9,T10,T11) | T7 | T6"));
}

TEST(Schedule, BothHalvesReadTheirOwnRegistersInTheSameCycles) {
  // Figures 7 and 8: six registers, three reads.
  const TimedRun run(
      "MOV r1 r0.rrr\nmov r4 r0.r\nMOV r2 2.0\nmov r5 3.0\nMOV r3 1\nmov r6 4.0\n"
      "MAD o0 r1 r2 r3\nmad o0 r4 r5 r6\nEND\n",
      4);
  ASSERT_EQ(run.of(Kind::kReadA).size(), 4U);
  const std::uint64_t first = run.cycles_of(Kind::kReadA).back();
  EXPECT_EQ(run.cycles_of(Kind::kReadB).back(), first + 1);
  EXPECT_EQ(run.cycles_of(Kind::kReadC).back(), first + 2);
  EXPECT_EQ(run.run_.output(3), (Float4{7, 7, 7, 13}));
}

TEST(Schedule, OneBatchIssuesItsNextAluInstructionWhenTheFirstIsWritten) {
  // Read in 3 cycles, four threads one after the other through 64 stages, written in the cycle in
  // which the last comes out; ready in the next, selected in 4 cycles, in the next period's slot.
  const TimedRun run(repeated("MAD r1 r0 r0 r0\n", 3) + "MOV o0 r1\nEND\n", 4);
  const auto reads = run.cycles_of(Kind::kReadA);
  const auto writes = run.cycles_of(Kind::kWriteAlu);
  ASSERT_EQ(reads.size(), 4U);
  EXPECT_EQ(reads[1] - reads[0], 76U);
  EXPECT_EQ(reads[2] - reads[1], 76U);
  EXPECT_EQ(writes[0] - reads[0], 3U + 3 + 64);
  const TimedRun shorter(repeated("MAD r1 r0 r0 r0\n", 3) + "MOV o0 r1\nEND\n", 4,
                         {"datapath.stages=53"});
  EXPECT_EQ(shorter.cycles_of(Kind::kReadA)[1] - shorter.cycles_of(Kind::kReadA)[0], 64U);
}

TEST(Schedule, SelectsBatchesInTurnWithTheLastOneLast) {
  const TimedRun run(repeated("MAD r1 r0 r0 r0\n", 3) + "MOV o0 r1\nEND\n", 4 * 24,
                     {"batch.contexts=24"});
  std::vector<unsigned> order;
  for (const ScheduleEvent& event : run.of(Kind::kReadA)) order.push_back(event.batch);
  ASSERT_EQ(order.size(), 24U * 4);
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], i % 24) << i;
}

TEST(BatchSelector, TakesTheFirstReadyBehindTheOneSelectedLast) {
  BatchSelector selector(4);
  EXPECT_EQ(selector.select(0b0100), 2);
  EXPECT_EQ(selector.select(0b0011), 0);  // the example of Figure 9
  EXPECT_EQ(selector.select(0b1111), 1);
  EXPECT_EQ(selector.select(0b0011), 0);
  EXPECT_EQ(selector.select(0), BatchSelector::kNone);
  BatchSelector all(64);
  EXPECT_EQ(all.select(~BatchMask{0}), 0);
  EXPECT_EQ(all.select(BatchMask{1} << 63), 63);
  EXPECT_EQ(all.select(~BatchMask{0}), 0);
}

TEST(Schedule, FlowControlIssuesBesideOperandsBAndCAndCostsNoAluSlot) {
  const std::string body = "MAD r1 r0 r0 r0 result.r>=0\nIF\nENDIF\n";
  const TimedRun with(repeated(body, 5) + "MOV o0 r1\nEND\n", 4 * 64, {"batch.contexts=64"});
  const TimedRun without(repeated("MAD r1 r0 r0 r0 result.r>=0\n", 5) + "MOV o0 r1\nEND\n", 4 * 64,
                         {"batch.contexts=64"});
  ASSERT_EQ(with.of(Kind::kFlow).size(), 64U * 10);
  for (const std::uint64_t cycle : with.cycles_of(Kind::kFlow)) {
    EXPECT_TRUE(cycle % 4 == 1 || cycle % 4 == 2) << cycle;
  }
  // With enough batches the ALU reads in every period, flow control or not.
  const auto gaps = [](const TimedRun& run) {
    const auto reads = run.cycles_of(Kind::kReadA);
    return (reads.back() - reads.front()) / 4 + 1 - reads.size();
  };
  EXPECT_EQ(gaps(without), 0U);
  EXPECT_LE(gaps(with), 2U);
}

TEST(Schedule, FlowControlThatDoesNotWaitOvertakesTheDatapath) {
  const TimedRun waits("MAD r1 r0 r0 r0\nIF b0\nENDIF\nMOV o0 r1\nEND\n", 4);
  const TimedRun overtakes(
      "MAD r1 r0 r0 r0\nIF b0 [ALU_WAIT=0]\nENDIF [ALU_WAIT=0]\nMOV o0 r1\nEND\n", 4);
  const auto delay = [](const TimedRun& run) {
    return run.cycles_of(Kind::kFlow).at(0) - run.cycles_of(Kind::kReadA).at(0);
  };
  EXPECT_EQ(delay(waits), 77U);
  EXPECT_EQ(delay(overtakes), 5U);
  // What follows still waits for the datapath.
  EXPECT_EQ(overtakes.cycles_of(Kind::kReadA).at(1) - overtakes.cycles_of(Kind::kReadA).at(0), 76U);
}

TEST(Schedule, AReaderWaitsForAllTexelsOfItsBatchAndIsReadyBehindTheLast) {
  const TimedRun run("TEX r1 r0.rg s0\nTEX r2 r0.rg s1\nMAD o0 r1 r2 r2\nEND\n", 4);
  const auto texels = run.cycles_of(Kind::kWriteTexel);
  ASSERT_EQ(texels.size(), 2U);  // four threads at once
  const std::uint64_t last = texels.back();
  const std::uint64_t read = run.cycles_of(Kind::kReadA).at(0);
  EXPECT_GE(read, last + 4);
  EXPECT_LT(read, last + 8);
}

TEST(Schedule, AnAluInstructionThatDoesNotWaitGoesBeforeTheTexels) {
  const TimedRun run("TEX r1 r0.rg s0\nMAD r2 r0 r0 r0\nMOV o0 r1\nEND\n", 4);
  EXPECT_EQ(run.cycles_of(Kind::kReadA).at(0) - run.cycles_of(Kind::kReadTex).at(0), 5U);
  EXPECT_LT(run.cycles_of(Kind::kReadA).at(0), run.cycles_of(Kind::kWriteTexel).at(0));
}

TEST(Schedule, TexInstructionsOfOneBatchFollowInEveryFourthSlot) {
  const TimedRun run("TEX r1 r0.rg s0\nTEX r2 r0.rg s1\nTEX r3 r0.rg s2\nMAD o0 r1 r2 r3\nEND\n",
                     4);
  const auto reads = run.cycles_of(Kind::kReadTex);
  ASSERT_EQ(reads.size(), 3U);
  EXPECT_EQ(reads[1] - reads[0], 4U);
  EXPECT_EQ(reads[2] - reads[1], 4U);
  for (const std::uint64_t cycle : reads) EXPECT_EQ(cycle % 4, 3U);
}

TEST(Schedule, ATexWaitsForAcquiredSemaphoresOnly) {
  // The second waits, but the first has acquired nothing: no delay. The third waits for the second.
  const TimedRun run(
      ".semaphores manual\n"
      "TEX r1 r0.rg s0\nTEX r2 r0.rg s1 wait acquire\nTEX r3 r2.rg s2 wait acquire\n"
      "MAD o0 r1 r2 r3 wait\nEND\n",
      4);
  const auto reads = run.cycles_of(Kind::kReadTex);
  ASSERT_EQ(reads.size(), 3U);
  EXPECT_EQ(reads[1] - reads[0], 4U);
  EXPECT_GT(reads[2] - reads[1], 30U);
}

TEST(Schedule, ReadsStaleRegistersWhereASemaphoreIsMissing) {
  const std::string loads = "MOV r1 7.0\nTEX r1 r0.rg s0 acquire\n";
  const TimedRun waits(".semaphores manual\n" + loads + "MOV o0 r1 wait\nEND\n", 4);
  const TimedRun races(".semaphores manual\n" + loads + "MOV o0 r1\nEND\n", 4);
  EXPECT_EQ(waits.run_.output(1)[0], 5);
  EXPECT_EQ(races.run_.output(1)[0], 7);
}

TEST(Schedule, TheRegisterFileIsWrittenOnceACycleAndTheDatapathGoesFirst) {
  std::string program;
  for (int i = 0; i < 8; ++i) program += "TEX r2 r0.rg s0\nMAD r1 r0 r0 r0\nMAD r3 r0 r0 r0\n";
  const TimedRun run(program + "MOV o0 r1\nEND\n", 4 * 64,
                     {"batch.contexts=64", "link.width_bits=32", "link.overhead_bytes=0"});
  std::map<std::uint64_t, int> writes;
  for (const Kind kind : {Kind::kWriteAlu, Kind::kWriteTexel, Kind::kWriteCoordinates}) {
    for (const std::uint64_t cycle : run.cycles_of(kind)) ++writes[cycle];
  }
  for (const auto& [cycle, count] : writes) EXPECT_EQ(count, 1) << cycle;
  // Results of the datapath never wait.
  const auto reads = run.cycles_of(Kind::kReadA);
  const auto results = run.cycles_of(Kind::kWriteAlu);
  ASSERT_EQ(reads.size(), results.size());
  for (std::size_t i = 0; i < reads.size(); ++i) EXPECT_EQ(results[i], reads[i] + 70);
  // Some texels met them at the port.
  EXPECT_GT(run.stat("register_file.port_waits"), 0);
}

TEST(Schedule, CausesAndUtilisedSumToAllCycles) {
  for (const char* contexts : {"1", "3", "16", "64"}) {
    const TimedRun run(
        repeated("TEX r1 r0.rg s0\nMAD r2 r1 r1 r1\nMAD r2 r2 r1 r1\n", 4) + "MOV o0 r2\nEND\n",
        256, {fmt::format("batch.contexts={}", contexts)});
    double sum = 0;
    for (const Stall& share : run.result.stalls) sum += share.cycles;
    EXPECT_NEAR(sum, static_cast<double>(run.result.cycles), 1e-6 * sum) << contexts;
    // Those of the paper are about the time from the start on.
    const double configuration = run.stall("configuration");
    EXPECT_EQ(configuration, run.stat("configuration.cycles")) << contexts;
    EXPECT_EQ(sum - configuration, run.stat("run.cycles")) << contexts;
    EXPECT_EQ(run.result.utilisation[0].capacity, run.stat("run.cycles")) << contexts;
    EXPECT_EQ(run.stall("issued"), 64.0 * 9 * 4) << contexts;
  }
}

// 14.4 bytes of header and overhead a packet, 8 bytes a cycle, and 140 ns through host controller
// and core of the FPGA.
std::uint64_t cycles_to_write(std::uint64_t bytes, std::uint64_t packets,
                              double bytes_a_cycle = 8) {
  const double sent = static_cast<double>(bytes) + 14.4 * static_cast<double>(packets);
  const auto cycles = static_cast<std::uint64_t>(std::ceil(sent / bytes_a_cycle + 14));
  return (cycles + 3) / 4 * 4;
}

TEST(Schedule, TheHostWritesTheConfigurationBeforeTheFirstPeriod) {
  // Three instructions, two constants, three samplers of three registers; eight registers of
  // program and domain, two of the output, and the start.
  const std::string program =
      ".const c0 1 2 3 4\n.const c7 1\n.const c9 0\nTEX r1 r0.rg s0\nMAD r2 r1 c0 c7\nMOV o0 "
      "r2\nEND\n";
  const std::uint64_t bytes = 3 * 24 + 2 * 16 + (9 + 8 + 2 + 1) * 4;
  const std::uint64_t packets = 3 + 2 + 20;
  const TimedRun run(program, 4);
  EXPECT_EQ(run.cycles_of(Kind::kStart).at(0), cycles_to_write(bytes, packets));
  EXPECT_EQ(run.stat("configuration.bytes"), static_cast<double>(bytes));
  EXPECT_GE(run.cycles_of(Kind::kWriteCoordinates).at(0), run.cycles_of(Kind::kStart).at(0));
  EXPECT_EQ(static_cast<double>(run.result.cycles),
            run.stat("configuration.cycles") + run.stat("run.cycles"));
  const TimedRun wide(program, 4, {"link.width_bits=16"});
  EXPECT_EQ(wide.cycles_of(Kind::kStart).at(0), cycles_to_write(bytes, packets, 16));
  // The program itself does not notice.
  EXPECT_EQ(run.stat("run.cycles"), TimedRun(".const c5 1\n" + program, 4).stat("run.cycles"));
}

TEST(Schedule, AProjectiveTexTakesTheDividerAndKeepsTheOrder) {
  const auto texels = [](const char* first, const std::vector<std::string>& settings) {
    const TimedRun run(
        std::string(first) + " r1 r0.rgrg s0\nTEX r2 r0.rg s1\nMAD o0 r1 r2 r2\nEND\n", 4,
        settings);
    auto cycles = run.cycles_of(Kind::kWriteTexel);
    for (std::uint64_t& cycle : cycles) cycle -= run.cycles_of(Kind::kReadTex).at(0);
    return cycles;
  };
  const auto plain = texels("TEX", {});
  const auto divided = texels("TXP", {});
  EXPECT_EQ(divided.at(0) - plain.at(0), 14U);
  EXPECT_EQ(divided.at(1) - plain.at(1), 14U);  // comes after, so it waits
  EXPECT_EQ(texels("TXP", {"tex.divide_cycles=0"}), plain);
  EXPECT_EQ(texels("TXL", {}), plain);
}

TEST(Schedule, WaitsStandAtTheLinesThatWait) {
  SmallRun run("TEX r1 r0.rg s0\nMOV r2 r1\nMOV r2 r2\nIF b0\nENDIF\nMOV o0 r2\nEND\n", 4);
  run.input(0, 4, {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 1, 2, 3}, {4, 5, 6, 7}});
  ParameterTable table = load_parameters("overlay");
  table.set("batch.contexts=2");
  LaunchOptions options;
  options.lines = true;
  const LaunchResult result = OverlayMachine(table).run(run.configuration, run.memory, options);
  std::map<std::string, std::map<std::string, double>> waits;
  double sum = 0;
  for (const LineCost& line : result.lines) {
    double of_line = 0;
    for (const Stall& stall : line.stalls) {
      waits[line.location][stall.name] = stall.cycles;
      of_line += stall.cycles;
    }
    EXPECT_EQ(line.stall_cycles, of_line);
    sum += line.stall_cycles;
  }
  EXPECT_GT(waits["t.ctm:2"]["texture fetch (Semwait)"], 0);
  EXPECT_EQ(waits["t.ctm:2"]["ALU latency (Inside_ALU)"], 0);
  EXPECT_GT(waits["t.ctm:3"]["ALU latency (Inside_ALU)"], 0);  // the result before it
  EXPECT_EQ(waits["t.ctm:3"]["texture fetch (Semwait)"], 0);
  EXPECT_GT(waits["t.ctm:4"]["no ALU instruction (NotALU)"], 0);  // flow control
  EXPECT_EQ(waits["t.ctm:4"]["ALU latency (Inside_ALU)"], 0);
  // With all that waited, and no more: the second context never had a batch.
  double idle = 0;
  for (const Stall& share : result.stalls)
    idle += share.kind == CycleKind::kOverhead ? 0 : share.cycles;
  EXPECT_GT(sum, 0.3 * idle);
  EXPECT_LE(sum, 0.5 * idle);
}

TEST(Schedule, NamesTheCausesAsThePaperDoes) {
  // One batch of ALU instructions alone: it waits for itself.
  const TimedRun alu(repeated("MAD r1 r0 r0 r0\n", 50) + "MOV o0 r1\nEND\n", 4,
                     {"batch.contexts=1"});
  EXPECT_GT(alu.stall("ALU latency (Inside_ALU)"), 0.9 * alu.stat("run.cycles"));
  // One that loads and waits.
  const TimedRun tex(repeated("TEX r1 r0.rg s0\nMOV r2 r1\n", 50) + "MOV o0 r2\nEND\n", 4,
                     {"batch.contexts=1"});
  EXPECT_GT(tex.stall("texture fetch (Semwait)"), 0.2 * tex.stat("run.cycles"));
  // One whose next instruction is none of the ALU.
  const TimedRun flow(".int i0 200\nREP i0\nENDREP\nMOV o0 r0\nEND\n", 4, {"batch.contexts=1"});
  EXPECT_GT(flow.stall("no ALU instruction (NotALU)"), 0.8 * flow.stat("run.cycles"));
}

}  // namespace
}  // namespace raddle::machine::overlay
