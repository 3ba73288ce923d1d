#include "experiment/result_store.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <system_error>
#include <unordered_map>

#include "base/error.h"
#include "base/shell_words.h"
#include "experiment/result_figures.h"
#include "experiment/result_files.h"
#include "experiment/result_json.h"
#include "experiment/result_store_sql.h"

namespace raddle::experiment {

namespace {

namespace fs = std::filesystem;

constexpr double kBusySeconds = 20;
constexpr std::int64_t kWholeRun = -1;  // in figure_values.launch; the view says NULL

fs::path checked_file(const fs::path& folder, ResultStore::Access access) {
  fs::path file = folder / kStoreFile;
  std::error_code ignored;
  if (access == ResultStore::Access::kExisting && !fs::exists(file, ignored)) {
    throw Error(fmt::format("no runs in '{}'", folder.string()), {},
                "every `raddle run` adds one; -o FOLDER looks elsewhere");
  }
  return file;
}

// Below the folder: relative to it, so that the folder can be moved.
std::string kept_path(const std::string& file, const fs::path& folder) {
  if (file.empty()) return file;
  std::error_code ignored;
  const fs::path whole = fs::absolute(file, ignored).lexically_normal();
  const fs::path relative =
      whole.lexically_relative(fs::absolute(folder, ignored).lexically_normal());
  const bool below = !relative.empty() && *relative.begin() != "..";
  return below ? relative.string() : whole.string();
}

std::vector<std::string> overrides_of(const RunResult& result) {
  std::vector<std::string> assignments;
  for (const machine::Parameter& parameter : result.parameters) {
    if (parameter.overridden)
      assignments.push_back(
          fmt::format("{}={}", parameter.key, machine::to_string(parameter.value)));
  }
  return assignments;
}

template <class Figures>
std::optional<double> energy_of(const Figures& figures) {
  if (figures.energy.empty()) return std::nullopt;
  return total_of(figures.energy);
}

// Numbers stay numbers for SQL; true and false are texts.
void run_insert_parameter(Statement& insert, const std::string& hash, std::size_t number,
                          const machine::Parameter& parameter) {
  const auto put = [&](const auto& value) {
    insert.run(hash, number, parameter.key, value, parameter.unit);
  };
  if (const auto* integer = std::get_if<std::int64_t>(&parameter.value)) {
    put(*integer);
  } else if (const auto* real = std::get_if<double>(&parameter.value)) {
    put(*real);
  } else {
    put(machine::to_string(parameter.value));
  }
}

StoredRun stored_run(const Statement& row) {
  StoredRun run;
  int column = 0;
  run.id = row.integer(column++);
  run.time = row.text(column++);
  run.program = row.text(column++);
  run.arguments = row.text(column++);
  run.machine = row.text(column++);
  run.parameters_hash = row.text(column++);
  run.overrides = row.text(column++);
  run.raddle_version = row.text(column++);
  run.exit_status = static_cast<int>(row.integer(column++));
  run.partial = row.integer(column++) != 0;
  run.partial_reason = row.text(column++);
  run.launches = static_cast<std::uint64_t>(row.integer(column++));
  run.cycles = static_cast<std::uint64_t>(row.integer(column++));
  run.seconds = row.number(column++);
  run.thread_instructions = static_cast<std::uint64_t>(row.integer(column++));
  run.ipc = row.number(column++);
  if (!row.is_null(column)) run.energy = row.number(column);
  ++column;
  run.energy_set = row.text(column++);
  run.wall_seconds = row.number(column++);
  run.result_file = row.text(column++);
  if (!row.is_null(column)) run.cell_key = row.text(column);
  return run;
}

void insert_histograms(Statement& insert, std::int64_t run, std::optional<std::size_t> launch,
                       const std::vector<machine::Histogram>& histograms) {
  for (const machine::Histogram& histogram : histograms) {
    for (const machine::HistogramBin& bin : histogram.bins)
      insert.run(run, launch, histogram.name, histogram.unit, histogram.sentence, bin.value,
                 bin.count);
  }
}

// Writes figures; within one transaction each name is looked up once.
class FigureWriter {
 public:
  explicit FigureWriter(Database& database)
      : insert_name_(database.prepare(sql::kInsertFigureName)),
        select_id_(database.prepare(sql::kFigureId)),
        insert_value_(database.prepare(sql::kInsertFigure)) {}

  void write(std::int64_t run, std::int64_t launch, const std::vector<Figure>& figures) {
    for (const Figure& figure : figures) {
      if (std::isnan(figure.value)) continue;  // SQL would take it for NULL
      insert_value_.run(run, launch, id_of(figure), figure.value);
    }
  }

 private:
  std::int64_t id_of(const Figure& figure) {
    const auto [place, is_new] = ids_.try_emplace(figure.name + '\n' + figure.unit, 0);
    if (is_new) {
      insert_name_.run(figure.name, figure.unit, figure.sentence);
      if (select_id_.bind(figure.name, figure.unit).step()) place->second = select_id_.integer(0);
    }
    return place->second;
  }

