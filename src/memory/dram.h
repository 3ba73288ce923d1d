// One DRAM channel with its controller: a bounded queue of requests, a scheduler (FR-FCFS or in
// order), open or closed pages, and refresh. It issues at most one command a cycle, keeps every
// constraint of DramTiming, and sleeps until the next cycle in which a command can be issued.
//
// A read that is seen in cycle n and finds its bank closed is activated in n, and its answer is
// sent in the cycle after its last beat: n + tRCD + tCL + burst. Stores are answered likewise,
// write-backs never. Answers keep the order of the data bus, not that of the requests.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "memory/address_mapping.h"
#include "memory/dram_device.h"
#include "memory/dram_queue.h"
#include "memory/dram_scheduler.h"
#include "memory/ring.h"
#include "sim/channel.h"
#include "sim/component.h"
#include "sim/stats.h"

namespace raddle::memory {

enum class PagePolicy : std::uint8_t {
  kOpen,   // a row stays open until another one is wanted
  kClosed  // a row is closed with its last column command that anybody waits for
};

struct DramSpec {
  DramTiming timing = gddr5_gtx480();
  AddressMappingSpec mapping = gtx480_address_mapping();
  DramScheduling scheduling = DramScheduling::kFrFcfs;
  PagePolicy page_policy = PagePolicy::kOpen;
  Bytes most_access{128};  // of the largest access, which is aligned to its size
  // What a read command is asked for, if less than a burst brings: an L2 that asks sector by sector
  // has the rest of each burst thrown away. 0: whole bursts.
  Bytes read_sector{0};
  std::size_t queue_entries = 64;    // requests that the scheduler chooses from
  std::size_t answer_entries = 116;  // answers with data under way or not yet taken
  // Once so many younger requests have been served before the oldest one, it is served alone; 0:
  // never.
  std::uint32_t starvation_cap = 256;
};

struct DramStats {
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t bytes = 0;
  std::uint64_t row_hits = 0;
  std::uint64_t row_misses = 0;
  std::uint64_t row_conflicts = 0;
  std::uint64_t read_bursts = 0;
  std::uint64_t write_bursts = 0;
  std::uint64_t activates = 0;
  std::uint64_t precharges = 0;
  std::uint64_t refreshes = 0;
  Cycle bus_busy_cycles;
  std::uint64_t waiting_cycles = 0;
  std::uint64_t occupancy_sum = 0;

  static constexpr auto kFields = std::to_array<sim::StatField<DramStats>>({
      {"reads", "accesses", "reads served; an atomic is a read and a write", &DramStats::reads},
      {"writes", "accesses", "writes served", &DramStats::writes},
      {"bytes", "bytes", "bytes that the accesses requested", &DramStats::bytes},
      {"row_hits", "accesses", "accesses that found their row open", &DramStats::row_hits},
      {"row_misses", "accesses", "accesses that found their bank closed", &DramStats::row_misses},
      {"row_conflicts", "accesses", "accesses that first had to close another row",
       &DramStats::row_conflicts},
      {"read_bursts", "bursts", "read commands", &DramStats::read_bursts},
      {"write_bursts", "bursts", "write commands", &DramStats::write_bursts},
      {"activates", "commands", "rows opened", &DramStats::activates},
      {"precharges", "commands", "rows closed, also by auto precharge and before a refresh",
       &DramStats::precharges},
      {"refreshes", "commands", "refreshes of all banks", &DramStats::refreshes},
      {"bus_busy_cycles", "cycles", "cycles in which the data bus moved data",
       &DramStats::bus_busy_cycles},
      {"waiting_cycles", "cycles", "cycles in which at least one request waited in the queue",
       &DramStats::waiting_cycles},
      {"occupancy_sum", "requests × cycles", "requests in the queue, summed over all cycles",
       &DramStats::occupancy_sum},
  });
};

class DramChannel : public sim::Component {
 public:
  // `index` is the channel's number in the address mapping; all that it is sent must lie there. The
  // channels' other ends are connected by whoever owns them. Throws Error when timing and mapping
  // do not belong together, or an access would not lie within one row.
  DramChannel(std::string name, const DramSpec& spec, std::uint32_t index,
              sim::Channel<Access>& requests, sim::Channel<Access>& answers);

  Cycle tick(Cycle now) override;

  // Counts the time until `now`, also that in which the channel slept, and the refreshes in it.
  void settle(Cycle now);
  const DramStats& stats() const { return stats_; }
  std::size_t waiting() const { return queue_.size(); }

 private:
  struct Answer {
    Access access;
    Cycle at{};
  };

  void count_time(Cycle now);
  void refresh_while_idle(Cycle now);
  // False: an answer waits for room in the channel, which will wake this component.
  bool send_answer(Cycle now);
  void take_request(Cycle now);

  void plan(Cycle from);
  void put_refresh_before_plan(Cycle from);
  void issue(Cycle now);
  void open_row(DramRequest& request, Cycle now);
  void close_row(DramRequest& request, Cycle now);
  void serve_burst(DramRequest& request, Cycle now);
  void close_all_rows(Cycle now);
  void finish(std::int32_t request);
  bool answers_full() const { return answers_under_way_.room() == 0; }
  // Entries of the queue: sectors are asked for one by one, everything else takes one entry.
  std::uint32_t entries_of(const Access& access) const;
  bool has_room_for(const Access& access) const {
    return !queue_.full() &&
           (queue_.empty() || entries_ + entries_of(access) <= spec_.queue_entries);
  }

  DramSpec spec_;
  AddressMapping mapping_;
  std::uint32_t index_;
  DramDevice device_;
  DramQueue queue_;
  DramScheduler scheduler_;
  sim::Channel<Access>& requests_;
  sim::Channel<Access>& answers_;
  Ring<Answer> answers_under_way_;  // in the order of the data bus
  Bytes read_bytes_;                // that one read command serves
  bool reads_sectors_;              // less than a burst
  std::size_t entries_ = 0;         // of the queue that are taken
  Bytes row_stretch_;               // bytes that lie within one row, aligned to their number
  DramChoice plan_;                 // the next command
  Cycle next_refresh_ = sim::kNever;
  Cycle counted_until_{};
  DramStats stats_;
};

}  // namespace raddle::memory
