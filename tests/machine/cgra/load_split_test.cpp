#include "machine/cgra/compile/load_split.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "machine/cgra/piece_stand.h"

namespace raddle::machine::cgra {
namespace {

constexpr std::array<std::uint32_t, 3> kBlock{64, 1, 1};

class SplitStand : public PieceStand {
 public:
  explicit SplitStand(const char* body) : PieceStand(body), code(whole()) {
    split = split_loads_off(code, kernel.shared, kBlock);
  }
  std::vector<std::string> given() const { return names(slots(split->loads.live_outs)); }

  PieceCode code;
  std::optional<SplitPiece> split;

 private:
  static std::vector<kernel::RegisterId> slots(const std::vector<LiveOut>& live) {
    std::vector<kernel::RegisterId> all;
    for (const LiveOut& one : live) all.push_back(one.slot);
    return all;
  }
};

using Names = std::vector<std::string>;

std::vector<kernel::Opcode> opcodes(const PieceCode& code) {
  std::vector<kernel::Opcode> all;
  for (const kernel::Instruction& i : code.code) all.push_back(i.opcode);
  return all;
}
bool has(const PieceCode& code, kernel::Opcode opcode) {
  const auto all = opcodes(code);
  return std::find(all.begin(), all.end(), opcode) != all.end();
}

TEST(LoadSplit, LoadsGoBeforeCommunication) {
  const SplitStand stand(
      "e:\n  %a = ld.global.b32 [%x]\n  it.tag.b32 %a {channel=1}\n"
      "  %b = it.recv.const.b32 0 {channel=1, delta=(-1, 0, 0)}\n  st.global.b32 [%y], %b\n  "
      "ret\n");
  ASSERT_TRUE(stand.split);
  EXPECT_EQ(opcodes(stand.split->loads), std::vector{kernel::Opcode::kLd});
  EXPECT_EQ(stand.given(), Names{"a"});
  ASSERT_EQ(stand.split->loads.exits.size(), 1u);
  EXPECT_EQ(stand.split->loads.exits[0].to, kToRest);
  EXPECT_FALSE(has(stand.split->rest, kernel::Opcode::kLd));
  EXPECT_EQ(stand.names(stand.split->rest.live_ins), Names{"a"});
  EXPECT_TRUE(has(stand.split->rest, kernel::Opcode::kSt));
}

TEST(LoadSplit, APieceWithoutCommunicationStaysWhole) {
  const SplitStand stand("e:\n  %a = ld.global.b32 [%x]\n  st.global.b32 [%y], %a\n  ret\n");
  EXPECT_FALSE(stand.split);
}

TEST(LoadSplit, ReceivesThatNobodyCanSendToAreNoCommunication) {
  const SplitStand stand(
      "e:\n  %a = ld.global.b32 [%x]\n  it.tag.b32 %a {channel=1}\n"
      "  %b = it.recv.const.b32 0 {channel=1, delta=(-64, 0, 0)}\n  st.global.b32 [%y], %b\n"
      "  ret\n");
  EXPECT_FALSE(stand.split);
}

TEST(LoadSplit, LoadsThatDependOnOtherThreadsStay) {
  const SplitStand stand(
      "e:\n  it.tag.b64 %x {channel=1}\n"
      "  %y = it.recv.const.b64 0 {channel=1, delta=(-1, 0, 0)}\n  %a = ld.global.b32 [%y]\n"
      "  st.global.b32 [%x], %a\n  ret\n");
  EXPECT_FALSE(stand.split);
}

TEST(LoadSplit, LoadsDoNotPassStores) {
  const SplitStand stand(
      "e:\n  st.global.b32 [%x], 1\n  %a = ld.global.b32 [%y]\n  it.tag.b32 %a {channel=1}\n"
      "  %b = it.recv.const.b32 0 {channel=1, delta=(-1, 0, 0)}\n  st.global.b32 [%z], %b\n  "
      "ret\n");
  EXPECT_FALSE(stand.split);
}

TEST(LoadSplit, WhatOnlyLoadedValuesNeedGoesAlong) {
  const SplitStand stand(
      "e:\n  %a = ld.global.b32 [%x]\n  %b = ld.global.b32 [%y]\n  %c = add.s32 %a, %b\n"
      "  it.tag.b32 %c {channel=1}\n  %d = it.recv.const.b32 0 {channel=1, delta=(-1, 0, 0)}\n"
      "  st.global.b32 [%z], %d\n  ret\n");
  ASSERT_TRUE(stand.split);
  EXPECT_EQ(stand.given(), Names{"c"}) << "one value instead of two";
  EXPECT_FALSE(has(stand.split->rest, kernel::Opcode::kAdd));
}

TEST(LoadSplit, AGuardOfSeveralOperationsIsHandedOver) {
  const char* const body =
      "e:\n  %p = setp.lt.s32 %tid.x, 7\n{}  @%p %a = ld.global.b32 [%x]\n"
      "  it.tag.b32 %a {{channel=1}}\n"
      "  %b = it.recv.const.b32 0 {{channel=1, delta=(-1, 0, 0)}}\n"
      "  @%p st.global.b32 [%y], %b\n  ret\n";
  const SplitStand one(fmt::format(fmt::runtime(body), "").c_str());
  ASSERT_TRUE(one.split);
  EXPECT_EQ(one.given().size(), 1u);
  const SplitStand several(
      fmt::format(fmt::runtime(body), "  %q = setp.gt.s32 %tid.y, 3\n  %p = and.pred %p, %q\n")
          .c_str());
  ASSERT_TRUE(several.split);
  EXPECT_EQ(several.given().size(), 2u);
}

}  // namespace
}  // namespace raddle::machine::cgra
