#include "host/host_access.h"

#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>

#include "host/host_races.h"
#include "kernel/address_map.h"

namespace raddle::host {
namespace {

HostAccess refused;
std::atomic<bool> is_refused{false};
std::atomic<int> wake_up{-1};

// Below the host's libraries nothing else lies here (address_map.h).
constexpr std::uint64_t kDeviceEnd = 0x4000'0000'0000;

void on_fault(int signal, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
  constexpr greg_t kWrites = 2;  // of the page fault's error code
  const bool writes =
      (static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & kWrites) != 0;
  const bool of_device = address >= kernel::kGlobalBase && address < kDeviceEnd;
  if (of_device && note_host_race({address, writes, call_stack()})) return;
  if (!of_device || is_refused.exchange(true)) {
    // As if nobody had looked: the same instruction fails once more.
    ::signal(signal, SIG_DFL);
    return;
  }
  refused = {address, writes, call_stack()};
  const auto number = static_cast<unsigned char>(signal);
  [[maybe_unused]] const ssize_t written = write(wake_up, &number, 1);
  for (;;) pause();
}

}  // namespace

void watch_host_accesses(int write_to) {
  struct sigaction current{};
  if (sigaction(SIGSEGV, nullptr, &current) != 0 || current.sa_handler != SIG_DFL) return;
  wake_up = write_to;
  call_stack();  // what unwinding loads is loaded now
  struct sigaction action{};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, nullptr);
}

const HostAccess& refused_host_access() { return refused; }

}  // namespace raddle::host
