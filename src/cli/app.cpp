#include "cli/app.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>

#include "base/error.h"
#include "base/nearest_name.h"
#include "base/version.h"
#include "cli/commands.h"
#include "cli/help_texts.h"
#include "cli/output.h"
#include "cli/program_family.h"

namespace raddle::cli {

namespace {

// A fault of usage: printed like an Error, with status 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

// `--json` may stand alone or before a file; CLI11 would take the program for the file.
std::vector<std::string> settle_json(std::vector<std::string> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] != "--json") continue;
    const auto names_program = [](const std::string& word) {
      return word.ends_with(".cu") || word.ends_with(".ptx") || family_of(word) != nullptr;
    };
    const bool takes_next = i + 1 < arguments.size() && !arguments[i + 1].empty() &&
                            arguments[i + 1][0] != '-' && !names_program(arguments[i + 1]);
    if (takes_next) {
      arguments[i] += "=" + arguments[i + 1];
      arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    } else {
      arguments[i] += "=-";
    }
  }
  return arguments;
}

// A number within bounds, in words of our own: CLI11 wraps a negative count around, and states a
// range with 300 digits.
template <class Number>
CLI::Validator number_of(const std::string& what, Number least = 0,
                         Number most = std::numeric_limits<Number>::max()) {
  return {[what, least, most](const std::string& text) {
            Number number{};
            const char* const end = text.data() + text.size();
            const auto [stop, error] = std::from_chars(text.data(), end, number);
            const bool good =
                error == std::errc() && stop == end && number >= least && number <= most;
            return good ? std::string() : fmt::format("'{}' is no number of {}", text, what);
          },
          ""};
}

void add_settings(CLI::App& command, RunOptions& options) {
  experiment::RunSettings& settings = options.settings;
  command
      .add_option("--set", settings.assignments,
                  "change a parameter of the machine: key=value; may be repeated")
      ->expected(1)
      ->take_all()
      ->type_name("K=V");
  command.add_flag("--check", settings.check,
                   "find out-of-bounds, misaligned and stale accesses, and divergent barriers");
  command.add_flag("--lines", settings.lines, "count instructions for each source line");
  command.add_option("--max-cycles", settings.max_cycles, "stop a launch after N cycles")
      ->type_name("N")
      ->check(number_of<std::uint64_t>("cycles"));
  command
      .add_option("--timeout", settings.timeout_seconds,
                  "stop after S seconds of this computer's time")
      ->type_name("S")
      ->check(number_of<double>("seconds"));
  command
      .add_option("-j,--threads", settings.host_threads,
                  "threads of this computer that simulate; the result is the same for any number")
      ->type_name("N")
      ->check(number_of<std::uint64_t>(
          fmt::format("host threads from 1 to {}", experiment::kMostHostThreads), 1,
          experiment::kMostHostThreads));
  command
      .add_option("-o,--output", options.output_folder, "folder for results and compiled programs")
      ->type_name("FOLDER")
      ->capture_default_str();
  command.add_option("--cc", options.compile_flags, "flags for compiling, as raddle cc takes them")
      ->type_name("FLAGS");
  command.add_flag("!--no-store", options.store, "do not add the run to the folder's store");
}

class CommandLine {
 public:
  CommandLine()
      : app_("Runs CUDA programs on simulated machines and says what they cost, and why.",
             "raddle") {
    app_.footer(kFooter);
    app_.set_version_flag("--version", fmt::format("raddle {}", kVersion));
    app_.require_subcommand(0, 1);
    add_run();
    add_compare();
    add_machines();
    add_graph();
    add_report();
    add_reproduce();
    add_sweep();
    add_results();
    add_asm();
    CLI::App* cc = app_.add_subcommand("cc", "compile CUDA programs, with nvcc's flags");
    cc->allow_extras();
    for (CLI::App* command : all_commands()) {
      command->set_help_flag("-h,--help", "print this help");
      command->allow_extras();
    }
    app_.set_help_flag("-h,--help", "print this help");
    app_.allow_extras();
  }

  int run(std::vector<std::string> arguments);

 private:
  void add_run();
  void add_compare();
  void add_machines();
  void add_graph();
  void add_report();
  void add_reproduce();
  void add_sweep();
  void add_results();
  void add_asm();
  std::vector<CLI::App*> all_commands() {
    return app_.get_subcommands([](CLI::App*) { return true; });
  }
  void refuse_extras(const CLI::App& command);
  void add_json(CLI::App& command, RunOptions& options);
  int dispatch();

