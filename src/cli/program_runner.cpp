#include "cli/program_runner.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/program_notice.h"
#include "cli/inter_thread_check.h"
#include "cli/output.h"
#include "cli/program_family.h"
#include "cli/ptx_runner.h"
#include "experiment/result_json.h"
#include "experiment/result_store.h"
#include "lang/cuda/compile_cache.h"
#include "lang/cuda/nvcc_arguments.h"
#include "lang/cuda/process.h"
#include "machine/machine.h"
#include "sim/trace.h"

extern char** environ;

namespace raddle::cli {

namespace {

namespace fs = std::filesystem;

void make_output_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error && fs::is_directory(folder)) return;
  throw Error(fmt::format("cannot make the output folder '{}': {}", folder,
                          error ? error.message() : "a file is in its place"),
              {}, "choose another one with -o FOLDER");
}

// Gives back whether the machine makes traces.
bool check_settings(const FoundProgram& program, const experiment::RunSettings& settings) {
  machine::ParameterTable parameters = machine::load_parameters(settings.machine);
  for (const std::string& assignment : settings.assignments) parameters.set(assignment);
  if (program.family != nullptr) {
    check_runs_on(*program.family, program.path, parameters);
    return false;
  }
  // Values out of range are refused here.
  const std::unique_ptr<machine::Machine> machine = machine::make_machine(parameters);
  // So is a place for the trace that cannot be written.
  const std::string& trace = settings.trace_file;
  if (!trace.empty() && !fs::is_fifo(trace)) const sim::TraceFile probe(trace);
  return machine->description().traces;
}

// Blanks separate, quotes of both kinds hold together.
std::vector<std::string> split_flags(const std::string& text) {
  std::vector<std::string> flags;
  std::string flag;
  bool in_flag = false;
  char quote = '\0';
  for (const char c : text) {
    if (quote != '\0') {
      if (c == quote) {
        quote = '\0';
      } else {
        flag += c;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
      in_flag = true;
    } else if (c == ' ' || c == '\t') {
      if (in_flag) flags.push_back(std::move(flag));
      flag.clear();
      in_flag = false;
    } else {
      flag += c;
      in_flag = true;
    }
  }
  if (in_flag) flags.push_back(std::move(flag));
  return flags;
}

cuda::CompileRequest compile_request(const FoundProgram& program,
                                     const std::string& compile_flags) {
  std::vector<std::string> flags = split_flags(compile_flags);
  flags.push_back(program.path);
  cuda::CompileRequest request = cuda::parse_nvcc_arguments(flags);
  if (request.stage != cuda::Stage::kLink || request.inputs.size() != 1 ||
      !request.output.empty()) {
    throw Error("--cc takes flags for compiling one program, such as -DN=4 or -use_fast_math");
  }
  return request;
}

// The user's environment with our settings in place of any that it had.
std::vector<std::string> child_environment(const experiment::RunSettings& settings) {
  std::vector<std::string> environment;
  const std::vector<std::string>& ours = experiment::setting_variables();
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    const std::string name(text.substr(0, text.find('=')));
    if (name != kNoticeVariable && std::find(ours.begin(), ours.end(), name) == ours.end())
      environment.emplace_back(text);
  }
  for (std::string& variable : experiment::to_environment(settings))
    environment.push_back(std::move(variable));
  return environment;
}

volatile pid_t signalled_child = 0;
volatile sig_atomic_t early_signal = 0;  // came while there was no program yet

// Ctrl-C reaches the program by itself, as it shares our terminal; a signal sent to us alone is
// passed on.
void pass_signal_on(int signal, siginfo_t* info, void*) {
  if (signalled_child == 0) {
    early_signal = signal;
  } else if (info->si_code == SI_USER) {
    kill(signalled_child, signal);
  }
}

