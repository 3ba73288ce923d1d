// What the MPI tests start on several ranks: mpi_program MODE [ARGUMENT]. Each rank prints one line
// that begins with "ok" or "error".
#include <mpi.h>
#include <raddle/ddm.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "random_graph.h"

namespace {

std::atomic<long> yields{0};
bool stop_in_finalize = false;
bool hears_rank_0_alone = false;

int stop_on_last_rank(MPI_Comm, int, void*, void*) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (stop_in_finalize && rank == ranks - 1) std::raise(SIGSTOP);
  return MPI_SUCCESS;
}

}  // namespace

// Called in place of the C library's, also by Open MPI.
extern "C" int sched_yield() noexcept {
  ++yields;
  return 0;
}

// What is attached first is freed last by MPI_Finalize: when the library has already left.
extern "C" int MPI_Init_thread(int* count, char*** words, int required, int* provided) {
  const int result = PMPI_Init_thread(count, words, required, provided);
  int key = 0;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, stop_on_last_rank, &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
  return result;
}

// What others than rank 0 send comes only when the run has ended.
extern "C" int MPI_Improbe(int source, int tag, MPI_Comm communicator, int* there,
                           MPI_Message* message, MPI_Status* status) {
  return PMPI_Improbe(hears_rank_0_alone ? 0 : source, tag, communicator, there, message, status);
}
extern "C" int MPI_Iallreduce(const void* from, void* to, int count, MPI_Datatype type,
                              MPI_Op operation, MPI_Comm communicator, MPI_Request* request) {
  hears_rank_0_alone = false;
  return PMPI_Iallreduce(from, to, count, type, operation, communicator, request);
}

