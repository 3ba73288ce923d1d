#include "host/process.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

namespace raddle::host {

void print_error(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void notify(ProgramNotice notice) {
  const char* variable = getenv(kNoticeVariable);
  int handle = -1;
  unsigned long inode = 0;
  if (variable == nullptr || std::sscanf(variable, "%d:%lu", &handle, &inode) != 2) return;
  struct stat status{};
  if (fstat(handle, &status) != 0 || !S_ISSOCK(status.st_mode) || status.st_ino != inode) return;
  const auto letter = static_cast<char>(notice);
  // Whoever does not listen any more has no use for it.
  [[maybe_unused]] const ssize_t sent = send(handle, &letter, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void end_process(int status) {
  // _exit skips what exit() would flush.
  std::cout.flush();
  std::fflush(nullptr);
  _exit(status);
}

}  // namespace raddle::host
