// Other nodes that run the same program. The program's first context is present on every node, with
// a frame of its own; each thread instance runs on one node, which its mapping says. Contexts that
// threads invoke live on one node.
#pragma once

#include <cstdint>

#include "ddm/native/plan.h"
#include "raddle/ddm/index.h"

namespace raddle::ddm::native {

struct Context;
struct Join;
class Worker;

class Network {
 public:
  virtual ~Network() = default;
  [[nodiscard]] virtual int nodes() const = 0;
  [[nodiscard]] virtual int node() const = 0;
  // Nodes that share the cores of this one, itself among them.
  [[nodiscard]] virtual int nodes_on_cores() const { return 1; }

  // An instance that enables consumers on another node has run. `count`: for so many instances at
  // once, where the arc carries nothing and waits for all. Called by workers; the data is copied
  // before it returns.
  virtual void send_inputs(int to, Context& root, const ArcPlan& arc, const Coordinates& producer,
                           std::uint64_t count) = 0;
  // Invokes a block on another node. The caller's context waits until end_remote_invocation; of a
  // dynamic thread it waits for all that `join` counts.
  virtual void send_invocation(int to, Context& caller, std::uint32_t thread, std::uint32_t tile,
                               unsigned cell, Join* join, const BlockPlan& block,
                               const void* frame) = 0;
  // An invocation that came from another node has ended.
  virtual void send_results(const Context& context) = 0;

  // Workers send and receive as well as the thread that listens: to wake that thread for each
  // message costs many times what the message does.
  // After what may have posted something: sends it.
  virtual void send_posted() = 0;
  // Takes what has come; for workers that are out of work. `helper`: who calls. False: there will
  // be no more, as the run has ended on all nodes.
  virtual bool listen(Worker& helper) = 0;
  // A worker is going to listen again and again.
  virtual void begin_listening() = 0;
  // … and stops. `sleeps`: as it goes to sleep, and not because it has something to do.
  virtual void end_listening(bool sleeps) = 0;
};

}  // namespace raddle::ddm::native
