#include "host/session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "base/number_format.h"
#include "experiment/result_json.h"
#include "host/call_sites.h"
#include "host/interruption.h"
#include "host/memory_pools.h"
#include "host/process.h"
#include "kernel/allocation_text.h"
#include "report/text/fault_list.h"
#include "report/text/text_summary.h"

namespace raddle::host {
namespace {

// So many launches may wait: each holds its arguments.
constexpr std::size_t kMaxQueuedLaunches = 1024;

thread_local cudaError_t thread_last_error = cudaSuccess;

std::vector<std::string> command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

// Copies within the device run at its own memory's rate, reading and writing.
double memory_bytes_per_second(const machine::DeviceDescription& device) {
  // Two transfers a clock.
  return 2e3 * device.memory_clock_khz * device.memory_bus_bits / 8;
}

bool wants_summary() {
  const char* value = getenv("RADDLE_SUMMARY");
  return value != nullptr && *value != '\0' && std::string_view(value) != "0";
}

// The time limit is for the whole program; this library is loaded when it starts.
const std::chrono::steady_clock::time_point kProgramStart = std::chrono::steady_clock::now();

}  // namespace

Session::Session(experiment::RunSettings settings) : settings_(std::move(settings)) {
  parameters_ = machine::load_parameters(settings_.machine, settings_.assignments);
  machine_ = machine::make_kernel_machine(parameters_);
  if (settings_.check.race) host_races_.emplace();
  const machine::Traits traits = machine::traits_of(parameters_);
  trace_ = experiment::open_trace(settings_, traits);
  print_error(experiment::ignored_settings(settings_, traits));

  std::vector<std::string> words = command_line();
  std::string program = settings_.program;
  if (program.empty() && !words.empty()) program = words.front();
  if (!words.empty()) words.erase(words.begin());
  result_ = experiment::start_result(program, std::move(words), settings_.machine, parameters_,
                                     machine_->peaks());
}

std::optional<std::chrono::steady_clock::time_point> Session::deadline() const {
  if (settings_.timeout_seconds <= 0) return std::nullopt;
  return kProgramStart + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                             std::chrono::duration<double>(settings_.timeout_seconds));
}

StopToken Session::stop_token() const {
  return StopToken(&interrupted(), deadline().value_or(StopToken::Clock::time_point::max()));
}

Device& Session::device() {
  if (device_ == nullptr) {
    // Where the speed of memory is modelled, it depends on where allocations lie: they stay there.
    const bool may_move = machine_->peaks().memory_bytes_per_second == 0;
    device_ = std::make_unique<Device>(description(), settings_.check.memory && may_move);
    device_->memory().know_sites(&CallSites::get());
    if (settings_.check.init && machine::traits_of(parameters_).finds.init)
      device_->memory().watch_writes();
  }
  return *device_;
}

cudaError_t Session::last_error() { return thread_last_error; }

void Session::clear_last_error() { thread_last_error = cudaSuccess; }

void Session::restore_last_error(cudaError_t error) { thread_last_error = error; }

cudaError_t Session::record(cudaError_t error) {
  if (error == cudaSuccess) return error;
  thread_last_error = error;
  const std::string told = ApiErrors::get().add(error);
  if (!told.empty() && get().settings_.check.api) print_error("raddle: warning: " + told);
  return error;
}

void Session::report(const Error& error) {
  print_error(fmt::format("raddle: error: {}\n", error.full_text()));
  failure_status_ = kFailureStatus;
}

void Session::mention(const Error& error) const {
  print_error(fmt::format("raddle: error: {}\n", error.full_text()));
}

std::optional<machine::Occupancy> Session::occupancy(const machine::Launch& launch) {
  try {
    return machine_->occupancy(device().program(), launch);
  } catch (const Error&) {
    return std::nullopt;
  }
}

void Session::explain_no_room(const machine::Launch& launch) {
  try {
    machine_->check(device().program(), launch);
  } catch (const Error& error) {
    mention(error);
  }
}

machine::LaunchOptions Session::launch_options() {
  machine::LaunchOptions options = experiment::launch_options(settings_);
  options.trace = trace_.get();
  options.print = [this](std::string_view text) {
    progress_.clear();
    std::fwrite(text.data(), 1, text.size(), stdout);
  };
  options.control = machine::RunControl(
      Cycle(settings_.max_cycles), stop_token(),
      [this](const machine::LaunchProgress& progress) { progress_.update(progress); });
  return options;
}

