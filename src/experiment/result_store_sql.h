// All SQL of the result store: its tables, and the statements that result_store.cpp runs.
#pragma once

namespace raddle::experiment::sql {

// Launches, and what only those of one family have: each kind in a table of its own, in which
// `number` is the launch's.
inline constexpr const char* kLaunchTables = R"sql(
CREATE TABLE launches (
  run INTEGER NOT NULL REFERENCES runs(id),
  number INTEGER NOT NULL,            -- from 0, as in the result document
  kernel TEXT NOT NULL,
  complete INTEGER NOT NULL,
  cycles INTEGER NOT NULL,
  seconds REAL NOT NULL,
  thread_instructions INTEGER NOT NULL,
  ipc REAL NOT NULL,
  energy REAL,
  energy_set TEXT NOT NULL,
  PRIMARY KEY (run, number)
) WITHOUT ROWID;
CREATE TABLE kernel_launches (
  run INTEGER NOT NULL REFERENCES runs(id),
  number INTEGER NOT NULL,
  mangled TEXT NOT NULL,
  grid_x INTEGER NOT NULL, grid_y INTEGER NOT NULL, grid_z INTEGER NOT NULL,
  block_x INTEGER NOT NULL, block_y INTEGER NOT NULL, block_z INTEGER NOT NULL,
  dynamic_shared_bytes INTEGER,
  static_shared_bytes INTEGER,
  registers_per_thread INTEGER,
  warps REAL,                         -- resident on a core, averaged; NULL: not modelled
  warps_limit INTEGER,
  blocks_per_core INTEGER,
  limited_by TEXT,
  PRIMARY KEY (run, number)
) WITHOUT ROWID;
CREATE TABLE techniques (
  run INTEGER NOT NULL REFERENCES runs(id),
  number INTEGER NOT NULL,
  technique TEXT NOT NULL,
  location TEXT NOT NULL,             -- file and line
  executions INTEGER NOT NULL,
  fibers INTEGER NOT NULL,
  targets INTEGER NOT NULL,
  cycles INTEGER NOT NULL,
  formula_cycles INTEGER NOT NULL
);
CREATE INDEX techniques_by_run ON techniques (run);
CREATE TABLE fragment_programs (
  run INTEGER NOT NULL REFERENCES runs(id),
  number INTEGER NOT NULL,
  batches INTEGER NOT NULL,
  registers_per_thread INTEGER NOT NULL,
  resident_batches REAL NOT NULL,     -- averaged over time
  contexts INTEGER NOT NULL,          -- batches that can be resident at once
  limited_by TEXT NOT NULL,
  PRIMARY KEY (run, number)
) WITHOUT ROWID;
CREATE TABLE node_cycles (
  run INTEGER NOT NULL REFERENCES runs(id),
  number INTEGER NOT NULL,
  node INTEGER NOT NULL,
  cause TEXT NOT NULL,
  cycles REAL NOT NULL,
  PRIMARY KEY (run, number, node, cause)
) WITHOUT ROWID;
)sql";
// Since version 3.
inline constexpr const char* kFabricTables = R"sql(
CREATE TABLE fabric_pieces (
  run INTEGER NOT NULL REFERENCES runs(id),
  number INTEGER NOT NULL,
  piece INTEGER NOT NULL,             -- of the kernel, from 0
  copies INTEGER NOT NULL,            -- of its graph on the grid
  threads INTEGER NOT NULL,
  cycles REAL NOT NULL,               -- in which cores were configured for it
  PRIMARY KEY (run, number, piece)
) WITHOUT ROWID;
)sql";

