// Messages between partitions of a machine that may run in different host threads. A message is
// put down with the instant at which it arrives, which comes after the end of the running quantum;
// at the quantum's end all messages move to their receivers' inboxes, ordered by (arrival, sender,
// order of sending). Nothing of this depends on the number of host threads.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/error.h"
#include "sim/component.h"

namespace raddle::sim {

// What the runner of quanta knows of a post office.
class Exchange {
 public:
  virtual ~Exchange() = default;
  // Between quanta, on one thread: hands over what was sent. Nothing arrives before `end`.
  virtual void hand_over(Instant end) = 0;
};

template <class T>
class PostOffice : public Exchange {
 public:
  PostOffice(std::size_t senders, std::size_t receivers)
      : outboxes_(senders), inboxes_(receivers) {}

  // The component that is woken when a message for this receiver arrives.
  void attach(std::size_t receiver, Component& component) {
    inboxes_[receiver].component = &component;
  }

  // By the receiver's thread alone: whether messages that arrive from now on wake it. One that has
  // no use for them yet finds them whenever it looks.
  void wake_for_arrivals(std::size_t receiver, bool on) { inboxes_[receiver].wakes = on; }

  // By the sender's thread alone.
  void send(std::size_t sender, std::size_t receiver, Instant arrival, T value) {
    outboxes_[sender].push_back({arrival, static_cast<std::uint32_t>(sender),
                                 static_cast<std::uint32_t>(receiver), std::move(value)});
  }

  // By the receiver's thread alone, in cycles of its component's clock.
  bool ready(std::size_t receiver, Cycle now) const { return next_ready(receiver) <= now; }
  Cycle next_ready(std::size_t receiver) const {
    const Inbox& inbox = inboxes_[receiver];
    return inbox.first < inbox.letters.size() ? inbox.letters[inbox.first].seen : kNever;
  }
  const T& front(std::size_t receiver) const {
    const Inbox& inbox = inboxes_[receiver];
    return inbox.letters[inbox.first].value;
  }
  T pop(std::size_t receiver) {
    Inbox& inbox = inboxes_[receiver];
    return std::move(inbox.letters[inbox.first++].value);
  }
  void drop(std::size_t receiver) { ++inboxes_[receiver].first; }
  std::size_t waiting(std::size_t receiver) const {
    return inboxes_[receiver].letters.size() - inboxes_[receiver].first;
  }

  void hand_over(Instant end) override {
    for (Inbox& inbox : inboxes_) {
      if (inbox.first == inbox.letters.size()) {
        inbox.letters.clear();
      } else if (inbox.first > 0) {
        inbox.letters.erase(inbox.letters.begin(),
                            inbox.letters.begin() + static_cast<std::ptrdiff_t>(inbox.first));
      }
      inbox.first = 0;
    }
    for (std::vector<Parcel>& outbox : outboxes_) {
      for (Parcel& parcel : outbox) {
        RADDLE_ASSERT(parcel.arrival >= end);
        Inbox& inbox = inboxes_[parcel.receiver];
        const Cycle seen = inbox.component->clock().first_from(parcel.arrival);
        put({parcel.arrival, parcel.sender, seen, std::move(parcel.value)}, inbox.letters);
        if (inbox.wakes) inbox.component->wake(seen);
      }
      outbox.clear();
    }
  }

 private:
  struct Parcel {
    Instant arrival;
    std::uint32_t sender;
    std::uint32_t receiver;
    T value;
  };
  struct Letter {
    Instant arrival;
    std::uint32_t sender;
    Cycle seen;
    T value;
  };
  struct Inbox {
    std::vector<Letter> letters;
    std::size_t first = 0;  // letters before it have been taken
    Component* component = nullptr;
    bool wakes = true;
  };

  // After all that are not later: there are few, and most come in order.
  static void put(Letter&& letter, std::vector<Letter>& letters) {
    std::size_t place = letters.size();
    if (place == 0 || !earlier(letter, letters.back())) {
      letters.push_back(std::move(letter));
      return;
    }
    while (place > 0 && earlier(letter, letters[place - 1])) --place;
    letters.insert(letters.begin() + static_cast<std::ptrdiff_t>(place), std::move(letter));
  }
  static bool earlier(const Letter& a, const Letter& b) {
    return a.arrival != b.arrival ? a.arrival < b.arrival : a.sender < b.sender;
  }

  std::vector<std::vector<Parcel>> outboxes_;  // by sender
  std::vector<Inbox> inboxes_;
};

}  // namespace raddle::sim
