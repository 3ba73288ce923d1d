#include "cli/command_options.h"

#include <fmt/format.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <memory>

#include "base/usage_error.h"
#include "cli/commands.h"
#include "cli/help_texts.h"
#include "driver/driver.h"

namespace raddle::cli {

namespace {

using Arguments = std::vector<std::string>;

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
            return good ? std::string() : fmt::format("'{}' is not a number of {}", text, what);
          },
          ""};
}

// A machine's table alone knows which keys there are; that there is one at all is grammar.
CLI::Validator assignment() {
  return {[](const std::string& text) {
            const bool good = text.find('=') != std::string::npos;
            return good ? std::string() : fmt::format("'{}' is not of the form KEY=VALUE", text);
          },
          ""};
}

CLI::Validator known_checks() {
  return {[](const std::string& text) {
            try {
              checks_from_text(text);
              return std::string();
            } catch (const Error& error) {
              return error.full_text();
            }
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
      ->type_name("K=V")
      ->check(assignment());
  // CLI11 wants a place for the text itself, too.
  const auto checks = std::make_shared<std::string>();
  command
      .add_flag("--check{1}", *checks,
                "report out-of-bounds, misaligned and stale accesses, divergent barriers, races, "
                "reads of uninitialised memory and ignored errors; "
                "--check=memory,barrier,race,init,api,leak chooses")
      ->check(known_checks())
      ->each([checks, &settings](const std::string& text) {
        settings.check = checks_from_text(text);
      });
  command.add_flag("--lines", settings.lines, "count instructions for each source line");
  command.add_option("--max-cycles", settings.max_cycles, "stop a launch after N cycles")
      ->type_name("N")
      ->check(number_of<std::uint64_t>("cycles"));
  command.add_option("--timeout", settings.timeout_seconds, "stop after S seconds of host time")
      ->type_name("S")
      ->check(number_of<double>("seconds"));
  command
      .add_option("-j,--threads", settings.host_threads,
                  "host threads that simulate; the result does not depend on them")
      ->type_name("N")
      ->check(number_of<std::uint64_t>(
          fmt::format("host threads from 1 to {}", experiment::kMaxHostThreads), 1,
          experiment::kMaxHostThreads));
  command
      .add_option("-o,--output", options.output_folder, "folder for results and compiled programs")
      ->type_name("FOLDER")
      ->capture_default_str();
  command.add_option("--cc", options.compile_flags, "compiler flags, as raddle cc takes them")
      ->type_name("FLAGS");
  command.add_flag_callback(
      "--no-store", [&] { options.store = false; },
      "do not add the run to the folder's result store");
}

void add_json(CLI::App& command, RunOptions& options) {
  command
      .add_option("--json", options.json, "write the result as JSON to standard output, or to FILE")
      ->type_name("[FILE]");
}

// "the input image (.cgp)": with the endings of the families that take the option.
std::string taken_by(std::string_view option, std::string_view sentence) {
  std::vector<std::string> endings;
  for (const driver::Driver* driver : driver::drivers()) {
    const driver::Family& family = driver->family();
    if (std::ranges::count(family.launch_options, option) != 0)
      endings.insert(endings.end(), family.endings.begin(), family.endings.end());
  }
  return fmt::format("{} ({})", sentence, fmt::join(endings, ", "));
}

// What PROGRAM may be, by what each driver says.
std::string program_kinds() {
  std::string text =
      "PROGRAM is a file, recognised by its extension, or the name of a bundled benchmark:\n";
  for (const driver::Driver* driver : driver::drivers()) {
    const driver::Family& family = driver->family();
    std::string files = fmt::format("{}", fmt::join(family.endings, ", "));
    if (!family.other_files.empty()) files += ", " + family.other_files;
    text += fmt::format("  {:<44}  {}\n", files, machine::name_of(family.form));
  }
  return text;
}

constexpr const char* kLaunchGroup = "Arguments of a launch";

void add_launch_arguments(CLI::App& command, driver::LaunchArguments& launch) {
  const std::string group = kLaunchGroup;
  command.add_option("--kernel", launch.kernel, taken_by("--kernel", "which kernel"))
      ->type_name("NAME")
      ->group(group);
  command.add_option("--grid", launch.grid, taken_by("--grid", "blocks: X, X,Y or X,Y,Z"))
      ->type_name("X,Y,Z")
      ->group(group)
      ->capture_default_str();
  command.add_option("--block", launch.block, taken_by("--block", "threads of a block"))
      ->type_name("X,Y,Z")
      ->group(group)
      ->capture_default_str();
  command
      .add_option("--shared", launch.shared_bytes,
                  taken_by("--shared", "dynamic shared memory of a block"))
      ->type_name("BYTES")
      ->group(group);
  command
      .add_option("--arg", launch.arguments,
                  taken_by("--arg", "an argument of the kernel; repeat for each"))
      ->expected(1)
      ->take_all()
      ->type_name("ARG")
      ->group(group);
  command
      .add_option("--show", launch.shown,
                  taken_by("--show",
                           "print COUNT (16) numbers of the buffer that is argument I or of an "
                           "array, or write the picture to a file"))
      ->expected(1)
      ->take_all()
      ->type_name("I[:COUNT]|NAME|FILE")
      ->group(group);
  command.add_option("--image", launch.image, taken_by("--image", "the input image"))
      ->type_name("FILE")
      ->group(group);
  command
      .add_option("--dump", launch.dumped,
                  taken_by("--dump", "write the buffer that is argument I, or an array, to a file"))
      ->expected(1)
      ->take_all()
      ->type_name("I:FILE")
      ->group(group);
}

Command run_grammar(CLI::App& app, const Arguments& program_arguments) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App& command = *app.add_subcommand("run", "simulate one program");
  command.footer([] { return program_kinds() + kRunFooter; });
  command.add_option("program", options->program, "what to run")->type_name("PROGRAM");
  command
      .add_option("-m,--machine", options->settings.machine, "the machine: a name or a .toml file")
      ->type_name("MACHINE")
      ->capture_default_str();
  add_settings(command, *options);
  command.add_flag("-v,--verbose", options->verbose,
                   "explain the compiler's choices (.e: the technique of each construct)");
  command.add_flag("--sandbox", options->sandbox,
                   "let the program's own code do little but compute (CUDA)");
  command
      .add_option("--trace", options->settings.trace_file,
                  "write a trace to FILE, for ui.perfetto.dev")
      ->type_name("FILE");
  command
      .add_option("--sample", options->settings.sample_cycles,
                  "sample figures over time, every N cycles")
      ->type_name("N")
      ->check(number_of<std::uint64_t>("cycles from 1 to 10^12", 1, experiment::kMaxSampleCycles));
  add_json(command, *options);
  add_launch_arguments(command, options->launch);
  return {&command, [options, &command, &program_arguments] {
            if (options->program.empty()) {
              const bool took_program = options->json && *options->json != "-";
              throw UsageError(
                  "no program was given", {},
                  took_program
                      ? fmt::format("--json took '{}' for its file; give the program first",
                                    *options->json)
                      : "raddle run PROGRAM");
            }
            if (command.count("--machine") == 0) options->settings.machine.clear();
            for (const CLI::Option* option : command.get_options())
              if (option->get_group() == kLaunchGroup && option->count() != 0)
                options->launch.given.push_back(option->get_name());
            options->arguments = program_arguments;
            return run_command(*options);
          }};
}

Command compare_grammar(CLI::App& app, const Arguments& program_arguments) {
  const auto options = std::make_shared<CompareOptions>();
  options->machines = {experiment::RunSettings().machine};  // for the help
  CLI::App& command =
      *app.add_subcommand("compare", "the same program on several machines, side by side");
  command.footer(kCompareFooter);
  command.add_option("programs", options->programs, "programs, or .json results")
      ->type_name("PROGRAM…");
  command.add_option("-m,--machines", options->machines, "the machines, separated by commas")
      ->delimiter(',')
      ->type_name("A,B,…")
      ->capture_default_str();
  add_settings(command, options->run);
  command.add_flag_callback(
      "--json", [options] { options->run.json = "-"; }, "the results as JSON on standard output");
  command.add_flag("--brief", options->brief,
                   "one table of machines by programs, and a sentence for each program");
  return {&command, [options, &command, &program_arguments] {
            if (options->programs.empty())
              throw UsageError("no program was given", {},
                               "raddle compare PROGRAM… -m MACHINE,MACHINE");
            if (command.count("--machines") == 0) options->machines.clear();
            options->run.arguments = program_arguments;
            return compare_command(*options);
          }};
}

Command machines_grammar(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("machines", "list the machines and their parameters");
  command.footer(kMachinesFooter);
  return {&command, [] { return machines_command(); }};
}

Command machines_show_grammar(CLI::App& machines) {
  struct Shown {
    std::string machine;
    std::vector<std::string> assignments;
  };
  const auto shown = std::make_shared<Shown>();
  CLI::App& command = *machines.add_subcommand("show", "print a machine's parameters as TOML");
  command.footer(kMachinesFooter);
  command.add_option("machine", shown->machine, "a name or a .toml file")->type_name("NAME");
  command.add_option("--set", shown->assignments, "change a parameter: key=value")
      ->expected(1)
      ->take_all()
      ->type_name("K=V")
      ->check(assignment());
  return {&command, [shown] {
            if (shown->machine.empty())
              throw UsageError("no machine was given", {}, "raddle machines lists them");
            return machines_show_command(shown->machine, shown->assignments);
          }};
}

Command graph_grammar(CLI::App& app, const Arguments& program_arguments) {
  const auto options = std::make_shared<GraphOptions>();
  CLI::App& command =
      *app.add_subcommand("graph", "print a program's kernel IR, or draw its dataflow graphs");
  command.footer(kGraphFooter);
  command
      .add_option("program", options->program,
                  driver::drawable_files() + ", or a bundled benchmark")
      ->type_name("PROGRAM");
  command.add_option("--kernel", options->kernel, "only this kernel")->type_name("NAME");
  command.add_option("--format", options->format, "text or dot; with -m also svg")
      ->type_name("FORMAT")
      ->capture_default_str();
  command.add_option("--cc", options->compile_flags, "compiler flags, as raddle cc takes them")
      ->type_name("FLAGS");
  const std::string group = "For machines that execute dataflow graphs";
  command
      .add_option("-m,--machine", options->machine,
                  "a machine that executes dataflow graphs: draw the "
                  "dataflow graph instead of the IR")
      ->type_name("MACHINE")
      ->group(group);
  command.add_option("--set", options->assignments, "change a parameter of the machine")
      ->expected(1)
      ->take_all()
      ->type_name("K=V")
      ->check(assignment())
      ->group(group);
  command.add_flag("--placed", options->placed, "draw it on the machine's grid")->group(group);
  command.add_option("--block", options->block, "threads of a block")
      ->type_name("X,Y,Z")
      ->capture_default_str()
      ->group(group);
  command.add_option("--piece", options->piece, "only this piece of the kernel")
      ->type_name("N")
      ->group(group);
  return {&command, [options, &command, &program_arguments] {
            if (options->program.empty())
              throw UsageError("no program was given", {}, "raddle graph PROGRAM");
            for (const CLI::Option* option : command.get_options())
              if (option->count() != 0) options->given.push_back(option->get_name());
            options->arguments = program_arguments;
            const bool svg = options->format == "svg" && !options->machine.empty();
            if (options->format != "text" && options->format != "dot" && !svg) {
              throw UsageError(fmt::format("unknown format '{}'", options->format), {},
                               "the formats are text and dot, and svg with -m MACHINE");
            }
            return graph_command(*options);
          }};
}

Command report_grammar(CLI::App& app) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App& command = *app.add_subcommand("report", "write results as one HTML page with charts");
  command.footer(kReportFooter);
  command.add_option("results", options->results, "result files")->type_name("RESULT…");
  command.add_option("-o,--output", options->output, "the page to write")
      ->type_name("FILE.html")
      ->capture_default_str();
  return {&command, [options] {
            if (options->results.empty())
              throw UsageError("no result was given", {}, "raddle report RESULT… -o FILE.html");
            return report_command(*options);
          }};
}

