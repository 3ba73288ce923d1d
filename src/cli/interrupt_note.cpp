#include "cli/interrupt_note.h"

#include "cli/commands.h"

namespace raddle::cli {

namespace {

std::atomic<bool> interrupted = false;
std::atomic<int> interrupting_signal = SIGINT;

void note_interrupt(int signal) {
  interrupting_signal = signal;
  interrupted = true;
}

}  // namespace

InterruptNote::InterruptNote() {
  interrupted = false;
  struct sigaction action{};
  action.sa_handler = note_interrupt;
  sigaction(SIGINT, &action, &old_interrupt_);
  sigaction(SIGTERM, &action, &old_terminate_);
}

InterruptNote::~InterruptNote() {
  sigaction(SIGINT, &old_interrupt_, nullptr);
  sigaction(SIGTERM, &old_terminate_, nullptr);
}

const std::atomic<bool>* InterruptNote::flag() const { return &interrupted; }

int InterruptNote::status_of(const machine::LaunchResult& launch) const {
  if (interrupted) return 128 + interrupting_signal;
  return launch.fault_count != 0 || !launch.complete ? kUserFault : 0;
}

std::string InterruptNote::reason_of(const machine::LaunchResult& launch) const {
  if (interrupted) return "interrupted";
  return launch.faults.empty() ? "stopped" : std::string(name_of(launch.faults.back().kind));
}

}  // namespace raddle::cli
