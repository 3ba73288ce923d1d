// One per process, made at the first CUDA call: the machine that the environment chose, its device,
// the errors CUDA remembers, and the result that is written when the program ends. All API
// functions hold its lock while they work; call them through api_call.h. The result has a lock of
// its own, so that it can be written where work under the first one does not end.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/stop_token.h"
#include "experiment/launch_settings.h"
#include "experiment/run_result.h"
#include "experiment/run_settings.h"
#include "host/api_errors.h"
#include "host/cuda_api.h"
#include "host/device.h"
#include "host/fault_report.h"
#include "host/host_access.h"
#include "host/host_pointers.h"
#include "host/host_races.h"
#include "host/launch_queue.h"
#include "machine/kernel_machine.h"
#include "report/text/progress_line.h"

namespace raddle::host {

enum class CopyDirection { kHostToHost, kHostToDevice, kDeviceToHost, kDeviceToDevice };

class Session {
 public:
  // Settings that cannot be used are printed and end the process: with status 2 if they cannot even
  // be read, with 1 if what they ask for cannot be had, as `raddle run` does.
  static Session& get();

  std::timed_mutex& mutex() { return mutex_; }
  // What ends the work of an API function early: a signal, or the end of the time limit.
  StopToken stop_token() const;
  Device& device();
  const machine::DeviceDescription& description() const { return machine_->description(); }
  // What the machine says; nothing where it cannot run the kernel at all, of which the launch
  // tells.
  std::optional<machine::Occupancy> occupancy(const machine::Launch& launch);
  bool check() const { return settings_.check; }

  // --- errors: the last one of each host thread, and the one that stays until the device is reset
  static cudaError_t last_error();
  static void clear_last_error();
  // A call gives the program this error.
  static cudaError_t record(cudaError_t error);
  static void restore_last_error(cudaError_t error);
  cudaError_t sticky_error() const { return sticky_error_; }
  void report(const Error& error);
  // Prints the error, but the exit status stays the program's: it got an error code and may know
  // what to do.
  void mention(const Error& error) const;
  // Prints why the machine has no room for the launch, where it has an explanation.
  void explain_no_room(const machine::Launch& launch);
  // Why the running API call is refused.
  static void explain(std::string text) { ApiErrors::get().explain(std::move(text)); }

  // --- work
  // Runs a launch that has been checked, after those that are queued. What the kernel did wrong
  // becomes the sticky error.
  cudaError_t run(const machine::Launch& launch);
  // Leaves it for later, when launches of other streams may have come to run beside it.
  cudaError_t queue(const machine::Launch& launch, cudaStream_t stream);
  // Runs what is queued, if anything is; the sticky error if that fails.
  cudaError_t run_queued();
  // The event happens when all that the stream was given before has ended.
  cudaError_t record_event(cudaEvent_t event, cudaStream_t stream);
  // What the stream is given next comes after the event.
  void wait_for_event(cudaStream_t stream, cudaEvent_t event);
  void count_copy(CopyDirection direction, std::uint64_t bytes);
  HostCopies& copies() { return copies_; }
  // The program has waited for the device.
  void synchronised();
  // An asynchronous copy: pinned memory on either side is in use until the program has waited.
  void note_async_copy(std::uint64_t destination, std::uint64_t source, std::uint64_t bytes);
  // Reports what the host touched too early since the last call of the API.
  void take_host_races();
  // The machine hears of every stretch of device memory that a copy from the host or a memset
  // wrote.
  void host_wrote(std::uint64_t address, std::uint64_t bytes) {
    machine_->host_wrote(Address(address), Bytes(bytes));
  }
  // A copy to the host of memory that nobody has written; the first byte of it.
  void take_uninitialised_copy(std::uint64_t address, std::uint64_t bytes);
  double simulated_seconds() const { return seconds_; }
  void reset_device();
  void load_managed_variables();

  // --- the end
  void note_exit_status(int status) { exit_status_ = status; }
  // Writes the result and prints what is due; the second call does nothing. Returns the status to
  // end with, which is the program's own unless something went wrong that it may not have noticed.
  int finish();
  [[noreturn]] void stop_interrupted(int signal);
  // The host touched memory of the device.
  [[noreturn]] void stop_for_host_access(const HostAccess& access);
  // The time limit is over. A kernel that it stopped has said so, and its program has heard of it.
  [[noreturn]] void stop_in_time();
  // A kernel that does not stop goes on writing its trace: that is left unfinished.
  void abandon_trace() { trace_abandoned_ = true; }
  // A phase before a launch was stopped.
  [[noreturn]] void stop(const Stopped& stopped);
  bool kernel_ran_out_of_time() const { return kernel_ran_out_of_time_; }

 private:
  explicit Session(experiment::RunSettings settings);

  std::optional<std::chrono::steady_clock::time_point> deadline() const;
  [[noreturn]] void end_early(std::string_view reason, int status);
  void write_result();
  void finish_trace();
  machine::LaunchOptions launch_options();
  // What the machine throws is thrown.
  void run_together(const QueuedWork& work);
  // The error that its faults amount to.
  cudaError_t take_result(const machine::Launch& launch, machine::LaunchResult result);
  // Prints what the host's part of the program did wrong and counts it.
  void take_host_fault(machine::Fault fault);
  void take_ignored_errors();
  void take_leaks();
  void fill_registers(const machine::Launch& launch, machine::LaunchResult& result);

  std::timed_mutex mutex_;
  std::recursive_mutex result_mutex_;  // of result_, faults_ and what follows from them
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  experiment::RunSettings settings_;
  machine::ParameterTable parameters_;
  std::unique_ptr<sim::TraceFile> trace_;  // null: none
  std::unique_ptr<machine::KernelMachine> machine_;
  experiment::RunResult result_;
  std::unique_ptr<Device> device_;
  LaunchQueue queue_;
  FaultTally faults_;
  HostCopies copies_;
  std::optional<HostRaces> host_races_;  // where they are looked for
  report::ProgressLine progress_ = report::progress_line_on_terminal();
  cudaError_t sticky_error_ = cudaSuccess;
  double seconds_ = 0;      // simulated, of launches and copies: the clock that events read
  int exit_status_ = 0;     // the program's own
  int failure_status_ = 0;  // ours, where the program's own would hide a failure
  bool kernel_ran_out_of_time_ = false;
  bool finished_ = false;
  bool trace_abandoned_ = false;
};

}  // namespace raddle::host