  CLI::App app_;
  RunOptions run_;
  CompareOptions compare_;
  GraphOptions graph_;
  ReportOptions report_;
  ReproduceOptions reproduce_;
  SweepOptions sweep_;
  ResultsOptions results_;
  AsmOptions asm_;
  std::string shown_machine_;
  std::vector<std::string> shown_assignments_;
  CLI::App* run_app_ = nullptr;
  CLI::App* compare_app_ = nullptr;
  CLI::App* machines_app_ = nullptr;
  CLI::App* show_app_ = nullptr;
  CLI::App* graph_app_ = nullptr;
  CLI::App* report_app_ = nullptr;
  CLI::App* reproduce_app_ = nullptr;
  CLI::App* sweep_app_ = nullptr;
  CLI::App* results_app_ = nullptr;
  CLI::App* asm_app_ = nullptr;
  CLI::App* disasm_app_ = nullptr;
};

void CommandLine::add_json(CLI::App& command, RunOptions& options) {
  command.add_option("--json", options.json, "the result as JSON: to standard output, or to FILE")
      ->type_name("[FILE]");
}

void CommandLine::add_run() {
  run_app_ = app_.add_subcommand("run", "simulate one program");
  run_app_->footer(kRunFooter);
  run_app_->add_option("program", run_.program, "what to run")->type_name("PROGRAM");
  run_app_->add_option("-m,--machine", run_.settings.machine, "the machine: a name or a .toml file")
      ->type_name("MACHINE")
      ->capture_default_str();
  add_settings(*run_app_, run_);
  run_app_->add_flag("-v,--verbose", run_.verbose,
                     "of .e programs: say which technique each construct takes, and why");
  run_app_
      ->add_option("--trace", run_.settings.trace_file,
                   "write what happened when to FILE, for ui.perfetto.dev")
      ->type_name("FILE");
  run_app_
      ->add_option("--sample", run_.settings.sample_cycles,
                   "figures over time: one value every N cycles")
      ->type_name("N")
      ->check(number_of<std::uint64_t>("cycles from 1 on", 1));
  add_json(*run_app_, run_);
  const std::string group = "For .ptx files";
  run_app_->add_option("--kernel", run_.ptx.kernel, "which kernel")
      ->type_name("NAME")
      ->group(group);
  run_app_->add_option("--grid", run_.ptx.grid, "blocks: X, X,Y or X,Y,Z")
      ->type_name("X,Y,Z")
      ->group(group)
      ->capture_default_str();
  run_app_->add_option("--block", run_.ptx.block, "threads of a block")
      ->type_name("X,Y,Z")
      ->group(group)
      ->capture_default_str();
  run_app_->add_option("--shared", run_.ptx.shared_bytes, "dynamic shared memory of a block")
      ->type_name("BYTES")
      ->group(group);
  run_app_->add_option("--arg", run_.ptx.arguments, "an argument of the kernel; repeat for each")
      ->expected(1)
      ->take_all()
      ->type_name("ARG")
      ->group(group);
  run_app_
      ->add_option("--show", run_.ptx.shown,
                   "print the first COUNT (16) numbers of the buffer that is argument I; of .e "
                   "and .tpa programs, of the array NAME")
      ->expected(1)
      ->take_all()
      ->type_name("I[:COUNT]")
      ->group(group);
  run_app_
      ->add_option("--dump", run_.ptx.dumped,
                   "write the buffer that is argument I, or the array NAME, to a file")
      ->expected(1)
      ->take_all()
      ->type_name("I:FILE")
      ->group(group);
}

void CommandLine::add_compare() {
  compare_app_ =
      app_.add_subcommand("compare", "the same program on several machines, side by side");
  compare_app_->footer(kCompareFooter);
  compare_app_->add_option("programs", compare_.programs, "programs, or .json results")
      ->type_name("PROGRAM…");
  compare_app_->add_option("-m,--machines", compare_.machines, "the machines, separated by commas")
      ->delimiter(',')
      ->type_name("A,B,…")
      ->capture_default_str();
  add_settings(*compare_app_, compare_.run);
  compare_app_->add_flag_callback(
      "--json", [this] { compare_.run.json = "-"; }, "the results as JSON on standard output");
}

