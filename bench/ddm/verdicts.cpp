#include "bench/ddm/verdicts.h"

#include <malloc.h>
#include <raddle/ddm.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <ostream>

namespace raddle::bench {
namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

void line(std::ostream& out, const std::string& what, bool holds) {
  out << "bar: " << what << ": " << (holds ? "holds" : "MISSED") << '\n';
}

// What the process has allocated and not freed.
std::size_t allocated_bytes() { return mallinfo2().uordblks; }

}  // namespace

void Verdicts::judge(std::ostream& out, const std::string& task, const ByLibrary& measured) {
  const bool is_factorisation = task.starts_with("cholesky");
  const char* unit = is_factorisation ? " ms" : " ns";
  const auto own = measured.find({"ddm", 2});
  if (own == measured.end()) return;
  const Measured ddm = own->second;
  std::optional<Measured> best;
  std::string best_name;
  for (const auto& [who, result] : measured) {
    if (who.first == "ddm" || who.second != 2) continue;
    if (best && best->wall <= result.wall) continue;
    best = result;
    best_name = who.first;
  }
  if (best) {
    const double share = is_factorisation ? 1 : 0.5;
    line(out,
         task + ", two workers: " + number(ddm.wall) + unit + " against " + number(best->wall) +
             " of " + best_name + (is_factorisation ? ", not slower" : ", at most half") +
             " (processor time " + number(ddm.cpu) + " against " + number(best->cpu) + ")",
         ddm.wall <= share * best->wall);
  }
  const auto alone = measured.find({"ddm", 1});
  if (alone == measured.end() || task == "chain") return;
  line(out,
       task + ": " + number(ddm.wall) + unit + " with two workers, " + number(alone->second.wall) +
           " with one, faster with two",
       ddm.wall < alone->second.wall);
}

void Verdicts::print(std::ostream& out) const {
  for (const auto& [task, measured] : measured_) judge(out, task, measured);
}

void print_memory_verdict(std::ostream& out) {
  struct Loop {
    long left = 0;
    std::size_t most = 0;  // bytes in use while it runs
  };
  ddm::Program<Loop> program("loop");
  auto begin = program.thread("begin", [](Loop&) {});
  auto test = program.choose("test", [](Loop& loop) { return --loop.left > 0; });
  auto body = program.thread("body", [](Loop& loop) {
    if (loop.left % 100'000 == 0) loop.most = std::max(loop.most, allocated_bytes());
  });
  auto end = program.thread("end", [](Loop&) {});
  test.when(true, body).when(false, end);
  begin.then(test);
  body.again(test);
  std::uint64_t fired = 0;
  const auto fire = [&](long times) {
    Loop loop{times};
    fired = program.run(loop).threads_fired;
    return loop.most;
  };
  const std::size_t few = fire(200'000), many = fire(5'000'000);
  const std::size_t more = many > few ? many - few : 0;
  line(out,
       "memory: " + std::to_string(more) + " bytes more for " + std::to_string(fired) +
           " threads fired than for a twenty-fifth of them",
       more < 100'000 && fired > 9'000'000);
}

}  // namespace raddle::bench
