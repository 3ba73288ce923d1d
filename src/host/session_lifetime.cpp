// A session is made at the first CUDA call and ends with the program, in whichever way that ends.
#include <fmt/format.h>
#include <stdlib.h>

#include <mutex>
#include <thread>
#include <utility>

#include "host/float_environment.h"
#include "host/interruption.h"
#include "host/process.h"
#include "host/session.h"

namespace raddle::host {
namespace {

Session* created_session = nullptr;

// Without it there is nothing to go on with.
template <class Make>
auto made_or_end(int failure_status, Make&& make) {
  try {
    return make();
  } catch (const Error& error) {
    print_error(fmt::format("raddle: {}\n", error.full_text()));
    end_process(failure_status);
  }
}

// How long a program may go on after its kernel was stopped.
constexpr std::chrono::milliseconds kShutdownGrace{500};
// Kernels and the phases before them look at the stop token and give the session's lock back soon.
// Work that does not is not waited for: the result so far is written without it.
constexpr std::chrono::milliseconds kLockGrace{700};

std::unique_lock<std::timed_mutex> lock_for_stopping(Session& session) {
  std::unique_lock lock(session.mutex(), kLockGrace);
  if (!lock.owns_lock()) session.abandon_trace();
  return lock;
}

void on_interruption(int signal) {
  Session& session = Session::get();
  const auto lock = lock_for_stopping(session);
  session.stop_interrupted(signal);
}

void on_host_access() {
  Session& session = Session::get();
  const auto lock = lock_for_stopping(session);
  session.stop_for_host_access(refused_host_access());
}

void on_deadline() {
  Session& session = Session::get();
  {
    // A kernel that runs stops by itself and gives the lock back.
    const auto lock = lock_for_stopping(session);
    if (!session.kernel_ran_out_of_time()) session.stop_in_time();
  }
  std::this_thread::sleep_for(kShutdownGrace);
  const auto lock = lock_for_stopping(session);
  session.stop_in_time();
}

void on_program_exit(int status, void* noted_in) {
  auto* session = static_cast<Session*>(noted_in);
  // Not while a signal or the time limit ends the program: the status is theirs then.
  const std::lock_guard lock(session->mutex());
  session->note_exit_status(status);
}

void finish_session() {
  const FloatEnvironment environment;
  if (created_session == nullptr) return;
  int status = 0;
  {
    const std::lock_guard lock(created_session->mutex());
    const StopScope scope(created_session->stop_token());
    // A signal may have ended what the program was waiting for, and so the program.
    if (interrupted()) created_session->stop_interrupted(interruption_signal());
    try {
      created_session->run_queued();
    } catch (const Error& error) {
      created_session->report(error);
    } catch (const Stopped& stopped) {
      created_session->stop(stopped);
    }
    status = created_session->finish();
  }
  if (status != 0) end_process(status);
}

// Runs after the program's own exit handlers and static destructors.
[[gnu::destructor]] void finish_at_exit() { finish_session(); }

}  // namespace

Session& Session::get() {
  static Session* const session = [] {
    experiment::RunSettings settings =
        made_or_end(kUsageStatus, experiment::settings_from_environment);
    created_session = made_or_end(kFailureStatus, [&] { return new Session(std::move(settings)); });
    notify(ProgramNotice::kStarted);
    on_exit(on_program_exit, created_session);
    at_quick_exit(finish_session);  // it runs no destructors
    watch_from_outside({on_interruption, on_host_access, created_session->deadline(), on_deadline});
    return created_session;
  }();
  return *session;
}

}  // namespace raddle::host
