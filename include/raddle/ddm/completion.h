// The end of something that a thread has started outside the run: an I/O operation, a timer, work
// on another device. The thread's body gets a Completion; whoever is done with the operation calls
// it, once, from any thread of the process, and the consumers of the instance fire. The run waits
// for all operations, also when it has failed or is cancelled, so that none outlives the frame it
// works on.
#pragma once

#include <exception>
#include <memory>
#include <utility>

namespace raddle::ddm {

// Given by executors: where the end of an operation is told.
class PendingOperation {
 public:
  virtual ~PendingOperation() = default;
  // Told once. An error fails the run with it.
  virtual void complete(std::exception_ptr error) = 0;
  [[nodiscard]] virtual bool run_stops() const = 0;
};

// Copies stand for the same operation. When the last one goes without having been called, the run
// fails: it would wait for ever.
class Completion {
 public:
  explicit Completion(std::shared_ptr<PendingOperation> operation)
      : operation_(std::move(operation)) {}

  // The operation has ended; it may be called before the body returns. A second call does nothing.
  void operator()() const { operation_->complete(nullptr); }
  // The operation has failed: the run ends with this.
  void fail(std::exception_ptr error) const { operation_->complete(std::move(error)); }
  // Whether the run has failed or is cancelled, so that the operation had better end soon.
  [[nodiscard]] bool run_stops() const { return operation_->run_stops(); }

 private:
  std::shared_ptr<PendingOperation> operation_;
};

}  // namespace raddle::ddm
