// Figures of a result as a person reads them, the same in the summary, in tables and on the page.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiment/run_result.h"

namespace raddle::report {

// 0 where the base is.
double quotient(double value, double base);
// "62%", "<1%"; rounded to whole percent.
std::string percent(double share);
// "16", "16×4", "16×4×2".
std::string dimensions(const machine::Dim3& dim);
// "18,192"; from a million on "1.82 M".
std::string count_text(std::uint64_t value);
std::string seconds_text(double seconds);
std::string picojoules_text(double picojoules);

// "29.3", or with a known peak "29.3 of 32 (92%)".
std::string ipc_text(double ipc, const machine::Peaks& peaks);
// Hits over accesses of a cache; below zero where it is none.
double hit_rate(const machine::MemoryTraffic& traffic);
// "multiprocessors=4, clock_hz=2e9": what the user changed of the machine; may be empty.
std::string changed_parameters(const experiment::RunResult& result);
// Whether the machine runs threads in warps: else lanes and issue slots say nothing, and cycles are
// those of units.
bool has_warps(const experiment::RunTotals& totals);
// Whether its cycles are time: ref counts warp instructions.
bool is_timed(const experiment::RunResult& result);
double sum_of(const std::vector<machine::Share>& shares);
double sum_of(const std::vector<machine::Stall>& stalls);
// "stall: barrier", "idle: drained"; what was issued has its name alone.
std::string label_of(const machine::Stall& stall);
std::vector<machine::Share> labelled(const std::vector<machine::Stall>& stalls);
// "48 KiB of L1 and 16 KiB of shared memory (prefers L1)"; empty where the kernel prefers nothing.
std::string split_text(const machine::L1Split& split);
// "Row hits" of "row hits".
std::string capitalised(std::string text);
void add_once(std::vector<std::string>& names, const std::string& name);

inline constexpr const char* kAbsent = "–";

}  // namespace raddle::report
