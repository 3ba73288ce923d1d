// What a fabric is told about the threads that run through it: where each access goes, which ones
// take place at all, and who receives from whom. Threads come in groups, in the order in which they
// are injected. What threads compute is none of the fabric's business.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/cgra/compile/dataflow_graph.h"

namespace raddle::machine::cgra {

struct ThreadGroup {
  std::uint32_t id = 0;       // the feed's own, handed back when the group has left
  std::uint32_t threads = 0;  // at least 1
  // Groups with the same number, of one block and one turn, share uniform values.
  std::uint64_t shared_values = 0;
  std::uint32_t first_slot = 0;  // of the first thread's live values; the others follow
  std::uint32_t position = 0;    // of the first thread among all that came to the piece, in order
  // By access of the graph and thread, access by access: the address, and whether it takes place.
  std::vector<std::uint64_t> addresses;
  std::vector<std::uint8_t> active;
  // By receive of the graph and thread: somebody sends to this thread (or it loads by itself),
  // and somebody receives what it sends.
  std::vector<std::uint8_t> has_producer;
  std::vector<std::uint8_t> is_consumed;
};

enum class FeedAnswer : std::uint8_t {
  kGroup,  // here is the next one
  kLater,  // none before a group that is in the fabric has left
  kEnd,    // none for this configuration any more
};

class ThreadFeed {
 public:
  virtual ~ThreadFeed() = default;
  // The next group for a replica. `group` is reused: its vectors keep their room.
  virtual FeedAnswer next(std::uint32_t replica, ThreadGroup& group) = 0;
  // All threads of the group have left the fabric, what they wrote to live values included.
  virtual void left(std::uint32_t id) = 0;
};

}  // namespace raddle::machine::cgra
