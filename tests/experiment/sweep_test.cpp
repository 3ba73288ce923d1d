#include "experiment/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <set>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/temporary_folder.h"
#include "experiment/result_json.h"
#include "experiment/sample_result.h"
#include "experiment/sweep_folder.h"

namespace raddle::experiment {
namespace {

namespace fs = std::filesystem;

CellIdentity identity() {
  return {"hash of the program", {"64", "2"}, "0123456789abcdef", {"", "", "", ""},
          {"hash of an input"},  false,       "0.1.0 build"};
}

TEST(CellKey, ChangesWithEverythingThatDecidesAResult) {
  std::set<std::string> keys{cell_key(identity())};
  const auto changed = [&](auto change) {
    CellIdentity other = identity();
    change(other);
    return keys.insert(cell_key(other)).second;
  };
  EXPECT_TRUE(changed([](CellIdentity& cell) { cell.program = "another"; }));
  EXPECT_TRUE(changed([](CellIdentity& cell) { cell.arguments = {"64"}; }));
  EXPECT_TRUE(changed([](CellIdentity& cell) { cell.arguments = {"642"}; }));
  EXPECT_TRUE(changed([](CellIdentity& cell) { cell.arguments = {"64", "2", ""}; }));
  EXPECT_TRUE(changed([](CellIdentity& cell) { cell.arguments = {"2", "64"}; }));
  EXPECT_TRUE(changed([](CellIdentity& cell) { cell.parameters_hash = "fedcba9876543210"; }));
  EXPECT_TRUE(changed([](CellIdentity& cell) { cell.launch[1] = "4"; }));
  EXPECT_TRUE(changed([](CellIdentity& cell) { cell.inputs = {}; }));
  EXPECT_TRUE(changed([](CellIdentity& cell) { cell.inputs = {"another"}; }));
  EXPECT_TRUE(changed([](CellIdentity& cell) { cell.check = true; }));
  EXPECT_TRUE(changed([](CellIdentity& cell) { cell.raddle = "0.2.0 build"; }));
  EXPECT_TRUE(changed([](CellIdentity& cell) { cell.raddle = "0.1.0 other build"; }));
  EXPECT_FALSE(changed([](CellIdentity&) {})) << "the same cell has the same key";
  EXPECT_EQ(cell_key(identity()).size(), 32u);
}

TEST(CellKey, FollowsTheParametersAndNotTheirSpelling) {
  const auto hashes = [](const std::string& text) {
    std::vector<std::string> found;
    for (const SweepCell& cell : sweep_of(parse_sweep_spec(text, "s.toml")).cells)
      found.push_back(cell.parameters_hash);
    return found;
  };
  const std::vector<std::string> by_axis =
      hashes("[axes]\nprogram = [\"a\"]\nset.multiprocessors = [16, 8]\n");
  const std::vector<std::string> plain = hashes("[cell]\nprogram = \"b\"\n");
  const std::vector<std::string> by_cell =
      hashes("[axes]\nm = [8]\n[cell]\nprogram = \"b\"\nset.multiprocessors = \"{m}\"\n");
  EXPECT_EQ(by_axis[0], plain[0]) << "16 is what the table says anyway";
  EXPECT_NE(by_axis[1], plain[0]);
  EXPECT_EQ(by_axis[1], by_cell[0]);
}

TEST(SweepCsv, HasARowForEveryCell) {
  const Sweep sweep = sweep_of(parse_sweep_spec(R"(
figures = ["memory.global.bytes_read", "stall.memory", "no.such.figure"]
[axes]
program = ["matmul"]
n = [64, 128, 256]
[cell]
arguments = ["{n}", "a b"]
set.multiprocessors = 4
)",
                                                "s.toml"));
  std::vector<CellOutcome> outcomes(3);
  outcomes[0] = outcome_of(sample_result(), sweep.figures);
  outcomes[0].key = "k0";
  outcomes[0].result_file = SweepFolder::result_name("k0");
  outcomes[1].status = CellStatus::kFailed;
  outcomes[1].reason = "exit status 2: said \"no\", twice";
  outcomes[1].key = "k1";
  outcomes[2].key = "k2";
  const std::string hash = sweep.cells[0].parameters_hash;
  EXPECT_EQ(
      sweep_csv(sweep, outcomes),
      "program,n,machine,arguments,set,status,reason,launches,cycles,seconds,"
      "thread_instructions,warp_instructions,ipc,energy_picojoules,memory.global.bytes_read,"
      "stall.memory,no.such.figure,parameters_hash,result_file,cell_key\n"
      "matmul,64,ref,64 'a b',multiprocessors=4,done,,1,1000,1e-06,24000,1000,24,2.5,27,400,"
      "," +
          hash +
          ",cells/k0.json,k0\n"
          "matmul,128,ref,128 'a b',multiprocessors=4,failed,\"exit status 2: said \"\"no\"\", "
          "twice\",,,,,,,,,,," +
          hash +
          ",,k1\n"
          "matmul,256,ref,256 'a b',multiprocessors=4,not run,,,,,,,,,,,," +
          hash + ",,k2\n");
}

TEST(SweepFolder, KeepsWhatIsWholeAndNothingElse) {
  const TemporaryFolder output;
  {
    SweepFolder folder(output.path());
    EXPECT_FALSE(folder.finished("key"));
    const SweepFolder::Workplace place = folder.start("key");
    std::ofstream(place.log) << "hello";
    write_result_file(sample_result(), place.result.string());
    EXPECT_FALSE(folder.finished("key")) << "it has not been kept yet";
    folder.keep("key", true);
    ASSERT_TRUE(folder.finished("key"));
    EXPECT_EQ(to_json(*folder.finished("key")), to_json(sample_result()));
    EXPECT_EQ(read_file(output / SweepFolder::log_name("key")), "hello");

    const SweepFolder::Workplace failed = folder.start("failed");
    std::ofstream(failed.log) << "no";
    folder.keep("failed", false);
    EXPECT_FALSE(folder.finished("failed"));
    EXPECT_EQ(read_file(output / SweepFolder::log_name("failed")), "no");

    std::ofstream(output / SweepFolder::result_name("cut")) << "{\"schema\": \"radd";
    EXPECT_FALSE(folder.finished("cut")) << "half a file is no result";
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(output / "cells"))
    EXPECT_FALSE(entry.is_directory()) << entry.path() << " is left over";
}

TEST(SweepFolder, ClearsWhatAKilledSweepLeftAndNotWhatRuns) {
  const TemporaryFolder output;
  const pid_t child = fork();
  if (child == 0) {
    SweepFolder killed(output.path());
    std::ofstream(killed.start("key").log) << "half";
    _exit(0);  // as a kill would: nothing is cleaned up
  }
  waitpid(child, nullptr, 0);
  const auto working = [&] {
    std::size_t folders = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(output / "cells"))
      folders += entry.is_directory() ? 1 : 0;
    return folders;
  };
  EXPECT_EQ(working(), 1u);
  SweepFolder first(output.path());
  EXPECT_EQ(working(), 1u) << "the killed sweep's folder is gone, the new one's is there";
  const SweepFolder second(output.path());
  EXPECT_EQ(working(), 2u);
  EXPECT_TRUE(fs::exists(first.start("key").folder));
}

TEST(SweepFolder, SaysWhereItCannotWrite) {
  const TemporaryFolder folder;
  std::ofstream(folder / "file") << "x";
  try {
    const SweepFolder sweep(folder / "file");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.full_text(), "cannot write '" + (folder / "file/cells").string() +
                                     "': Not a directory\n"
                                     "hint: choose another folder with -o FOLDER");
  }
}

}  // namespace
}  // namespace raddle::experiment
