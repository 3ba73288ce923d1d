#include "machine/overlay/hyper_transport.h"

#include <algorithm>
#include <cmath>

namespace raddle::machine::overlay {
namespace {

constexpr double kTexelBytes = 16;

std::uint64_t picoseconds(double ns) { return static_cast<std::uint64_t>(std::llround(ns * 1000)); }

}  // namespace

HyperTransport::HyperTransport(const OverlayParameters& p)
    : period_ps_(static_cast<std::uint64_t>(std::llround(1e12 / p.clock.count()))),
      ps_per_byte_(1e12 / p.link.bytes_per_second()),
      request_bytes_(p.link.request_bytes),
      overhead_bytes_(p.link.overhead_bytes),
      most_outstanding_(p.link.outstanding_reads),
      write_fifo_(p.output_fifo),
      reads_(p.tex_fifo),
      flying_(p.link.outstanding_reads) {
  const LinkParameters& link = p.link;
  const auto wire_ps = [&](double bytes) {
    return static_cast<std::uint64_t>(std::llround((bytes + link.overhead_bytes) * ps_per_byte_));
  };
  request_ps_ = wire_ps(link.request_bytes);
  write_ps_ = wire_ps(link.request_bytes + kTexelBytes);
  response_ps_ = wire_ps(link.response_bytes + kTexelBytes);
  const ReadLatency& l = link.latency;
  to_response_ps_ =
      picoseconds(l.fpga_request_ns + l.host_request_ns + l.memory_ns + l.host_build_ns);
  from_response_ps_ = picoseconds(l.host_response_ns + l.fpga_response_ns);
  host_to_fpga_ps_ = from_response_ps_;
}

void HyperTransport::send_read(std::uint64_t start_ps) {
  const Timed& request = reads_.front();
  out_free_ps_ = start_ps + request_ps_;
  counts_.out_busy_ps += request_ps_;
  const std::uint64_t response_ps = std::max(start_ps + to_response_ps_, in_free_ps_);
  in_free_ps_ = response_ps + response_ps_;
  counts_.in_busy_ps += response_ps_;
  const std::uint64_t arrival_ps = response_ps + from_response_ps_;
  const std::uint64_t latency_ps = arrival_ps - request.cycle * period_ps_;
  counts_.read_latency_ps += latency_ps;
  counts_.least_latency_ps = std::min(counts_.least_latency_ps, latency_ps);
  ++counts_.reads;
  ++outstanding_;
  flying_.push({request.read, (arrival_ps + period_ps_ - 1) / period_ps_});
  reads_.pop();
}

void HyperTransport::advance(std::uint64_t cycle) {
  const std::uint64_t begin = cycle * period_ps_;
  const std::uint64_t end = begin + period_ps_;
  while (out_free_ps_ < end) {
    const bool reads = can_read(cycle);
    if (!reads && writes_ == 0) return;
    const std::uint64_t start = std::max(out_free_ps_, begin);
    // Reads and posted writes take turns where both wait.
    if (writes_ > 0 && (write_is_next_ || !reads)) {
      --writes_;
      ++counts_.writes;
      out_free_ps_ = start + write_ps_;
      counts_.out_busy_ps += write_ps_;
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

std::uint64_t HyperTransport::next_event(std::uint64_t cycle) const {
  std::uint64_t next = kNever;
  if (!flying_.empty()) next = std::max(flying_.front().cycle, cycle + 1);
  const bool may_read = !reads_.empty() && outstanding_ < most_outstanding_;
  if (writes_ == 0 && !may_read) return next;
  const std::uint64_t free = std::max(out_free_ps_ / period_ps_, cycle + 1);
  const std::uint64_t entered = writes_ > 0 ? 0 : reads_.front().cycle;
  return std::min(next, std::max(free, entered));
}

bool HyperTransport::is_idle(std::uint64_t cycle) const {
  return reads_.empty() && flying_.empty() && writes_ == 0 && out_free_ps_ <= cycle * period_ps_;
}

std::uint64_t HyperTransport::receive(std::uint64_t data_bytes, std::uint64_t packets) {
  const double bytes = static_cast<double>(data_bytes) +
                       static_cast<double>(packets) * (request_bytes_ + overhead_bytes_);
  const auto time_ps = static_cast<std::uint64_t>(std::llround(bytes * ps_per_byte_));
  in_free_ps_ += time_ps;
  counts_.configuration_ps += time_ps;
  return (in_free_ps_ + host_to_fpga_ps_ + period_ps_ - 1) / period_ps_;
}

}  // namespace raddle::machine::overlay
