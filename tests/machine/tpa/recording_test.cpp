// Traces, figures over time and what techniques took: they tell of a run and change nothing in it.
#include <gmock/gmock.h>

#include <map>
#include <set>
#include <sstream>

#include "base/atomic_file.h"
#include "base/resource_paths.h"
#include "base/temporary_folder.h"
#include "sim/trace_reader.h"
#include "tpa_fixture.h"

namespace raddle::machine::tpa {
namespace {

struct Recorded {
  std::unique_ptr<Program> program;
  TpaRun run;
  std::vector<std::string> events;
};

std::string listing(const std::string& name) {
  return read_file(resource_paths().benchmarks / "e" / (name + ".tpa"));
}

Recorded record(const std::string& name, std::int64_t size, std::uint64_t sample_cycles) {
  const TemporaryFolder folder;
  Recorded recorded;
  recorded.program =
      std::make_unique<Program>(raddle::tpa::assemble(listing(name), "t.tpa", {{"N", size}}));
  sim::TraceFile file(folder / "t.perfetto");
  LaunchOptions options;
  options.trace = &file;
  options.sample_cycles = Cycle(sample_cycles);
  recorded.run = TpaMachine(load_parameters("tpa")).run(*recorded.program, options);
  file.finish();
  recorded.events = sim::events_of(read_file(folder / "t.perfetto"));
  return recorded;
}

Outcome run_listing(const std::string& name, std::int64_t size) {
  TpaSetup setup;
  setup.parameters["N"] = size;
  return run_text(listing(name), setup);
}

TEST(Recording, ChangesNothingInARun) {
  // Sizes with and without a rest, so that backends are in step and out of it.
  for (const std::int64_t size : {777, 16384}) {
    const Recorded recorded = record("prefix-add-mmp", size, 100);
    const Outcome plain = run_listing("prefix-add-mmp", size);
    EXPECT_EQ(recorded.run.result.cycles, plain.cycles());
    EXPECT_EQ(recorded.run.memory.words_of("_P_"), plain.words("_P_"));
    ASSERT_EQ(recorded.run.result.stalls.size(), plain.run.result.stalls.size());
    for (std::size_t i = 0; i < plain.run.result.stalls.size(); ++i)
      EXPECT_EQ(recorded.run.result.stalls[i].cycles, plain.run.result.stalls[i].cycles);
  }
}

// "1000 backend 0/cycles begin issued" and "2000 backend 0/cycles end".
struct TraceEvent {
  std::uint64_t time = 0;
  std::string rest;
};
TraceEvent parsed(const std::string& line) {
  std::istringstream in(line);
  TraceEvent event;
  in >> event.time;
  std::getline(in, event.rest);
  return event;
}

TEST(Trace, ExplainsEveryCycleOfTheBackends) {
  const Recorded recorded = record("min-ml", 4096, 0);
  std::map<std::string, std::uint64_t> spent;  // picoseconds, by cause
  std::uint64_t open = 0;
  std::string cause;
  const std::string begins = "/cycles begin ";
  for (const std::string& line : recorded.events) {
    const TraceEvent event = parsed(line);
    if (const std::size_t at = event.rest.find(begins); at != std::string::npos) {
      cause = event.rest.substr(at + begins.size());
      open = event.time;
    } else if (event.rest.ends_with("/cycles end")) {
      spent[cause] += event.time - open;
    }
  }
  const double picoseconds = 1e12 / TpaMachine(load_parameters("tpa")).peaks().clock_hz;
  for (const Stall& stall : recorded.run.result.stalls)
    EXPECT_EQ(static_cast<double>(spent[stall.name]), stall.cycles * picoseconds) << stall.name;
}

TEST(Trace, HasInstructionsFrontendsAndWaves) {
  const Recorded recorded = record("min-ml", 4096, 0);
  std::set<std::string> kinds;
  std::size_t waves = 0;
  for (const std::string& line : recorded.events) {
    const std::string rest = parsed(line).rest;
    kinds.insert(rest);
    waves += rest.find(" wave") != std::string::npos && rest.find(" waves ") == 0 ? 1U : 0U;
  }
  EXPECT_EQ(kinds.count(" backend 15 begin t.tpa:9 MLMIN (256)"), 1u)
      << "the load, by its line, with a backend's fibers";
  EXPECT_EQ(kinds.count(" backend 0 begin t.tpa:10 EMMIN (1)"), 1u);
  EXPECT_EQ(kinds.count(" frontend 0 begin issued"), 1u);
  EXPECT_EQ(waves, 2u) << "one behind each step";
}

const SampleSeries& series(const LaunchResult& result, const std::string& name) {
  for (const SampleSeries& all : result.samples)
    if (all.name == name) return all;
  static const SampleSeries none;
  return none;
}

TEST(Samples, SumToTheRun) {
  const LaunchResult result = record("prefix-add-mmp", 20000, 64).run.result;
  EXPECT_EQ(result.sample_cycles, 64u);
  const std::size_t count = (result.cycles + 63) / 64;
  const double last = static_cast<double>(result.cycles - 64 * (count - 1));
  const auto total = [&](const std::string& name) {
    const std::vector<double>& values = series(result, name).values;
    EXPECT_EQ(values.size(), count) << name;
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) sum += values[i] * (i + 1 < count ? 64 : last);
    return sum;
  };
  EXPECT_NEAR(total("IPC"), result.stalls.front().cycles, 1e-6);
  for (const sim::StatValue& stat : result.stats) {
    const bool is_series = stat.name == "references" || stat.name == "replies";
    if (stat.component != "network" || !is_series) continue;
    EXPECT_NEAR(total(stat.name), stat.value, 1e-6);
  }
  for (std::size_t i = 0; i < count; ++i) {
    double shares = 0;
    for (const Cause& cause : kBackendCauses.causes())
      shares += series(result, std::string(cause.name)).values[i];
    EXPECT_NEAR(shares, 1, 1e-9) << i;
  }
}

// What a run says of a technique: measured cycles and the formula's.
struct Told {
  double cycles = -1, formula = -1, fibers = -1, executions = -1;
};
Told told(const Outcome& outcome, const std::string& technique) {
  Told all;
  for (const TechniqueCost& cost : outcome.run.result.techniques) {
    if (cost.technique != technique || cost.location.empty()) continue;
    all.cycles = static_cast<double>(cost.cycles);
    all.formula = static_cast<double>(cost.formula_cycles);
    all.fibers = static_cast<double>(cost.fibers);
    all.executions = static_cast<double>(cost.executions);
  }
  return all;
}

TEST(TechniqueReport, PutsTheFormulaBesideTheMeasuredTime) {
  const Outcome prefix = run_listing("prefix-add-mmp", 65536);
  const Told mmp = told(prefix, "MMP");
  EXPECT_EQ(mmp.formula, 2 * 4096 + 16 + 1 + 2 * 113 + 3) << "2T/B+B+M+2W and three waves";
  EXPECT_NEAR(mmp.cycles, mmp.formula, 0.01 * mmp.formula);
  EXPECT_LE(mmp.cycles, static_cast<double>(prefix.cycles()));
  EXPECT_EQ(mmp.fibers, 65536);
  EXPECT_EQ(mmp.executions, 1);
  const Told ml = told(run_listing("min-ml", 65536), "ML");
  EXPECT_EQ(ml.formula, 4096 + 1 + 113 + 2);
  EXPECT_NEAR(ml.cycles, ml.formula, 0.01 * ml.formula);
  const Told o2 = told(run_listing("min-o2", 65536), "O2");
  EXPECT_EQ(o2.formula, 4096 + 1 + 2);
  EXPECT_NEAR(o2.cycles, o2.formula, 0.01 * o2.formula);
}

TEST(TechniqueReport, CountsWhatTheBusiestModuleServesForFastOnes) {
  const Outcome one =
      run_text(".param N 6400\n.shared _x_\nOP0 _x_ OP1 N OP2 1 LWB33 O1 MADD0 O2,O0 STCF\n");
  EXPECT_EQ(told(one, "FS").formula, 6400 + 1) << "one module serves all";
  EXPECT_NEAR(told(one, "FS").cycles, 6400, 64);
  const Outcome many = run_text(
      ".param N 6400\n.shared _x_ 6400\n"
      "OP0 _x_ OP1 N OP2 1 OP3 3 LWB33 O1 SHL0 FID,O3 ADD1 A0,O0 MPADD0 O2,A1 WB0 M0 RT1 STCF\n");
  EXPECT_NEAR(told(many, "FMP").formula, 400 + 1, 20) << "they are spread over the modules";
}

}  // namespace
}  // namespace raddle::machine::tpa
