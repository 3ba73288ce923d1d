// random_kernels: makes programs of random kernels, compiles them with `raddle cc` and runs them.
//   --seed N [--count K] --emit              print the program of seeds N … N+K-1
//   --seed N [--count K] --raddle PATH [--folder DIR] [--machine NAME]    compile and run it; exit
//   0 if device and host agree
//   --seconds S --raddle PATH …              the same with fresh seeds for so long
//   --no-calls                               helpers are inlined, for machines without calls
#include <fmt/format.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>

#include "generator.h"

namespace {

struct Settings {
  std::uint64_t seed = 1;
  int count = 1;
  int seconds = 0;
  bool emit = false;
  bool no_calls = false;
  std::string raddle = "raddle";
  std::string folder;
  std::string machine = "ref";
};

Settings read_settings(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--emit") {
      settings.emit = true;
      continue;
    }
    if (word == "--no-calls") {
      settings.no_calls = true;
      continue;
    }
    if (i + 1 >= argc) throw std::runtime_error(fmt::format("{} needs a value", word));
    const std::string value = argv[++i];
    if (word == "--seed")
      settings.seed = std::stoull(value);
    else if (word == "--count")
      settings.count = std::stoi(value);
    else if (word == "--seconds")
      settings.seconds = std::stoi(value);
    else if (word == "--raddle")
      settings.raddle = value;
    else if (word == "--folder")
      settings.folder = value;
    else if (word == "--machine")
      settings.machine = value;
    else
      throw std::runtime_error(fmt::format("unknown option {}", word));
  }
  return settings;
}

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

int shell(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

// Exit status of the program, or of the compiler if that failed.
int compile_and_run(const Settings& settings, const std::filesystem::path& folder) {
  const std::filesystem::path source = folder / fmt::format("seed_{}.cu", settings.seed);
  const std::filesystem::path program = folder / fmt::format("seed_{}", settings.seed);
  std::ofstream(source) << raddle::random_kernels::generate_program(settings.seed, settings.count);
  // The host's half is compiled without optimisation: the plainest reading of the program, and the
  // quickest.
  const int compiled = shell(fmt::format(
      "{} cc -w -O0 -fmad=false -Xcompiler -ffp-contract=off{} {} -o {}", quoted(settings.raddle),
      settings.no_calls ? " -DNO_CALLS" : "", quoted(source.string()), quoted(program.string())));
  if (compiled != 0) {
    std::cout << fmt::format("the program of seed {} was not compiled; it is {}\n", settings.seed,
                             source.string());
    return compiled;
  }
  const int status = shell(
      fmt::format("RADDLE_MACHINE={} {}", quoted(settings.machine), quoted(program.string())));
  if (status == 0) {
    std::filesystem::remove(source);
    std::filesystem::remove(program);
  } else {
    std::cout << fmt::format("failed: see {}; again with --seed N --emit\n", source.string());
  }
  return status;
}

int run(const Settings& settings) {
  if (settings.emit) {
    std::cout << raddle::random_kernels::generate_program(settings.seed, settings.count);
    return 0;
  }
  const std::filesystem::path folder = settings.folder.empty()
                                           ? std::filesystem::temp_directory_path()
                                           : std::filesystem::path(settings.folder);
  std::filesystem::create_directories(folder);
  if (settings.seconds == 0) return compile_and_run(settings, folder);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(settings.seconds);
  std::random_device entropy;
  while (std::chrono::steady_clock::now() < end) {
    Settings round = settings;
    round.seed = entropy() % 1'000'000'000u;
    round.count = std::max(settings.count, 20);
    std::cout << fmt::format("seeds {} to {}: ", round.seed,
                             round.seed + static_cast<std::uint64_t>(round.count) - 1)
              << std::flush;
    if (const int status = compile_and_run(round, folder); status != 0) return status;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(read_settings(argc, argv));
  } catch (const std::exception& error) {
    std::cerr << "random_kernels: " << error.what() << "\n";
    return 2;
  }
}
