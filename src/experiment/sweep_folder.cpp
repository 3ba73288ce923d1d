#include "experiment/sweep_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/error.h"
#include "experiment/result_json.h"

namespace raddle::experiment {

namespace {

namespace fs = std::filesystem;

constexpr const char* kWorkingPrefix = "working-";

[[noreturn]] void fail(const fs::path& path, const std::string& reason) {
  throw Error(fmt::format("cannot write '{}': {}", path.string(), reason), {},
              "choose another folder with -o FOLDER");
}

int open_lock(const fs::path& file) {
  const int lock = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock < 0) fail(file, std::strerror(errno));
  return lock;
}

// One sweep at a time looks for what others left; locks end with their process.
class Turn {
 public:
  explicit Turn(const fs::path& file) : lock_(open_lock(file)) {
    while (::flock(lock_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~Turn() { ::close(lock_); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  int lock_;
};

void rename_file(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) fail(to, error.message());
}

}  // namespace

SweepFolder::SweepFolder(const fs::path& output_folder)
    : output_(output_folder), cells_(output_folder / "cells") {
  std::error_code error;
  fs::create_directories(cells_, error);
  if (error) fail(cells_, error.message());
  const Turn turn(cells_ / ".turn");
  remove_left_over();
  std::string pattern = (cells_ / fmt::format("{}XXXXXX", kWorkingPrefix)).string();
  if (::mkdtemp(pattern.data()) == nullptr) fail(cells_, std::strerror(errno));
  working_ = pattern;
  lock_ = open_lock(working_ / ".lock");
  ::flock(lock_, LOCK_EX | LOCK_NB);
}

SweepFolder::~SweepFolder() {
  std::error_code ignored;
  fs::remove_all(working_, ignored);
  ::close(lock_);
}

// A working folder whose lock is free belongs to a sweep that is no more.
void SweepFolder::remove_left_over() {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(cells_, ignored)) {
    if (!entry.path().filename().string().starts_with(kWorkingPrefix)) continue;
    const int lock = open_lock(entry.path() / ".lock");
    if (::flock(lock, LOCK_EX | LOCK_NB) == 0) fs::remove_all(entry.path(), ignored);
    ::close(lock);
  }
}

std::string SweepFolder::result_name(const std::string& key) {
  return fmt::format("cells/{}.json", key);
}

std::string SweepFolder::log_name(const std::string& key) {
  return fmt::format("cells/{}.log", key);
}

std::optional<RunResult> SweepFolder::finished(const std::string& key) const {
  std::error_code ignored;
  const fs::path file = output_ / result_name(key);
  if (!fs::is_regular_file(file, ignored)) return std::nullopt;
  try {
    return read_result_file(file.string());
  } catch (const Error&) {
    return std::nullopt;
  }
}

SweepFolder::Workplace SweepFolder::workplace(const std::string& key) const {
  const fs::path folder = working_ / key;
  return {folder, folder / "result.json", folder / "log"};
}

SweepFolder::Workplace SweepFolder::start(const std::string& key) {
  Workplace place = workplace(key);
  std::error_code error;
  fs::remove_all(place.folder, error);
  fs::create_directories(place.folder, error);
  if (error) fail(place.folder, error.message());
  return place;
}

void SweepFolder::keep(const std::string& key, bool with_result) {
  const Workplace place = workplace(key);
  std::error_code ignored;
  if (fs::exists(place.log, ignored)) rename_file(place.log, output_ / log_name(key));
  if (with_result) rename_file(place.result, output_ / result_name(key));
  fs::remove_all(place.folder, ignored);
}

}  // namespace raddle::experiment
