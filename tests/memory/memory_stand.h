// A test stand for parts that sit between an asker above and a memory below: an asker that sends a
// script and notes when each answer reaches it, and a memory that answers after a fixed time. Both
// can be slow or shut for a while, to see whether back-pressure is honoured.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "memory/access.h"
#include "sim/channel.h"
#include "sim/engine.h"
#include "sim/timed_queue.h"

namespace raddle::memory {

using AccessChannel = sim::Channel<Access>;

// Sends each access of its script at its cycle, or later if there is no room.
class Asker : public sim::Component {
 public:
  Asker(AccessChannel& out, AccessChannel& in) : Component("asker"), out_(out), in_(in) {}

  void ask(std::uint64_t at, const Access& access) { script_.emplace_back(Cycle(at), access); }
  // Takes one answer every so many cycles, and none before `from`.
  std::uint64_t interval = 0;  // 0: all that are there
  Cycle takes_from{};

  Cycle tick(Cycle now) override {
    take(now);
    while (next_ < script_.size() && script_[next_].first <= now) {
      if (!out_.try_send(script_[next_].second, now)) break;
      sent[script_[next_++].second.token] = now.count();
    }
    Cycle next = in_.empty() ? sim::kNever : std::max(in_.next_ready(), takes_from);
    if (next_ < script_.size() && script_[next_].first > now)
      next = std::min(next, script_[next_].first);
    return next;
  }

  std::map<std::uint64_t, std::uint64_t> sent;                         // by token: cycle
  std::multimap<std::uint64_t, std::pair<std::uint64_t, Access>> got;  // by token: cycle, answer

 private:
  void take(Cycle now) {
    while (in_.ready(now) && now >= takes_from) {
      const Access answer = in_.pop(now);
      got.emplace(answer.token, std::pair(now.count(), answer));
      if (interval != 0) takes_from = now + Cycle(interval);
    }
  }

  AccessChannel& out_;
  AccessChannel& in_;
  std::vector<std::pair<Cycle, Access>> script_;
  std::size_t next_ = 0;
};

// Takes what is there, and answers all but write-backs `latency` cycles later.
class PlainMemory : public sim::Component {
 public:
  PlainMemory(AccessChannel& in, AccessChannel& out) : Component("memory"), in_(in), out_(out) {}

  Cycle latency{10};
  Cycle shut_from{};         // takes nothing from here …
  Cycle takes_from{};        // … to here
  std::size_t holds = 1000;  // takes nothing more while so many answers are under way
  bool answers_stores = true;

  Cycle tick(Cycle now) override {
    while (answers_.ready(now) && out_.try_send(answers_.front(), now)) answers_.pop();
    while (in_.ready(now) && !is_shut(now) && answers_.size() < holds) {
      const Access request = in_.pop(now);
      seen.emplace_back(now.count(), request);
      const bool answered = request.kind == AccessKind::kStore
                                ? answers_stores
                                : request.kind != AccessKind::kWriteBack;
      if (answered) answers_.push(request, now + latency);
    }
    Cycle next = sim::kNever;
    if (!answers_.empty() && answers_.next_ready() > now) next = answers_.next_ready();
    if (!in_.empty() && answers_.size() < holds) {
      const Cycle ready = std::max(in_.next_ready(), now + Cycle(1));
      next = std::min(next, is_shut(ready) ? takes_from : ready);
    }
    return next;
  }

  std::vector<std::pair<std::uint64_t, Access>> seen;  // cycle, request

 private:
  bool is_shut(Cycle now) const { return now >= shut_from && now < takes_from; }

  AccessChannel& in_;
  AccessChannel& out_;
  sim::TimedQueue<Access> answers_;
};

}  // namespace raddle::memory