void add_jobs(CLI::App& command, unsigned& jobs) {
  command.add_option("-j,--jobs", jobs, "processes to run in parallel; default: one per core")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000));
}

Command reproduce_grammar(CLI::App& app) {
  const auto options = std::make_shared<ReproduceOptions>();
  CLI::App& command =
      *app.add_subcommand("reproduce", "check a paper's claims against measurements");
  command.footer(kReproduceFooter);
  command.add_option("paper", options->paper, "a paper by name; none: list them")
      ->type_name("PAPER");
  command.add_option("figure", options->figure, "only this figure")->type_name("FIGURE");
  command.add_flag("--json", options->json, "print the claims as raddle.claims/1");
  add_jobs(command, options->jobs);
  command.add_option("-o,--output", options->output_folder, "folder for results and figures")
      ->type_name("FOLDER")
      ->capture_default_str();
  return {&command, [options] { return reproduce_command(*options); }};
}

Command sweep_grammar(CLI::App& app) {
  const auto options = std::make_shared<SweepOptions>();
  CLI::App& command =
      *app.add_subcommand("sweep", "run a grid of programs, machines and parameters");
  command.footer(kSweepFooter);
  command.add_option("spec", options->spec, "what to run")->type_name("SPEC.toml");
  add_jobs(command, options->jobs);
  command.add_flag("--resume", options->resume, "run only what is missing (the default)");
  command.add_option("-o,--output", options->output_folder, "folder for cells, table and store")
      ->type_name("FOLDER")
      ->capture_default_str();
  return {&command, [options] {
            if (options->spec.empty())
              throw UsageError("no sweep was given", {}, "raddle sweep SPEC.toml");
            return sweep_command(*options);
          }};
}

