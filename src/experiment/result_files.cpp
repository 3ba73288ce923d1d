#include "experiment/result_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cctype>
#include <string_view>
#include <system_error>

#include "base/content_hash.h"
#include "base/error.h"
#include "experiment/result_json.h"

namespace raddle::experiment {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxReadable = 60;  // characters of a name
constexpr std::size_t kHashDigits = 8;

[[noreturn]] void fail(const fs::path& file, const std::error_code& error) {
  throw Error(fmt::format("cannot write the result: {}", error.message()), file.string());
}

// As part of a file's name: without leading dashes, and with _ for what shells or file systems may
// take for something else.
std::string readable(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
  std::string text;
  for (const char c : word) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                       std::string_view("=.,+-").find(c) != std::string_view::npos;
    text += plain ? c : '_';
  }
  return text;
}

std::string stem_of(const RunResult& result, const std::vector<std::string>& identity) {
  ContentHash hash;
  hash.add(result.program).add(result.parameters_hash);
  std::string words;
  const auto add_word = [&](const std::string& word) {
    const std::string text = readable(word);
    if (!text.empty()) words += (words.empty() ? "" : "_") + text;
  };
  for (const std::string& argument : result.arguments) {
    hash.add(argument);
    add_word(argument);
  }
  for (const std::string& part : identity) hash.add(part);
  for (const machine::Parameter& parameter : result.parameters) {
    if (parameter.overridden)
      add_word(fmt::format("{}={}", parameter.key, machine::to_string(parameter.value)));
  }
  std::string stem = words.substr(0, kMaxReadable);
  if (!stem.empty()) stem += '-';
  stem += hash.hex().substr(0, kHashDigits);
  return result.partial ? stem + "-partial" : stem;
}

// Whether two files tell of the same run with the same figures, whatever the host took for it. A
// file that cannot be read is not the same as any other.
bool is_same_result(const fs::path& a, const fs::path& b) {
  const auto without_host = [](const fs::path& file) {
    RunResult result = read_result_file(file.string());
    result.host = {};
    return to_json(result);
  };
  try {
    return without_host(a) == without_host(b);
  } catch (const Error&) {
    return false;
  }
}

// Gives a file a name that no file has; of several processes that try, one succeeds. The others get
// the error file_exists.
std::error_code claim_name(const fs::path& file, const fs::path& name) {
  std::error_code error;
  fs::create_hard_link(file, name, error);
  // Not every file system has links.
  if (error && error != std::errc::file_exists) fs::copy_file(file, name, error);
  return error;
}

// So that there is always one, whenever somebody looks.
void point_to(const fs::path& link, const fs::path& target) {
  const fs::path fresh = fmt::format("{}.{}", link.string(), getpid());
  std::error_code error;
  fs::remove(fresh, error);
  fs::create_symlink(target, fresh, error);
  // Not every file system has links.
  if (error) fs::copy_file(link.parent_path() / target, fresh, error);
  if (error) fail(link, error);
  fs::rename(fresh, link, error);
  if (error) fail(link, error);
}

// Empty: there is no result.
fs::path newest_in(const fs::path& folder) {
  fs::path newest;
  fs::file_time_type time;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".json") continue;
    const fs::file_time_type written = entry.last_write_time(error);
    if (error || (!newest.empty() && written <= time)) continue;
    newest = entry.path();
    time = written;
  }
  return newest;
}

}  // namespace

ResultFiles::ResultFiles(const fs::path& folder, const std::string& program,
                         const std::string& machine)
    : folder_(fs::absolute(folder)), name_(fmt::format("{}-{}", program, machine)) {
  std::error_code ignored;
  fs::remove(pending(), ignored);  // what a killed process left must not pass for this run's
}

std::string ResultFiles::pending() const {
  return (folder_ / fmt::format(".{}-{}.json", name_, getpid())).string();
}

std::string ResultFiles::keep(const RunResult& result,
                              const std::vector<std::string>& identity) const {
  const std::string stem = stem_of(result, identity);
  fs::path name = fs::path(name_) / (stem + ".json");
  std::error_code error;
  fs::create_directories(folder_ / name_, error);
  if (error) fail(folder_ / name_, error);
  // What a run reads, its environment and another build of Raddle are in no name.
  for (int number = 2; (error = claim_name(pending(), folder_ / name)); ++number) {
    if (error != std::errc::file_exists) fail(folder_ / name, error);
    if (is_same_result(pending(), folder_ / name)) break;
    name = fs::path(name_) / fmt::format("{}-{}.json", stem, number);
  }
  // An equal result is replaced.
  if (error) fs::rename(pending(), folder_ / name, error);
  if (error) fail(folder_ / name, error);
  fs::remove(pending(), error);
  point_to(folder_ / (name_ + ".json"), name);
  return (folder_ / name).string();
}

void remove_result_file(const fs::path& file) {
  std::error_code ignored;
  const fs::path folder = file.parent_path();
  const fs::path newest = folder.string() + ".json";
  const bool is_newest = fs::is_symlink(newest, ignored) && fs::equivalent(newest, file, ignored);
  fs::remove(file, ignored);
  fs::remove(fs::path(file).replace_extension(".log"), ignored);  // of a cell of a sweep
  if (is_newest) {
    fs::remove(newest, ignored);
    if (const fs::path next = newest_in(folder); !next.empty())
      point_to(newest, folder.filename() / next.filename());
  }
  if (fs::is_empty(folder, ignored)) fs::remove(folder, ignored);
}

}  // namespace raddle::experiment
