#include "driver/cuda/executable_run.h"

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
#include <optional>
#include <thread>

#include "base/error.h"
#include "base/exit_status.h"
#include "base/program_notice.h"
#include "base/stop_token.h"
#include "experiment/result_json.h"
#include "lang/cuda/process.h"
#include "lang/cuda/sandbox.h"
#include "sim/trace.h"

extern char** environ;

namespace raddle::driver::cuda {

namespace {

namespace fs = std::filesystem;

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
  // Signals that the parent process had ignored stay ignored.
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
      throw Error(fmt::format("cannot create a socket: {}", strerror(errno)));
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
  int program_handle() const { return handles_[1]; }
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

void end_in_time(const raddle::cuda::Process& process, const NoticeSocket& notices,
                 double timeout_seconds, ProgramRun& run) {
  if (process.ends_within(timeout_seconds)) return;
  notices.read_into(run);
  if (run.used_device && process.ends_within(kGraceSeconds)) return;
  run.out_of_time = true;
  kill(process.id(), SIGTERM);
  if (!process.ends_within(kGraceSeconds)) kill(process.id(), SIGKILL);
}

void run_child(const raddle::cuda::Command& command, const raddle::cuda::Streams& streams,
               const NoticeSocket& notices, const experiment::RunSettings& settings,
               ProgramRun& run) {
  const SignalForwarding forwarding;
  throw_if_stopped("starting the program");  // a signal that came before there was forwarding
  const StopScope scope{StopToken()};        // the program stops itself, with its result
  raddle::cuda::Process process(command, streams);
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

// The only place where a program in a sandbox may write, and what keeps it there. A fresh folder in
// the output folder; it stays if the program has left files in it.
class Confinement {
 public:
  Confinement(const RunJob& job, int kept_handle)
      : folder_(make_folder(job)), sandbox_(folder_, kept_handle, limits_for(job)) {}
  ~Confinement() {
    std::error_code ignored;
    fs::remove(result_file(), ignored);
    fs::remove(folder_, ignored);  // fails if it is not empty
  }
  Confinement(const Confinement&) = delete;
  Confinement& operator=(const Confinement&) = delete;

  const raddle::cuda::Sandbox& sandbox() const { return sandbox_; }
  const std::string& folder() const { return folder_; }
  std::string result_file() const { return folder_ + "/result.json"; }
  // The program may have put anything there, a link to a file of ours for instance.
  bool has_result() const {
    struct stat status{};
    return lstat(result_file().c_str(), &status) == 0 && S_ISREG(status.st_mode);
  }

 private:
  static std::string make_folder(const RunJob& job) {
    if (!job.request.settings.trace_file.empty())
      throw Error("--trace writes outside of the sandbox", {}, "leave out --trace or --sandbox");
    std::string name = fs::absolute(job.request.output_folder + "/sandbox-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw Error(fmt::format("cannot make a folder for the sandbox: {}", strerror(errno)), name);
    return name;
  }
  static raddle::cuda::SandboxLimits limits_for(const RunJob& job) {
    raddle::cuda::SandboxLimits limits;
    const double seconds = job.request.settings.timeout_seconds;
    if (seconds > 0)
      limits.cpu_seconds = static_cast<std::uint64_t>(
          (seconds + kGraceSeconds) * std::max(1u, std::thread::hardware_concurrency()));
    return limits;
  }

  std::string folder_;
  raddle::cuda::Sandbox sandbox_;
};

}  // namespace

ProgramRun run_executable(const std::string& executable, const RunJob& job) {
  experiment::RunSettings settings = job.request.settings;
  settings.json_file = job.result_file;
  raddle::cuda::Command command;
  command.arguments.push_back(executable);
  command.arguments.insert(command.arguments.end(), job.request.arguments.begin(),
                           job.request.arguments.end());
  const NoticeSocket notices;
  std::optional<Confinement> confinement;
  if (job.request.sandbox) {
    confinement.emplace(job, notices.program_handle());
    command.sandbox = &confinement->sandbox();
    settings.json_file = confinement->result_file();
  }
  command.environment = child_environment(settings);
  command.environment.push_back(notices.variable());
  raddle::cuda::Streams streams;
  streams.output_to_error = job.output.to_error || !job.output.log_file.empty();
  streams.error_file = job.output.log_file;

  ProgramRun run;
  run.result_file = job.result_file;
  run_child(command, streams, notices, settings, run);
  if (confinement ? !confinement->has_result() : !fs::exists(job.result_file)) return run;
  run.result = experiment::read_result_file(settings.json_file);
  if (job.traits.honours.contains(machine::RunOption::kTrace)) run.trace_file = settings.trace_file;
  if (confinement || run.result->exit_status != run.status) {
    // A program cannot know its own exit status when it writes its result.
    run.result->exit_status = run.status;
    experiment::write_result_file(*run.result, job.result_file);
  }
  return run;
}

}  // namespace raddle::driver::cuda
