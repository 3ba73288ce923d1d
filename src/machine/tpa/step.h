// One step of the whole machine: one instruction of every flow.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "machine/tpa/flow.h"
#include "machine/tpa/frontend.h"

namespace raddle::machine::tpa {

struct Step {
  std::uint64_t number = 0;
  std::vector<std::unique_ptr<Work>> works;
  std::vector<FrontOutcome::Store> stores;
  std::vector<std::unique_ptr<Flow>> ended;  // flows that this was the last step of
  bool whole = false;                        // all fibers are executed when the step starts
  bool fast_prefix = false;                  // values come from the modules
  bool counts = false;          // as a step: somebody switched, or has work for the backends
  bool prepared = false;        // it is known what every backend has to do
  bool finished = false;        // its writes are done
  std::uint64_t waves = 0;      // that have passed when it is over, counted from the start
  std::uint32_t issued_by = 0;  // backends that are through with it
  // By work: when the backends can have it; unknown until its frontend has sent it.
  std::vector<Cycle> available;
  std::vector<std::uint32_t> taken_by;            // backends
  std::vector<std::uint64_t> executed;            // of the only work, by backend: fibers
  std::vector<std::vector<std::uint64_t>> items;  // of works that send entries, by backend
};

}  // namespace raddle::machine::tpa