cudaError_t Session::run(const machine::Launch& launch) {
  const cudaError_t status = run_queued();
  if (status != cudaSuccess) return status;
  try {
    run_together({{{launch, 0}}, {}});
  } catch (const Error& error) {
    report(error);
    return cudaErrorNotSupported;
  }
  // Like a real launch: it is the next call that hears of the failure.
  return cudaSuccess;
}

cudaError_t Session::queue(const machine::Launch& launch, cudaStream_t stream) {
  try {
    machine_->check(device().program(), launch);
  } catch (const Error& error) {
    report(error);
    return cudaErrorNotSupported;
  }
  queue_.add(launch, stream);
  if (queue_.size() >= kMaxQueuedLaunches) run_queued();
  return cudaSuccess;
}

cudaError_t Session::run_queued() {
  if (!queue_.empty()) run_together(queue_.take());
  return sticky_error_;
}

cudaError_t Session::record_event(cudaEvent_t event, cudaStream_t stream) {
  if (is_legacy_stream(stream)) {
    const cudaError_t status = run_queued();
    if (status != cudaSuccess) return status;
  }
  event->recorded = true;
  if (!queue_.mark(event, stream)) event->seconds = seconds_;
  return cudaSuccess;
}

void Session::wait_for_event(cudaStream_t stream, cudaEvent_t event) {
  // What goes into the legacy stream comes after all that is queued.
  if (!is_legacy_stream(stream)) queue_.wait(stream, event);
}

void Session::run_together(const QueuedWork& work) {
  const machine::LaunchOptions options = launch_options();
  progress_.start(device().program().function(work.launches.front().launch.kernel).name);
  device().copy_mirrors_in();
  if (host_races_) host_races_->before_kernels(device().memory());
  std::vector<std::optional<machine::LaunchResult>> results;
  try {
    results =
        machine_->launch_together(device().program(), device().textures(), work.launches, options);
  } catch (const Error&) {
    progress_.clear();
    throw;
  }
  progress_.clear();
  if (trace_ != nullptr) trace_->flush();
  device().copy_mirrors_out();
  if (host_races_) host_races_->after_kernels(CallSites::get().here());

  for (const EventMark& mark : work.marks) {
    double end = 0;
    for (const std::size_t launch : mark.launches) {
      if (results[launch]) end = std::max(end, results[launch]->end_seconds());
    }
    mark.event->seconds = seconds_ + end;
  }
  // Of launches that were stopped together, one is to blame.
  bool complete = true;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i]) continue;
    complete = complete && results[i]->complete;
    const cudaError_t status = take_result(work.launches[i].launch, std::move(*results[i]));
    if (sticky_error_ == cudaSuccess) sticky_error_ = status;
  }
  if (!complete && sticky_error_ == cudaSuccess) sticky_error_ = cudaErrorLaunchFailure;
  if (interrupted()) stop_interrupted(interruption_signal());
}

cudaError_t Session::take_result(const machine::Launch& launch, machine::LaunchResult result) {
  seconds_ += result.added_seconds();
  fill_registers(launch, result);
  const std::lock_guard lock(result_mutex_);
  const std::uint64_t errors_before = faults_.count();
  faults_.add(result);
  cudaError_t status = cudaSuccess;
  for (std::size_t i = 0; i < result.faults.size(); ++i) {
    machine::Fault& fault = result.faults[i];
    explain_host_pointer(fault, launch, device().program().function(launch.kernel),
                         device().memory(), copies_);
    report::read_source(fault);
    const bool is_new = faults_.is_new(fault);
    if ((is_new && i < report::kMaxErrors) || fault.ends_launch)
      print_error(report::fault_error(&result, fault));
    if (fault.ends_launch && status == cudaSuccess) {
      status = error_of(fault.kind);
      if (status != cudaErrorLaunchTimeout)
        ApiErrors::get().add_failure(status, fault.kernel, fault.location);
    }
    if (fault.kind == machine::FaultKind::kWatchdogTimeout) kernel_ran_out_of_time_ = true;
  }
  if (!result.complete && !result_.partial) {
    result_.partial = true;
    result_.partial_reason =
        result.faults.empty() ? "stopped" : std::string(name_of(result.faults.back().kind));
  }
  if (status == cudaErrorLaunchTimeout) failure_status_ = kFailureStatus;
  if (settings_.check && faults_.count() != errors_before) failure_status_ = kFailureStatus;
  experiment::add_launch(result_, std::move(result));
  return status;
}

void Session::fill_registers(const machine::Launch& launch, machine::LaunchResult& result) {
  if (!result.kernel_launch || result.kernel_launch->registers_per_thread != 0) return;
  result.kernel_launch->registers_per_thread = device().facts(launch.kernel).registers;
}

