// One run of a program on all MPI ranks, seen from one of them: what workers send, what comes in,
// and when all is done. Termination is found by rank 0: it asks all nodes twice whether they are
// idle and how many messages they have sent and received; if nothing has changed in between and all
// that was sent has come, nothing can happen any more (Mattern, 1987).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "ddm/mpi/graph_summary.h"
#include "ddm/mpi/life_signs.h"
#include "ddm/mpi/message.h"
#include "ddm/mpi/transport.h"
#include "ddm/native/network.h"
#include "ddm/native/run.h"
#include "ddm/native/signal.h"
#include "ddm/native/worker.h"
#include "raddle/ddm/executor.h"

namespace raddle::ddm::mpi {

class MpiNetwork : public native::Network {
 public:
  // `workers_help`: MPI may be called by several threads at once.
  MpiNetwork(Transport& transport, LifeSigns& life_signs, std::uint32_t run_number,
             int nodes_on_cores, bool workers_help, const Options& options);

  [[nodiscard]] int nodes() const override { return transport_.nodes(); }
  [[nodiscard]] int node() const override { return transport_.node(); }
  [[nodiscard]] int nodes_on_cores() const override { return nodes_on_cores_; }
  void send_inputs(int to, native::Context& root, const native::ArcPlan& arc,
                   const Coordinates& producer, std::uint64_t count) override;
  void send_invocation(int to, native::Context& caller, std::uint32_t thread, std::uint32_t tile,
                       unsigned cell, native::Join* join, const native::BlockPlan& block,
                       const void* frame) override;
  void send_results(const native::Context& context) override;
  void send_posted() override;
  bool listen(native::Worker& helper) override;
  void begin_listening() override;
  void end_listening(bool sleeps) override;

  // Listens until the run has ended on all nodes.
  void attend(native::Run& run, native::Worker& outside, native::Context& root);

  [[nodiscard]] std::uint64_t messages() const { return sent_.load(); }
  [[nodiscard]] std::uint64_t bytes() const { return sent_bytes_.load(); }

 private:
  struct Ticket {
    native::Context* caller;
    std::uint32_t thread;
    std::uint32_t tile;
    unsigned cell;
    native::Join* join;
  };
  struct State {
    bool answered = false;
    bool idle = false;
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::uint64_t fired = 0;
    friend bool operator==(const State&, const State&) = default;
  };

  struct Release {
    std::atomic<bool>& in_use;
    ~Release() { in_use.store(false, std::memory_order_seq_cst); }
  };

  void post(int to, MessageHeader header, std::vector<std::byte> bytes);
  void handle(int from, const MessageHeader& header, std::byte* bytes);
  void handle_work(int from, const MessageHeader& header, std::byte* bytes);
  void take_inputs(int from, const MessageHeader& header, std::byte* bytes);
  void take_results(const MessageHeader& header, std::byte* bytes);
  void for_each_carried(native::Context& root, const native::ArcPlan& arc,
                        const Coordinates& producer, int to, OperandSink sink) const;
  [[nodiscard]] bool busy() const;
  [[nodiscard]] State state() const;
  // Unless another thread uses the transport just now; that one then looks for what was posted.
  template <class Action>
  bool with_transport(Action action) {
    if (in_use_.exchange(true, std::memory_order_seq_cst)) return false;
    const Release release{in_use_};
    action();
    return true;
  }
  [[nodiscard]] bool has_posted() const {
    return unflushed_.load(std::memory_order_seq_cst) || !outgoing_.empty();
  }
  bool exchange_messages();
  void drain_outgoing();
  void coordinate();
  void judge_wave();
  void tell_graph();
  void compare_graph(int from, const MessageHeader& header, const std::byte* bytes);
  void tell_failure();
  void fail_with(int node, const std::string& text);
  [[nodiscard]] std::string agree_on_text(int from, const std::exception_ptr& mine) const;
  [[nodiscard]] std::chrono::steady_clock::duration since_work() const {
    return std::chrono::steady_clock::now() - last_work_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool others_listen() const;
  void sleep_if_quiet();
  void finish();
  void await(MPI_Request& request) const;

  Transport& transport_;
  LifeSigns& life_signs_;
  std::uint32_t run_number_;
  int nodes_on_cores_;
  bool workers_help_;
  const Options& options_;
  OutgoingList outgoing_;
  std::atomic<std::uint64_t> sent_{0};
  std::atomic<std::uint64_t> sent_bytes_{0};
  std::uint64_t received_ = 0;
  mutable std::mutex tickets_mutex_;  // invocations on other nodes are rare and costly anyway
  std::map<std::uint64_t, Ticket> tickets_;
  std::uint64_t last_ticket_ = 0;

  native::Run* run_ = nullptr;
  native::Worker* outside_ = nullptr;
  native::Context* root_ = nullptr;
  std::atomic<std::chrono::steady_clock::time_point> last_work_;   // was sent or has come
  std::atomic<std::chrono::steady_clock::time_point> last_heard_;  // … or anything else
  GraphSummary graph_;
  native::Signal posted_;
  std::atomic<bool> listener_sleeps_{false};
  // Whether the thread that listens or a worker uses the transport, what has come through it and
  // `outside_`: at first the former.
  std::atomic<bool> in_use_{true};
  std::atomic<bool> unflushed_{false};      // messages wait in the transport's packets
  std::atomic<int> helpers_{0};             // workers that listen again and again
  std::atomic<bool> still_sending_{false};  // something large is on its way
  std::atomic<bool> ended_{false};
  bool failure_told_ = false;
  bool failed_elsewhere_ = false;  // first
  std::uint64_t fired_everywhere_ = 0;
  // Rank 0.
  std::uint32_t wave_ = 0;
  bool wave_open_ = false;
  std::vector<State> states_;
  std::vector<State> last_states_;
  std::chrono::steady_clock::time_point next_wave_;
};

}  // namespace raddle::ddm::mpi
