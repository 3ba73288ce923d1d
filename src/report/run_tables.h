// Figures of a run gathered for tables: launches of one kernel and shape added up, cost of source
// lines over all launches, instruction classes by share. Each list has the largest first.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "experiment/run_result.h"

namespace raddle::report {

// Launches of one kernel with one shape, added up.
struct KernelTotals {
  std::string kernel;  // short
  experiment::RunTotals totals;
  // That of the first of them; warps averaged over all by their cycles, the split of the last that
  // preferred one.
  std::optional<machine::KernelLaunch> launch;
  std::optional<machine::FragmentProgram> fragments;
  bool complete = true;
};
// Largest in cycles first, among equals the one launched first.
std::vector<KernelTotals> kernel_totals(const experiment::RunResult& result);
// Whether the machine says how many warps were resident.
bool has_occupancy(const KernelTotals& row);
// What heads their names: "kernel", or "program" where no kernel was launched.
const char* launched_heading(const std::vector<KernelTotals>& rows);

// Threads of a warp, or of what the machine has in its place: a batch of the overlay has four.
unsigned warp_lanes(const experiment::RunResult& result);
// Share of the warps' lanes that did something.
double lanes_active(const experiment::RunTotals& totals, unsigned lanes);

// Largest in issue slots first, those waited in included; in thread instructions where the machine
// does not say what waited. Empty without --lines.
std::vector<machine::LineCost> line_totals(const experiment::RunResult& result);
// Whether the machine has warps at all.
bool has_warps(const std::vector<machine::LineCost>& lines);
// Whether the machine says how long lines waited.
bool has_stalls(const std::vector<machine::LineCost>& lines);

// A column of a table of memory levels: nothing where a level has no such figure.
struct MemoryColumn {
  const char* heading;
  std::optional<double> (*value)(const machine::MemoryTraffic&);
  std::string (*text)(double);
};
struct MemoryTable {
  std::vector<MemoryColumn> columns;           // those that some level uses
  std::vector<machine::MemoryTraffic> levels;  // those that counted something
};
MemoryTable memory_levels(const experiment::RunResult& result);

// Thread instructions by class, without empty classes.
std::vector<machine::Share> instruction_classes(const experiment::RunResult& result);

// The `most` largest parts, in their order, and the rest as "others". Empty parts are left out.
std::vector<machine::Share> largest_parts(const std::vector<machine::Share>& parts,
                                          std::size_t most);

}  // namespace raddle::report
