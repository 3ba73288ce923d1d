#include "host/api_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/source_line.h"
#include "host/call_sites.h"

namespace raddle::host {
namespace {

using kernel::exec::Fault;
using kernel::exec::FaultKind;

// A program may make mistakes in a loop.
constexpr std::size_t kMaxGiven = 1000;

thread_local std::string explanation;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
    text.remove_suffix(1);
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  return text;
}

// Whether a statement can begin after this text: the end of another, a brace, "else", "if (…)".
bool ends_a_statement(std::string_view before) {
  constexpr std::array<std::string_view, 3> kCasts = {"(void)", "(cudaError_t)", "(int)"};
  for (const std::string_view cast : kCasts) {
    if (before.ends_with(cast)) return false;
  }
  return before.ends_with("else") || before.ends_with("*/") || before.starts_with("//") ||
         before.starts_with('#') ||
         std::string_view(";{}:)").find(before.back()) != std::string_view::npos;
}

// Whether the line calls the function and does nothing with what it returns. False where the line
// is not there to read, or the call is in a macro.
bool stands_alone(SourcePlace place, const std::string& function) {
  const std::optional<std::string> line = source_line(place);
  if (!line || function.empty()) return false;
  const std::size_t call = line->find(function);
  if (call == std::string::npos) return false;
  std::string before(trimmed(std::string_view(*line).substr(0, call)));
  while (before.empty() && place.line > 1) {
    --place.line;
    before = trimmed(source_line(place).value_or(""));
  }
  return before.empty() || ends_a_statement(before);
}

}  // namespace

ApiErrors& ApiErrors::get() {
  static auto* const errors = new ApiErrors;
  return *errors;
}

void ApiErrors::explain(std::string why) { explanation = std::move(why); }

bool ApiErrors::is_lost(const Given& given) {
  if (given.launch || given.failure) return true;
  CallSites& sites = CallSites::get();
  return stands_alone(sites.place(given.site), sites.function(given.site));
}

std::string ApiErrors::add(cudaError_t error) {
  const std::string why = std::exchange(explanation, {});
  Given given;
  given.error = error;
  given.site = CallSites::get().here();
  given.launch = LaunchSite::is_set();
  const std::lock_guard lock(mutex_);
  for (Given& before : given_) {
    if (before.error != error) continue;
    if (before.failure) {
      // The kernel's, once more.
      before.looked_at = before.looked_at || !is_lost(given);
      return {};
    }
    if (before.site != given.site) continue;
    ++before.count;
    before.looked_at = false;
    return {};
  }
  if (given_.size() == kMaxGiven) return {};
  CallSites& sites = CallSites::get();
  const std::string function = sites.function(given.site);
  given.location = sites.text(given.site);
  given.message = fmt::format(
      "{} {} ({}){}{}",
      given.launch ? "launch refused:" : (function.empty() ? "a call" : function) + " gave",
      name_of(error), description_of(error), why.empty() ? "" : ": ", why);
  given_.push_back(given);
  return fmt::format("{}\n{}", given.message,
                     given.location.empty() ? "" : fmt::format("  at {}\n", given.location));
}

void ApiErrors::add_failure(cudaError_t error, const std::string& kernel,
                            const std::string& location) {
  const std::lock_guard lock(mutex_);
  Given given;
  given.error = error;
  given.failure = true;
  given.message =
      fmt::format("kernel {} failed with {} ({})", kernel, name_of(error), description_of(error));
  given.location = location;
  given_.push_back(std::move(given));
}

void ApiErrors::looked_at_last() {
  const std::lock_guard lock(mutex_);
  for (Given& given : given_) given.looked_at = true;
}

void ApiErrors::looked_at(cudaError_t error) {
  const std::lock_guard lock(mutex_);
  for (Given& given : given_) given.looked_at = given.looked_at || given.error == error;
}

std::vector<Fault> ApiErrors::ignored(bool all) {
  const std::lock_guard lock(mutex_);
  std::vector<Fault> faults;
  for (const Given& given : given_) {
    if (given.looked_at || (!all && !given.launch && !given.failure) || !is_lost(given)) continue;
    Fault fault;
    fault.kind = FaultKind::kIgnoredError;
    fault.message = given.message + ", and the program never looked at this error";
    fault.location = given.location;
    fault.count = given.count;
    fault.details.emplace_back(
        given.launch || given.failure
            ? "hint: after a launch, cudaGetLastError() tells whether it was accepted, "
              "cudaDeviceSynchronize() whether the kernel succeeded"
            : "hint: compare what the function returns with cudaSuccess");
    faults.push_back(std::move(fault));
  }
  return faults;
}

}  // namespace raddle::host
