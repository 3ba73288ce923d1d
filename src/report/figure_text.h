// Figures of a result as a person reads them, the same in the summary, in tables and on the page.
#pragma once

#include <cstdint>
#include <string>

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
// "scale" of "void scale<float>(float*, int)": a kernel's name without result and parameters.
std::string short_kernel_name(const std::string& demangled);

// "29.3", or with a known peak "29.3 of 32 (92%)".
std::string ipc_text(double ipc, const machine::Peaks& peaks);
// Hits over accesses of a cache; below zero where it is none.
double hit_rate(const machine::MemoryTraffic& traffic);
// "multiprocessors=4, clock_hz=2e9": what the user changed of the machine; may be empty.
std::string changed_parameters(const experiment::RunResult& result);
// Whether the machine runs threads in warps: else lanes and issue slots say nothing, and cycles are
// those of units.
bool has_warps(const experiment::RunTotals& totals);
double sum_of(const std::vector<machine::Share>& shares);
// "24.1 of 48 warps, limited by registers"; empty where it is not modelled.
std::string occupancy_text(const machine::Occupancy& occupancy);
// "48 KiB of L1 and 16 KiB of shared memory (prefers L1)"; empty where the kernel prefers nothing.
std::string split_text(const machine::L1Split& split);
// "Row hits" of "row hits".
std::string capitalised(std::string text);

inline constexpr const char* kAbsent = "–";

}  // namespace raddle::report
