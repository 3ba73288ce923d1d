// A child process that can do little but compute: it writes nothing outside one folder, opens no
// sockets, starts no processes, touches no other process, and has limits of memory and time. By the
// kernel's own means (Landlock, seccomp, rlimits), so nobody needs privileges. docs/security.md
// says what that is worth.
#pragma once

#include <linux/filter.h>

#include <cstdint>
#include <string>
#include <vector>

namespace raddle::cuda {

struct SandboxLimits {
  std::uint64_t memory_bytes = std::uint64_t{8} << 30;  // the program's own, beside the device's
  std::uint64_t file_bytes = std::uint64_t{16} << 30;   // of one file
  std::uint64_t cpu_seconds = 3600;
};

class Sandbox {
 public:
  // `kept_handle`: a file descriptor that the program may have beside standard input and output.
  // Throws Error where the system lacks what is needed.
  Sandbox(const std::string& writable_folder, int kept_handle, const SandboxLimits& limits);
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  // In the child, between fork and exec: calls nothing but the system. False: it must not go on.
  bool enter() const;

 private:
  void allow_writing(const std::string& place, std::uint64_t rights) const;

  int ruleset_ = -1;
  int kept_handle_;
  SandboxLimits limits_;
  std::vector<sock_filter> filter_;
  std::vector<std::size_t> own_process_;  // instructions of the filter that compare with its id
};

}  // namespace raddle::cuda