void Session::count_copy(CopyDirection direction, std::uint64_t bytes) {
  const std::lock_guard lock(result_mutex_);
  experiment::CopyTotals& copies = result_.copies;
  switch (direction) {
    case CopyDirection::kHostToHost: return;
    case CopyDirection::kHostToDevice:
      copies.host_to_device_bytes += bytes;
      seconds_ += static_cast<double>(bytes) / description().host_link_bytes_per_second;
      break;
    case CopyDirection::kDeviceToHost:
      copies.device_to_host_bytes += bytes;
      seconds_ += static_cast<double>(bytes) / description().host_link_bytes_per_second;
      break;
    case CopyDirection::kDeviceToDevice:
      copies.device_to_device_bytes += bytes;
      seconds_ += 2 * static_cast<double>(bytes) / memory_bytes_per_second(description());
      break;
  }
  ++copies.copies;
}

void Session::reset_device() {
  run_queued();
  synchronised();
  device_.reset();
  forget_all_pool_memory();
  sticky_error_ = cudaSuccess;
  ApiErrors::get().looked_at_last();
  clear_last_error();
}

void Session::load_managed_variables() {
  const std::lock_guard lock(mutex_);
  const StopScope scope(stop_token());
  try {
    device().load_images();
  } catch (const Error& error) {
    report(error);
  } catch (const Stopped& stopped) {
    stop(stopped);
  }
}

void Session::write_result() {
  result_.exit_status = exit_status_;
  result_.host.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  result_.host.peak_memory_bytes = experiment::peak_memory_bytes();
  if (settings_.json_file == "-") {
    experiment::put_json(
        result_, [](std::string_view part) { std::fwrite(part.data(), 1, part.size(), stdout); });
  } else if (!settings_.json_file.empty()) {
    experiment::write_result_file(result_, settings_.json_file);
  }
  if (wants_summary()) {
    report::SummaryOptions options;
    if (settings_.json_file != "-") options.result_file = settings_.json_file;
    if (trace_ != nullptr) options.trace_file = settings_.trace_file;
    print_error(report::text_summary(result_, options));
  }
}

void Session::finish_trace() {
  if (trace_ == nullptr || trace_abandoned_) return;
  try {
    trace_->finish();
  } catch (const Error& error) {
    report(error);
  }
}

void Session::take_host_fault(machine::Fault fault) {
  report::read_source(fault);
  print_error(report::fault_error(nullptr, fault));
  faults_.add(fault);
  result_.totals.fault_count += fault.count;
  if (!report::is_harmless(fault.kind)) failure_status_ = kFailureStatus;
  result_.faults.push_back(std::move(fault));
}

void Session::take_uninitialised_copy(std::uint64_t address, std::uint64_t bytes) {
  machine::Fault fault;
  fault.kind = machine::FaultKind::kUninitialisedRead;
  fault.location = CallSites::get().text(CallSites::get().here());
  for (machine::Fault& before : result_.faults) {
    if (before.kind != fault.kind || before.location != fault.location) continue;
    ++before.count;
    ++result_.totals.fault_count;
    return;
  }
  fault.address = address;
  fault.message =
      fmt::format("copy to the host of {} bytes, some of which nobody has written: {}",
                  with_thousands(bytes), kernel::whereabouts(device().memory(), address));
  const std::lock_guard lock(result_mutex_);
  take_host_fault(std::move(fault));
}

void Session::synchronised() {
  if (host_races_) host_races_->synchronised();
}

void Session::note_async_copy(std::uint64_t destination, std::uint64_t source,
                              std::uint64_t bytes) {
  if (!host_races_ || bytes == 0) return;
  for (const std::uint64_t side : {destination, source}) {
    const kernel::Allocation* allocation = device().memory().find(side);
    if (allocation != nullptr && allocation->kind == kernel::AllocationKind::kPinnedHost)
      host_races_->after_copy(side, bytes, side == destination, CallSites::get().here());
  }
}

void Session::take_host_races() {
  if (!host_races_) return;
  for (const HostRaces::Found& found : host_races_->take()) {
    machine::Fault fault;
    fault.kind = machine::FaultKind::kHostRace;
    CallSites& sites = CallSites::get();
    const std::string earlier = sites.text(found.site);
    fault.message = fmt::format(
        "race with the host: it {} {:#x}, {}, which the {}{}{} may still be {}",
        found.access.writes ? "writes" : "reads", found.access.address,
        kernel::whereabouts(device().memory(), found.access.address),
        found.by_kernel ? "kernel launched" : "copy", earlier.empty() ? "" : " at ", earlier,
        found.access.writes && !found.by_kernel ? "reading or writing" : "writing");
    fault.address = found.access.address;
    fault.location = sites.text(sites.add(found.access.stack));
    fault.details.emplace_back(
        "hint: cudaDeviceSynchronize() or cudaStreamSynchronize() between the two orders them");
    const std::lock_guard lock(result_mutex_);
    take_host_fault(std::move(fault));
  }
}

