// One function a command, each given its options as plain data and returning the exit status: the
// simulated program's own, 0, or kUserFault. What is wrong with the user's input is thrown as
// Error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/grammar.h"
#include "driver/request.h"
#include "experiment/run_result.h"

namespace raddle::cli {

struct RunOptions : driver::RunRequest {
  std::string program;
  std::optional<std::string> json;  // "-" is standard output
  bool store = true;                // add the run to the store of the output folder
};

struct CompareOptions {
  std::vector<std::string> programs;  // or results: *.json
  std::vector<std::string> machines;  // none: the first program's default
  RunOptions run;                     // everything but program and machine
  bool brief = false;                 // one table of machines by programs
};

struct ReproduceOptions {
  std::string paper;   // empty: list them
  std::string figure;  // only this one, and no claims
  bool json = false;
  std::string output_folder = "raddle-out";
  unsigned jobs = 0;  // processes at once; 0: one a core
};

struct ReportOptions {
  std::vector<std::string> results;
  std::string output = "raddle-out/report.html";
};

struct GraphOptions : driver::DrawRequest {
  std::string program;
  std::vector<std::string> given;  // which options the user wrote: "--block"
};

struct AsmOptions : driver::AssemblyRequest {
  std::string program;
  bool reference = false;  // print the instruction set instead
};

struct ResultsOptions {
  std::string output_folder = "raddle-out";
  std::string program;
  std::string machine;
  std::optional<std::int64_t> last;
  std::optional<std::string> csv;  // a file; "-" is standard output
  std::vector<std::int64_t> runs;  // that are shown, compared or removed
  bool json = false;
};

struct SweepOptions {
  std::string spec;
  std::string output_folder = "raddle-out";
  unsigned jobs = 0;    // processes at once; 0: one a core
  bool resume = false;  // accepted and of no effect: a sweep always resumes
};

int run_command(const RunOptions& options);
int compare_command(const CompareOptions& options);
int machines_command();
int machines_show_command(const std::string& machine, const std::vector<std::string>& assignments);
int machines_check_command(const std::vector<std::string>& machines);
int benchmarks_command();
// Whether this host has what Raddle needs; the exit status says so.
int doctor_command(const std::string& output_folder);
int completion_command(const GrammarCommand& grammar, const std::string& shell);
struct ManOptions {
  std::string command;        // empty: raddle itself
  std::string output_folder;  // not empty: every page goes there, as raddle-run.1
};
int man_command(const GrammarCommand& grammar, const ManOptions& options);
int reproduce_command(const ReproduceOptions& options);
int results_command(const ResultsOptions& options);
int results_show_command(const ResultsOptions& options);
int results_compare_command(const ResultsOptions& options);
int results_remove_command(const ResultsOptions& options);
// The tables, or the JSON document, of `raddle compare` for results that are there.
int print_comparison(const std::vector<experiment::RunResult>& results, bool as_json);
int sweep_command(const SweepOptions& options);
int report_command(const ReportOptions& options);
int graph_command(const GraphOptions& options);
int asm_command(const AsmOptions& options);
int disasm_command(const AsmOptions& options);

}  // namespace raddle::cli