// While a program runs, signals end it and not us: its result is still to be stored. Made before
// the program starts, so that none is left running when a signal ends us just after its start.
class SignalForwarding {
 public:
  SignalForwarding() {
    early_signal = 0;
    struct sigaction action{};
    action.sa_sigaction = pass_signal_on;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    install(SIGINT, action, old_interrupt_);
    install(SIGTERM, action, old_terminate_);
  }
  ~SignalForwarding() {
    sigaction(SIGINT, &old_interrupt_, nullptr);
    sigaction(SIGTERM, &old_terminate_, nullptr);
    signalled_child = 0;
  }
  SignalForwarding(const SignalForwarding&) = delete;
  SignalForwarding& operator=(const SignalForwarding&) = delete;

  void to(pid_t child) const {
    signalled_child = child;
    if (early_signal != 0) kill(child, early_signal);
  }

 private:
  // What whoever started us had us ignore stays ignored.
  static void install(int signal, const struct sigaction& action, struct sigaction& old) {
    sigaction(signal, &action, &old);
    if (old.sa_handler == SIG_IGN) sigaction(signal, &old, nullptr);
  }

  struct sigaction old_interrupt_{};
  struct sigaction old_terminate_{};
};

// Carries the program's notices. The program inherits one end; no other child does.
class NoticeSocket {
 public:
  NoticeSocket() {
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, handles_.data()) != 0)
      throw Error(fmt::format("cannot make a socket: {}", strerror(errno)));
    fcntl(handles_[1], F_SETFD, 0);
  }
  ~NoticeSocket() {
    for (const int handle : handles_) close(handle);
  }
  NoticeSocket(const NoticeSocket&) = delete;
  NoticeSocket& operator=(const NoticeSocket&) = delete;

  std::string variable() const {
    struct stat status{};
    fstat(handles_[1], &status);
    return fmt::format("{}={}:{}", kNoticeVariable, handles_[1], status.st_ino);
  }
  void read_into(ProgramRun& run) const {
    char letter = 0;
    while (read(handles_[0], &letter, 1) == 1) {
      if (letter == static_cast<char>(ProgramNotice::kStarted)) run.used_device = true;
      if (letter == static_cast<char>(ProgramNotice::kNoResult)) run.result_refused = true;
    }
  }

 private:
  std::array<int, 2> handles_{-1, -1};
};

// The runtime stops the program in time, but there is none before the first CUDA call, and a
// program may be beyond its reach.
constexpr double kGraceSeconds = 2;

void end_in_time(const cuda::Process& process, const NoticeSocket& notices, double timeout_seconds,
                 ProgramRun& run) {
  if (process.ends_within(timeout_seconds)) return;
  notices.read_into(run);
  if (run.used_device && process.ends_within(kGraceSeconds)) return;
  run.out_of_time = true;
  kill(process.id(), SIGTERM);
  if (!process.ends_within(kGraceSeconds)) kill(process.id(), SIGKILL);
}

void run_child(const cuda::Command& command, const cuda::Streams& streams,
               const NoticeSocket& notices, const experiment::RunSettings& settings,
               ProgramRun& run) {
  const SignalForwarding forwarding;
  cuda::Process process(command, streams);
  forwarding.to(process.id());
  if (settings.timeout_seconds > 0) end_in_time(process, notices, settings.timeout_seconds, run);
  run.status = process.wait();
  // A program that crashed cannot have put its half trace away.
  if (!settings.trace_file.empty()) {
    std::error_code ignored;
    fs::remove(sim::TraceFile::temporary_name(settings.trace_file, process.id()), ignored);
  }
  run.signal = process.signal();
  notices.read_into(run);
  if (run.out_of_time) run.status = kUserFault;
}

ProgramRun run_executable(const std::string& executable, const RunOptions& options,
                          const ProgramOutput& output, const std::string& result_file) {
  experiment::RunSettings settings = options.settings;
  settings.json_file = result_file;
  cuda::Command command;
  command.arguments.push_back(executable);
  command.arguments.insert(command.arguments.end(), options.arguments.begin(),
                           options.arguments.end());
  const NoticeSocket notices;
  command.environment = child_environment(settings);
  command.environment.push_back(notices.variable());
  cuda::Streams streams;
  streams.output_to_error = output.to_error || !output.log_file.empty();
  streams.error_file = output.log_file;

  ProgramRun run;
  run.result_file = result_file;
  run_child(command, streams, notices, settings, run);
  if (!fs::exists(result_file)) return run;
  run.result = experiment::read_result_file(result_file);
  if (run.result->exit_status != run.status) {
    // A program cannot know its own exit status when it writes its result.
    run.result->exit_status = run.status;
    experiment::write_result_file(*run.result, result_file);
  }
  return run;
}

