#include "base/console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/error.h"

namespace raddle {

namespace {

bool wants_colour(int stream) {
  const char* refused = std::getenv("NO_COLOR");
  return isatty(stream) == 1 && (refused == nullptr || *refused == '\0');
}

}  // namespace

void print(std::string_view text) {
  const bool good =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!good) throw Error(fmt::format("cannot write to standard output: {}", std::strerror(errno)));
}

void print_error(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

bool colour_errors() { return wants_colour(STDERR_FILENO); }
bool colour_output() { return wants_colour(STDOUT_FILENO); }

}  // namespace raddle
