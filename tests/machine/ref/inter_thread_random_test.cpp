// Random chains of exchanges, recurrences and receives from memory, in a loop, on blocks of random
// shape, against the same computed one stage after the other for all threads.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <random>

#include "kernel/exec/channels.h"
#include "machine/ref/launcher.h"
#include "machine/ref/ptx_module.h"

namespace raddle::machine::ref {
namespace {

using Values = std::vector<std::uint32_t>;

struct Stage {
  enum class Kind { kExchange, kRecurrence, kLoad } kind = Kind::kExchange;
  kernel::InterThread operation;
  std::uint32_t constant = 0;  // or, of a load, every so many threads load
};

class RandomProgram {
 public:
  explicit RandomProgram(std::uint32_t seed) : random_(seed) {
    block_ = below(2) == 0 ? Dim3{1 + below(130), 1, 1}
                           : Dim3{1 + below(20), 1 + below(9), 1 + below(4)};
    turns_ = below(4);
    for (std::uint32_t count = 1 + below(6); count > 0; --count) stages_.push_back(random_stage());
  }

  Dim3 block() const { return block_; }

  // v = in[thread]; in every turn and stage v becomes 3 v + received + turn; out[thread] = v.
  std::string ptx() const {
    std::string text =
        ".extern .func __raddle_it_tag_u32(.param .b32 a, .param .b64 n0, .param .b64 n1, .param "
        ".b64 n2, .param .b64 n3);\n"
        ".extern .func (.param .b32 r) __raddle_it_recv_const_u32(.param .b32 a, .param .b32 x, "
        ".param .b32 y, .param .b32 z, .param .b32 w, .param .b64 n0, .param .b64 n1, .param .b64 "
        "n2, .param .b64 n3);\n"
        ".extern .func (.param .b32 r) __raddle_it_recv_load_u32(.param .b64 a, .param .b32 p, "
        ".param .b32 x, .param .b32 y, .param .b32 z, .param .b32 w);\n"
        ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 turns) {\n"
        "  .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<8>;\n"
        "  ld.param.u64 %rd1, [in];\n  ld.param.u64 %rd2, [out];\n  ld.param.u32 %r1, [turns];\n"
        "  mov.u32 %r2, %tid.z;\n  mov.u32 %r3, %ntid.y;\n  mov.u32 %r4, %tid.y;\n"
        "  mad.lo.u32 %r2, %r2, %r3, %r4;\n  mov.u32 %r3, %ntid.x;\n  mov.u32 %r4, %tid.x;\n"
        "  mad.lo.u32 %r2, %r2, %r3, %r4;\n  mul.wide.u32 %rd3, %r2, 4;\n"
        "  add.s64 %rd4, %rd1, %rd3;\n  add.s64 %rd5, %rd2, %rd3;\n  ld.global.u32 %r5, [%rd4];\n"
        "  mov.u32 %r6, 0;\nLOOP:\n  setp.ge.u32 %p1, %r6, %r1;\n  @%p1 bra DONE;\n";
    for (std::size_t i = 0; i < stages_.size(); ++i) text += stage_text(stages_[i], 'a' + i);
    return module_of(text +
                     "  add.u32 %r6, %r6, 1;\n  bra LOOP;\nDONE:\n"
                     "  st.global.u32 [%rd5], %r5;\n  ret;\n}\n");
  }

  Values expected(const Values& in) const {
    Values values = in;
    for (std::uint32_t turn = 0; turn < turns_; ++turn) {
      for (const Stage& stage : stages_) values = after(stage, values, in, turn);
    }
    return values;
  }

  std::uint32_t turns() const { return turns_; }

 private:
  std::uint32_t below(std::uint32_t limit) { return random_() % limit; }

