// Sees a program run one thread after another: which contexts there are, what runs when, and who
// enables whom. The recorder of simulated machines is one.
#pragma once

#include <cstdint>
#include <memory>

#include "raddle/ddm/executor.h"
#include "raddle/ddm/graph.h"

namespace raddle::ddm {

// A context while it lives; another one may have the same key later.
using ContextKey = const void*;

enum class Activity : std::uint8_t { kInlet, kThread, kOutlet };

class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void run_begins(const ProgramGraph& program) = 0;
  virtual void run_ends() = 0;
  // Made by the thread that runs, or (caller null) by the run.
  virtual void context_begins(ContextKey context, const BlockGraph& block, void* frame,
                              ContextKey caller, std::uint32_t thread, const Coordinates& at) = 0;
  virtual void context_ends(ContextKey context) = 0;
  // Code of the program runs in between. Inlet and outlet threads have no number and no index.
  virtual void begins(ContextKey context, Activity activity, std::uint32_t thread,
                      const Coordinates& at) = 0;
  virtual void ends() = 0;
  // A thread, and all that it invoked, is done: what follows is enabled by it.
  virtual void completes(ContextKey context, std::uint32_t thread, const Coordinates& at) = 0;
  // … through an arc, to an instance of the arc's consumer.
  virtual void gives_input(ContextKey context, std::uint32_t arc, const Coordinates& at) = 0;
  // … because of data that both declare.
  virtual void gives_data(ContextKey context, std::uint32_t thread, const Coordinates& at) = 0;
  // An arc from all instances to all: one more producer is done; and, when it is the last one, the
  // arc gives their inputs to all consumers.
  virtual void arrives_at(ContextKey context, std::uint32_t arc) = 0;
  virtual void passes(ContextKey context, std::uint32_t arc) = 0;
};

// The sequential executor with somebody who looks on.
std::unique_ptr<Executor> make_observed_executor(RunObserver& observer, int nodes);

}  // namespace raddle::ddm
