// What every executor and the checks need to know of a graph: how large a thread is in a context,
// which instances an arc enables, and how to name them in messages.
#pragma once

#include <string>
#include <vector>

#include "raddle/ddm/executor.h"
#include "raddle/ddm/graph.h"

namespace raddle::ddm {

// "thread 'update' of block 'main'", with the index where one is given: "thread 'update'[3,4] of
// block 'main'".
std::string thread_name(const BlockGraph& block, std::uint32_t thread);
std::string thread_name(const BlockGraph& block, std::uint32_t thread, const Coordinates& at);
std::string index_text(const ThreadTemplate& thread, const Coordinates& at);

// The sizes of all threads of a block in the context of a frame.
std::vector<Extents> extents_of(const BlockGraph& block, const void* frame);

// Whether an index within the extents is an instance of the thread.
inline bool exists(const ThreadTemplate& thread, const void* frame, const Coordinates& at) {
  return !thread.exists || thread.exists(frame, at);
}

// Calls the sink for each instance that the arc (not a kAll arc) enables when `at` has run. Throws
// GraphError if a mapping names an index that is not an instance of the consumer.
void for_each_target(const BlockGraph& block, const Arc& arc, const void* frame,
                     const Extents& consumer, const Coordinates& at, IndexSink sink);

// Calls the sink for each existing instance in index order.
void for_each_instance(const ThreadTemplate& thread, const void* frame, const Extents& extents,
                       IndexSink sink);

// Which node runs an instance: its mapping or, without one, contiguous shares of the range. Throws
// GraphError if the mapping names no node.
int node_of(const BlockGraph& block, std::uint32_t thread, const void* frame,
            const Extents& extents, const Coordinates& at, int nodes);

// Whether the ready count of a thread is known only with a frame.
bool counts_depend_on_frame(const BlockGraph& block, const ThreadTemplate& thread);

// Threads that may run any number of times, none included: those that a switch or a loop's way back
// leads to.
std::vector<bool> conditional_threads(const BlockGraph& block);

// The error of a context that ended while threads waited.
struct StarvedThread {
  std::uint32_t thread;
  Coordinates at;
  std::size_t received;
  std::size_t expected;
};
StarvationError starvation_error(const BlockGraph& block, const std::vector<StarvedThread>& starved,
                                 std::size_t count);

// The error of a switch thread that chose a case nothing was declared for.
GraphError missing_case_error(const BlockGraph& block, std::uint32_t thread, const Coordinates& at,
                              std::int64_t choice);
// Whether some arc of a switch thread has this case.
bool has_case(const BlockGraph& block, const ThreadTemplate& thread, std::int64_t choice);

}  // namespace raddle::ddm