void CommandLine::add_machines() {
  machines_app_ = app_.add_subcommand("machines", "which machines there are, and their parameters");
  machines_app_->footer(kMachinesFooter);
  show_app_ = machines_app_->add_subcommand("show", "print a machine's parameters as TOML");
  show_app_->footer(kMachinesFooter);
  show_app_->set_help_flag("-h,--help", "print this help");
  show_app_->allow_extras();
  show_app_->add_option("machine", shown_machine_, "a name or a .toml file")->type_name("NAME");
  show_app_->add_option("--set", shown_assignments_, "change a parameter: key=value")
      ->expected(1)
      ->take_all()
      ->type_name("K=V");
}

void CommandLine::add_reproduce() {
  reproduce_app_ = app_.add_subcommand("reproduce", "what a paper claims, and what is measured");
  reproduce_app_->footer(kReproduceFooter);
  reproduce_app_->add_option("paper", reproduce_.paper, "a paper by name; none: list them")
      ->type_name("PAPER");
  reproduce_app_->add_option("figure", reproduce_.figure, "only this figure")->type_name("FIGURE");
  reproduce_app_->add_flag("--json", reproduce_.json, "print the claims as raddle.claims/1");
  reproduce_app_
      ->add_option("-o,--output", reproduce_.output_folder, "folder for results and figures")
      ->type_name("FOLDER")
      ->capture_default_str();
}

void CommandLine::add_sweep() {
  sweep_app_ = app_.add_subcommand("sweep", "many runs: a grid of programs, machines, parameters");
  sweep_app_->footer(kSweepFooter);
  sweep_app_->add_option("spec", sweep_.spec, "what to run")->type_name("SPEC.toml");
  sweep_app_->add_option("-j,--jobs", sweep_.jobs, "processes at once; one a core if not given")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000));
  sweep_app_->add_flag("--resume", sweep_.resume,
                       "run only what is missing, which is what happens anyway");
  sweep_app_->add_option("-o,--output", sweep_.output_folder, "folder for cells, table and store")
      ->type_name("FOLDER")
      ->capture_default_str();
}

void CommandLine::add_results() {
  results_app_ = app_.add_subcommand("results", "the runs of an output folder, as table or CSV");
  results_app_->footer(kResultsFooter);
  results_app_
      ->add_option("--program", results_.program, "only runs of this program; * and ? match")
      ->type_name("NAME");
  results_app_->add_option("--machine", results_.machine, "only runs on this machine")
      ->type_name("NAME");
  results_app_->add_option("--last", results_.last, "the newest N (20, or all with --csv)")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000));
  results_app_->add_option("--csv", results_.csv, "write them as CSV; - is standard output")
      ->type_name("FILE");
  results_app_->add_option("--show", results_.shown, "the summary of one run")->type_name("ID");
  results_app_->add_option("-o,--output", results_.output_folder, "the folder that the runs are in")
      ->type_name("FOLDER")
      ->capture_default_str();
}

void CommandLine::add_asm() {
  asm_app_ = app_.add_subcommand("asm", "assemble a program, or show what it is lowered to");
  asm_app_->footer(kAsmFooter);
  disasm_app_ = app_.add_subcommand("disasm", "the text of an assembled program");
  disasm_app_->footer(kDisasmFooter);
  for (CLI::App* command : {asm_app_, disasm_app_}) {
    command->add_option("program", asm_.program, "the file")->type_name("FILE");
    command->add_option("-o,--output", asm_.output, "the file to write")->type_name("FILE");
  }
  asm_app_->add_flag("--isa", asm_.reference, "print the TPA's instruction set as Markdown");
  asm_app_->add_flag("-v,--verbose", asm_.verbose, "say what was chosen, and why");
}

void CommandLine::add_report() {
  report_app_ = app_.add_subcommand("report", "results as one page with charts");
  report_app_->footer(kReportFooter);
  report_app_->add_option("results", report_.results, "result files")->type_name("RESULT…");
  report_app_->add_option("-o,--output", report_.output, "the page to write")
      ->type_name("FILE.html")
      ->capture_default_str();
}

