// What a launch on the SIMT GPU is charged with: event by event for a kernel whose instructions can
// be counted by hand.
#include "machine/simt/energy_events.h"
#include "machine/unit_energy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "lang/ptx/reader.h"
#include "machine/energy_coefficients.h"
#include "machine/ref/launcher.h"
#include "machine/ref/ptx_module.h"

namespace raddle::machine::simt {
namespace {

using energy::Event;
using energy::EventCounts;
using energy::StaticPower;

// For each thread: out[tid] = tid · 3 + 5, by way of a float addition and a shared word.
constexpr std::string_view kTiny = R"(
.visible .entry tiny(.param .u64 out) {
  .reg .b32 %r<8>; .reg .f32 %f<4>; .reg .b64 %rd<4>;
  .shared .align 4 .b8 cells[256];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mad.lo.u32 %r2, %r1, 3, 5;
  cvt.rn.f32.u32 %f1, %r2;
  add.f32 %f2, %f1, 0f00000000;
  cvt.rzi.u32.f32 %r3, %f2;
  mov.u32 %r4, cells;
  shl.b32 %r5, %r1, 2;
  add.u32 %r5, %r4, %r5;
  st.shared.u32 [%r5], %r3;
  ld.shared.u32 %r6, [%r5];
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r6;
  ret;
}
)";
constexpr std::uint64_t kInstructions = 15;
constexpr std::uint64_t kThreads = 64;
constexpr std::uint64_t kWarps = 2;

GpuParameters gpu_with(const std::string& set) {
  ParameterTable table = load_parameters("fermi");
  table.set("energy=" + set);
  return GpuParameters(table);
}

double sum_of(const std::vector<Share>& shares) {
  return std::accumulate(shares.begin(), shares.end(), 0.0,
                         [](double sum, const Share& part) { return sum + part.value; });
}
double instruction_loads(const LaunchResult& result) {
  const auto is_them = [](const sim::StatValue& stat) {
    return stat.component == "instruction cache" && stat.name == "loads";
  };
  return std::ranges::find_if(result.stats, is_them)->value;
}
double value_of(const std::vector<Share>& shares, std::string_view name) {
  const auto share = std::ranges::find(shares, name, &Share::name);
  return share == shares.end() ? 0 : share->value;
}

LaunchResult run_tiny(const std::string& set) {
  ref::Launcher launcher(ref::module_of(kTiny), {"energy=" + set}, "fermi");
  const std::uint64_t out = launcher.buffer(std::vector<std::uint32_t>(kThreads));
  LaunchResult result = launcher.run("tiny", {1, 1, 1}, {kThreads, 1, 1}, {out});
  const auto values = launcher.read<std::uint32_t>(out, kThreads);
  for (std::uint32_t i = 0; i < kThreads; ++i) EXPECT_EQ(values[i], 3 * i + 5);
  return result;
}

// The events that one PTX instruction is for one thread.
EventCounts events_of(const std::string& instruction) {
  const kernel::Module module = ptx::read_ptx(
      ref::module_of(".visible .entry k() {\n.reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f32 %f<4>; "
                     ".reg .f64 %fd<4>; .reg .pred %p<2>;\n" +
                     instruction + "\nret;\n}\n"),
      "test.ptx");
  return unit_events(module.functions[0].blocks[0].instructions[0]);
}
EventCounts counts(std::initializer_list<std::pair<Event, std::uint64_t>> list) {
  EventCounts events;
  for (const auto& [event, count] : list) events.add(event, count);
  return events;
}

TEST(SimtEnergy, ChargesUnitsByOpcodeAndType) {
  EXPECT_EQ(events_of("add.u32 %r1, %r2, %r3;"), counts({{Event::integer_add, 1}}));
  EXPECT_EQ(events_of("add.s64 %rd1, %rd2, %rd3;"), counts({{Event::integer_add, 2}}));
  EXPECT_EQ(events_of("mad.lo.s32 %r1, %r2, %r3, %r1;"),
            counts({{Event::integer_multiply, 1}, {Event::integer_add, 1}}));
  EXPECT_EQ(events_of("mul.lo.s64 %rd1, %rd2, %rd3;"),
            counts({{Event::integer_multiply, 3}, {Event::integer_add, 2}}));
  EXPECT_EQ(events_of("mad.wide.u32 %rd1, %r2, %r3, %rd2;"),
            counts({{Event::integer_multiply, 1}, {Event::integer_add, 2}}));
  EXPECT_EQ(events_of("xor.b32 %r1, %r2, %r3;"), counts({{Event::bitwise, 1}}));
  EXPECT_EQ(events_of("shl.b64 %rd1, %rd2, 3;"), counts({{Event::shift, 2}}));
  EXPECT_EQ(events_of("setp.lt.f32 %p1, %f1, %f2;"), counts({{Event::compare, 1}}));
  EXPECT_EQ(events_of("min.s32 %r1, %r2, %r3;"),
            counts({{Event::compare, 1}, {Event::bitwise, 1}}));
  EXPECT_EQ(events_of("fma.rn.f32 %f1, %f2, %f3, %f1;"),
            counts({{Event::float_multiply, 1}, {Event::float_add, 1}}));
  EXPECT_EQ(events_of("fma.rn.f64 %fd1, %fd2, %fd3, %fd1;"),
            counts({{Event::float_multiply, 4}, {Event::float_add, 2}}));
  EXPECT_EQ(events_of("cvt.rn.f32.s32 %f1, %r1;"), counts({{Event::float_add, 1}}));
  EXPECT_EQ(events_of("sin.approx.f32 %f1, %f2;"), counts({{Event::special_sine, 1}}));
  EXPECT_EQ(events_of("rcp.approx.f32 %f1, %f2;"), counts({{Event::special_root, 1}}));
  EXPECT_EQ(events_of("ex2.approx.f32 %f1, %f2;"), counts({{Event::special_exponential, 1}}));
  EXPECT_EQ(events_of("div.u32 %r1, %r2, %r3;"), counts({{Event::special_root, 1}}));
  EXPECT_EQ(events_of("bar.sync 0;"), EventCounts());
}

TEST(SimtEnergy, CountsATinyKernelExactly) {
  const energy::CoefficientSet set = load_coefficients("circuit");
  const LaunchResult result = run_tiny("circuit");
  ASSERT_EQ(result.warp_instructions, kWarps * kInstructions);
  const auto cost = [&](Event event) {
    return set.events[static_cast<std::size_t>(event)]->count();
  };
  const double per_warp = cost(Event::instruction_decode) + cost(Event::instruction_schedule);
  EXPECT_NEAR(value_of(result.energy, "front end"),
              kWarps * kInstructions * per_warp +
                  instruction_loads(result) * cost(Event::instruction_fetch),
              1e-6);
  // The parameter and the address of `cells` are constants that take no register. Reads: mad 1, cvt
  // 1, add 1, cvt 1, shl 1, add 1, st 2, ld 1, mul 1, add 2, st 3. Writes: mov 1, mad 1, cvt 1, add
  // 1, cvt 1, shl 1, add 1, ld 1, mul 2, add 2.
  EXPECT_NEAR(value_of(result.energy, "registers"),
              kThreads * (15 * cost(Event::register_read) + 12 * cost(Event::register_write)),
              1e-6);
  EXPECT_NEAR(
      value_of(result.energy, "units"),
      kThreads * (2 * cost(Event::bitwise) + 2 * cost(Event::integer_multiply) +
                  4 * cost(Event::integer_add) + 3 * cost(Event::float_add) + cost(Event::shift)),
      1e-6);
  EXPECT_NEAR(value_of(result.energy, "scratchpad"), 2 * kWarps * cost(Event::shared_access), 1e-6);
  EXPECT_NEAR(value_of(result.energy_by_class, "logic"),
              kWarps * per_warp + kThreads * (cost(Event::shift) + cost(Event::register_read) +
                                              cost(Event::register_write)),
              1e-6);
}

TEST(SimtEnergy, SumsToTheSameByPartAndByClassWithEverySet) {
  for (const char* set :
       {"circuit", "circuit:horowitz", "circuit:gpuwattch", "circuit:cacti", "card"}) {
    const LaunchResult result = run_tiny(set);
    EXPECT_EQ(result.energy_set, set);
    EXPECT_GT(sum_of(result.energy), 0) << set;
    EXPECT_NEAR(sum_of(result.energy), sum_of(result.energy_by_class), 1e-9 * sum_of(result.energy))
        << set;
  }
}

TEST(SimtEnergy, ChargesStaticPowerForTheTimeOfAllMultiprocessors) {
  for (const auto& [set, watts] :
       {std::pair{"circuit", 0.06783 + 0.228586 + 0.038 + 0.911 + 1.571 + 0.86 + 0.86},
        std::pair{"card", 1.59}}) {
    const LaunchResult result = run_tiny(set);
    const double expected = watts * result.seconds * gpu_with(set).cores * 1e12;
    EXPECT_NEAR(value_of(result.energy_by_class, "static power"), expected, 1e-9 * expected) << set;
    double charged = 0;
    for (const Share& part : result.energy)
      charged += part.name.starts_with("static: ") ? part.value : 0;
    EXPECT_NEAR(charged, expected, 1e-9 * expected) << set;
  }
}

}  // namespace
}  // namespace raddle::machine::simt
