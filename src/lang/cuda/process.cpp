#include "lang/cuda/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/stop_token.h"
#include "lang/cuda/sandbox.h"

namespace raddle::cuda {

namespace {

constexpr const char* kSystemFolders =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
constexpr std::array<const char*, 9> kKeptVariables = {
    "HOME",     "TMPDIR",      "LANG", "LANGUAGE",         "LC_ALL",
    "LC_CTYPE", "LC_MESSAGES", "TERM", "SOURCE_DATE_EPOCH"};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

std::string find_in(std::string_view folders, const std::string& name) {
  while (!folders.empty()) {
    const std::size_t end = std::min(folders.find(':'), folders.size());
    const std::string candidate = fmt::format("{}/{}", folders.substr(0, end), name);
    if (candidate.front() == '/' && access(candidate.c_str(), X_OK) == 0) return candidate;
    folders.remove_prefix(std::min(end + 1, folders.size()));
  }
  return {};
}

// Whoever started us may have us ignore SIGCHLD; the system then throws the status of children
// away.
void keep_status_of_children() {
  struct sigaction action{};
  if (sigaction(SIGCHLD, nullptr, &action) != 0 || action.sa_handler != SIG_IGN) return;
  action.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &action, nullptr);
}

}  // namespace

MemoryFile::MemoryFile() : handle_(memfd_create("raddle", MFD_CLOEXEC)) {
  if (handle_ < 0)
    throw Error(fmt::format("cannot create a file in memory: {}", std::strerror(errno)));
}

MemoryFile::~MemoryFile() { close(handle_); }

std::string MemoryFile::content() const {
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t got = 1; got > 0;) {
    got = pread(handle_, part.data(), part.size(), static_cast<off_t>(text.size()));
    if (got > 0) text.append(part.data(), static_cast<std::size_t>(got));
  }
  return text;
}

namespace {

// What posix_spawn cannot do: the child locks itself in before it becomes the program.
pid_t start_in_sandbox(const Command& command, const Streams& streams) {
  const std::vector<char*> arguments = pointers(command.arguments);
  const std::vector<char*> environment = pointers(command.environment);
  const pid_t id = fork();
  if (id != 0) return id;
  const auto redirect = [](int stream, const std::string& file) {
    if (file.empty()) return true;
    const int handle = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    return handle >= 0 && dup2(handle, stream) >= 0;
  };
  const bool ready = redirect(STDERR_FILENO, streams.error_file) &&
                     redirect(STDOUT_FILENO, streams.output_file) &&
                     (!streams.output_to_error || dup2(STDERR_FILENO, STDOUT_FILENO) >= 0);
  if (ready && command.sandbox->enter()) execve(arguments[0], arguments.data(), environment.data());
  constexpr std::string_view kFailed =
      "raddle: error: the program could not be started in a sandbox\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kFailed.data(), kFailed.size());
  constexpr int kCannotExecute = 126;
  _exit(kCannotExecute);
}

}  // namespace