namespace raddle::ddm {
namespace {

Options options() {
  Options chosen;
  chosen.workers = 2;
  chosen.pin = false;
  chosen.silence = std::chrono::milliseconds(3000);
  return chosen;
}

// Each rank compares what it computed itself with the sequential executor's numbers.
std::string run_random(std::uint32_t seeds) {
  auto& mpi = default_executor();
  const auto sequential = make_sequential_executor();
  std::uint64_t messages = 0;
  for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
    RandomGraph graph(seed);
    auto expected = graph.make_frame();
    graph.program.run_on(*sequential, expected);
    auto frame = graph.make_frame();
    for (int repeated = 0; repeated < 2; ++repeated)
      messages += graph.program.run_on(mpi, frame, options()).messages;
    for (std::size_t t = 0; t < graph.sizes.size(); ++t) {
      for (std::size_t i = 0; i < graph.sizes[t].count(); ++i) {
        if (random_node(t, i, mpi.nodes()) != mpi.node()) continue;
        if (frame.values[t][i] != expected.values[t][i]) {
          return "error: seed " + std::to_string(seed) + ", thread " + std::to_string(t) +
                 ", index " + std::to_string(i);
        }
      }
    }
  }
  return messages > 0 || mpi.nodes() == 1 ? "ok" : "error: no messages";
}

struct Fibonacci {
  int n;
  long result;
  long parts[2];
};

// Blocks that invoke blocks on other nodes.
std::string run_invocations() {
  Program<Fibonacci> program;
  auto fibonacci = program.block<Fibonacci>("fibonacci");
  auto go = program.call(
      "go", fibonacci, [](Fibonacci& f) { return Fibonacci{f.n, 0, {}}; },
      [](Fibonacci& f, Fibonacci& done) { f.result = done.result; });
  go.on([](int nodes) { return nodes - 1; });
  auto small = fibonacci.choose("small", [](Fibonacci& f) { return f.n < 2; });
  auto leaf = fibonacci.thread("leaf", [](Fibonacci& f) { f.result = f.n; });
  auto both = fibonacci.call(
      "both", range(2), fibonacci,
      [](Fibonacci& f, std::size_t i) { return Fibonacci{f.n - 1 - static_cast<int>(i), 0, {}}; },
      [](Fibonacci& f, std::size_t i, Fibonacci& done) { f.parts[i] = done.result; });
  both.on([](const Fibonacci& f, std::size_t i, int nodes) {
    return (f.n + static_cast<int>(i)) % nodes;
  });
  auto add = fibonacci.thread("add", [](Fibonacci& f) { f.result = f.parts[0] + f.parts[1]; });
  small.when(true, leaf).when(false, both);
  both.then(add);
  // The result goes to all nodes.
  auto tell = program.thread("tell", range(16), [](Fibonacci&, std::size_t) {});
  go.then(tell).carries([](Fibonacci& f) { return data(f.result); });
  Fibonacci frame{12, 0, {}};
  program.run(frame, options());
  return frame.result == 144 ? "ok" : "error: " + std::to_string(frame.result);
}

// Two threads on different nodes; `body` runs on the last one.
template <class Body>
std::string run_on_last(Body body) {
  int value = 0;
  Program program;
  auto first = program.thread("first", [&] { value = 1; });
  auto last = program.thread("last", body);
  last.on([](int nodes) { return nodes - 1; });
  first.then(last).carries([&] { return data(value); });
  program.run(options());
  return "ok";
}

// Chains from node to node and back. Workers sleep, wake up and fall asleep all the time, at any
// distance from the messages that bring the next pieces of work.
std::string run_ping_pong() {
  constexpr std::size_t kLength = 1500, kChains = 3;
  std::array<std::size_t, kChains> steps{};
  Program program;
  auto step = program.thread("step", range(kLength, kChains), [&](std::size_t i, std::size_t c) {
    ++steps[c];
    const auto until =
        std::chrono::steady_clock::now() + std::chrono::microseconds((c + 1) * i * 7 % 61);
    while (std::chrono::steady_clock::now() < until) {
    }
  });
  step.on([](std::size_t i, std::size_t, int nodes) { return static_cast<int>(i) % nodes; });
  step.then(step, offset(1, 0)).carries([&](std::size_t, std::size_t c) { return data(steps[c]); });
  const auto last = static_cast<int>(kLength - 1) % default_executor().nodes();
  const long yields_before = yields.load();
  program.run(options());
  // Each would cost the time slices of all other programs on the machine.
  if (yields != yields_before)
    return "error: yielded " + std::to_string(yields - yields_before) + " times";
  for (const std::size_t each : steps) {
    if (default_executor().node() == last && each != kLength)
      return "error: " + std::to_string(each);
  }
  return "ok";
}

// The last node stops when all has been done, before the others can agree with it that it was.
std::string run_to_a_standstill() {
  Program program;
  auto first = program.thread("first", range(64), [](std::size_t) {});
  auto last = program.thread("last", [] {
    std::thread([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      std::raise(SIGSTOP);
    }).detach();
  });
  last.on([](int nodes) { return nodes - 1; });
  first.then(last);
  for (;;) program.run(options());
}

void run_quickly() {
  Program program;
  program.thread("thread", range(64), [](std::size_t) {});
  program.run(options());
}

// More inputs for one worker of the last node than it has room for, and it is the one who takes
// them from the network.
std::string run_flooding() {
  constexpr std::size_t kCount = 5000;
  std::size_t sum = 0;
  Program program;
  auto send = program.thread("send", [] {});  // on node 0
  auto take = program.thread("take", range(kCount), [&](std::size_t i) { sum += i; });
  take.on([](std::size_t, int nodes) { return nodes - 1; }).worker([](std::size_t, int) {
    return 0;
  });
  send.then(take, [](auto to) {
    for (std::size_t i = 0; i < kCount; ++i) to(i);
  });
  Options one = options();
  one.workers = 1;
  program.run(one);
  const std::size_t expected = node() == nodes() - 1 ? kCount * (kCount - 1) / 2 : 0;
  return sum == expected ? "ok" : "wrong: " + std::to_string(sum);
}

// One rank computes by itself between two runs, for longer than the silence that means lost.
std::string run_with_a_pause() {
  run_quickly();
  if (node() == 0) sleep(5);
  run_quickly();
  return "ok";
}

// The last node has one run less than the others.
std::string run_and_leave_early() {
  run_quickly();
  if (node() < nodes() - 1) run_quickly();
  return "ok";
}

// The last node stops when all runs are over: before it comes to MPI_Finalize, or in there.
std::string run_and_stop(bool in_finalize) {
  run_quickly();
  stop_in_finalize = in_finalize;
  if (!in_finalize && node() == nodes() - 1) std::raise(SIGSTOP);
  return "ok";
}

// A text that is too long to be on its way without a receiver.
std::string run_and_fail_late() {
  hears_rank_0_alone = node() == 1;
  return run_on_last([] { throw std::runtime_error("no more paper" + std::string(1 << 20, '!')); });
}

double processor_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

std::string run_and_rest() {
  run_quickly();
  const double before = processor_seconds();
  const auto result = run_on_last([] { sleep(2); });
  const double used = processor_seconds() - before;
  return used < 0.2 ? result : "error: waiting took " + std::to_string(used) + " seconds";
}

// A program that starts and ends MPI itself.
std::string run_with_own_mpi(bool run_before, bool run_after) {
  MPI_Init(nullptr, nullptr);
  if (run_before) run_quickly();
  MPI_Finalize();
  if (run_after) run_quickly();
  return "ok";
}

std::string run_starving() {
  Program program;
  auto a = program.thread("a", range(8), [](std::size_t) {});
  a.then(a, [](std::size_t i, auto to) {
    if (i == 1) to(6);
    if (i == 6) to(1);
  });
  program.run(options());
  return "ok";
}

std::string run_badly_mapped() {
  Program program;
  program.thread("a", range(8), [](std::size_t) {}).on([](std::size_t i, int nodes) {
    return i == 5 ? nodes : 0;
  });
  program.run(options());
  return "ok";
}

std::string run_badly_mapped_call() {
  Program program;
  auto block = program.block<Fibonacci>("block");
  auto inner = program.block<Fibonacci>("inner");
  inner.thread("leaf", [](Fibonacci&) {});
  block.call("call", inner, [](Fibonacci& f) { return f; }).on([](int nodes) { return nodes + 3; });
  program.call("go", block, [] { return Fibonacci{}; }).on([](int nodes) { return nodes - 1; });
  program.run(options());
  return "ok";
}

// Single values and blocks below, at and above the size from which they travel by themselves.
std::string run_sizes() {
  constexpr std::array<std::size_t, 6> kSizes{1, 47, 48, 49, 10000, 300000};  // times eight bytes
  constexpr std::size_t kRounds = 20;
  std::vector<std::uint64_t> room(kRounds * 310145);
  const auto place = [&](std::size_t round, std::size_t s) {
    std::size_t first = round * 310145;
    for (std::size_t before = 0; before < s; ++before) first += kSizes[before];
    return std::span(room).subspan(first, kSizes[s]);
  };
  std::atomic<std::size_t> wrong = 0;
  Program program;
  auto make =
      program.thread("make", range(kRounds, kSizes.size()), [&](std::size_t round, std::size_t s) {
        std::uint64_t value = round * 1000003 + s;
        for (auto& each : place(round, s)) each = value++;
      });
  auto look =
      program.thread("look", range(kRounds, kSizes.size()), [&](std::size_t round, std::size_t s) {
        std::uint64_t value = round * 1000003 + s;
        for (const auto each : place(round, s)) wrong += each != value++;
      });
  make.on(
      [](std::size_t round, std::size_t, int nodes) { return static_cast<int>(round) % nodes; });
  look.on([](std::size_t round, std::size_t s, int nodes) {
    return static_cast<int>(round + s + 1) % nodes;
  });
  make.then(look).carries([&](std::size_t round, std::size_t s) { return data(place(round, s)); });
  program.run(options());
  return wrong == 0 ? "ok" : "error: " + std::to_string(wrong) + " values differ";
}

std::string run_carrying(std::size_t bytes_here, std::size_t bytes_there) {
  const auto node = default_executor().node();
  std::vector<char> room(64);
  Program program;
  auto a = program.thread("a", [] {});
  auto b = program.thread("b", [] {});
  b.on([](int nodes) { return nodes - 1; });
  a.then(b).carries([&] {
    return std::array{
        Operand{reinterpret_cast<std::byte*>(room.data()), node == 0 ? bytes_here : bytes_there}};
  });
  program.run(options());
  return "ok";
}

// Objects that are not their bytes: of other lengths on every node, in containers, and of types
// that say themselves how they go.
struct Note {
  std::string title;
  std::map<std::string, std::vector<int>> pages;
  std::optional<std::string> author;
  friend bool operator==(const Note&, const Note&) = default;
};
template <class Archive>
void serialize(Archive& archive, Note& note) {
  archive(note.title, note.pages, note.author);
}

Note note_of(std::size_t i) {
  Note note{std::string(i * 50, 'a' + static_cast<char>(i % 20)), {}, std::nullopt};
  for (std::size_t page = 0; page < i; ++page)
    note.pages["page " + std::to_string(page)] = std::vector<int>(page, static_cast<int>(i));
  if (i % 2 == 1) note.author = "number " + std::to_string(i);
  return note;
}

std::string run_serialized() {
  constexpr std::size_t kNotes = 24;
  std::vector<Note> notes(kNotes);
  std::vector<std::vector<double>> values(kNotes);
  std::atomic<int> wrong = 0;
  Program program;
  auto make = program.thread("make", range(kNotes), [&](std::size_t i) {
    notes[i] = note_of(i);
    values[i].assign(i, 0.5);
  });
  auto look = program.thread("look", range(kNotes), [&](std::size_t i) {
    wrong += notes[i] != note_of(i) || values[i] != std::vector<double>(i, 0.5);
  });
  make.on([](std::size_t i, int nodes) { return static_cast<int>(i) % nodes; });
  look.on([](std::size_t i, int nodes) { return static_cast<int>(i + 1) % nodes; });
  make.then(look).carries([&](std::size_t i) { return data(notes[i], object(values[i])); });
  program.run(options());
  return wrong == 0 ? "ok" : "error: " + std::to_string(wrong) + " notes differ";
}

struct Words {
  std::string text;
  std::vector<std::string> parts = std::vector<std::string>(6);
};
struct Word {
  std::string text;
  int count = 0;
  void serialize(auto& archive) { archive(text, count); }
};

// Frames with texts go to other nodes and back, by calls and by dynamic threads.
std::string run_spread() {
  std::atomic<long> spawned_here{0};
  Program<Words> program;
  auto twice = program.block<Word>("twice");
  twice.thread("double", [](Word& word) { word.text += word.text; });
  auto count = program.block<Word>("count");
  auto more = count.thread("more", [count, &spawned_here](Word& word, Spawn spawn) {
    spawned_here += static_cast<long>(word.text.size());
    if (word.count == 0) return;
    for (int to = 0; to < nodes(); ++to) spawn.on(to, count, {word.text + "!", word.count - 1});
    spawn(count, {word.text + "?", word.count - 1});
  });
  more.expects(0);
  auto call = program.call(
      "call", range(6), twice,
      [](Words& words, std::size_t i) { return Word{words.text.substr(0, i), 0}; },
      [](Words& words, std::size_t i, Word& done) { words.parts[i] = done.text; });
  call.on([](std::size_t i, int nodes) { return static_cast<int>(i) % nodes; });
  auto inner = program.block<Words>("inner");
  auto spread = inner.call(
      "spread", range(6), twice,
      [](Words& words, std::size_t i) { return Word{words.text.substr(0, i), 0}; },
      [](Words& words, std::size_t i, Word& done) { words.parts[i] = done.text; });
  spread.on([](std::size_t i, int nodes) { return static_cast<int>(i) % nodes; });
  std::vector<std::string> taken;
  program.call(
      "nested", inner, [](Words& words) { return words; },
      [&taken](Words&, Words& done) { taken = done.parts; });
  program.call("begin", count, [](Words&) { return Word{"x", 3}; });
  Words words{"abcdef"};
  program.run(words, options());
  const long spawned = [&] {
    long sum = 0;
    for (const long each : gather(spawned_here.load(), 0, options())) sum += each;
    broadcast(sum, 0, options());
    return sum;
  }();
  long expected = 0;
  for (long depth = 0, contexts = 1; depth <= 3; ++depth, contexts *= nodes() + 1)
    expected += contexts * (1 + depth);
  if (spawned != expected)
    return "error: " + std::to_string(spawned) + " instead of " + std::to_string(expected);
  if (node() == 0 &&
      taken != std::vector<std::string>{"", "aa", "abab", "abcabc", "abcdabcd", "abcdeabcde"})
    return "error: other texts came back";
  return "ok";
}

std::string run_collectives() {
  std::map<int, std::string> table;
  if (node() == nodes() - 1) table = {{1, "one"}, {2, "two"}};
  broadcast(table, nodes() - 1, options());
  if (table.size() != 2 || table[2] != "two") return "error: broadcast";
  const auto all_of_them = gather(std::string(static_cast<std::size_t>(node()), 'x'), 0, options());
  if (node() != 0) return all_of_them.empty() ? "ok" : "error: gathered elsewhere";
  for (std::size_t i = 0; i < all_of_them.size(); ++i) {
    if (all_of_them[i] != std::string(i, 'x')) return "error: gather";
  }
  return all_of_them.size() == static_cast<std::size_t>(nodes()) ? "ok" : "error: gather";
}

// The last node declares one thread more, or another range.
std::string run_another_graph(bool another_thread) {
  const bool last = node() == nodes() - 1;
  Program program("mine");
  auto a = program.thread("a", range(last && !another_thread ? 9 : 8), [](std::size_t) {});
  if (last && another_thread) a.then(program.thread("b", [] {}));
  program.run(options());
  return "ok";
}

std::string run_external() {
  std::vector<int> values(8);
  int sum = 0;
  std::vector<std::jthread> devices;
  std::mutex mutex;
  Program program;
  auto start = program.external("start", range(8), [&](std::size_t i, const Completion& done) {
    const std::lock_guard lock(mutex);
    devices.emplace_back([&values, i, done] {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      values[i] = static_cast<int>(i);
      done();
    });
  });
  auto add = program.thread("add", [&] {
    for (const int value : values) sum += value;
  });
  start.then(add, all).carries([&](std::size_t i) { return data(values[i]); });
  program.run(options());
  return node() != 0 || sum == 28 ? "ok" : "error: " + std::to_string(sum);
}

std::string run_inferred() {
  int x = 0;
  Program program;
  program.thread("a", [&] { x = 1; }).writes([&] { return data(x); });
  program.run(options());
  return "ok";
}

std::string run(const std::string& mode, const std::string& argument) {
  if (mode == "serialized") return run_serialized();
  if (mode == "spread") return run_spread();
  if (mode == "collectives") return run_collectives();
  if (mode == "another thread") return run_another_graph(true);
  if (mode == "another range") return run_another_graph(false);
  if (mode == "external") return run_external();
  if (mode == "inferred") return run_inferred();
  if (mode == "random") return run_random(static_cast<std::uint32_t>(std::atoi(argument.c_str())));
  if (mode == "invocations") return run_invocations();
  if (mode == "throw") return run_on_last([] { throw std::runtime_error("no more paper"); });
  if (mode == "late failure") return run_and_fail_late();
  if (mode == "rest") return run_and_rest();
  if (mode == "kill") return run_on_last([] { std::raise(SIGKILL); });
  if (mode == "stop") return run_on_last([] { std::raise(SIGSTOP); });
  if (mode == "pingpong") return run_ping_pong();
  if (mode == "standstill") return run_to_a_standstill();
  if (mode == "long") return run_on_last([] { sleep(4); });
  if (mode == "pause") return run_with_a_pause();
  if (mode == "stop before leaving") return run_and_stop(false);
  if (mode == "stop while leaving") return run_and_stop(true);
  if (mode == "leave early") return run_and_leave_early();
  if (mode == "own mpi") return run_with_own_mpi(true, false);
  if (mode == "run after mpi") return run_with_own_mpi(true, true);
  if (mode == "first run after mpi") return run_with_own_mpi(false, true);
  if (mode == "flood") return run_flooding();
  if (mode == "starve") return run_starving();
  if (mode == "mapping") return run_badly_mapped();
  if (mode == "mapped call") return run_badly_mapped_call();
  if (mode == "sizes") return run_sizes();
  if (mode == "oversized") return run_carrying(std::size_t{3} << 30, 64);
  if (mode == "mismatch") return run_carrying(64, 32);
  return "error: unknown mode " + mode;
}

}  // namespace
}  // namespace raddle::ddm

int main(int argc, char** argv) {
  std::string line;
  try {
    line = raddle::ddm::run(argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : "");
  } catch (const std::exception& error) {
    line = std::string("error: ") + error.what();
  }
  line += "\n";
  std::fputs(line.c_str(), stdout);
  return line.starts_with("ok") ? 0 : 1;
}