  Stage random_stage() {
    Stage stage;
    stage.kind = static_cast<Stage::Kind>(below(3));
    stage.constant = 1 + below(9);
    auto& delta = stage.operation.delta;
    while (delta == std::array<std::int32_t, 3>{}) {
      delta = {static_cast<std::int32_t>(below(2) == 0 ? below(5) : below(70)) - 2,
               block_.y > 1 ? static_cast<std::int32_t>(below(5)) - 2 : 0,
               block_.z > 1 ? static_cast<std::int32_t>(below(3)) - 1 : 0};
    }
    const auto threads = static_cast<std::uint32_t>(block_.count());
    const std::uint32_t window = 1 + below(threads);
    const bool held =
        delta[1] != 0 || delta[2] != 0 || static_cast<std::uint32_t>(std::abs(delta[0])) < window;
    if (below(2) == 0 && threads % window == 0 && held) stage.operation.window = window;
    return stage;
  }

  static std::string stage_text(const Stage& stage, std::size_t name) {
    const auto& [channel, delta, window] = stage.operation;
    const std::string place = fmt::format("{}, {}, {}, {}", delta[0], delta[1], delta[2], window);
    const std::string receive =
        fmt::format("  call (%r7), __raddle_it_recv_const_u32, ({}, {}, {}, 0, 0, 0);\n",
                    stage.constant, place, name);
    const std::string tag = fmt::format("  call __raddle_it_tag_u32, (%r5, {}, 0, 0, 0);\n", name);
    const std::string update = "  mad.lo.u32 %r5, %r5, 3, %r7;\n  add.u32 %r5, %r5, %r6;\n";
    switch (stage.kind) {
      case Stage::Kind::kExchange: return tag + receive + update;
      case Stage::Kind::kRecurrence: return receive + update + tag;
      default: break;
    }
    return fmt::format(
               "  rem.u32 %r8, %r2, {};\n  setp.eq.u32 %p2, %r8, 0;\n  selp.u32 %r9, 1, 0, %p2;\n"
               "  call (%r7), __raddle_it_recv_load_u32, (%rd4, %r9, {});\n",
               stage.constant, place) +
           update;
  }

  Values after(const Stage& stage, const Values& before, const Values& in,
               std::uint32_t turn) const {
    std::vector<std::optional<std::uint32_t>> result(before.size());
    const auto producer = [&](std::uint32_t thread) {
      return kernel::exec::producer_of(thread, stage.operation, block_);
    };
    const std::function<std::uint32_t(std::uint32_t)> loaded = [&](std::uint32_t thread) {
      const bool loads =
          thread % stage.constant == 0 || producer(thread) == kernel::exec::kNoThread;
      return loads ? in[thread] : loaded(producer(thread));
    };
    const std::function<std::uint32_t(std::uint32_t)> value = [&](std::uint32_t thread) {
      if (result[thread]) return *result[thread];
      const std::uint32_t from = producer(thread);
      std::uint32_t received = from == kernel::exec::kNoThread ? stage.constant : 0;
      if (stage.kind == Stage::Kind::kLoad) {
        received = loaded(thread);
      } else if (from != kernel::exec::kNoThread) {
        received = stage.kind == Stage::Kind::kExchange ? before[from] : value(from);
      }
      result[thread] = before[thread] * 3 + received + turn;
      return *result[thread];
    };
    Values values;
    for (std::uint32_t thread = 0; thread < before.size(); ++thread)
      values.push_back(value(thread));
    return values;
  }

  std::mt19937 random_;
  Dim3 block_;
  std::uint32_t turns_ = 0;
  std::vector<Stage> stages_;
};

TEST(InterThreadRandom, ChainsGiveWhatTheirStagesGiveOneByOne) {
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    const RandomProgram program(seed);
    Launcher launcher(program.ptx());
    Values in(program.block().count());
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint32_t>(i * i + seed);
    const std::uint64_t from = launcher.buffer(in);
    const std::uint64_t to = launcher.buffer(Values(in.size()));
    const LaunchResult result =
        launcher.run("k", {1, 1, 1}, program.block(), {from, to, program.turns()});
    ASSERT_TRUE(result.complete) << "seed " << seed << "\n" << result.faults[0].message;
    ASSERT_EQ(launcher.read<std::uint32_t>(to, in.size()), program.expected(in))
        << "seed " << seed << "\n"
        << program.ptx();
  }
}

}  // namespace
}  // namespace raddle::machine::ref