void add_run_filter(CLI::App& command, ResultsOptions& options) {
  command.add_option("--program", options.program, "only runs of this program; * and ? match")
      ->type_name("NAME");
  command.add_option("--machine", options.machine, "only runs on this machine")->type_name("NAME");
  command.add_option("--last", options.last, "the newest N")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000));
}

void add_runs_folder(CLI::App& command, ResultsOptions& options) {
  command.add_option("-o,--output", options.output_folder, "the folder that the runs are in")
      ->type_name("FOLDER")
      ->capture_default_str();
}

void add_run_numbers(CLI::App& command, ResultsOptions& options) {
  command.add_option("runs", options.runs, "numbers of runs, as raddle results lists them")
      ->type_name("ID…");
}

void add_list_options(CLI::App& command, ResultsOptions& options) {
  add_run_filter(command, options);
  command.add_option("--csv", options.csv, "write them as CSV; - is standard output")
      ->type_name("FILE");
  add_runs_folder(command, options);
}

Command results_grammar(CLI::App& app) {
  const auto options = std::make_shared<ResultsOptions>();
  CLI::App& command =
      *app.add_subcommand("results", "list, show, compare or remove the runs of an output folder");
  command.footer(kResultsFooter);
  command.require_subcommand(0, 1);
  add_list_options(command, *options);
  command.add_option("--show", options->runs, "the same as raddle results show")->type_name("ID");
  return {&command, [options] {
            return options->runs.empty() ? results_command(*options)
                                         : results_show_command(*options);
          }};
}

