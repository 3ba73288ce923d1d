#include "ddm/mpi/mpi_network.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "ddm/graph_walk.h"
#include "ddm/native/frame_bytes.h"
#include "ddm/native/placement.h"

namespace raddle::ddm::mpi {
namespace {

using Clock = std::chrono::steady_clock;

// MPI counts bytes in an int, and a packet may hold a little besides the block.
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;

const native::ArcPlan& arc_plan(const native::BlockPlan& plan, std::uint32_t number) {
  for (const auto& arc : plan.threads[plan.block->arcs[number].from].consumers) {
    if (arc.number == number) return arc;
  }
  throw NetworkError("a message names an unknown arc", "block '" + plan.block->name + "'", "");
}

std::string arc_name(const BlockGraph& block, const Arc& arc) {
  return "arc '" + block.threads[arc.from].name + "' → '" + block.threads[arc.to].name +
         "' of block '" + block.name + "'";
}

// An object that is serialized has its length before it.
void append_operand(std::vector<std::byte>& bytes, const Operand& operand) {
  if (operand.codec == nullptr) {
    bytes.insert(bytes.end(), operand.data, operand.data + operand.bytes);
    return;
  }
  std::uint64_t length = 0;
  const auto place = bytes.size();
  bytes.resize(place + sizeof length);
  operand.codec->write(operand.data, bytes);
  length = bytes.size() - place - sizeof length;
  std::memcpy(&bytes[place], &length, sizeof length);
}

// Gives where the next operand begins; beyond the end, if these bytes are not such an object.
std::uint64_t take_object(const Operand& operand, const std::byte* bytes, std::uint64_t at,
                          std::uint64_t end) {
  std::uint64_t length = 0;
  if (at + sizeof length > end) return end + 1;
  std::memcpy(&length, bytes + at, sizeof length);
  at += sizeof length;
  if (length > end - at || !operand.codec->read(operand.data, bytes + at, length)) return end + 1;
  return at + length;
}

}  // namespace

MpiNetwork::MpiNetwork(Transport& transport, LifeSigns& life_signs, std::uint32_t run_number,
                       int nodes_on_cores, bool workers_help, const Options& options)
    : transport_(transport),
      life_signs_(life_signs),
      run_number_(run_number),
      nodes_on_cores_(nodes_on_cores),
      workers_help_(workers_help),
      options_(options),
      last_work_(Clock::now()),
      last_heard_(Clock::now()),
      states_(static_cast<std::size_t>(transport.nodes())),
      next_wave_(Clock::now()) {}

void MpiNetwork::post(int to, MessageHeader header, std::vector<std::byte> bytes) {
  header.run = run_number_;
  header.bytes = bytes.size();
  sent_bytes_.fetch_add(bytes.size() + sizeof header, std::memory_order_relaxed);
  sent_.fetch_add(1, std::memory_order_seq_cst);
  const auto pack = [&] {
    transport_.add(to, header, bytes.data());
    unflushed_.store(true, std::memory_order_seq_cst);
  };
  if (workers_help_ && with_transport(pack)) return;
  outgoing_.push(std::make_unique<OutgoingMessage>(OutgoingMessage{to, header, std::move(bytes)}));
  if (!workers_help_ && listener_sleeps_.load(std::memory_order_seq_cst)) posted_.wake_one();
}

// What an arc carries to one node, in the order in which both ends go through it.
void MpiNetwork::for_each_carried(native::Context& root, const native::ArcPlan& arc,
                                  const Coordinates& producer, int to, OperandSink sink) const {
  if (!arc.arc->carries) return;
  if (!arc.arc->carries_by_consumer) {
    arc.arc->carries(root.frame, producer, {}, sink);
    return;
  }
  const auto& grid = root.shape->threads[arc.to].grid;
  const auto visit = [&](const Coordinates& at) {
    if (root.placement->node_of(arc.to, grid.tile_of(at), grid.cell_of(at)) != to) return;
    arc.arc->carries(root.frame, producer, at, sink);
  };
  const auto& block = *root.plan->block;
  if (arc.delivery == native::Delivery::kAlone) {
    visit(producer);
  } else if (arc.arc->kind == ArcKind::kAll) {
    for_each_instance(block.threads[arc.to], root.frame, grid.extents(), visit);
  } else {
    for_each_target(block, *arc.arc, root.frame, grid.extents(), producer, visit);
  }
}

void MpiNetwork::send_inputs(int to, native::Context& root, const native::ArcPlan& arc,
                             const Coordinates& producer, std::uint64_t count) {
  MessageHeader header;
  header.kind = MessageKind::kInputs;
  header.number = arc.number;
  header.values[0] = root.shape->extents[arc.arc->from].flat(producer);
  header.values[1] = count;
  std::uint64_t size = 0;
  bool serialized = false;
  for_each_carried(root, arc, producer, to, [&](Operand operand) {
    size += operand.bytes;
    serialized |= operand.codec != nullptr;
  });
  std::vector<std::byte> bytes;
  if (serialized) {
    for_each_carried(root, arc, producer, to,
                     [&](Operand operand) { append_operand(bytes, operand); });
    size = bytes.size();
  }
  if (size > kMaxBytes) {
    throw NetworkError("it carries " + std::to_string(size) +
                           " bytes at once; a message can hold " + std::to_string(kMaxBytes),
                       arc_name(*root.plan->block, *arc.arc),
                       "divide the data among more thread instances");
  }
  if (!serialized) {
    bytes.reserve(size);
    for_each_carried(root, arc, producer, to,
                     [&](Operand operand) { append_operand(bytes, operand); });
  }
  post(to, header, std::move(bytes));
}

void MpiNetwork::send_invocation(int to, native::Context& caller, std::uint32_t thread,
                                 std::uint32_t tile, unsigned cell, native::Join* join,
                                 const native::BlockPlan& block, const void* frame) {
  MessageHeader header;
  header.kind = MessageKind::kInvoke;
  header.number = block.number;
  {
    const std::lock_guard lock(tickets_mutex_);
    header.values[0] = ++last_ticket_;
    tickets_[last_ticket_] = {&caller, thread, tile, cell, join};
  }
  post(to, header, native::frame_bytes(block.block->frame, frame));
  send_posted();
}

void MpiNetwork::send_results(const native::Context& context) {
  MessageHeader header;
  header.kind = MessageKind::kResults;
  header.values[0] = context.ticket;
  post(context.from_node, header, native::frame_bytes(context.plan->block->frame, context.frame));
  send_posted();
}

void MpiNetwork::take_inputs(int from, const MessageHeader& header, std::byte* bytes) {
  const auto& arc = arc_plan(*root_->plan, header.number);
  const auto producer = root_->shape->extents[arc.arc->from].at(header.values[0]);
  std::uint64_t taken = 0;
  for_each_carried(*root_, arc, producer, node(), [&](Operand operand) {
    if (operand.codec != nullptr) {
      taken = take_object(operand, bytes, taken, header.bytes);
      return;
    }
    if (taken + operand.bytes <= header.bytes)
      std::copy_n(bytes + taken, operand.bytes, operand.data);
    taken += operand.bytes;
  });
  if (taken != header.bytes) {
    throw NetworkError("node " + std::to_string(from) + " sent " + std::to_string(header.bytes) +
                           " bytes for '" + root_->plan->block->threads[arc.arc->from].name + "'" +
                           index_text(root_->plan->block->threads[arc.arc->from], producer) +
                           ", but here it takes " + std::to_string(taken),
                       arc_name(*root_->plan->block, *arc.arc),
                       "what carries(…) names must have the same size on every node");
  }
  outside_->take_inputs(*root_, arc, producer, header.values[1]);
}

void MpiNetwork::take_results(const MessageHeader& header, std::byte* bytes) {
  Ticket ticket{};
  {
    const std::lock_guard lock(tickets_mutex_);
    const auto found = tickets_.find(header.values[0]);
    ticket = found->second;
    tickets_.erase(found);
  }
  const auto* callee = ticket.caller->plan->threads[ticket.thread].thread->invocation.callee;
  if (callee == nullptr) {  // of a dynamic thread, which reads no results
    outside_->take_results(*ticket.caller, ticket.thread, ticket.tile, ticket.cell, ticket.join,
                           nullptr);
    return;
  }
  // The bytes may lie at any address; the frame's type wants a proper one.
  const auto& frame = callee->frame;
  std::vector<std::byte> room(frame.size + frame.alignment);
  void* place = room.data();
  std::size_t space = room.size();
  std::align(frame.alignment, frame.size, place, space);
  native::make_frame(*callee, place, bytes, header.bytes);
  const std::unique_ptr<void, void (*)(void*)> destroyed(place, frame.destroy);
  outside_->take_results(*ticket.caller, ticket.thread, ticket.tile, ticket.cell, nullptr, place);
}

// A message counts as received when what it enables is queued, or when it has failed the run.
void MpiNetwork::handle_work(int from, const MessageHeader& header, std::byte* bytes) {
  try {
    if (header.kind == MessageKind::kResults) {
      take_results(header, bytes);
    } else if (!run_->stopping()) {
      if (header.kind == MessageKind::kInputs) take_inputs(from, header, bytes);
      if (header.kind == MessageKind::kInvoke) {
        outside_->take_invocation(*root_, header.number, {bytes, header.bytes}, from,
                                  header.values[0]);
      }
    }
  } catch (...) {
    run_->fail(std::current_exception());
  }
  ++received_;
}

void MpiNetwork::handle(int from, const MessageHeader& header, std::byte* bytes) {
  if (header.run != run_number_) return;
  switch (header.kind) {
    case MessageKind::kGraph: compare_graph(from, header, bytes); break;
    case MessageKind::kInputs:
    case MessageKind::kInvoke:
    case MessageKind::kResults: handle_work(from, header, bytes); break;
    case MessageKind::kProbe: {
      const State mine = state();
      MessageHeader answer;
      answer.kind = MessageKind::kState;
      answer.run = run_number_;
      answer.number = header.number;
      answer.flag = mine.idle ? 1 : 0;
      answer.values[0] = mine.sent;
      answer.values[1] = mine.received;
      answer.values[2] = mine.fired;
      transport_.add(from, answer, nullptr);
      break;
    }
    case MessageKind::kState:
      if (header.number == wave_) {
        states_[static_cast<std::size_t>(from)] = {true, header.flag != 0, header.values[0],
                                                   header.values[1], header.values[2]};
      }
      break;
    case MessageKind::kEnd:
      ended_ = true;
      fired_everywhere_ = header.values[0];
      break;
    case MessageKind::kFailure:
      failure_told_ = true;
      fail_with(from, std::string(reinterpret_cast<const char*>(bytes), header.bytes));
      break;
  }
}

}  // namespace raddle::ddm::mpi
