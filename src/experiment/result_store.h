// All runs of an output folder in one SQLite file, `runs.sqlite`: what ran where and what came out,
// every launch, and every figure by name, so that SQL can answer what no report foresaw. Several
// processes may add runs at once; a run is there whole or not at all, also after a kill.
//
// The file keeps a rollback journal rather than a write-ahead log: it is one file that can be
// copied, works on network folders, and a commit a run is all the speed it needs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/run_result.h"
#include "experiment/sqlite.h"

namespace raddle::experiment {

inline constexpr const char* kStoreFile = "runs.sqlite";
inline constexpr int kStoreVersion = 3;  // PRAGMA user_version

// What a result does not say about itself.
struct RunOrigin {
  std::string time;         // utc_now()
  std::string result_file;  // below the store's folder it is kept relative to that
  std::optional<std::string> cell_key;
};

struct StoredRun {
  std::int64_t id = 0;
  std::string time;  // "2026-11-16T04:23:37Z"
  std::string program;
  std::string arguments;  // as a shell would take them
  std::string machine;
  std::string parameters_hash;
  std::string overrides;  // "key=value key=value"
  std::string raddle_version;
  int exit_status = 0;
  bool partial = false;
  std::string partial_reason;
  std::uint64_t launches = 0;
  std::uint64_t cycles = 0;
  double seconds = 0;
  std::uint64_t thread_instructions = 0;
  double ipc = 0;
  std::optional<double> energy;  // picojoules; none: not modelled
  std::string energy_set;
  double wall_seconds = 0;
  std::string result_file;
  std::optional<std::string> cell_key;
};

struct RunFilter {
  std::string program;               // a name or pattern (*, ?), with or without folder and ending
  std::string machine;               // the same
  std::optional<std::int64_t> last;  // at most so many, the newest
};

// One cell of a sweep: which run it is, and its value on each axis.
struct StoredCell {
  std::string cell_key;
  std::vector<std::string> values;  // one an axis
};

class ResultStore {
 public:
  enum class Access { kCreate, kExisting };

  // Throws Error for a file that is not a store, one that a newer Raddle wrote, and, where it must
  // exist, one that does not.
  explicit ResultStore(const std::filesystem::path& folder, Access access = Access::kCreate);

  // Returns the run's number. A cell that is there already is not added again; a run whose result
  // file this one has replaced is no longer there.
  std::int64_t add(const RunResult& result, const RunOrigin& origin);

  // The cells of a sweep, in place of those it had before.
  void set_cells(std::string_view sweep, const std::vector<std::string>& axes,
                 const std::vector<StoredCell>& cells);

  bool has_cell(std::string_view cell_key);
  std::vector<StoredRun> runs(const RunFilter& filter);  // oldest first
  std::optional<StoredRun> run(std::int64_t id);
  // The run's result from its file. Throws Error where that is gone or holds another run.
  RunResult result(const StoredRun& run) const;
  // Where that file is.
  std::filesystem::path path_of(const StoredRun& run) const { return folder_ / run.result_file; }
  // The run and, where it lies in the store's folder, its file.
  void remove(const StoredRun& run);
  std::vector<std::string> programs();
  std::vector<std::string> machines();

  const std::string& file() const { return database_.file(); }

 private:
  void prepare_schema();
  void insert_run(const RunResult& result, const RunOrigin& origin);
  void insert_parameters(const RunResult& result);
  void insert_figures(std::int64_t run, const RunResult& result);
  void insert_extensions(std::int64_t run, std::size_t number, const machine::LaunchResult& launch);
  void delete_run(std::int64_t run);
  std::vector<std::string> texts(std::string_view sql);

  std::filesystem::path folder_;
  Database database_;
};

// The present time as RunOrigin wants it.
std::string utc_now();

}  // namespace raddle::experiment
