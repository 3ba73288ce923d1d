#include "base/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/error.h"

namespace raddle {
namespace {

namespace fs = std::filesystem;

std::string reason_of(int error) { return std::generic_category().message(error); }

[[noreturn]] void fail_to_write(const fs::path& path, int error) {
  std::string hint;
  if (error == ENOSPC || error == EDQUOT || error == EFBIG)
    hint = "free some space or name another folder";
  if (error == EACCES || error == EPERM || error == EROFS)
    hint = "name a folder that you may write to";
  if (error == ENOENT || error == ENOTDIR)
    hint = fmt::format("create the folder '{}' first", path.parent_path().string());
  throw Error(fmt::format("cannot write '{}': {}", path.string(), reason_of(error)), {},
              std::move(hint));
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  // Some file systems tell only here that the disk is full.
  int close() { return ::close(std::exchange(number_, -1)) == 0 ? 0 : errno; }

 private:
  int number_;
};

using Producer = std::function<void(const TextSink&)>;

// 0, or the error number; after an error the rest is not written.
int write_all(int descriptor, const Producer& produce) {
  int error = 0;
  produce([&](std::string_view content) {
    while (error == 0 && !content.empty()) {
      const ssize_t written = ::write(descriptor, content.data(), content.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) {
        error = errno;
      } else {
        content.remove_prefix(static_cast<std::size_t>(written));
      }
    }
  });
  return error;
}

void write_in_place(const fs::path& path, const Producer& produce) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.number() < 0) fail_to_write(path, errno);
  if (const int error = write_all(file.number(), produce)) fail_to_write(path, error);
  if (const int error = file.close()) fail_to_write(path, error);
}

fs::path temporary_name(const fs::path& path) {
  static std::atomic<unsigned> counter{0};  // two threads may write the same file
  const std::string name =
      fmt::format(".{}.{}.{}.partial", path.filename().string(), ::getpid(), counter++);
  return path.parent_path() / name;
}

// 0, or the error number; the temporary file is closed either way.
int write_temporary(const fs::path& temporary, mode_t mode, const Producer& produce) {
  Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (file.number() < 0) return errno;
  if (mode != 0 && ::fchmod(file.number(), mode) != 0) return errno;
  if (const int error = write_all(file.number(), produce)) return error;
  if (::fsync(file.number()) != 0 && errno != EINVAL) return errno;
  return file.close();
}

}  // namespace

void write_file_atomically(const fs::path& path, std::string_view content) {
  write_file_atomically(path, [&](const TextSink& put) { put(content); });
}

void write_file_atomically(const fs::path& path, const Producer& produce) {
  struct stat status{};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail_to_write(path, EISDIR);
  if (exists && !S_ISREG(status.st_mode)) return write_in_place(path, produce);
  // The rename would bypass a file's own write protection.
  if (exists && ::access(path.c_str(), W_OK) != 0) fail_to_write(path, errno);

  const fs::path target = exists ? fs::canonical(path) : path;
  const fs::path temporary = temporary_name(target);
  int error = write_temporary(temporary, exists ? status.st_mode & 07777 : 0, produce);
  if (error == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) error = errno;
  if (error == 0) return;
  ::unlink(temporary.c_str());
  fail_to_write(path, error);
}

void write_scratch_file(const fs::path& path, std::string_view content) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.number() < 0) fail_to_write(path, errno);
  if (const int error = write_all(file.number(), [&](const TextSink& put) { put(content); }))
    fail_to_write(path, error);
  if (const int error = file.close()) fail_to_write(path, error);
}

std::string read_file(const fs::path& path) {
  const auto fail = [&](int error) {
    throw Error(fmt::format("cannot read '{}': {}", path.string(), reason_of(error)));
  };
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0) fail(errno);
  std::string content;
  std::string buffer(std::size_t{1} << 16, '\0');
  for (;;) {
    const ssize_t count = ::read(file.number(), buffer.data(), buffer.size());
    if (count == 0) return content;
    if (count < 0 && errno != EINTR) fail(errno);
    if (count > 0) content.append(buffer, 0, static_cast<std::size_t>(count));
  }
}

}  // namespace raddle
