// The part of MpiNetwork that finds the end of a run and agrees on how it has ended.
#include <algorithm>
#include <thread>

#include "ddm/mpi/mpi_network.h"

namespace raddle::ddm::mpi {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::microseconds kMinBetweenWaves{50};
constexpr std::chrono::milliseconds kMaxBetweenWaves{1};
constexpr int kLooks = 200;  // some tens of microseconds

std::string text_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& known) {
    return known.what();
  } catch (...) {
    return "it threw something other than a std::exception";
  }
}

}  // namespace

// Whether something is queued or runs here, which is the usual case.
bool MpiNetwork::busy() const {
  const auto open = root_->activity.load(std::memory_order_seq_cst) & native::Context::kOpenMask;
  return open > 1 && !run_->stopping();
}

MpiNetwork::State MpiNetwork::state() const {
  State mine;
  mine.answered = true;
  const auto activity = root_->activity.load(std::memory_order_seq_cst);
  mine.fired = activity >> native::Context::kFiredShift;
  // One share of the activity is this thread's own. After a failure, invocations elsewhere never
  // return.
  const auto open = (activity & native::Context::kOpenMask) - 1;
  const std::lock_guard lock(tickets_mutex_);
  mine.idle = outgoing_.empty() && (open == 0 || (run_->stopping() && open <= tickets_.size()));
  mine.sent = sent_.load(std::memory_order_seq_cst);
  mine.received = received_;
  return mine;
}

// Rank 0: asks all others whether they are idle, once it is so itself; the less often, the longer
// nothing has happened here, so that those who wait can sleep.
void MpiNetwork::coordinate() {
  if (ended_.load(std::memory_order_relaxed)) return;
  if (wave_open_) {
    if (std::ranges::all_of(states_, &State::answered)) judge_wave();
    return;
  }
  if (busy()) return;
  const State mine = state();
  if (!mine.idle || Clock::now() < next_wave_) return;
  ++wave_;
  wave_open_ = true;
  std::ranges::fill(states_, State{});
  states_[0] = mine;
  MessageHeader probe;
  probe.kind = MessageKind::kProbe;
  probe.run = run_number_;
  probe.number = wave_;
  for (int to = 1; to < nodes(); ++to) transport_.add(to, probe, nullptr);
}

void MpiNetwork::judge_wave() {
  wave_open_ = false;
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  std::uint64_t fired = 0;
  for (const auto& each : states_) {
    sent += each.sent;
    received += each.received;
    fired += each.fired;
  }
  const bool quiet = std::ranges::all_of(states_, &State::idle) && sent == received;
  const bool as_before = states_ == last_states_;
  last_states_ = states_;
  if (!quiet) {
    next_wave_ = Clock::now() +
                 std::clamp<Clock::duration>(since_work() / 8, kMinBetweenWaves, kMaxBetweenWaves);
    return;
  }
  if (!as_before) return;  // asks once more at once
  MessageHeader end;
  end.kind = MessageKind::kEnd;
  end.run = run_number_;
  end.values[0] = fired;
  for (int to = 1; to < nodes(); ++to) transport_.add(to, end, nullptr);
  ended_ = true;
  fired_everywhere_ = fired;
}

// Comes to each node before anything else of this run.
void MpiNetwork::tell_graph() {
  graph_ = summary_of(run_->program, root_->shape->extents);
  MessageHeader header;
  header.kind = MessageKind::kGraph;
  header.run = run_number_;
  header.values[0] = graph_.hash;
  header.bytes = graph_.text.size();
  for (int to = 0; to < nodes(); ++to) {
    if (to != node())
      transport_.add(to, header, reinterpret_cast<const std::byte*>(graph_.text.data()));
  }
}

void MpiNetwork::compare_graph(int from, const MessageHeader& header, const std::byte* bytes) {
  if (header.values[0] == graph_.hash || run_->stopping()) return;
  const std::string there(reinterpret_cast<const char*>(bytes), header.bytes);
  run_->fail(std::make_exception_ptr(
      GraphError("node " + std::to_string(from) + " runs another graph: " + there + "; here " +
                     (there == graph_.text ? "some of these have other names, ranges or arcs"
                                           : "it is " + graph_.text),
                 "", "every node declares the same program, in the same order")));
}

void MpiNetwork::tell_failure() {
  failure_told_ = true;
  const std::string text = text_of(run_->error());
  MessageHeader header;
  header.kind = MessageKind::kFailure;
  header.run = run_number_;
  header.bytes = text.size();
  for (int to = 0; to < nodes(); ++to) {
    if (to != node()) transport_.add(to, header, reinterpret_cast<const std::byte*>(text.data()));
  }
}

void MpiNetwork::fail_with(int node, const std::string& text) {
  if (!run_->stopping()) failed_elsewhere_ = true;
  run_->fail(std::make_exception_ptr(
      NetworkError("node " + std::to_string(node) + " has failed: " + text, "", "")));
}

// Until all nodes have come to an agreement; none has anything else to do meanwhile. They come to
// it within microseconds of each other, and to sleep takes longer than that.
void MpiNetwork::await(MPI_Request& request) const {
  const auto give_up = Clock::now() + silence_of(options_);
  for (int rounds = 0;; ++rounds) {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    if (Clock::now() > give_up) {
      abandon(transport_.communicator(),
              "another node is lost: the run has ended, but it did not say so for " +
                  in_seconds(silence_of(options_)));
    }
    life_signs_.look_in_run();
    if (rounds > kLooks) std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

// What the run has failed with on one node, told to all.
std::string MpiNetwork::agree_on_text(int from, const std::exception_ptr& mine) const {
  std::string text = node() == from ? text_of(mine) : "";
  auto size = static_cast<int>(text.size());
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(&size, 1, MPI_INT, from, transport_.communicator(), &request);
  await(request);
  text.resize(static_cast<std::size_t>(size));
  MPI_Ibcast(text.data(), size, MPI_CHAR, from, transport_.communicator(), &request);
  await(request);
  return text;
}

// All nodes are idle: looks for threads that starve, agrees on one error and lets go of the
// program's first context. A node that fails when the others know already that all is done has not
// been heard; here it is.
void MpiNetwork::finish() {
  const bool failed = run_->stopping();
  const auto starvation = failed ? nullptr : native::find_starvation(*root_, fired_everywhere_);
  // In the order in which they count: nodes that have failed, nodes with threads that starve.
  int first = 2 * nodes();
  if (failed && !failed_elsewhere_) first = node();
  if (starvation) first = nodes() + node();
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, transport_.communicator(), &request);
  await(request);
  if (first < 2 * nodes()) {
    const int from = first % nodes();
    const auto text = agree_on_text(from, starvation ? starvation : run_->error());
    if (first < nodes()) {
      if (!failed) fail_with(from, text);
    } else {
      run_->fail(starvation ? starvation : std::make_exception_ptr(StarvationError(text, "", "")));
    }
  }
  for (const auto& [number, ticket] : tickets_) {
    if (native::is_last_of(ticket.join)) outside_->release_from_outside(*ticket.caller);
  }
  tickets_.clear();
  outside_->release_from_outside(*root_);
}

}  // namespace raddle::ddm::mpi
