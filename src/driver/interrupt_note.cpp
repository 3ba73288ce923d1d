#include "driver/interrupt_note.h"

#include "base/exit_status.h"

namespace raddle::driver {

namespace {

std::atomic<bool> interrupted = false;
std::atomic<int> interrupting_signal = SIGINT;

void note_interrupt(int signal) {
  interrupting_signal = signal;
  interrupted = true;
}

// Signals that the parent process had ignored stay ignored.
void install(int signal, struct sigaction& old) {
  struct sigaction action{};
  action.sa_handler = note_interrupt;
  sigaction(signal, &action, &old);
  if (old.sa_handler == SIG_IGN) sigaction(signal, &old, nullptr);
}

}  // namespace

InterruptNote::InterruptNote() {
  interrupted = false;
  install(SIGINT, old_interrupt_);
  install(SIGTERM, old_terminate_);
}

InterruptNote::~InterruptNote() {
  sigaction(SIGINT, &old_interrupt_, nullptr);
  sigaction(SIGTERM, &old_terminate_, nullptr);
}

const std::atomic<bool>* InterruptNote::flag() { return &interrupted; }

int InterruptNote::status_of(const machine::LaunchResult& launch) {
  if (interrupted) return 128 + interrupting_signal;
  return launch.fault_count != 0 || !launch.complete ? kUserFault : 0;
}

std::string InterruptNote::reason_of(const machine::LaunchResult& launch) {
  if (interrupted) return "interrupted";
  return launch.faults.empty() ? "stopped" : std::string(name_of(launch.faults.back().kind));
}

int InterruptNote::status_of(const Stopped& stopped) {
  return stopped.reason == StopReason::kInterrupted ? 128 + interrupting_signal : kUserFault;
}

std::string InterruptNote::reason_of(const Stopped& stopped) {
  return std::string(name_of(stopped.reason == StopReason::kInterrupted
                                 ? machine::FaultKind::kInterrupted
                                 : machine::FaultKind::kWatchdogTimeout));
}

}  // namespace raddle::driver