// Names of figures are kept once; `figures` is how people see them.
inline constexpr const char* kSchema = R"sql(
CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  time TEXT NOT NULL,                 -- UTC, ISO 8601
  program TEXT NOT NULL,
  arguments TEXT NOT NULL,            -- as a shell would take them
  machine TEXT NOT NULL,
  implementation TEXT NOT NULL,
  parameters_hash TEXT NOT NULL,
  overrides TEXT NOT NULL,            -- key=value, as a shell would take them
  raddle_version TEXT NOT NULL,
  exit_status INTEGER NOT NULL,
  partial INTEGER NOT NULL,           -- 1: stopped before its end
  partial_reason TEXT NOT NULL,
  launch_count INTEGER NOT NULL,
  cycles INTEGER NOT NULL,
  seconds REAL NOT NULL,              -- simulated
  thread_instructions INTEGER NOT NULL,
  ipc REAL NOT NULL,
  energy REAL,                        -- picojoules; NULL: not modelled
  energy_set TEXT NOT NULL,
  wall_seconds REAL NOT NULL,         -- of the computer that simulated
  result_file TEXT NOT NULL,          -- from the folder of this file
  cell_key TEXT UNIQUE                -- NULL: not of a sweep
);
CREATE TABLE figure_names (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  unit TEXT NOT NULL,
  sentence TEXT NOT NULL,
  UNIQUE (name, unit)
);
CREATE TABLE figure_values (
  run INTEGER NOT NULL REFERENCES runs(id),
  launch INTEGER NOT NULL,            -- -1: the whole run
  figure INTEGER NOT NULL REFERENCES figure_names(id),
  value REAL NOT NULL,
  PRIMARY KEY (run, launch, figure)
) WITHOUT ROWID;
CREATE VIEW figures (run, launch, name, unit, value) AS
  SELECT run, NULLIF(launch, -1), name, unit, value
  FROM figure_values JOIN figure_names ON figure_names.id = figure_values.figure;
CREATE TABLE histograms (
  run INTEGER NOT NULL REFERENCES runs(id),
  launch INTEGER,                     -- NULL: the whole run
  name TEXT NOT NULL,
  unit TEXT NOT NULL,                 -- of the values
  sentence TEXT NOT NULL,
  value REAL NOT NULL,
  count INTEGER NOT NULL              -- how often the value came up
);
CREATE INDEX histograms_by_run ON histograms (run);
CREATE TABLE parameters (
  parameters_hash TEXT NOT NULL,
  number INTEGER NOT NULL,            -- their order in the machine's table
  key TEXT NOT NULL,
  value NOT NULL,
  unit TEXT NOT NULL,
  PRIMARY KEY (parameters_hash, key)
) WITHOUT ROWID;
CREATE TABLE cells (
  sweep TEXT NOT NULL,
  number INTEGER NOT NULL,            -- of the cell, from 1
  axis TEXT NOT NULL,
  value TEXT NOT NULL,
  cell_key TEXT NOT NULL,
  PRIMARY KEY (sweep, number, axis)
) WITHOUT ROWID;
CREATE INDEX cells_by_key ON cells (cell_key);
)sql";

// From version 1, in which every launch had a grid.
inline constexpr const char* kKeepVersion1 = "ALTER TABLE launches RENAME TO launches_1";
inline constexpr const char* kFromVersion1 = R"sql(
INSERT INTO launches SELECT run, number, kernel, complete, cycles, seconds, thread_instructions,
                            ipc, energy, energy_set FROM launches_1;
INSERT INTO kernel_launches
  SELECT run, number, mangled, grid_x, grid_y, grid_z, block_x, block_y, block_z,
         NULL, NULL, NULL, NULL, NULL, NULL, NULL
  FROM launches_1 JOIN runs ON id = run WHERE implementation IN ('ref', 'simt', 'cgra');
DROP TABLE launches_1;
)sql";

inline constexpr const char* kInsertRun = R"sql(
INSERT INTO runs (time, program, arguments, machine, implementation, parameters_hash, overrides,
                  raddle_version, exit_status, partial, partial_reason, launch_count, cycles,
                  seconds, thread_instructions, ipc, energy, energy_set, wall_seconds, result_file,
                  cell_key)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20,
        ?21))sql";

inline constexpr const char* kInsertLaunch =
    "INSERT INTO launches VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