Command results_list_grammar(CLI::App& results) {
  const auto options = std::make_shared<ResultsOptions>();
  CLI::App& command = *results.add_subcommand("list", "the newest 20, or all with --csv");
  add_list_options(command, *options);
  return {&command, [options] { return results_command(*options); }};
}

// A subcommand of `raddle results` that takes the numbers of so many runs or more.
Command results_numbers_grammar(CLI::App& results, const char* name, const char* what,
                                std::size_t least, int (*run)(const ResultsOptions&)) {
  const auto options = std::make_shared<ResultsOptions>();
  CLI::App& command = *results.add_subcommand(name, what);
  add_run_numbers(command, *options);
  command.add_flag("--json", options->json, "print JSON");
  add_runs_folder(command, *options);
  return {&command, [options, name, least, run] {
            if (options->runs.size() < least)
              throw UsageError(
                  least == 1 ? "no run was given" : "a comparison needs two runs or more", {},
                  fmt::format("raddle results {} {}; raddle results lists their numbers", name,
                              least == 1 ? "12" : "11 12"));
            return run(*options);
          }};
}

Command results_remove_grammar(CLI::App& results) {
  const auto options = std::make_shared<ResultsOptions>();
  CLI::App& command = *results.add_subcommand("remove", "remove runs and their files");
  add_run_numbers(command, *options);
  add_run_filter(command, *options);
  add_runs_folder(command, *options);
  return {&command, [options] {
            const bool filtered =
                !options->program.empty() || !options->machine.empty() || options->last;
            if (options->runs.empty() == !filtered)
              throw UsageError(filtered ? "give run numbers or a filter, not both"
                                        : "no runs to remove were given",
                               {},
                               "raddle results remove 12, or raddle results remove --program "
                               "NAME; --program '*' means all");
            return results_remove_command(*options);
          }};
}