void CommandLine::add_graph() {
  graph_app_ = app_.add_subcommand(
      "graph", "a program's kernel IR, or its dataflow graphs and where they lie on a grid");
  graph_app_->footer(kGraphFooter);
  graph_app_->add_option("program", graph_.program, "a .cu or .ptx file, or a bundled benchmark")
      ->type_name("PROGRAM");
  graph_app_->add_option("--kernel", graph_.kernel, "only this kernel")->type_name("NAME");
  graph_app_->add_option("--format", graph_.format, "text or dot; with -m also svg")
      ->type_name("FORMAT")
      ->capture_default_str();
  graph_app_
      ->add_option("--cc", graph_.compile_flags, "flags for compiling, as raddle cc takes them")
      ->type_name("FLAGS");
  const std::string group = "For machines that execute dataflow graphs";
  graph_app_
      ->add_option("-m,--machine", graph_.machine,
                   "mt-cgra, dmt-cgra or a .toml file: draw the "
                   "dataflow graph instead of the IR")
      ->type_name("MACHINE")
      ->group(group);
  graph_app_->add_option("--set", graph_.assignments, "change a parameter of the machine")
      ->type_name("KEY=VALUE")
      ->group(group);
  graph_app_->add_flag("--placed", graph_.placed, "draw it on the machine's grid")->group(group);
  graph_app_->add_option("--block", graph_.block, "threads of a block")
      ->type_name("X,Y,Z")
      ->capture_default_str()
      ->group(group);
  graph_app_->add_option("--piece", graph_.piece, "only this piece of the kernel")
      ->type_name("N")
      ->group(group);
}

// What no option took: a misspelt option, or a word too many.
void CommandLine::refuse_extras(const CLI::App& command) {
  const std::vector<std::string> extras = command.remaining();
  if (extras.empty()) return;
  const std::string& word = extras.front();
  const std::string command_name =
      command.get_name() == "raddle" ? "raddle" : "raddle " + command.get_name();
  if (word.size() > 1 && word[0] == '-') {
    std::vector<std::string> known;
    for (const CLI::Option* option : command.get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
      for (const std::string& name : option->get_snames()) known.push_back("-" + name);
    }
    std::string hint = suggestion(word.substr(0, word.find('=')), known);
    if (hint.empty()) hint = fmt::format("{} --help lists the options", command_name);
    throw UsageError(fmt::format("unknown option '{}'", word), {}, hint);
  }
  throw UsageError(
      fmt::format("'{}' is one argument too many", word), {},
      fmt::format("{} --help says what is taken; arguments for the program itself come after --",
                  command_name));
}

int CommandLine::dispatch() {
  if (run_app_->parsed()) {
    refuse_extras(*run_app_);
    if (run_.program.empty()) {
      const bool took_program = run_.json && *run_.json != "-";
      throw UsageError(
          "no program was given", {},
          took_program
              ? fmt::format("--json took '{}' for its file; give the program first", *run_.json)
              : "raddle run PROGRAM");
    }
    if (run_app_->count("--machine") == 0) run_.settings.machine = default_machine(run_.program);
    return run_command(run_);
  }
  if (compare_app_->parsed()) {
    refuse_extras(*compare_app_);
    if (compare_.programs.empty())
      throw UsageError("no program was given", {}, "raddle compare PROGRAM… -m MACHINE,MACHINE");
    if (compare_app_->count("--machines") == 0)
      compare_.machines = {default_machine(compare_.programs.front())};
    return compare_command(compare_);
  }
  if (show_app_->parsed()) {
    refuse_extras(*show_app_);
    if (shown_machine_.empty())
      throw UsageError("no machine was given", {}, "raddle machines lists them");
    return machines_show_command(shown_machine_, shown_assignments_);
  }
  if (machines_app_->parsed()) {
    refuse_extras(*machines_app_);
    return machines_command();
  }
  if (reproduce_app_->parsed()) {
    refuse_extras(*reproduce_app_);
    return reproduce_command(reproduce_);
  }
  if (sweep_app_->parsed()) {
    refuse_extras(*sweep_app_);
    if (sweep_.spec.empty()) throw UsageError("no sweep was given", {}, "raddle sweep SPEC.toml");
    return sweep_command(sweep_);
  }
  if (results_app_->parsed()) {
    refuse_extras(*results_app_);
    return results_command(results_);
  }
  if (asm_app_->parsed() || disasm_app_->parsed()) {
    const bool assembles = asm_app_->parsed();
    refuse_extras(assembles ? *asm_app_ : *disasm_app_);
    if (asm_.program.empty() && !asm_.reference)
      throw UsageError("no program was given", {},
                       assembles ? "raddle asm FILE.tpa -o FILE.tpo" : "raddle disasm FILE.tpo");
    return assembles ? asm_command(asm_) : disasm_command(asm_);
  }
  if (report_app_->parsed()) {
    refuse_extras(*report_app_);
    if (report_.results.empty())
      throw UsageError("no result was given", {}, "raddle report RESULT… -o FILE.html");
    return report_command(report_);
  }
  if (graph_app_->parsed()) {
    refuse_extras(*graph_app_);
    if (graph_.program.empty())
      throw UsageError("no program was given", {}, "raddle graph PROGRAM");
    const bool svg = graph_.format == "svg" && !graph_.machine.empty();
    if (graph_.format != "text" && graph_.format != "dot" && !svg) {
      throw UsageError(fmt::format("'{}' is no format", graph_.format), {},
                       "the formats are text and dot, and svg with -m MACHINE");
    }
    return graph_command(graph_);
  }
  return 0;
}

