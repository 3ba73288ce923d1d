#include "cli/job_pool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace raddle::cli {

namespace {

constexpr double kGraceSeconds = 5;
constexpr int kCannotStart = 127;  // as in a shell

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

void redirect(int stream, const char* file, int flags) {
  const int opened = open(file, flags, 0666);
  if (opened < 0 || dup2(opened, stream) < 0) _exit(kCannotStart);
  if (opened != stream) close(opened);
}

// In the child, between fork and exec.
[[noreturn]] void become(const JobCommand& command, char* const* arguments,
                         char* const* environment, const sigset_t& mask, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(kCannotStart);  // it died before we asked to be told
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  constexpr int kWrite = O_WRONLY | O_CREAT | O_TRUNC;
  redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
  redirect(STDOUT_FILENO, command.output_file.c_str(), kWrite);
  redirect(STDERR_FILENO, command.error_file.c_str(), kWrite);
  execve(arguments[0], arguments, environment);
  _exit(kCannotStart);
}

timespec duration(double seconds) {
  constexpr double kNanoseconds = 1e9;
  const auto whole = static_cast<time_t>(seconds);
  return {whole, static_cast<long>((seconds - static_cast<double>(whole)) * kNanoseconds)};
}

}  // namespace

JobPool::JobPool() {
  sigemptyset(&watched_);
  for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) sigaddset(&watched_, signal);
  sigprocmask(SIG_BLOCK, &watched_, &before_);
}

JobPool::~JobPool() {
  for (const Job& job : running_) kill(-job.process, SIGKILL);
  for (const Job& job : running_) waitpid(job.process, nullptr, 0);
  // A signal that came too late to be heard must not end the process now.
  const timespec now{0, 0};
  while (sigtimedwait(&watched_, nullptr, &now) > 0) {
  }
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

void JobPool::start(std::size_t number, const JobCommand& command) {
  const std::vector<char*> arguments = pointers(command.arguments);
  const std::vector<char*> environment = pointers(command.environment);
  const pid_t self = getpid();
  const pid_t child = fork();
  if (child < 0) throw Error(fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (child == 0) become(command, arguments.data(), environment.data(), before_, self);
  setpgid(child, child);  // whoever comes first; it must be done before anybody signals the group
  running_.push_back({number, child, Clock::now()});
}

std::vector<JobPool::End> JobPool::reap() {
  std::vector<End> ended;
  std::erase_if(running_, [&](const Job& job) {
    siginfo_t info{};
    const auto id = static_cast<id_t>(job.process);
    if (waitid(P_PID, id, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
      return false;
    // What it started and did not end; as long as it has not been waited for, the group is its own.
    kill(-job.process, SIGKILL);
    int status = 0;
    waitpid(job.process, &status, 0);
    const double seconds = std::chrono::duration<double>(Clock::now() - job.start).count();
    ended.push_back(
        {job.number, WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), seconds});
    return true;
  });
  return ended;
}

JobPool::News JobPool::wait(double seconds) {
  News news;
  news.ended = reap();  // a signal stands for any number of ended processes
  if (!news.ended.empty()) return news;
  const timespec limit = duration(seconds);
  const int signal = sigtimedwait(&watched_, nullptr, &limit);
  if (signal > 0 && signal != SIGCHLD) news.signal = signal;
  news.ended = reap();
  return news;
}

void JobPool::stop() {
  for (const Job& job : running_) kill(job.process, SIGTERM);
  const Clock::time_point deadline =
      Clock::now() +
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(kGraceSeconds));
  while (!running_.empty() && Clock::now() < deadline) {
    if (wait(0.1).signal != 0) break;
  }
  // The group holds the program that the process runs as well.
  for (const Job& job : running_) kill(-job.process, SIGKILL);
  while (!running_.empty()) static_cast<void>(wait(0.1));
}

}  // namespace raddle::cli
