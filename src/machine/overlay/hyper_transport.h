// The HyperTransport link between processor and host memory (Sections 4.1 and 6.1): one direction
// for requests and posted writes, one for responses. Each direction carries one packet after the
// other; on top of that a read takes the stages of Table 3. At most so many reads are outstanding;
// others wait in the FIFO behind the TEX datapath. Responses come back in order. What the host
// writes into the processor comes the way of the responses and takes their last two stages.
#pragma once

#include <cstdint>

#include "machine/overlay/overlay_parameters.h"
#include "memory/ring.h"

namespace raddle::machine::overlay {

// Which thread of which batch a texel is for.
struct TexelRead {
  std::uint64_t address = 0;
  std::uint16_t instruction = 0;
  std::uint16_t destination = 0;
  std::uint8_t batch = 0;
  std::uint8_t thread = 0;
  bool is_last = false;  // of its TEX instruction; all of them come back one behind the other
};

struct LinkCounts {
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t out_busy_ps = 0;
  std::uint64_t in_busy_ps = 0;
  std::uint64_t configuration_ps = 0;  // of what the host wrote; not in the former
  std::uint64_t read_latency_ps = 0;   // from entering the FIFO, summed
  std::uint64_t least_latency_ps = ~std::uint64_t{0};
};

class HyperTransport {
 public:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  explicit HyperTransport(const OverlayParameters& parameters);

  // Free entries of the FIFO of reads, and of posted writes.
  std::size_t read_room() const { return reads_.room(); }
  std::size_t write_room() const { return write_fifo_ - writes_; }
  // Reads enter in the order of their cycles, which may lie ahead.
  void read(const TexelRead& read, std::uint64_t cycle) { reads_.push({read, cycle}); }
  void write(unsigned packets) { writes_ += packets; }

  // Sends what the link can begin with in this cycle.
  void advance(std::uint64_t cycle);
  bool has_arrived(std::uint64_t cycle) const {
    return !flying_.empty() && flying_.front().cycle <= cycle;
  }
  TexelRead take_arrived();

  // The next cycle after `cycle` in which something happens without a new request.
  std::uint64_t next_event(std::uint64_t cycle) const;
  // Nothing waits, and the last packet has left.
  bool is_idle(std::uint64_t cycle) const;
  const LinkCounts& counts() const { return counts_; }
  std::uint64_t period_ps() const { return period_ps_; }
  // The host writes so many bytes into the processor, in so many packets one behind the other;
  // gives the cycle in which the last has come.
  std::uint64_t receive(std::uint64_t data_bytes, std::uint64_t packets);

 private:
  struct Timed {
    TexelRead read;
    std::uint64_t cycle = 0;
  };

  bool can_read(std::uint64_t cycle) const {
    return !reads_.empty() && outstanding_ < most_outstanding_ && reads_.front().cycle <= cycle;
  }
  void send_read(std::uint64_t start_ps);

  std::uint64_t period_ps_;
  std::uint64_t request_ps_, write_ps_, response_ps_;  // a packet's time on the wires
  std::uint64_t to_response_ps_, from_response_ps_;    // stages before and behind the way back
  double ps_per_byte_, request_bytes_, overhead_bytes_;
  std::uint64_t host_to_fpga_ps_;
  std::size_t most_outstanding_, write_fifo_;
  memory::Ring<Timed> reads_;
  memory::Ring<Timed> flying_;
  std::size_t writes_ = 0;
  std::size_t outstanding_ = 0;
  std::uint64_t out_free_ps_ = 0, in_free_ps_ = 0;
  bool write_is_next_ = false;
  LinkCounts counts_;
};

}  // namespace raddle::machine::overlay
