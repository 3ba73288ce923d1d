// The command line of a benchmark program: numbers in a fixed order, each with a default and a
// range. What does not fit is refused with one line that says why, the usage line, and exit
// status 2.
#ifndef RADDLE_BENCHMARKS_CUDA_COMMON_ARGUMENTS_H
#define RADDLE_BENCHMARKS_CUDA_COMMON_ARGUMENTS_H

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

namespace benchmark {

class Arguments {
 public:
  // `usage` is the program's name and its arguments, as in "reduce [ELEMENTS] [SEED]".
  Arguments(int argc, char** argv, std::string usage)
      : next_(argv + 1), end_(argv + argc), usage_(std::move(usage)) {}
  // The same for programs that share what is around their kernels.
  Arguments(int argc, char** argv, const char* program, const char* arguments)
      : Arguments(argc, argv, std::string(program) + " " + arguments) {}

  // The next argument, or the default where the command line has ended.
  int number(const char* name, int default_value, int least, int most) {
    if (next_ >= end_) return default_value;
    const char* text = *next_++;
    char* rest = nullptr;
    errno = 0;
    const long value = std::strtol(text, &rest, 10);
    if (rest == text || *rest != '\0') reject("%s must be a whole number, not '%s'", name, text);
    if (errno != 0 || value < least || value > most)
      reject("%s must be from %d to %d, not %s", name, least, most, text);
    return static_cast<int>(value);
  }

  // The same for a size that the kernel takes only in whole blocks or tiles.
  int multiple_of(int unit, const char* name, int default_value, int least, int most) {
    const int value = number(name, default_value, least, most);
    if (value % unit != 0) reject("%s must be a multiple of %d, not %d", name, unit, value);
    return value;
  }

  // The seed of the inputs, by custom the last argument; nothing may follow the last one.
  int seed() { return number("SEED", 1, 0, 2147483647); }
  void end() {
    if (next_ < end_) reject("unexpected argument '%s'", *next_);
  }

  // For what only several arguments together show.
  [[noreturn]] __attribute__((format(printf, 2, 3))) void reject(const char* format, ...) const {
    std::fprintf(stderr, "%.*s: ", static_cast<int>(usage_.find(' ')), usage_.c_str());
    std::va_list values;
    va_start(values, format);
    std::vfprintf(stderr, format, values);
    va_end(values);
    std::fprintf(stderr, "\nusage: %s\n", usage_.c_str());
    std::exit(2);
  }

 private:
  char** next_;
  char** end_;
  std::string usage_;
};

}  // namespace benchmark

#endif