// Grouped by the line that allocated.
void Session::take_leaks() {
  using kernel::AllocationKind;
  if (!settings_.check.leak || device_ == nullptr) return;
  struct Leak {
    std::uint64_t allocations = 0;
    std::uint64_t bytes = 0;
  };
  std::map<std::uint32_t, Leak> leaks;
  for (const kernel::Allocation* allocation : device_->memory().live()) {
    if (allocation->kind == AllocationKind::kVariable || allocation->kind == AllocationKind::kHeap)
      continue;
    Leak& leak = leaks[allocation->made_at];
    ++leak.allocations;
    leak.bytes += allocation->bytes;
  }
  for (const auto& [site, leak] : leaks) {
    machine::Fault fault;
    fault.kind = machine::FaultKind::kLeak;
    fault.location = CallSites::get().text(site);
    fault.message =
        fmt::format("{} byte{} of device memory {} never freed", with_thousands(leak.bytes),
                    leak.bytes == 1 ? "" : "s", leak.bytes == 1 ? "is" : "are");
    fault.count = leak.allocations;
    take_host_fault(std::move(fault));
  }
}

// A program that ends with a status of its own has noticed that something was wrong.
void Session::take_ignored_errors() {
  if (exit_status_ != 0 && !settings_.check.api) return;
  for (machine::Fault& fault : ApiErrors::get().ignored(settings_.check.api))
    take_host_fault(std::move(fault));
}

int Session::finish() {
  const std::lock_guard lock(result_mutex_);
  if (!finished_) {
    finished_ = true;
    std::fflush(stdout);
    take_host_races();
    take_ignored_errors();
    take_leaks();
    if (settings_.check) print_error(faults_.summary());
    if (!result_.partial) {
      for (const Error& remark : machine_->remarks())
        print_error(fmt::format("raddle: warning: {}\n", remark.full_text()));
    }
    finish_trace();
    if (exit_status_ == 0) exit_status_ = failure_status_;
    try {
      write_result();
    } catch (const Error& error) {
      report(error);
      print_error(report::text_summary(result_, {}));  // what is left of it
      notify(ProgramNotice::kNoResult);
    }
  }
  return exit_status_ != 0 ? exit_status_ : failure_status_;
}

void Session::stop_interrupted(int signal) { end_early("interrupted", 128 + signal); }

void Session::stop_for_host_access(const HostAccess& access) {
  machine::Fault fault;
  fault.kind = machine::FaultKind::kHostAccess;
  fault.message = fmt::format("the host {} device memory at {:#x}",
                              access.writes ? "writes to" : "reads", access.address);
  fault.address = access.address;
  const std::string where = kernel::whereabouts(device().memory(), access.address);
  if (!where.empty()) fault.message += ", " + where;
  fault.location = CallSites::get().text(CallSites::get().add(access.stack));
  fault.details.emplace_back(
      "hint: copy it with cudaMemcpy, or allocate it with cudaMallocManaged, which both can touch");
  {
    const std::lock_guard lock(result_mutex_);
    take_host_fault(std::move(fault));
  }
  end_early(name_of(machine::FaultKind::kHostAccess), kFailureStatus);
}

void Session::stop_in_time() {
  if (!kernel_ran_out_of_time_)
    print_error("raddle: error: stopped by --timeout\n  in host code\n");
  end_early(name_of(machine::FaultKind::kWatchdogTimeout), kFailureStatus);
}

void Session::stop(const Stopped& stopped) {
  const bool late = stopped.reason == StopReason::kTimeout;
  print_error(fmt::format("raddle: error: {}\n  while {}\n",
                          late ? "stopped by --timeout" : "interrupted", stopped.phase));
  if (!late) stop_interrupted(interruption_signal());
  end_early(name_of(machine::FaultKind::kWatchdogTimeout), kFailureStatus);
}

void Session::end_early(std::string_view reason, int status) {
  const std::lock_guard lock(result_mutex_);
  result_.partial = true;
  result_.partial_reason = reason;
  exit_status_ = status;
  finish();
  // Not all of stdio: a thread that waits for input holds its stream.
  std::fflush(stdout);
  _exit(status);
}

}  // namespace raddle::host
