#include "machine/simt/gpu_test.h"

namespace raddle::machine::simt {

std::string kernel_of(std::string_view body, std::string_view before) {
  return ref::module_of(std::string(before) + R"(
.visible .entry k(.param .u64 buffer, .param .u32 n) {
  .reg .pred %p<8>; .reg .b32 %r<64>; .reg .f32 %f<16>; .reg .b64 %rd<16>; .reg .f64 %d<16>;
  .shared .align 16 .b8 tile[8192];
  ld.param.u64 %rd1, [buffer];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  mov.u32 %r4, %ctaid.x;
  mov.u32 %r5, %ntid.x;
  mad.lo.u32 %r3, %r4, %r5, %r2;
  mul.wide.u32 %rd3, %r3, 4;
  add.u64 %rd2, %rd1, %rd3;
)" + std::string(body) + "\n  ret;\n}\n");
}

std::string repeated(int times, std::string_view text) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

double stall(const LaunchResult& result, std::string_view name) {
  for (const Stall& share : result.stalls) {
    if (share.name == name) return share.cycles;
  }
  ADD_FAILURE() << "no stall cause " << name;
  return 0;
}

double all_slots(const LaunchResult& result) {
  double sum = 0;
  for (const Stall& share : result.stalls) sum += share.cycles;
  return sum;
}

double stat(const LaunchResult& result, std::string_view part, std::string_view name) {
  for (const sim::StatValue& value : result.stats) {
    if (value.component == part && value.name == name) return value.value;
  }
  ADD_FAILURE() << "no figure " << part << " " << name;
  return 0;
}

double cycles_each(std::string_view before, std::string_view body, int few, int many,
                   std::uint32_t blocks, std::uint32_t threads,
                   const std::vector<std::string>& settings, std::string_view behind) {
  const auto cycles = [&](int times) {
    Fermi gpu(kernel_of(std::string(before) + repeated(times, body) + std::string(behind)),
              settings);
    const LaunchResult result = gpu.run_k(blocks, threads, 0, 1u << 16);
    EXPECT_TRUE(result.complete);
    return static_cast<double>(result.cycles);
  };
  return (cycles(many) - cycles(few)) / (many - few);
}

}  // namespace raddle::machine::simt