int CommandLine::run(std::vector<std::string> arguments) {
  const auto separator = std::find(arguments.begin(), arguments.end(), "--");
  std::vector<std::string> program_arguments;
  if (separator != arguments.end()) {
    program_arguments.assign(separator + 1, arguments.end());
    arguments.erase(separator, arguments.end());
  }
  run_.arguments = program_arguments;
  compare_.run.arguments = program_arguments;
  asm_.arguments = program_arguments;

  if (arguments.empty()) {
    print_error(app_.help() + "\n");
    return kUsageFault;
  }
  if (arguments[0][0] != '-') {
    std::vector<std::string> names;
    for (const CLI::App* command : all_commands()) names.push_back(command->get_name());
    if (std::find(names.begin(), names.end(), arguments[0]) == names.end()) {
      std::string hint = suggestion(arguments[0], names);
      if (hint.empty()) hint = "raddle --help lists the commands";
      throw UsageError(fmt::format("unknown command '{}'", arguments[0]), {}, hint);
    }
    if (arguments[0] == "run") arguments = settle_json(std::move(arguments));
  }
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
  try {
    app_.parse(arguments);
  } catch (const CLI::CallForHelp&) {
    const auto parsed = app_.get_subcommands();
    const bool shows = !parsed.empty() && parsed.front() == machines_app_ &&
                       !machines_app_->get_subcommands().empty();
    const std::string help = parsed.empty() ? app_.help()
                             : shows        ? show_app_->help("raddle machines")
                                            : parsed.front()->help("raddle");
    print(help + "\n");
    return 0;
  } catch (const CLI::CallForVersion& version) {
    print(std::string(version.what()) + "\n");
    return 0;
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  refuse_extras(app_);
  return dispatch();
}

}  // namespace

int run_app(const std::vector<std::string>& arguments) {
  try {
    const bool as_nvcc =
        !arguments.empty() && std::filesystem::path(arguments[0]).filename() == "nvcc";
    const std::size_t own = arguments.empty() ? 0 : 1;
    if (as_nvcc) return cc_command(std::span(arguments).subspan(own));
    // nvcc's flags have a grammar of their own.
    if (arguments.size() > own && arguments[own] == "cc")
      return cc_command(std::span(arguments).subspan(own + 1));
    if (arguments.size() > own && arguments[own] == "c++")
      return cxx_command(std::span(arguments).subspan(own + 1));
    return CommandLine().run(
        {arguments.begin() + static_cast<std::ptrdiff_t>(own), arguments.end()});
  } catch (const UsageError& error) {
    print_error("raddle: " + error.full_text() + "\n");
    return kUsageFault;
  } catch (const Error& error) {
    print_error("raddle: " + error.full_text() + "\n");
    return kUserFault;
  } catch (const std::exception& error) {
    print_error(
        fmt::format("raddle: internal fault: {}\n"
                    "hint: this is a fault of Raddle {}; please report it with the command line "
                    "and the program\n",
                    error.what(), kVersion));
    return kInternalFault;
  }
}

}  // namespace raddle::cli
