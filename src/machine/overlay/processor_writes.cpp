// The write port of the register file, and where batches begin and end.
#include <bit>

#include "machine/overlay/evaluator.h"
#include "machine/overlay/processor.h"

namespace raddle::machine::overlay {

// --- the write port --------------------------------------------------------------------------------

void Processor::write_alu(unsigned batch) {
  Context& context = contexts_[batch];
  const BatchMask bit = bit_of(batch);
  code_.alu(context.in_flight).write(context.result, context.state);
  in_flight_ &= ~bit;
  ++counts_.writes_alu;
  note(ScheduleEvent::Kind::kWriteAlu, cycle_, batch, 0, context.in_flight);
  if (context.ended) {
    ended_ |= bit;
  } else {
    wake_at(batch, cycle_ + Cycle(1));
  }
}

void Processor::write_texels(const QueuedWrite& entry) {
  Context& context = contexts_[entry.batch];
  const TexCode& tex = code_.tex(entry.instruction);
  for (unsigned thread = 0; thread < kBatchThreads; ++thread) {
    if (((entry.threads >> thread) & 1U) == 0) continue;
    tex.write(entry.texels[thread], thread, entry.destination, context.state);
  }
  const auto texels = static_cast<std::uint16_t>(thread_count(entry.threads));
  context.outstanding = static_cast<std::uint16_t>(context.outstanding - texels);
  if (code_.word(entry.instruction).tex.acquire) {
    context.acquired = static_cast<std::uint16_t>(context.acquired - texels);
  }
  update_semaphore(entry.batch);
  ++counts_.writes_texel;
  note(ScheduleEvent::Kind::kWriteTexel, cycle_, entry.batch, 0, entry.instruction);
}

void Processor::write_queued() {
  if (write_queue_.empty()) return;
  const QueuedWrite entry = write_queue_.front();
  write_queue_.pop();
  counts_.port_waits += cycle_ - entry.cycle;
  if (!entry.is_coordinates) return write_texels(entry);
  const unsigned batch = entry.batch;
  Context& context = contexts_[batch];
  start_batch(context.coordinates, context.state);
  context.address = configuration_.shader.start;
  context.ended = false;
  occupied_ |= bit_of(batch);
  ++resident_;
  look_at_next(batch);
  wake_at(batch, cycle_ + Cycle(1));
  ++counts_.writes_coordinates;
  note(ScheduleEvent::Kind::kWriteCoordinates, cycle_, batch);
}

// Texels come back one by one; the register of the batch is written when the last is there.
void Processor::gather_texels() {
  while (link_.has_arrived(cycle_)) {
    const TexelRead read = link_.take_arrived();
    code_.tex(read.instruction)
        .add({read.address, read.weight, read.is_border}, memory_[read.address], read.is_first,
             gathered_.texels[read.thread]);
    gathered_.threads |= static_cast<ThreadMask>(1U << read.thread);
    if (!read.is_last) continue;
    gathered_.batch = read.batch;
    gathered_.instruction = read.instruction;
    gathered_.destination = read.destination;
    gathered_.cycle = cycle_;
    write_queue_.push(gathered_);
    gathered_.threads = 0;
  }
}

// One write a cycle. The datapath cannot wait, so its results go first.
void Processor::write_registers() {
  std::uint8_t& due = alu_writes_[place_of(cycle_)];
  if (due == kNobody) return write_queued();
  write_alu(due);
  due = kNobody;
}

// --- begin and end of batches ----------------------------------------------------------------------

void Processor::retire_batch(unsigned batch) {
  Context& context = contexts_[batch];
  const auto threads = static_cast<ThreadMask>(context.coordinates.covered & ~context.state.killed);
  store_outputs(configuration_, code_.outputs(), context.state, context.coordinates.x,
                context.coordinates.y, threads, memory_);
  link_.write(thread_count(threads) * static_cast<unsigned>(std::popcount(code_.outputs())));
  ended_ &= ~bit_of(batch);
  --resident_;
  ++batches_done_;
  note(ScheduleEvent::Kind::kRetire, cycle_, batch);
  free_contexts_.push(static_cast<std::uint8_t>(batch));
}

// Output registers go to the FIFO of posted writes, one batch a cycle.
void Processor::retire() {
  for (BatchMask left = ended_; left != 0; left &= left - 1) {
    const auto batch = static_cast<unsigned>(std::countr_zero(left));
    if (contexts_[batch].outstanding > 0) continue;
    const std::size_t packets =
        kBatchThreads * static_cast<unsigned>(std::popcount(code_.outputs()));
    if (link_.write_room() < packets) {
      ++counts_.output_waits;
      return;
    }
    return retire_batch(batch);
  }
}

void Processor::give_coordinates() {
  if (free_contexts_.empty() || cycle_ < next_coordinates_) return;
  const auto coordinates = generator_.next();
  if (!coordinates) {
    next_coordinates_ = sim::kNever;
    return;
  }
  const std::uint8_t batch = free_contexts_.front();
  free_contexts_.pop();
  contexts_[batch].coordinates = *coordinates;
  QueuedWrite entry;
  entry.batch = batch;
  entry.cycle = cycle_;
  entry.is_coordinates = true;
  write_queue_.push(entry);
  next_coordinates_ = cycle_ + parameters_.coordinate_cycles;
}

}  // namespace raddle::machine::overlay
