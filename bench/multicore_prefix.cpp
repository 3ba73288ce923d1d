// The multicore side of the TCF paper's last comparison (Section 5.1): a memory-to-memory additive
// prefix by the blocking algorithm of Figure 2, with threads, on the computer that this runs on.
// It says how many cycles of the time stamp counter an element takes; that is a measurement of this
// host, not of a simulated machine.
//   multicore_prefix [ELEMENTS [THREADS [ROUNDS]]]
#include <fmt/format.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

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

int main(int argc, char** argv) {
  const auto argument = [&](int i, std::size_t otherwise) {
    return argc > i ? static_cast<std::size_t>(std::strtoull(argv[i], nullptr, 10)) : otherwise;
  };
  const std::size_t elements = std::max<std::size_t>(1, argument(1, 262144));
  const std::size_t threads = std::max<std::size_t>(1, argument(2, 4));
  const std::size_t rounds = std::max<std::size_t>(1, argument(3, 1000));
  Job job{std::vector<std::int64_t>(elements), std::vector<std::int64_t>(elements),
          std::vector<std::int64_t>(threads)};
  for (std::size_t i = 0; i < elements; ++i) {
    job.values[i] = static_cast<std::int64_t>(i * 40503 & 1023);
  }
  measure(job, threads, std::max<std::size_t>(1, rounds / 10));  // caches and clocks warm up
  std::uint64_t best = measure(job, threads, rounds);
  for (int run = 0; run < 4; ++run) best = std::min(best, measure(job, threads, rounds));
  const double each = static_cast<double>(best) / static_cast<double>(rounds);
  fmt::print(
      "{} elements, {} threads on {} hardware threads of this host: {:.0f} cycles a prefix, "
      "{:.3f} cycles an element{}\n",
      elements, threads, std::thread::hardware_concurrency(), each,
      each / static_cast<double>(elements), is_right(job) ? "" : ", WRONG RESULT");
  return is_right(job) ? 0 : 1;
}