inline constexpr const char* kInsertKernelLaunch =
    "INSERT INTO kernel_launches VALUES "
    "(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)";
inline constexpr const char* kInsertTechnique =
    "INSERT INTO techniques VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
inline constexpr const char* kInsertFragmentProgram =
    "INSERT INTO fragment_programs VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
inline constexpr const char* kInsertNodeCycles =
    "INSERT INTO node_cycles VALUES (?1, ?2, ?3, ?4, ?5)";
inline constexpr const char* kInsertFabricPiece =
    "INSERT INTO fabric_pieces VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
inline constexpr const char* kInsertFigureName =
    "INSERT OR IGNORE INTO figure_names (name, unit, sentence) VALUES (?1, ?2, ?3)";
inline constexpr const char* kFigureId =
    "SELECT id FROM figure_names WHERE name = ?1 AND unit = ?2";
inline constexpr const char* kInsertFigure =
    "INSERT OR REPLACE INTO figure_values VALUES (?1, ?2, ?3, ?4)";
inline constexpr const char* kInsertParameter =
    "INSERT OR IGNORE INTO parameters VALUES (?1, ?2, ?3, ?4, ?5)";
inline constexpr const char* kInsertBin =
    "INSERT INTO histograms VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
inline constexpr const char* kDeleteCells = "DELETE FROM cells WHERE sweep = ?1";
inline constexpr const char* kInsertCell = "INSERT INTO cells VALUES (?1, ?2, ?3, ?4, ?5)";
inline constexpr const char* kRunOfCell = "SELECT id FROM runs WHERE cell_key = ?1";

#define RADDLE_RUN_COLUMNS                                                                     \
  "id, time, program, arguments, machine, parameters_hash, overrides, raddle_version, "        \
  "exit_status, partial, partial_reason, launch_count, cycles, seconds, thread_instructions, " \
  "ipc, energy, energy_set, wall_seconds, result_file, cell_key"
// A pattern finds the name as it was given, and the name without folder and ending.
#define RADDLE_NAME_MATCHES(column, pattern)                                            \
  "(" pattern " = '' OR " column " GLOB " pattern " OR " column " GLOB " pattern        \
  " || '.*' OR " column " GLOB '*/' || " pattern " OR " column " GLOB '*/' || " pattern \
  " || '.*')"
inline constexpr const char* kSelectRuns =
    "SELECT " RADDLE_RUN_COLUMNS " FROM runs WHERE " RADDLE_NAME_MATCHES(
        "program", "?1") " AND " RADDLE_NAME_MATCHES("machine", "?2") " ORDER BY id DESC LIMIT ?3";
inline constexpr const char* kSelectRun = "SELECT " RADDLE_RUN_COLUMNS " FROM runs WHERE id = ?1";
#undef RADDLE_RUN_COLUMNS
#undef RADDLE_NAME_MATCHES

// Runs whose file a later run has replaced; cells of sweeps have files of their own.
inline constexpr const char* kRunsOfFile =
    "SELECT id FROM runs WHERE result_file = ?1 AND result_file <> '' AND cell_key IS NULL";
// With ?1 the run; `runs` goes last, so that what is left after a kill can be removed again.
inline constexpr const char* kTablesOfRun[] = {"figure_values",     "histograms",   "launches",
                                               "kernel_launches",   "techniques",   "node_cycles",
                                               "fragment_programs", "fabric_pieces"};
inline constexpr const char* kDeleteRun = "DELETE FROM runs WHERE id = ?1";
inline constexpr const char* kDeleteUnusedParameters =
    "DELETE FROM parameters WHERE parameters_hash NOT IN (SELECT parameters_hash FROM runs)";
inline constexpr const char* kPrograms = "SELECT DISTINCT program FROM runs ORDER BY program";
inline constexpr const char* kMachines = "SELECT DISTINCT machine FROM runs ORDER BY machine";

}  // namespace raddle::experiment::sql
