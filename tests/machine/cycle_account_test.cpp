#include "machine/run/cycle_account.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <fstream>
#include <set>
#include <string>

#include "machine/cgra/fabric/unit_use.h"
#include "machine/d2now/node_cause.h"
#include "machine/overlay/slot_cause.h"
#include "machine/simt/slot_use.h"
#include "machine/tpa/unit_causes.h"
#include "test_paths.h"

namespace raddle::machine {
namespace {

#define RADDLE_TEST_USES(CAUSE)             \
  CAUSE(kWork, "work", kIssued, "it works") \
  CAUSE(kWait, "wait", kStall, "it waits")  \
  CAUSE(kRest, "rest", kIdle, "it rests")
RADDLE_CAUSES(Use, kUses, kRest, RADDLE_TEST_USES);
using Account = CycleAccount<kUses>;

Account account_of(std::uint64_t work, std::uint64_t wait, std::uint64_t rest) {
  Account account;
  account.add(Use::kWork, Cycle(work));
  account.add(Use::kWait, Cycle(wait));
  account.add(Use::kRest, Cycle(rest));
  return account;
}

TEST(CycleAccount, SumsToWhatWasAdded) {
  Account account = account_of(3, 4, 5);
  account.add(Use::kWork);
  EXPECT_EQ(account[Use::kWork], Cycle(4));
  EXPECT_EQ(account.sum(), Cycle(13));
  account += account_of(1, 1, 1);
  account -= account_of(2, 0, 0);
  EXPECT_EQ(account, account_of(3, 5, 6));
}

TEST(CycleAccount, GivesIdleCyclesBackThatDoNotCount) {
  Account account = account_of(3, 4, 5);
  account.take_idle_back(Cycle(2));
  EXPECT_EQ(account, account_of(3, 4, 3));
  EXPECT_THROW(account.take_idle_back(Cycle(4)), InternalError);
}

TEST(CycleAccount, TakesBackTheLastCauseFirst) {
  Account account = account_of(3, 4, 5);
  account.take_back(Use::kWait, Cycle(6));
  EXPECT_EQ(account, account_of(3, 0, 3));
  account.take_back(Use::kRest, Cycle(4));
  EXPECT_EQ(account, account_of(2, 0, 0));
}

TEST(CycleAccount, BecomesStallsWithTheirKind) {
  const std::vector<Stall> stalls = stalls_of(account_of(3, 4, 0));
  ASSERT_EQ(stalls.size(), 3u);
  EXPECT_EQ(stalls[1].name, "wait");
  EXPECT_EQ(stalls[1].kind, CycleKind::kStall);
  EXPECT_EQ(stalls[1].cycles, 4);
  EXPECT_EQ(stalls[1].sentence, "it waits");
  LineCost line;
  add_line_stalls(stalls, line);
  ASSERT_EQ(line.stalls.size(), 1u) << "neither what was issued nor what took no cycle";
  EXPECT_EQ(line.stall_cycles, 4);
}

TEST(CycleKind, HasANameThatCanBeRead) {
  for (const CycleKind kind :
       {CycleKind::kIssued, CycleKind::kOverhead, CycleKind::kStall, CycleKind::kIdle})
    EXPECT_EQ(cycle_kind_of(name_of(kind)), kind);
  EXPECT_EQ(cycle_kind_of("wait"), std::nullopt);
}

const std::vector<std::span<const Cause>>& all_tables() {
  static const std::vector<std::span<const Cause>> kTables{
      simt::kSlotUses.causes(),   cgra::kUnitUses.causes(),      tpa::kBackendCauses.causes(),
      tpa::kFrontCauses.causes(), overlay::kSlotCauses.causes(), d2now::kNodeCauses.causes()};
  return kTables;
}

TEST(Causes, AreListedInTheDocs) {
  std::string wanted;
  for (const std::span<const Cause> table : all_tables()) {
    for (const Cause& cause : table)
      wanted += fmt::format("| {} | {} | {} |\n", cause.name, name_of(cause.kind), cause.sentence);
  }
  std::ifstream page(test_root() + "/docs/stalls.md");
  std::string listed;
  bool is_table = false;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("|")) is_table = false;
    if (is_table && !line.starts_with("|---")) listed += line + "\n";
    if (line == "| cause | kind | what it is |") is_table = true;
  }
  EXPECT_EQ(listed, wanted);
}

TEST(Causes, HaveOneNameEachAndOneThatIsIssued) {
  for (const std::span<const Cause> table : all_tables()) {
    std::set<std::string_view> names;
    int issued = 0;
    for (const Cause& cause : table) {
      EXPECT_TRUE(names.insert(cause.name).second) << cause.name;
      EXPECT_FALSE(cause.sentence.empty()) << cause.name;
      issued += cause.kind == CycleKind::kIssued ? 1 : 0;
    }
    EXPECT_EQ(issued, 1);
  }
}

}  // namespace
}  // namespace raddle::machine