std::string result_path(const FoundProgram& program, const RunOptions& options) {
  const std::string machine = fs::path(options.settings.machine).stem().string();
  return fs::absolute(fs::path(options.output_folder) /
                      fmt::format("{}-{}.json", program.name, machine))
      .string();
}

ProgramRun run_found(const FoundProgram& program, const RunOptions& options,
                     const ProgramOutput& output) {
  make_output_folder(options.output_folder);
  const std::string result_file = result_path(program, options);
  std::error_code ignored;
  fs::remove(result_file, ignored);  // an old result must not pass for this run's

  RunOptions named = options;
  named.settings.program = options.program;
  if (program.kind == ProgramKind::kPtx) return run_ptx(program.path, named, output, result_file);
  if (program.kind == ProgramKind::kOther)
    return program.family->run(program.path, named, output, result_file);

  std::string executable = fs::absolute(program.path).string();
  if (program.kind == ProgramKind::kCuda) {
    const cuda::CompiledProgram compiled =
        compile_program(program, options.compile_flags, options.output_folder);
    print_error(compiled.diagnostics);
    if (compiled.status != 0) {
      ProgramRun failed;
      failed.compiled = false;
      failed.status = kUserFault;
      return failed;
    }
    executable = compiled.executable;
  }
  return run_executable(executable, named, output, result_file);
}

// The result is safe in its file: a store that cannot be written costs a warning, not the run.
void store_run(const ProgramRun& run, const RunOptions& options) {
  try {
    experiment::ResultStore store(options.output_folder);
    store.add(*run.result, {experiment::utc_now(), run.result_file, std::nullopt});
  } catch (const Error& error) {
    print_error(fmt::format("raddle: warning: {}\n", error.full_text()));
  }
}

}  // namespace

cuda::CompiledProgram compile_program(const FoundProgram& program, const std::string& compile_flags,
                                      const std::string& output_folder) {
  const cuda::CompileRequest request = compile_request(program, compile_flags);
  cuda::Toolchain toolchain = cuda::find_toolchain();
  toolchain.colour = colour_errors();
  return cuda::compile_cached(request, toolchain, cuda::cache_folder(output_folder),
                              check_inter_thread);
}

std::string signal_text(int status) {
  if (status <= 128) return {};
  const char* name = sigabbrev_np(status - 128);
  const char* description = sigdescr_np(status - 128);
  if (name == nullptr || description == nullptr) return {};
  return fmt::format("SIG{} ({})", name, description);
}

ProgramRun run_program(const RunOptions& options, const ProgramOutput& output) {
  const FoundProgram program = find_program(options.program);
  const bool traces = check_settings(program, options.settings);
  ProgramRun run = run_found(program, options, output);
  if (run.result && traces) run.trace_file = options.settings.trace_file;
  if (run.result && options.store) store_run(run, options);
  return run;
}

std::optional<std::string> ptx_of_program(const std::string& program,
                                          const std::string& compile_flags) {
  const FoundProgram found = find_program(program);
  if (found.kind == ProgramKind::kPtx) return read_file(found.path);
  if (found.kind == ProgramKind::kExecutable || found.kind == ProgramKind::kOther)
    throw Error("not known how to draw this file", program, "give the .cu or .ptx file");
  cuda::CompileRequest request = compile_request(found, compile_flags);
  const cuda::TemporaryFolder folder;
  request.stage = cuda::Stage::kPtx;
  request.output = folder.file("kernels.ptx");
  cuda::Toolchain toolchain = cuda::find_toolchain();
  toolchain.colour = colour_errors();
  const cuda::CompileOutcome outcome = cuda::compile(request, toolchain);
  print_error(outcome.diagnostics);
  if (outcome.status != 0) return std::nullopt;
  return read_file(request.output);
}

}  // namespace raddle::cli
