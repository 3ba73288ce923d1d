#include "ddm/operations.h"

#include "ddm/graph_walk.h"

namespace raddle::ddm {

class Operations::Pending : public PendingOperation {
 public:
  Pending(std::shared_ptr<Operations> operations, Operation operation)
      : operations_(std::move(operations)), operation_(std::move(operation)) {}
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;
  ~Pending() override {
    if (ended_.load()) return;
    complete(std::make_exception_ptr(
        Error("its Completion was dropped without a call",
              thread_name(*operation_.block, operation_.thread, operation_.at),
              "call it when the operation has ended, or fail(…) if it cannot be started")));
  }

  void complete(std::exception_ptr error) override {
    if (ended_.exchange(true)) return;
    Operation ended = operation_;
    ended.error = std::move(error);
    operations_->end(std::move(ended));
  }
  [[nodiscard]] bool run_stops() const override {
    const std::lock_guard lock(operations_->mutex_);
    return operations_->run_stops_ && operations_->run_stops_();
  }

 private:
  std::shared_ptr<Operations> operations_;
  Operation operation_;
  std::atomic<bool> ended_{false};
};

Completion Operations::begin(Operation operation) {
  return Completion(std::make_shared<Pending>(shared_from_this(), std::move(operation)));
}

void Operations::end(Operation operation) {
  const std::lock_guard lock(mutex_);
  ended_.push_back(std::move(operation));
  ended_count_.store(ended_.size(), std::memory_order_seq_cst);
  changed_.notify_one();
  if (on_end_) on_end_();
}

Operations::Operation Operations::pop() {
  Operation first = std::move(ended_.front());
  ended_.pop_front();
  ended_count_.store(ended_.size(), std::memory_order_seq_cst);
  return first;
}

std::optional<Operations::Operation> Operations::take() {
  if (!any()) return std::nullopt;
  const std::lock_guard lock(mutex_);
  if (ended_.empty()) return std::nullopt;
  return pop();
}

Operations::Operation Operations::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !ended_.empty(); });
  return pop();
}

void Operations::close() {
  const std::lock_guard lock(mutex_);
  on_end_ = nullptr;
  run_stops_ = nullptr;
}

}  // namespace raddle::ddm
