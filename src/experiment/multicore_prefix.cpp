#include "experiment/multicore_prefix.h"

#include <fmt/format.h>

#include <algorithm>
#include <barrier>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>

#include "base/error.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace raddle::experiment {

namespace {

std::uint64_t cycles_now() {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

struct Job {
  std::vector<std::int64_t> values;
  std::vector<std::int64_t> prefixes;
  std::vector<std::int64_t> block_sums;
};

// Blocks are summed, the sums of blocks are added up in order, then each block writes its prefixes.
void run_rounds(Job& job, std::barrier<>& barrier, std::size_t thread, std::size_t threads,
                std::size_t rounds) {
  const std::size_t count = job.values.size();
  const std::size_t begin = count * thread / threads;
  const std::size_t end = count * (thread + 1) / threads;
  for (std::size_t round = 0; round < rounds; ++round) {
    std::int64_t sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += job.values[i];
    job.block_sums[thread] = sum;
    barrier.arrive_and_wait();
    std::int64_t before = 0;
    for (std::size_t t = 0; t < thread; ++t) before += job.block_sums[t];
    for (std::size_t i = begin; i < end; ++i) {
      job.prefixes[i] = before;
      before += job.values[i];
    }
    barrier.arrive_and_wait();
  }
}

std::uint64_t measure(Job& job, std::size_t threads, std::size_t rounds) {
  std::barrier<> barrier(static_cast<std::ptrdiff_t>(threads));
  std::vector<std::thread> workers;
  const std::uint64_t start = cycles_now();
  for (std::size_t t = 1; t < threads; ++t) {
    workers.emplace_back(run_rounds, std::ref(job), std::ref(barrier), t, threads, rounds);
  }
  run_rounds(job, barrier, 0, threads, rounds);
  for (std::thread& worker : workers) worker.join();
  return cycles_now() - start;
}

bool is_right(const Job& job) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < job.values.size(); ++i) {
    if (job.prefixes[i] != sum) return false;
    sum += job.values[i];
  }
  return true;
}

}  // namespace

MulticorePrefix measure_multicore_prefix(std::size_t elements, std::size_t threads,
                                         std::size_t rounds) {
  Job job{std::vector<std::int64_t>(elements), std::vector<std::int64_t>(elements),
          std::vector<std::int64_t>(threads)};
  for (std::size_t i = 0; i < elements; ++i)
    job.values[i] = static_cast<std::int64_t>(i * 40503 & 1023);
  measure(job, threads, std::max<std::size_t>(1, rounds / 10));  // caches and clocks warm up
  std::uint64_t best = measure(job, threads, rounds);
  for (int run = 0; run < 4; ++run) best = std::min(best, measure(job, threads, rounds));
  return {static_cast<double>(best) / static_cast<double>(rounds), is_right(job)};
}

RunResult run_on_host(const std::string& program, const std::vector<std::string>& arguments) {
  if (program != "multicore-prefix")
    throw Error(fmt::format("program '{}' cannot be measured on this host", program), {},
                "the only one is multicore-prefix");
  std::size_t elements = 262144;
  std::size_t threads = 4;
  for (const std::string& argument : arguments) {
    const std::size_t sign = std::min(argument.find('='), argument.size());
    const std::string name = argument.substr(0, sign);
    std::size_t value = 0;
    const char* const end = argument.data() + argument.size();
    const char* const begin = argument.data() + std::min(sign + 1, argument.size());
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (error != std::errc() || stop != end || value == 0 ||
        (name != "elements" && name != "threads"))
      throw Error(fmt::format("'{}' is not an argument of multicore-prefix", argument), {},
                  "write elements=N or threads=N");
    (name == "elements" ? elements : threads) = value;
  }
  constexpr std::size_t kRounds = 100;
  const MulticorePrefix measured = measure_multicore_prefix(elements, threads, kRounds);
  if (!measured.is_right) throw Error("multicore-prefix computed wrong prefixes on this host");
  machine::LaunchResult launch;
  launch.kernel = program;
  launch.cycles = static_cast<std::uint64_t>(measured.cycles);
  launch.stats.push_back({"host", "cycles an element", "cycles",
                          "of this computer's time stamp counter, not of a simulated machine",
                          measured.cycles / static_cast<double>(elements)});
  launch.stats.push_back({"host", "hardware threads", "threads", "of this computer",
                          static_cast<double>(std::thread::hardware_concurrency())});
  RunResult result;
  result.program = program;
  result.machine = std::string(kHostMachine);
  add_launch(result, std::move(launch));
  return result;
}

}  // namespace raddle::experiment
