#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <filesystem>

#include "base/atomic_file.h"
#include "base/console.h"
#include "base/csv.h"
#include "base/error.h"
#include "base/nearest_name.h"
#include "base/number_format.h"
#include "base/text_table.h"
#include "cli/commands.h"
#include "experiment/result_json.h"
#include "experiment/result_store.h"
#include "report/text/text_summary.h"

namespace raddle::cli {

namespace {

namespace fs = std::filesystem;
using experiment::ResultStore;
using experiment::RunResult;
using experiment::StoredRun;

constexpr std::int64_t kListed = 20;  // unless --last says otherwise

// The store's UTC as this computer's time, without seconds.
std::string local_time(const std::string& utc) {
  std::tm parts{};
  if (strptime(utc.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts) == nullptr) return utc;
  const std::time_t time = timegm(&parts);
  std::tm local{};
  localtime_r(&time, &local);
  return fmt::format("{:%Y-%m-%d %H:%M}", local);
}

std::string status_text(const StoredRun& run) {
  if (run.partial) return run.partial_reason.empty() ? "partial" : run.partial_reason;
  return run.exit_status == 0 ? "ok" : fmt::format("exit {}", run.exit_status);
}

std::string joined(const std::string& name, const std::string& rest) {
  return rest.empty() ? name : name + " " + rest;
}

std::string table_of(const std::vector<StoredRun>& runs) {
  TextTable table({"id", "time", "program", "machine", "cycles", "IPC", "energy", "status"});
  bool any_energy = false;
  for (const StoredRun& run : runs) any_energy = any_energy || run.energy.has_value();
  if (!any_energy)
    table = TextTable({"id", "time", "program", "machine", "cycles", "IPC", "status"});
  for (const StoredRun& run : runs) {
    std::vector<std::string> row{std::to_string(run.id),
                                 local_time(run.time),
                                 joined(run.program, run.arguments),
                                 joined(run.machine, run.overrides),
                                 with_thousands(run.cycles),
                                 fmt::format("{:.1f}", run.ipc)};
    constexpr double kPicojoules = 1e-12;
    if (any_energy) row.push_back(run.energy ? si_scaled(*run.energy * kPicojoules, "J") : "–");
    row.push_back(status_text(run));
    table.add_row(std::move(row));
  }
  table.align(1, TextTable::Align::kLeft);
  table.align(2, TextTable::Align::kLeft);
  table.align(3, TextTable::Align::kLeft);
  return table.to_string();
}

std::string csv_of(const std::vector<StoredRun>& runs) {
  const std::vector<std::string> headings{"id",
                                          "time",
                                          "program",
                                          "arguments",
                                          "machine",
                                          "overrides",
                                          "parameters_hash",
                                          "raddle_version",
                                          "exit_status",
                                          "partial",
                                          "launches",
                                          "cycles",
                                          "seconds",
                                          "thread_instructions",
                                          "ipc",
                                          "energy_picojoules",
                                          "energy_set",
                                          "wall_seconds",
                                          "result_file",
                                          "cell_key"};
  std::string text = csv_line(headings);
  for (const StoredRun& run : runs) {
    const std::vector<std::string> row{std::to_string(run.id),
                                       run.time,
                                       run.program,
                                       run.arguments,
                                       run.machine,
                                       run.overrides,
                                       run.parameters_hash,
                                       run.raddle_version,
                                       std::to_string(run.exit_status),
                                       run.partial ? "1" : "0",
                                       std::to_string(run.launches),
                                       std::to_string(run.cycles),
                                       csv_number(run.seconds),
                                       std::to_string(run.thread_instructions),
                                       csv_number(run.ipc),
                                       run.energy ? csv_number(*run.energy) : "",
                                       run.energy_set,
                                       csv_number(run.wall_seconds),
                                       run.result_file,
                                       run.cell_key.value_or("")};
    text += csv_line(row);
  }
  return text;
}

StoredRun run_numbered(ResultStore& store, std::int64_t id) {
  if (std::optional<StoredRun> run = store.run(id)) return *std::move(run);
  const std::vector<StoredRun> newest = store.runs({.program = {}, .machine = {}, .last = 1});
  throw Error(
      fmt::format("no run {}", id), store.file(),
      newest.empty() ? "the store is empty" : fmt::format("the newest is {}", newest.back().id));
}

// A filter that finds nothing is most likely misspelt.
[[noreturn]] void nothing_found(ResultStore& store, const ResultsOptions& options) {
  const auto hint = [](const std::string& name, std::vector<std::string> known) {
    // Names without folder and ending are taken, too.
    const std::size_t count = known.size();
    for (std::size_t i = 0; i < count; ++i) known.push_back(fs::path(known[i]).stem().string());
    const std::string near = suggestion(name, known);
    return near.empty() ? std::string("raddle results lists the runs") : near;
  };
  if (!options.program.empty() && store.runs({options.program, {}, 1}).empty())
    throw Error(fmt::format("no run of program '{}'", options.program), store.file(),
                hint(options.program, store.programs()));
  if (!options.machine.empty() && store.runs({{}, options.machine, 1}).empty())
    throw Error(fmt::format("no run on machine '{}'", options.machine), store.file(),
                hint(options.machine, store.machines()));
  throw Error("no run matches", store.file(), "raddle results lists the runs");
}

}  // namespace

int results_command(const ResultsOptions& options) {
  ResultStore store(options.output_folder, ResultStore::Access::kExisting);
  experiment::RunFilter filter{options.program, options.machine, options.last};
  if (!filter.last && !options.csv) filter.last = kListed;
  const std::vector<StoredRun> runs = store.runs(filter);
  if (runs.empty()) nothing_found(store, options);
  if (!options.csv) {
    print(table_of(runs));
  } else if (*options.csv == "-") {
    print(csv_of(runs));
  } else {
    write_file_atomically(*options.csv, csv_of(runs));
  }
  return 0;
}

int results_show_command(const ResultsOptions& options) {
  ResultStore store(options.output_folder, ResultStore::Access::kExisting);
  for (const std::int64_t id : options.runs) {
    const StoredRun run = run_numbered(store, id);
    const RunResult result = store.result(run);
    if (options.json) {
      print(experiment::to_json(result));
      continue;
    }
    if (id != options.runs.front()) print("\n");
    print(fmt::format("run {}, {}\n\n", run.id, local_time(run.time)));
    print(report::text_summary(
        result,
        {.colour = colour_output(), .result_file = store.path_of(run).string(), .in_full = true}));
  }
  return 0;
}

int results_compare_command(const ResultsOptions& options) {
  ResultStore store(options.output_folder, ResultStore::Access::kExisting);
  std::vector<RunResult> results;
  for (const std::int64_t id : options.runs)
    results.push_back(store.result(run_numbered(store, id)));
  return print_comparison(results, options.json);
}

int results_remove_command(const ResultsOptions& options) {
  ResultStore store(options.output_folder, ResultStore::Access::kExisting);
  std::vector<StoredRun> runs;
  for (const std::int64_t id : options.runs) runs.push_back(run_numbered(store, id));
  if (runs.empty()) {
    runs = store.runs({options.program, options.machine, options.last});
    if (runs.empty()) nothing_found(store, options);
  }
  print(table_of(runs));
  for (const StoredRun& run : runs) store.remove(run);
  print(fmt::format("removed {} {}\n", runs.size(),
                    runs.size() == 1 ? "run and its result" : "runs and their results"));
  return 0;
}

}  // namespace raddle::cli