std::vector<Command> results_commands(CLI::App& results) {
  return {
      results_list_grammar(results),
      results_numbers_grammar(results, "show", "show one run in full: its summary, lines, samples",
                              1, results_show_command),
      results_numbers_grammar(results, "compare",
                              "compare runs side by side, as raddle compare does", 2,
                              results_compare_command),
      results_remove_grammar(results)};
}

void add_assembly_files(CLI::App& command, AsmOptions& options) {
  command.add_option("program", options.program, "the file")->type_name("FILE");
  command.add_option("-o,--output", options.output, "the file to write")->type_name("FILE");
}

Command asm_grammar(CLI::App& app, const Arguments& program_arguments) {
  const auto options = std::make_shared<AsmOptions>();
  CLI::App& command =
      *app.add_subcommand("asm", "assemble a program, or show what it is lowered to");
  command.footer(kAsmFooter);
  add_assembly_files(command, *options);
  command.add_flag("--isa", options->reference, "print the TPA's instruction set as Markdown");
  command.add_flag("-v,--verbose", options->verbose, "say what was chosen, and why");
  return {&command, [options, &program_arguments] {
            if (options->program.empty() && !options->reference)
              throw UsageError("no program was given", {}, "raddle asm FILE.tpa -o FILE.tpo");
            options->arguments = program_arguments;
            return asm_command(*options);
          }};
}

Command disasm_grammar(CLI::App& app) {
  const auto options = std::make_shared<AsmOptions>();
  CLI::App& command = *app.add_subcommand("disasm", "disassemble a binary");
  command.footer(kDisasmFooter);
  add_assembly_files(command, *options);
  return {&command, [options] {
            if (options->program.empty())
              throw UsageError("no program was given", {}, "raddle disasm FILE.tpo");
            return disasm_command(*options);
          }};
}

// Tools have a grammar of their own: run_app hands their arguments on before they are parsed. They
// stand here so that the help lists them.
Command tool_grammar(CLI::App& app, const driver::Tool& tool) {
  return {app.add_subcommand(tool.name, tool.sentence), [] { return 0; }};
}

}  // namespace

std::vector<Command> declare_commands(CLI::App& app, const Arguments& program_arguments) {
  std::vector<Command> commands = {
      run_grammar(app, program_arguments),
      compare_grammar(app, program_arguments),
      machines_grammar(app),
      graph_grammar(app, program_arguments),
      report_grammar(app),
      reproduce_grammar(app),
      sweep_grammar(app),
      results_grammar(app),
      asm_grammar(app, program_arguments),
      disasm_grammar(app),
  };
  for (const driver::Driver* driver : driver::drivers())
    for (const driver::Tool& tool : driver->tools()) commands.push_back(tool_grammar(app, tool));
  // Subcommands go before their commands, which are parsed with them.
  commands.insert(commands.begin(), machines_show_grammar(*app.get_subcommand("machines")));
  const std::vector<Command> of_results = results_commands(*app.get_subcommand("results"));
  commands.insert(commands.begin(), of_results.begin(), of_results.end());
  for (const Command& command : commands) {
    command.parser->set_help_flag("-h,--help", "print this help");
    command.parser->allow_extras();
  }
  return commands;
}

}  // namespace raddle::cli
