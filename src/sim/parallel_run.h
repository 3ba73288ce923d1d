// Advances the partitions of a machine side by side in quanta of simulated time, on one host thread
// or several. A quantum is no longer than the least latency between partitions, so that what one
// sends in a quantum cannot matter to another before its end. One thread uses the same quanta:
// results are the same bit for bit whatever the number of threads.
#pragma once

#include <functional>
#include <vector>

#include "sim/engine.h"
#include "sim/post.h"

namespace raddle::sim {

class ParallelRun {
 public:
  ParallelRun(Instant quantum, unsigned host_threads);

  void add(Engine& partition) { partitions_.push_back(&partition); }
  void add(Exchange& exchange) { exchanges_.push_back(&exchange); }

  // A time within a quantum at which a run may have to end. `at` is asked before every quantum;
  // where that time comes before the quantum is over, `reached` is told once all partitions are
  // there. It throws to end the run; otherwise the quantum goes on as if nobody had looked.
  struct Limit {
    std::function<Instant()> at;
    std::function<void(Instant)> reached;
  };

  // Runs until all partitions sleep for good, or `finished` (asked between quanta, with the time
  // reached) says so. Returns the end of the last quantum. What a component throws is thrown here,
  // that of the first partition if several do.
  Instant run(const std::function<bool(Instant)>& finished = {}, const Limit& limit = {});
  // The time that all partitions have come to, except those that threw: the end of a quantum, or
  // the limit within it.
  Instant now() const { return now_; }

 private:
  class Workers;

  Instant next_event() const;
  void advance_all(Instant end, Workers* workers);
  void advance_one(std::size_t partition, Instant end);

  Instant quantum_;
  unsigned host_threads_;
  Instant now_{0};
  std::vector<Engine*> partitions_;
  std::vector<Exchange*> exchanges_;
  std::vector<std::exception_ptr> failures_;  // by partition
};

}  // namespace raddle::sim
