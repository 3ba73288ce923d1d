// The HyperTransport link between processor and host memory (Sections 4.1 and 6.1): one direction
// for requests and posted writes, one for responses. Each direction carries one packet after the
// other; on top of that a read takes the stages of Table 3. At most so many reads are outstanding;
// others wait in the FIFO behind the TEX datapath. Responses come back in order. What the host
// writes into the processor comes the way of the responses and takes their last two stages.
#pragma once

#include <cstdint>
#include <limits>

#include "machine/overlay/overlay_parameters.h"
#include "memory/ring.h"
#include "sim/clock.h"

namespace raddle::machine::overlay {

// The link does not know the processor's clock.
using Picoseconds = Quantity<struct PicosecondUnit, std::uint64_t>;

// Which thread of which batch a texel is for.
struct TexelRead {
  std::uint64_t address = 0;  // in texels
  std::uint16_t instruction = 0;
  std::uint16_t destination = 0;
  std::uint8_t batch = 0;
  std::uint8_t thread = 0;
  float weight = 1;        // of a filter
  bool is_first = true;    // of its thread
  bool is_border = false;  // counts as 0
  bool is_last = false;    // of its TEX instruction; all of them come back one after the other
};

struct LinkCounts {
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  Picoseconds out_busy;
  Picoseconds in_busy;
  Picoseconds configuration;  // of what the host wrote; not in the former
  Picoseconds read_latency;   // from entering the FIFO, summed
  Picoseconds least_latency{std::numeric_limits<std::uint64_t>::max()};
};

class HyperTransport {
 public:
  explicit HyperTransport(const OverlayParameters& parameters);

  // Free entries of the FIFO of reads, and of posted writes.
  std::size_t read_room() const { return reads_.room(); }
  std::size_t write_room() const { return write_fifo_ - writes_; }
  // Reads enter in the order of their cycles, which may lie ahead.
  void read(const TexelRead& read, Cycle cycle) { reads_.push({read, cycle}); }
  void write(unsigned packets) { writes_ += packets; }

  // Sends what the link can begin with in this cycle.
  void advance(Cycle cycle);
  bool has_arrived(Cycle cycle) const { return !flying_.empty() && flying_.front().cycle <= cycle; }
  TexelRead take_arrived();

  // The next cycle after `cycle` in which something happens without a new request.
  Cycle next_event(Cycle cycle) const;
  // Nothing waits, and the last packet has left.
  bool is_idle(Cycle cycle) const;
  const LinkCounts& counts() const { return counts_; }
  Picoseconds period() const { return period_; }
  // The host writes so many bytes into the processor, in so many packets one after the other;
  // gives the cycle in which the last has come.
  Cycle receive(Bytes data, std::uint64_t packets);

 private:
  struct Timed {
    TexelRead read;
    Cycle cycle;
  };

  bool can_read(Cycle cycle) const {
    return !reads_.empty() && outstanding_ < most_outstanding_ && reads_.front().cycle <= cycle;
  }
  void send_read(Picoseconds start);
  Picoseconds time_of(Cycle cycle) const { return cycle.count() * period_; }
  // The first cycle that does not begin before.
  Cycle first_from(Picoseconds time) const {
    return Cycle((time + period_ - Picoseconds(1)) / period_);
  }

  Picoseconds period_;
  Picoseconds request_time_, write_time_, response_time_;  // of a packet on the wires
  Picoseconds to_response_, from_response_;                // stages before and after the way back
  double ps_per_byte_, request_bytes_, overhead_bytes_;
  Picoseconds host_to_fpga_;
  std::size_t most_outstanding_, write_fifo_;
  memory::Ring<Timed> reads_;
  memory::Ring<Timed> flying_;
  std::size_t writes_ = 0;
  std::size_t outstanding_ = 0;
  Picoseconds out_free_, in_free_;
  bool write_is_next_ = false;
  LinkCounts counts_;
};

}  // namespace raddle::machine::overlay
