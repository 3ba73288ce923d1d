#include "machine/overlay/hyper_transport.h"

#include <algorithm>
#include <cmath>

namespace raddle::machine::overlay {
namespace {

constexpr double kTexelBytes = 16;

Picoseconds rounded(double ps) { return Picoseconds(static_cast<std::uint64_t>(std::llround(ps))); }

}  // namespace

HyperTransport::HyperTransport(const OverlayParameters& p)
    : period_(rounded(1e12 / p.clock.count())),
      ps_per_byte_(1e12 / p.link.bytes_per_second()),
      request_bytes_(p.link.request_bytes),
      overhead_bytes_(p.link.overhead_bytes),
      most_outstanding_(p.link.outstanding_reads),
      write_fifo_(p.output_fifo),
      reads_(p.tex_fifo),
      flying_(p.link.outstanding_reads) {
  const LinkParameters& link = p.link;
  const auto on_wires = [&](double bytes) {
    return rounded((bytes + link.overhead_bytes) * ps_per_byte_);
  };
  request_time_ = on_wires(link.request_bytes);
  write_time_ = on_wires(link.request_bytes + kTexelBytes);
  response_time_ = on_wires(link.response_bytes + kTexelBytes);
  const ReadLatency& l = link.latency;
  to_response_ =
      rounded((l.fpga_request_ns + l.host_request_ns + l.memory_ns + l.host_build_ns) * 1000);
  from_response_ = rounded((l.host_response_ns + l.fpga_response_ns) * 1000);
  host_to_fpga_ = from_response_;
}

void HyperTransport::send_read(Picoseconds start) {
  const Timed& request = reads_.front();
  out_free_ = start + request_time_;
  counts_.out_busy += request_time_;
  const Picoseconds response = std::max(start + to_response_, in_free_);
  in_free_ = response + response_time_;
  counts_.in_busy += response_time_;
  const Picoseconds arrival = response + from_response_;
  const Picoseconds latency = arrival - time_of(request.cycle);
  counts_.read_latency += latency;
  counts_.least_latency = std::min(counts_.least_latency, latency);
  ++counts_.reads;
  ++outstanding_;
  flying_.push({request.read, first_from(arrival)});
  reads_.pop();
}

void HyperTransport::advance(Cycle cycle) {
  const Picoseconds begin = time_of(cycle);
  const Picoseconds end = begin + period_;
  while (out_free_ < end) {
    const bool reads = can_read(cycle);
    if (!reads && writes_ == 0) return;
    const Picoseconds start = std::max(out_free_, begin);
    // Reads and posted writes take turns where both wait.
    if (writes_ > 0 && (write_is_next_ || !reads)) {
      --writes_;
      ++counts_.writes;
      out_free_ = start + write_time_;
      counts_.out_busy += write_time_;
      write_is_next_ = false;
    } else {
      send_read(start);
      write_is_next_ = true;
    }
  }
}

TexelRead HyperTransport::take_arrived() {
  const TexelRead read = flying_.front().read;
  flying_.pop();
  --outstanding_;
  return read;
}

Cycle HyperTransport::next_event(Cycle cycle) const {
  Cycle next = sim::kNever;
  if (!flying_.empty()) next = std::max(flying_.front().cycle, cycle + Cycle(1));
  const bool may_read = !reads_.empty() && outstanding_ < most_outstanding_;
  if (writes_ == 0 && !may_read) return next;
  Cycle sends = std::max(Cycle(out_free_ / period_), cycle + Cycle(1));
  if (writes_ == 0) sends = std::max(sends, reads_.front().cycle);
  return std::min(next, sends);
}

bool HyperTransport::is_idle(Cycle cycle) const {
  return reads_.empty() && flying_.empty() && writes_ == 0 && out_free_ <= time_of(cycle);
}

Cycle HyperTransport::receive(Bytes data, std::uint64_t packets) {
  const double bytes =
      data.as_double() + static_cast<double>(packets) * (request_bytes_ + overhead_bytes_);
  const Picoseconds time = rounded(bytes * ps_per_byte_);
  in_free_ += time;
  counts_.configuration += time;
  return first_from(in_free_ + host_to_fpga_);
}

}  // namespace raddle::machine::overlay