Process::Process(const Command& command, const Streams& streams) {
  if (command.sandbox != nullptr) {
    keep_status_of_children();
    id_ = start_in_sandbox(command, streams);
    if (id_ < 0)
      throw Error(fmt::format("cannot start {}: {}", command.arguments[0], std::strerror(errno)));
    return;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC;
  const auto redirect = [&](int stream, const std::string& file) {
    if (!file.empty())
      posix_spawn_file_actions_addopen(&actions, stream, file.c_str(), kFlags, 0644);
  };
  const auto redirect_to_handle = [&](int stream, int handle) {
    if (handle >= 0) posix_spawn_file_actions_adddup2(&actions, handle, stream);
  };
  redirect(STDERR_FILENO, streams.error_file);
  redirect(STDOUT_FILENO, streams.output_file);
  redirect_to_handle(STDERR_FILENO, streams.error_handle);
  redirect_to_handle(STDOUT_FILENO, streams.output_handle);
  if (streams.output_to_error)
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  keep_status_of_children();
  const std::vector<char*> arguments = pointers(command.arguments);
  const std::vector<char*> environment = pointers(command.environment);
  const int failure =
      posix_spawn(&id_, arguments[0], &actions, nullptr, arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0)
    throw Error(fmt::format("cannot start {}: {}", command.arguments[0], std::strerror(failure)));
}

namespace {

// What the process has started and not yet waited for: a compiler runs its passes as processes of
// their own, which would go on without it.
std::vector<pid_t> children_of(pid_t process) {
  std::ifstream list(fmt::format("/proc/{0}/task/{0}/children", process));
  std::vector<pid_t> children;
  for (pid_t child = 0; list >> child;) children.push_back(child);
  return children;
}

}  // namespace

// A signal for us interrupts the waiting; the deadline is looked at so often.
constexpr double kSecondsBetweenLooks = 0.1;
// A compiler that is told to end removes its files first.
constexpr double kSecondsToTidyUp = 0.3;

Process::~Process() {
  if (waited_ || id_ < 0) return;
  terminate();
  while (waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Process::terminate() const {
  const std::vector<pid_t> children = children_of(id_);
  kill(id_, SIGTERM);
  for (const pid_t child : children) kill(child, SIGTERM);
  if (!ends_within(kSecondsToTidyUp)) kill(id_, SIGKILL);
}

int Process::wait(const char* phase) {
  StopReason reason = StopReason::kNone;
  while (current_stop().can_stop() && !ends_within(kSecondsBetweenLooks)) {
    reason = current_stop().reason();
    if (reason == StopReason::kNone) continue;
    terminate();
    break;
  }
  int status = 0;
  waited_ = true;
  while (waitpid(id_, &status, 0) < 0) {
    if (errno != EINTR)
      throw Error(fmt::format("waiting for process {}: {}", id_, std::strerror(errno)));
  }
  if (WIFSIGNALED(status)) signal_ = WTERMSIG(status);
  // Ctrl-C reaches it as it reaches us.
  if (reason == StopReason::kNone && signal_ != 0) reason = current_stop().reason();
  if (reason != StopReason::kNone) throw Stopped{reason, phase};
  return signal_ != 0 ? 128 + signal_ : WEXITSTATUS(status);
}

bool Process::ends_within(double seconds) const {
  const int handle = static_cast<int>(syscall(SYS_pidfd_open, id_, 0));
  if (handle < 0) return true;
  pollfd ready{handle, POLLIN, 0};
  using Clock = std::chrono::steady_clock;
  const Clock::time_point deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                        std::chrono::duration<double>(seconds));
  int count = -1;
  do {  // signals for this process interrupt the call; whoever may be stopped by one looks then
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    count = poll(&ready, 1, static_cast<int>(std::clamp<long>(left, 0, 1'000'000'000)));
  } while (count < 0 && errno == EINTR && current_stop().reason() == StopReason::kNone);
  close(handle);
  return count > 0 || (count < 0 && errno != EINTR);
}

std::vector<std::string> compiler_environment() {
  // On a full disk a compiler that gives up would leave files of its symbolizer after.
  std::vector<std::string> environment{fmt::format("PATH={}", kSystemFolders),
                                       "LLVM_DISABLE_SYMBOLIZATION=1"};
  for (const char* name : kKeptVariables) {
    if (const char* value = std::getenv(name))
      environment.push_back(fmt::format("{}={}", name, value));
  }
  return environment;
}

std::string find_tool(const std::string& name) {
  std::string path = find_in(kSystemFolders, name);
  if (!path.empty()) return path;
  const char* folders = std::getenv("PATH");
  return folders == nullptr ? std::string() : find_in(folders, name);
}

TemporaryFolder::TemporaryFolder() {
  const char* base = std::getenv("TMPDIR");
  path_ = fmt::format("{}/raddle-XXXXXX", base != nullptr && *base != '\0' ? base : "/tmp");
  if (mkdtemp(path_.data()) == nullptr) {
    throw Error(fmt::format("cannot create a temporary folder: {}", std::strerror(errno)), path_,
                "set TMPDIR to a folder that can be written");
  }
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace raddle::cuda
