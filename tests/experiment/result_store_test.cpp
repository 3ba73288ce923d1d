#include "experiment/result_store.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "base/error.h"
#include "base/temporary_folder.h"
#include "experiment/result_figures.h"
#include "experiment/result_json.h"
#include "experiment/sample_result.h"

namespace raddle::experiment {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr double kBusySeconds = 20;

// A result with something in every part that a machine may fill.
RunResult rich_result() {
  RunResult result = sample_result();
  result.launches.clear();
  result.totals = {};
  result.peaks = {1e9, 32, 2e11};
  machine::LaunchResult launch = sample_launch();
  launch.energy_set = "circuit";
  launch.utilisation = {{"DRAM", 84, 100}, {"dram.0", 1, 3}};
  launch.stats = {{"L2", "hits", "accesses", "found their line", 71},
                  {"dram.0", "row_hits", "accesses", "found their row", 72}};
  launch.memory[0].hits = 73;
  launch.histograms = {{"linear_distance", "threads", "how far apart", {{1, 74}, {16, 75}}},
                       {"euclidean_distance", "threads", "how far apart", {{1.5, 76}}}};
  add_launch(result, launch);
  launch.kernel = "other(int)";
  launch.complete = true;
  add_launch(result, launch);
  return result;
}

// Each with a file of its own.
RunOrigin origin(std::optional<std::string> cell_key = std::nullopt) {
  static int number = 0;
  return {"2026-11-16T04:23:37Z", fmt::format("{}-{}.json", getpid(), ++number),
          std::move(cell_key)};
}

std::string complaint(const std::filesystem::path& folder,
                      ResultStore::Access access = ResultStore::Access::kCreate) {
  try {
    const ResultStore store(folder, access);
  } catch (const Error& error) {
    std::string text = error.full_text();
    // The folder's name is another in every run.
    while (text.find(folder.string()) != std::string::npos)
      text.replace(text.find(folder.string()), folder.string().size(), "FOLDER");
    return text;
  }
  return "none";
}

std::int64_t ask(const std::filesystem::path& folder, std::string_view sql) {
  Database database(folder / kStoreFile, Database::Access::kExisting, kBusySeconds);
  return database.integer(sql);
}

std::string ask_text(const std::filesystem::path& folder, std::string_view sql) {
  Database database(folder / kStoreFile, Database::Access::kExisting, kBusySeconds);
  Statement statement = database.prepare(sql);
  return statement.step() ? statement.text(0) : "no row";
}

// Runs `work` in a process of its own.
template <class Work>
pid_t start(Work work) {
  const pid_t child = fork();
  if (child != 0) return child;
  try {
    work();
  } catch (const Error& error) {
    const std::string text = error.full_text() + "\n";
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    _exit(1);
  }
  _exit(0);
}

int status_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

RunOrigin written(const TemporaryFolder& folder, const std::string& name, const RunResult& result) {
  write_result_file(result, folder / name);
  RunOrigin there = origin();
  there.result_file = folder / name;
  return there;
}

std::string refusal(const ResultStore& store, const StoredRun& run) {
  try {
    store.result(run);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(ResultStore, GivesBackTheWholeRunFromItsFile) {
  const TemporaryFolder folder;
  ResultStore store(folder.path());
  const std::int64_t id = store.add(rich_result(), written(folder, "a.json", rich_result()));
  EXPECT_EQ(to_json(store.result(store.run(id).value())), to_json(rich_result()));
}

TEST(ResultStore, SaysWhereTheFileOfARunIsGoneOrAnothers) {
  const TemporaryFolder folder;
  ResultStore store(folder.path());
  const StoredRun run =
      store.run(store.add(rich_result(), written(folder, "a.json", rich_result()))).value();
  write_result_file(sample_result(), folder / "a.json");
  EXPECT_EQ(refusal(store, run), "the result of run 1 was overwritten by another run");
  std::filesystem::remove(folder / "a.json");
  EXPECT_EQ(refusal(store, run), "the result of run 1 is missing");
}

TEST(ResultStore, HasOneRunForEveryFile) {
  const TemporaryFolder folder;
  ResultStore store(folder.path());
  store.add(rich_result(), written(folder, "a.json", rich_result()));
  store.add(rich_result(), written(folder, "b.json", rich_result()));
  const std::int64_t again = store.add(rich_result(), written(folder, "a.json", rich_result()));
  const std::vector<StoredRun> runs = store.runs({});
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].result_file, "b.json");
  EXPECT_EQ(runs[1].id, again);
  EXPECT_EQ(ask(folder.path(), "SELECT count(*) FROM launches"), 4);
}

TEST(ResultStore, RemovesARunWithItsFileAndAllItsRows) {
  const TemporaryFolder folder;
  ResultStore store(folder.path());
  RunResult other = rich_result();
  other.parameters_hash = "fedcba9876543210";
  store.add(other, written(folder, "a.json", other));
  const std::int64_t kept = store.add(rich_result(), written(folder, "b.json", rich_result()));
  store.remove(store.run(1).value());
  EXPECT_EQ(store.run(1), std::nullopt);
  EXPECT_FALSE(std::filesystem::exists(folder / "a.json"));
  EXPECT_TRUE(std::filesystem::exists(folder / "b.json"));
  for (const char* table : {"figure_values", "histograms", "launches", "kernel_launches"}) {
    EXPECT_EQ(ask(folder.path(), fmt::format("SELECT count(*) FROM {} WHERE run = 1", table)), 0);
    EXPECT_GT(
        ask(folder.path(), fmt::format("SELECT count(*) FROM {} WHERE run = {}", table, kept)), 0);
  }
  EXPECT_EQ(ask(folder.path(), "SELECT count(DISTINCT parameters_hash) FROM parameters"), 1);
}

TEST(ResultStore, KeepsExtensionsInTablesOfTheirOwn) {
  const TemporaryFolder folder;
  RunResult result = sample_result();
  machine::LaunchResult& launch = result.launches[0];
  launch.kernel_launch.reset();
  launch.techniques = {{"MMP", "prefix.e:9", "2T/B", 1, 2, 3, 4, 5}};
  launch.fragment_program = {11, {2, 2, 1}, 12, 3.5, 13, "batch contexts"};
  launch.data_driven = {14, {{{"execution", 15}}, {{"execution", 17}}}};
  launch.fabric = {{{18, 19, 20.5}, {21, 22, 23}}, {}, 24};
  ResultStore(folder.path()).add(result, origin());
  EXPECT_EQ(ask(folder.path(), "SELECT count(*) FROM kernel_launches"), 0);
  EXPECT_EQ(ask_text(folder.path(),
                     "SELECT technique || ' ' || location || ' ' || cycles FROM "
                     "techniques WHERE run = 1"),
            "MMP prefix.e:9 4");
  EXPECT_EQ(ask_text(folder.path(), "SELECT limited_by FROM fragment_programs"), "batch contexts");
  EXPECT_EQ(ask(folder.path(), "SELECT cycles FROM node_cycles WHERE node = 1"), 17);
  EXPECT_EQ(ask(folder.path(), "SELECT threads FROM fabric_pieces WHERE piece = 1"), 22);
}

TEST(ResultStore, TakesOverStoresOfVersion2) {
  const TemporaryFolder folder;
  ResultStore(folder.path()).add(rich_result(), origin());
  Database(folder / kStoreFile, Database::Access::kExisting, kBusySeconds)
      .execute("DROP TABLE fabric_pieces; PRAGMA user_version = 2");
  RunResult result = rich_result();
  result.launches[0].fabric = {{{18, 19, 20.5}}, {}, 24};
  ResultStore store(folder.path());
  EXPECT_EQ(store.add(result, origin()), 2);
  EXPECT_EQ(ask(folder.path(), "PRAGMA user_version"), kStoreVersion);
  EXPECT_EQ(ask(folder.path(), "SELECT copies FROM fabric_pieces WHERE run = 2"), 18);
}

TEST(ResultStore, TakesOverStoresOfVersion1) {
  const TemporaryFolder folder;
  ResultStore(folder.path()).add(rich_result(), origin());
  Database(folder / kStoreFile, Database::Access::kExisting, kBusySeconds).execute(R"sql(
CREATE TABLE launches_1 (
  run INTEGER NOT NULL REFERENCES runs(id), number INTEGER NOT NULL, kernel TEXT NOT NULL,
  mangled TEXT NOT NULL,
  grid_x INTEGER NOT NULL, grid_y INTEGER NOT NULL, grid_z INTEGER NOT NULL,
  block_x INTEGER NOT NULL, block_y INTEGER NOT NULL, block_z INTEGER NOT NULL,
  complete INTEGER NOT NULL, cycles INTEGER NOT NULL, seconds REAL NOT NULL,
  thread_instructions INTEGER NOT NULL, ipc REAL NOT NULL, energy REAL, energy_set TEXT NOT NULL,
  PRIMARY KEY (run, number)) WITHOUT ROWID;
INSERT INTO launches_1 SELECT run, number, kernel, mangled, grid_x, grid_y, grid_z, block_x, block_y,
  block_z, complete, cycles, seconds, thread_instructions, ipc, energy, energy_set
  FROM launches JOIN kernel_launches USING (run, number);
DROP TABLE launches;
DROP TABLE kernel_launches;
DROP TABLE techniques;
DROP TABLE fragment_programs;
DROP TABLE node_cycles;
DROP TABLE fabric_pieces;
ALTER TABLE launches_1 RENAME TO launches;
PRAGMA user_version = 1;
)sql");
  ResultStore store(folder.path());
  EXPECT_EQ(store.runs({}).size(), 1u);
  EXPECT_EQ(store.add(rich_result(), origin()), 2);
  EXPECT_EQ(ask(folder.path(), "PRAGMA user_version"), kStoreVersion);
  EXPECT_EQ(ask(folder.path(), "SELECT count(*) FROM launches"), 4);
  EXPECT_EQ(ask(folder.path(), "SELECT sum(grid_y) FROM kernel_launches"), 12);
}

TEST(ResultStore, KeepsTheMainFiguresOfARun) {
  const TemporaryFolder folder;
  ResultStore store(folder.path());
  const std::int64_t id = store.add(rich_result(), origin("cafe"));
  const StoredRun run = store.run(id).value();
  EXPECT_EQ(run.time, "2026-11-16T04:23:37Z");
  EXPECT_EQ(run.program, "scale.cu");
  EXPECT_EQ(run.arguments, "--size '1 000'");
  EXPECT_EQ(run.machine, "ref");
  EXPECT_EQ(run.parameters_hash, "0123456789abcdef");
  EXPECT_EQ(run.overrides, "multiprocessors=4");
  EXPECT_EQ(run.raddle_version, "0.1.0");
  EXPECT_EQ(run.exit_status, 130);
  EXPECT_TRUE(run.partial);
  EXPECT_EQ(run.partial_reason, "interrupted");
  EXPECT_EQ(run.launches, 2u);
  EXPECT_EQ(run.cycles, 2000u);
  EXPECT_DOUBLE_EQ(run.seconds, 2e-6);
  EXPECT_EQ(run.thread_instructions, 48000u);
  EXPECT_EQ(run.ipc, 24.0);
  EXPECT_EQ(run.energy, 5.0);
  EXPECT_EQ(run.energy_set, "circuit");
  EXPECT_EQ(run.wall_seconds, 0.5);
  EXPECT_EQ(run.cell_key, "cafe");
}

TEST(ResultStore, SaysNullForEnergyThatIsNotModelled) {
  const TemporaryFolder folder;
  RunResult result = rich_result();
  result.totals.energy.clear();
  ResultStore store(folder.path());
  EXPECT_EQ(store.run(store.add(result, origin())).value().energy, std::nullopt);
  EXPECT_EQ(ask(folder.path(), "SELECT count(*) FROM runs WHERE energy IS NULL"), 1);
}

TEST(ResultStore, AnswersInSqlByNameAndUnit) {
  const TemporaryFolder folder;
  ResultStore(folder.path()).add(rich_result(), origin());
  const auto value = [&](const std::string& name, const std::string& launch) {
    return ask_text(folder.path(),
                    fmt::format("SELECT value || ' ' || unit FROM figures WHERE name = '{}' AND "
                                "launch IS {}",
                                name, launch));
  };
  EXPECT_EQ(value("cycles", "NULL"), "2000.0 cycles");
  EXPECT_EQ(value("cycles", "1"), "1000.0 cycles");
  EXPECT_EQ(value("stall.memory", "NULL"), "800.0 stall cycles");
  EXPECT_EQ(value("energy.dram", "0"), "2.5 picojoules");
  EXPECT_EQ(value("energy", "NULL"), "5.0 picojoules");
  EXPECT_EQ(value("memory.global.bytes_read", "0"), "27.0 bytes");
  EXPECT_EQ(value("utilisation.DRAM", "NULL"), "0.84 1");
  EXPECT_EQ(value("stat.dram.0.row_hits", "NULL"), "144.0 accesses");
  EXPECT_EQ(value("thread_instructions_by_class.load", "1"), "6000.0 instructions");
  EXPECT_EQ(value("copies.host_to_device_bytes", "NULL"), "41.0 bytes");
  EXPECT_EQ(value("peaks.clock_hz", "NULL"), "1000000000.0 hertz");
  EXPECT_EQ(value("histogram.linear_distance.total", "0"), "149.0 values");
  EXPECT_EQ(ask(folder.path(),
                "SELECT sum(count) FROM histograms WHERE launch IS NULL AND name = "
                "'linear_distance' AND value <= 2"),
            148);
  EXPECT_EQ(ask(folder.path(), "SELECT value FROM parameters WHERE key = 'multiprocessors'"), 4);
  EXPECT_EQ(ask(folder.path(),
                "SELECT grid_y FROM launches JOIN kernel_launches USING (run, number) "
                "WHERE kernel = 'other(int)'"),
            3);
  EXPECT_EQ(ask_text(folder.path(), "SELECT sentence FROM figure_names WHERE name = 'cycles'"),
            "simulated clock cycles");
}

TEST(ResultStore, KeepsResultFilesRelativeToItsFolder) {
  const TemporaryFolder folder;
  ResultStore store(folder.path());
  RunOrigin inside = origin();
  inside.result_file = folder / "cells/a.json";
  EXPECT_EQ(store.run(store.add(sample_result(), inside)).value().result_file, "cells/a.json");
  RunOrigin outside = origin();
  outside.result_file = "/elsewhere/a.json";
  EXPECT_EQ(store.run(store.add(sample_result(), outside)).value().result_file,
            "/elsewhere/a.json");
}

TEST(ResultStore, AddsACellOnlyOnce) {
  const TemporaryFolder folder;
  ResultStore store(folder.path());
  const std::int64_t first = store.add(sample_result(), origin("key"));
  EXPECT_FALSE(store.has_cell("other"));
  EXPECT_TRUE(store.has_cell("key"));
  EXPECT_EQ(store.add(sample_result(), origin("key")), first);
  store.add(sample_result(), origin());
  store.add(sample_result(), origin());
  EXPECT_EQ(store.runs({}).size(), 3u);
}

TEST(ResultStore, FindsRunsByProgramMachineAndNumber) {
  const TemporaryFolder folder;
  ResultStore store(folder.path());
  RunResult result = sample_result();
  for (const char* program : {"matmul", "some/folder/matmul.cu", "vecadd.cu"}) {
    result.program = program;
    store.add(result, origin());
  }
  result.machine = "tables/fast.toml";
  store.add(result, origin());

  const auto programs = [&](const RunFilter& filter) {
    std::vector<std::string> names;
    for (const StoredRun& run : store.runs(filter))
      names.push_back(fmt::format("{} {}", run.id, run.program));
    return names;
  };
  EXPECT_THAT(programs({"matmul", "", {}}), ElementsAre("1 matmul", "2 some/folder/matmul.cu"));
  EXPECT_THAT(programs({"*mat*", "", {}}), ElementsAre("1 matmul", "2 some/folder/matmul.cu"));
  EXPECT_THAT(programs({"vecadd", "", {}}), ElementsAre("3 vecadd.cu", "4 vecadd.cu"));
  EXPECT_THAT(programs({"", "fast", {}}), ElementsAre("4 vecadd.cu"));
  EXPECT_THAT(programs({"", "", 2}), ElementsAre("3 vecadd.cu", "4 vecadd.cu"));
  EXPECT_THAT(programs({"nothing", "", {}}), IsEmpty());
  EXPECT_THAT(store.programs(), ElementsAre("matmul", "some/folder/matmul.cu", "vecadd.cu"));
  EXPECT_THAT(store.machines(), ElementsAre("ref", "tables/fast.toml"));
  EXPECT_EQ(store.run(99), std::nullopt);
}

TEST(ResultStore, ReplacesTheCellsOfASweep) {
  const TemporaryFolder folder;
  ResultStore store(folder.path());
  store.set_cells("sizes", {"program", "n"}, {{"k1", {"matmul", "64"}}, {"k2", {"matmul", "128"}}});
  store.set_cells("other", {"n"}, {{"k1", {"64"}}});
  store.set_cells("sizes", {"program", "n"}, {{"k3", {"matmul", "256"}}});
  EXPECT_EQ(ask(folder.path(), "SELECT count(*) FROM cells"), 3);
  EXPECT_EQ(ask_text(folder.path(),
                     "SELECT value FROM cells WHERE sweep = 'sizes' AND axis = 'n' AND number = 1"),
            "256");
}

TEST(ResultStore, RefusesFilesThatAreNotItsOwn) {
  const TemporaryFolder newer;
  const ResultStore made(newer.path());
  Database(newer / kStoreFile, Database::Access::kExisting, kBusySeconds)
      .execute("PRAGMA user_version = 4");
  EXPECT_EQ(complaint(newer.path()),
            "FOLDER/runs.sqlite: the result store is of version 4; this Raddle knows version 3\n"
            "hint: update Raddle, or choose another folder with -o FOLDER");

  const TemporaryFolder foreign;
  Database(foreign / kStoreFile, Database::Access::kCreate, kBusySeconds)
      .execute("CREATE TABLE addresses (name TEXT)");
  EXPECT_EQ(complaint(foreign.path()),
            "FOLDER/runs.sqlite: this SQLite file is not a result store\n"
            "hint: move it away; the next run starts a new one");

  const TemporaryFolder damaged;
  std::ofstream(damaged / kStoreFile) << std::string(5000, 'x');
  EXPECT_EQ(complaint(damaged.path()),
            "FOLDER/runs.sqlite: result store: file is not a database\n"
            "hint: move the file away; the next run starts a new one");

  const TemporaryFolder empty;
  EXPECT_EQ(complaint(empty.path(), ResultStore::Access::kExisting),
            "no runs in 'FOLDER'\n"
            "hint: every `raddle run` adds one; -o FOLDER looks elsewhere");
  EXPECT_FALSE(std::filesystem::exists(empty / kStoreFile));
  EXPECT_EQ(complaint(empty / "nowhere"),
            "FOLDER/runs.sqlite: result store: unable to open database file\n"
            "hint: choose a folder that you may write to with -o FOLDER");
}

TEST(ResultStore, TakesRunsOfSeveralProcessesAtOnce) {
  const TemporaryFolder folder;
  constexpr int kProcesses = 4;
  constexpr int kRuns = 10;
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    // Nobody has made the file yet: making it is part of the race.
    children.push_back(start([&] {
      for (int i = 0; i < kRuns; ++i) {
        ResultStore store(folder.path());
        store.add(rich_result(), origin(fmt::format("{}-{}", process, i)));
        store.add(rich_result(), origin("the same for all"));
      }
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(status_of(child), 0);
  EXPECT_EQ(ResultStore(folder.path()).runs({}).size(), std::size_t{kProcesses * kRuns + 1});
  EXPECT_EQ(ask_text(folder.path(), "PRAGMA integrity_check"), "ok");
  EXPECT_EQ(ask(folder.path(), "SELECT count(*) FROM launches"), 2 * (kProcesses * kRuns + 1));
}

TEST(ResultStore, HoldsWholeRunsAfterAKill) {
  const TemporaryFolder folder;
  ResultStore(folder.path()).add(rich_result(), origin());
  const std::int64_t figures = ask(folder.path(), "SELECT count(*) FROM figures");
  ASSERT_GT(figures, 50);

  // On a busy computer it takes longer until something has been written that a kill could break.
  constexpr int kKills = 12;
  std::int64_t runs = 1;
  for (int i = 0; i < kKills || (runs < 5 && i < 10 * kKills); ++i) {
    const pid_t child = start([&] {
      ResultStore store(folder.path());
      for (;;) store.add(rich_result(), origin());
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(5 + 7 * i));
    kill(child, SIGKILL);
    EXPECT_EQ(status_of(child), 128 + SIGKILL);
    runs = static_cast<std::int64_t>(ResultStore(folder.path()).runs({}).size());
    EXPECT_EQ(ask_text(folder.path(), "PRAGMA integrity_check"), "ok");
    EXPECT_EQ(ask(folder.path(), "SELECT count(*) FROM figures"), figures * runs);
    EXPECT_EQ(ask(folder.path(), "SELECT count(*) FROM launches"), 2 * runs);
  }
  EXPECT_GE(runs, 5);
}

TEST(ResultStore, WaitsForAnotherProcessThatWrites) {
  const TemporaryFolder folder;
  ResultStore store(folder.path());
  const pid_t child = start([&] {
    Database database(folder / kStoreFile, Database::Access::kExisting, kBusySeconds);
    Transaction transaction(database);
    database.execute("UPDATE runs SET machine = 'x'");
    std::ofstream(folder / "locked") << "yes";
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    transaction.commit();
  });
  while (!std::filesystem::exists(folder / "locked"))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(store.add(sample_result(), origin()), 1);
  EXPECT_EQ(status_of(child), 0);
}

TEST(ResultFigures, HaveAUnitEachAndNoNameTwice) {
  const RunResult result = rich_result();
  std::vector<std::string> names;
  for (const Figure& figure : figures_of(result)) {
    EXPECT_FALSE(figure.unit.empty()) << figure.name;
    EXPECT_FALSE(figure.sentence.empty()) << figure.name;
    names.push_back(figure.name);
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

}  // namespace
}  // namespace raddle::experiment