  Statement insert_name_;
  Statement select_id_;
  Statement insert_value_;
  std::unordered_map<std::string, std::int64_t> ids_;
};

}  // namespace

std::string utc_now() {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

ResultStore::ResultStore(const fs::path& folder, Access access)
    : folder_(folder),
      database_(checked_file(folder, access),
                access == Access::kCreate ? Database::Access::kCreate : Database::Access::kExisting,
                kBusySeconds) {
  prepare_schema();
}

void ResultStore::prepare_schema() {
  constexpr const char* kVersion = "PRAGMA user_version";
  const auto set_version = [&] {
    database_.execute(fmt::format("PRAGMA user_version = {}", kStoreVersion).c_str());
  };
  std::int64_t version = database_.integer(kVersion);
  if (version == 0) {
    // Another process may be doing the same; inside the transaction there is only one.
    Transaction transaction(database_);
    version = database_.integer(kVersion);
    if (version == 0) {
      if (database_.integer("SELECT count(*) FROM sqlite_schema") != 0) {
        throw Error("this SQLite file is not a result store", file(),
                    "move it away; the next run starts a new one");
      }
      database_.execute(sql::kSchema);
      database_.execute(sql::kLaunchTables);
      database_.execute(sql::kFabricTables);
      set_version();
    }
    transaction.commit();
    version = database_.integer(kVersion);
  }
  if (version < kStoreVersion) {
    Transaction transaction(database_);
    version = database_.integer(kVersion);
    if (version == 1) {
      database_.execute(sql::kKeepVersion1);
      database_.execute(sql::kLaunchTables);
      database_.execute(sql::kFromVersion1);
    }
    if (version < kStoreVersion) {
      database_.execute(sql::kFabricTables);
      set_version();
    }
    transaction.commit();
    version = database_.integer(kVersion);
  }
  if (version > kStoreVersion) {
    throw Error(fmt::format("the result store is of version {}; this Raddle knows version {}",
                            version, kStoreVersion),
                file(), "update Raddle, or choose another folder with -o FOLDER");
  }
}

std::int64_t ResultStore::add(const RunResult& result, const RunOrigin& origin) {
  Transaction transaction(database_);
  if (origin.cell_key) {
    Statement select = database_.prepare(sql::kRunOfCell);
    if (select.bind(*origin.cell_key).step()) return select.integer(0);
  }
  Statement replaced = database_.prepare(sql::kRunsOfFile);
  std::vector<std::int64_t> old;
  for (replaced.bind(kept_path(origin.result_file, folder_)); replaced.step();)
    old.push_back(replaced.integer(0));
  for (const std::int64_t run : old) delete_run(run);
  insert_run(result, origin);
  const std::int64_t run = database_.last_row_id();
  insert_parameters(result);
  insert_figures(run, result);
  transaction.commit();
  return run;
}

void ResultStore::insert_run(const RunResult& result, const RunOrigin& origin) {
  const RunTotals& totals = result.totals;
  database_.prepare(sql::kInsertRun)
      .run(origin.time, result.program, shell_quoted(result.arguments), result.machine,
           result.implementation, result.parameters_hash, shell_quoted(overrides_of(result)),
           result.raddle_version, result.exit_status, result.partial, result.partial_reason,
           totals.launches, totals.cycles, totals.seconds, totals.thread_instructions, totals.ipc(),
           energy_of(totals), totals.energy_set, result.host.wall_seconds,
           kept_path(origin.result_file, folder_), origin.cell_key);
}

void ResultStore::insert_parameters(const RunResult& result) {
  Statement insert = database_.prepare(sql::kInsertParameter);
  for (std::size_t i = 0; i < result.parameters.size(); ++i)
    run_insert_parameter(insert, result.parameters_hash, i, result.parameters[i]);
}

void ResultStore::insert_figures(std::int64_t run, const RunResult& result) {
  FigureWriter writer(database_);
  writer.write(run, kWholeRun, figures_of(result));
  Statement insert = database_.prepare(sql::kInsertLaunch);
  Statement insert_bin = database_.prepare(sql::kInsertBin);
  insert_histograms(insert_bin, run, std::nullopt, result.totals.histograms);
  for (std::size_t i = 0; i < result.launches.size(); ++i) {
    const machine::LaunchResult& launch = result.launches[i];
    insert.run(run, i, launch.kernel, launch.complete, launch.cycles, launch.seconds,
               launch.thread_instructions, launch.ipc(), energy_of(launch), launch.energy_set);
    insert_extensions(run, i, launch);
    writer.write(run, static_cast<std::int64_t>(i), figures_of(launch));
    insert_histograms(insert_bin, run, i, launch.histograms);
  }
}

void ResultStore::insert_extensions(std::int64_t run, std::size_t number,
                                    const machine::LaunchResult& launch) {
  if (const auto& kernel = launch.kernel_launch) {
    const machine::Occupancy& occupancy = kernel->occupancy;
    const auto known = [&](auto value) {
      return occupancy.limited_by.empty() ? std::nullopt : std::optional(value);
    };
    database_.prepare(sql::kInsertKernelLaunch)
        .run(run, number, kernel->mangled, kernel->grid.x, kernel->grid.y, kernel->grid.z,
             kernel->block.x, kernel->block.y, kernel->block.z, kernel->dynamic_shared_bytes,
             kernel->static_shared_bytes, kernel->registers_per_thread, known(occupancy.warps),
             known(occupancy.warps_limit), known(occupancy.blocks_per_core),
             known(occupancy.limited_by));
  }
  if (launch.fabric) {
    Statement insert = database_.prepare(sql::kInsertFabricPiece);
    for (std::size_t piece = 0; piece < launch.fabric->pieces.size(); ++piece) {
      const machine::FabricPiece& figures = launch.fabric->pieces[piece];
      insert.run(run, number, piece, figures.copies, figures.threads, figures.cycles);
    }
  }
  for (const machine::TechniqueCost& cost : launch.techniques) {
    database_.prepare(sql::kInsertTechnique)
        .run(run, number, cost.technique, cost.location, cost.executions, cost.fibers, cost.targets,
             cost.cycles, cost.formula_cycles);
  }
  if (const auto& program = launch.fragment_program) {
    database_.prepare(sql::kInsertFragmentProgram)
        .run(run, number, program->batches, program->registers_per_thread,
             program->resident_batches, program->contexts, program->limited_by);
  }
  if (!launch.data_driven) return;
  Statement insert = database_.prepare(sql::kInsertNodeCycles);
  for (std::size_t node = 0; node < launch.data_driven->node_cycles.size(); ++node) {
    for (const machine::Share& part : launch.data_driven->node_cycles[node])
      insert.run(run, number, node, part.name, part.value);
  }
}

void ResultStore::set_cells(std::string_view sweep, const std::vector<std::string>& axes,
                            const std::vector<StoredCell>& cells) {
  Transaction transaction(database_);
  database_.prepare(sql::kDeleteCells).run(sweep);
  Statement insert = database_.prepare(sql::kInsertCell);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
      insert.run(sweep, i + 1, axes[axis], cells[i].values.at(axis), cells[i].cell_key);
  }
  transaction.commit();
}

bool ResultStore::has_cell(std::string_view cell_key) {
  return database_.prepare(sql::kRunOfCell).bind(cell_key).step();
}

std::vector<StoredRun> ResultStore::runs(const RunFilter& filter) {
  constexpr std::int64_t kNoLimit = -1;
  Statement select = database_.prepare(sql::kSelectRuns);
  select.bind(filter.program, filter.machine, filter.last.value_or(kNoLimit));
  std::vector<StoredRun> found;
  while (select.step()) found.push_back(stored_run(select));
  std::reverse(found.begin(), found.end());
  return found;
}

std::optional<StoredRun> ResultStore::run(std::int64_t id) {
  Statement select = database_.prepare(sql::kSelectRun);
  if (!select.bind(id).step()) return std::nullopt;
  return stored_run(select);
}

RunResult ResultStore::result(const StoredRun& run) const {
  const fs::path file = path_of(run);
  std::error_code ignored;
  const std::string hint = fmt::format("raddle results remove {} removes it from the list", run.id);
  if (!fs::exists(file, ignored))
    throw Error(fmt::format("the result of run {} is missing", run.id), file.string(), hint);
  RunResult result = read_result_file(file.string());
  // Before version 2 of the store, runs of one program on one machine had one file.
  if (result.totals.cycles != run.cycles || result.parameters_hash != run.parameters_hash)
    throw Error(fmt::format("the result of run {} was overwritten by another run", run.id),
                file.string(), hint);
  return result;
}

void ResultStore::delete_run(std::int64_t run) {
  for (const char* table : sql::kTablesOfRun)
    database_.prepare(fmt::format("DELETE FROM {} WHERE run = ?1", table)).run(run);
  database_.prepare(sql::kDeleteRun).run(run);
}

void ResultStore::remove(const StoredRun& run) {
  Transaction transaction(database_);
  delete_run(run.id);
  database_.execute(sql::kDeleteUnusedParameters);
  transaction.commit();
  if (!run.result_file.empty() && fs::path(run.result_file).is_relative())
    remove_result_file(path_of(run));
}

std::vector<std::string> ResultStore::texts(std::string_view sql) {
  Statement select = database_.prepare(sql);
  std::vector<std::string> found;
  while (select.step()) found.push_back(select.text(0));
  return found;
}

std::vector<std::string> ResultStore::programs() { return texts(sql::kPrograms); }
std::vector<std::string> ResultStore::machines() { return texts(sql::kMachines); }

}  // namespace raddle::experiment
