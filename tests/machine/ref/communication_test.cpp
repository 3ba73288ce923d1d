// Who reads what another thread wrote, and from how far away.
#include <gtest/gtest.h>

#include "machine/ref/launcher.h"

namespace raddle::machine::ref {
namespace {

// Each thread of a block writes its word, then reads the word of the thread `delta` before it
// (modulo the block's size, a power of two); then its own.
constexpr std::string_view kShift = R"(
.version 7.5
.target sm_70
.address_size 64
.visible .entry shift(.param .u64 out, .param .u32 delta, .param .u32 last) {
  .reg .b32 %r<16>; .reg .b64 %rd<4>;
  .shared .align 4 .b8 words[4096];
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [delta];
  ld.param.u32 %r2, [last];
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %tid.y;
  mov.u32 %r5, %ntid.x;
  mad.lo.u32 %r6, %r4, %r5, %r3;
  shl.b32 %r7, %r6, 2;
  mov.u32 %r8, words;
  add.u32 %r9, %r8, %r7;
  st.shared.u32 [%r9], %r6;
  bar.sync 0;
  sub.u32 %r10, %r6, %r1;
  and.b32 %r10, %r10, %r2;
  shl.b32 %r10, %r10, 2;
  add.u32 %r10, %r8, %r10;
  ld.shared.u32 %r11, [%r10];
  ld.shared.u32 %r12, [%r9];
  mul.wide.u32 %rd2, %r6, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r11;
  ret;
}
)";

std::string text_of(const LaunchResult& result, std::string_view name) {
  for (const Histogram& histogram : result.histograms) {
    if (histogram.name != name) continue;
    std::string text;
    for (const HistogramBin& bin : histogram.bins)
      text += std::to_string(bin.count) + "×" + std::to_string(bin.value).substr(0, 6) + " ";
    return text;
  }
  return "none";
}

LaunchResult shifted(Dim3 block, std::uint32_t delta, const char* setting) {
  Launcher launcher(kShift, {setting});
  const auto threads = static_cast<std::uint32_t>(block.count());
  const std::uint64_t out = launcher.buffer(std::vector<std::uint32_t>(threads));
  LaunchResult result = launcher.run("shift", {3, 1, 1}, block, {out, delta, threads - 1});
  EXPECT_EQ(launcher.read<std::uint32_t>(out, threads)[delta], 0U);
  return result;
}

TEST(Communication, IsCountedByDistance) {
  const LaunchResult result = shifted({64, 1, 1}, 3, "track_communication=true");
  // In each of three blocks 61 threads read from 3 below, 3 from 61 above; nobody's own word
  // counts.
  EXPECT_EQ(text_of(result, "linear_distance"), "183×3.0000 9×61.000 ");
  EXPECT_EQ(text_of(result, "euclidean_distance"), "183×3.0000 9×61.000 ");
  EXPECT_EQ(text_of(result, "static_linear_distance"), "1×3.0000 1×61.000 ");
}

TEST(Communication, InAPlaneIsNearerThanTheThreadNumbersSay) {
  // A step of one row in blocks of 16×4: 16 numbers, one step in the plane; the first row reads
  // from the last.
  const LaunchResult result = shifted({16, 4, 1}, 16, "track_communication=true");
  EXPECT_EQ(text_of(result, "linear_distance"), "144×16.000 48×48.000 ");
  EXPECT_EQ(text_of(result, "euclidean_distance"), "144×1.0000 48×3.0000 ");
}

TEST(Communication, IsNotCountedUnlessAskedFor) {
  EXPECT_TRUE(shifted({64, 1, 1}, 3, "track_communication=false").histograms.empty());
}

}  // namespace
}  // namespace raddle::machine::ref
