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
    throw Error(fmt::format("there are no runs in '{}'", folder.string()), {},
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

machine::ParameterValue parameter_value(const Statement& row, int column) {
  if (row.is_integer(column)) return row.integer(column);
  if (row.is_number(column)) return row.number(column);
  std::string text = row.text(column);
  if (text == "true" || text == "false") return text == "true";
  return text;
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

machine::LaunchResult stored_launch(const Statement& row) {
  const auto size = [&](int column) { return static_cast<std::uint32_t>(row.integer(column)); };
  machine::LaunchResult launch;
  launch.kernel = row.text(0);
  launch.mangled = row.text(1);
  launch.grid = {size(2), size(3), size(4)};
  launch.block = {size(5), size(6), size(7)};
  launch.complete = row.integer(8) != 0;
  launch.energy_set = row.text(9);
  return launch;
}

void insert_histograms(Statement& insert, std::int64_t run, std::optional<std::size_t> launch,
                       const std::vector<machine::Histogram>& histograms) {
  for (const machine::Histogram& histogram : histograms) {
    for (const machine::HistogramBin& bin : histogram.bins)
      insert.run(run, launch, histogram.name, histogram.unit, histogram.sentence, bin.value,
                 bin.count);
  }
}

void put_bin(std::vector<machine::Histogram>& histograms, const Statement& row) {
  const std::string name = row.text(1);
  if (histograms.empty() || histograms.back().name != name)
    histograms.push_back({name, row.text(2), row.text(3), {}});
  histograms.back().bins.push_back({row.number(4), static_cast<std::uint64_t>(row.integer(5))});
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
      database_.execute(fmt::format("PRAGMA user_version = {}", kStoreVersion).c_str());
      version = kStoreVersion;
    }
    transaction.commit();
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
    insert.run(run, i, launch.kernel, launch.mangled, launch.grid.x, launch.grid.y, launch.grid.z,
               launch.block.x, launch.block.y, launch.block.z, launch.complete, launch.cycles,
               launch.seconds, launch.thread_instructions, launch.ipc(), energy_of(launch),
               launch.energy_set);
    writer.write(run, static_cast<std::int64_t>(i), figures_of(launch));
    insert_histograms(insert_bin, run, i, launch.histograms);
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

RunResult ResultStore::result(const StoredRun& run) {
  RunResult result;
  result.program = run.program;
  result.arguments = shell_words(run.arguments);
  result.machine = run.machine;
  Statement implementation = database_.prepare(sql::kSelectImplementation);
  if (implementation.bind(run.id).step()) result.implementation = implementation.text(0);
  result.parameters_hash = run.parameters_hash;
  result.partial = run.partial;
  result.partial_reason = run.partial_reason;
  result.exit_status = run.exit_status;
  result.raddle_version = run.raddle_version;
  result.totals.energy_set = run.energy_set;

  read_parameters(run, result);
  read_figures(run, result);
  return result;
}

void ResultStore::read_parameters(const StoredRun& run, RunResult& result) {
  const std::vector<std::string> overrides = shell_words(run.overrides);
  Statement parameters = database_.prepare(sql::kSelectParameters);
  for (parameters.bind(run.parameters_hash); parameters.step();) {
    machine::Parameter& parameter = result.parameters.emplace_back();
    parameter.key = parameters.text(0);
    parameter.value = parameter_value(parameters, 1);
    parameter.unit = parameters.text(2);
    parameter.overridden = std::ranges::any_of(overrides, [&](const std::string& assignment) {
      return assignment.starts_with(parameter.key + "=");
    });
  }
}

void ResultStore::read_figures(const StoredRun& run, RunResult& result) {
  Statement launches = database_.prepare(sql::kSelectLaunches);
  for (launches.bind(run.id); launches.step();) result.launches.push_back(stored_launch(launches));
  Statement figures = database_.prepare(sql::kSelectFigures);
  for (figures.bind(run.id); figures.step();) {
    const Figure figure{figures.text(1), figures.text(2), figures.text(3), figures.number(4)};
    const std::int64_t launch = figures.integer(0);
    if (launch == kWholeRun) {
      put_figure(result, figure);
    } else {
      put_figure(result.launches.at(static_cast<std::size_t>(launch)), figure);
    }
  }
  Statement bins = database_.prepare(sql::kSelectBins);
  for (bins.bind(run.id); bins.step();) {
    put_bin(bins.is_null(0)
                ? result.totals.histograms
                : result.launches.at(static_cast<std::size_t>(bins.integer(0))).histograms,
            bins);
  }
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
