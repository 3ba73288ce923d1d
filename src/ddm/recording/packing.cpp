#include "ddm/recording/packing.h"

namespace raddle::ddm::recording {
namespace {

constexpr int kTouchBits = 2;

// What is told of a thread where it is not as expected: a bit for each, in this order.
struct Field {
  std::uint64_t (*get)(const Thread&);
  void (*set)(Thread&, std::uint64_t);
};

template <auto member>
constexpr Field field() {
  return {[](const Thread& thread) { return static_cast<std::uint64_t>(thread.*member); },
          [](Thread& thread, std::uint64_t value) {
            thread.*member = static_cast<std::remove_cvref_t<decltype(thread.*member)>>(value);
          }};
}
template <auto list, auto member>
constexpr Field field() {
  return {[](const Thread& thread) { return (thread.*list).*member; },
          [](Thread& thread, std::uint64_t value) { (thread.*list).*member = value; }};
}

constexpr Field kFields[] = {
    field<&Thread::index>(),
    field<&Thread::last_ticks>(),
    field<&Thread::instructions>(),
    field<&Thread::references>(),
    field<&Thread::events, &Range::count>(),
    field<&Thread::flows, &Range::count>(),
    field<&Thread::consumers, &Range::count>(),
    field<&Thread::inputs, &Range::count>(),
    field<&Thread::block>(),
    field<&Thread::events, &Range::first>(),
    field<&Thread::flows, &Range::first>(),
    field<&Thread::consumers, &Range::first>(),
    field<&Thread::inputs, &Range::first>(),
};

}  // namespace

void EventPacking::write(ByteSink& to, const Event& event) {
  auto& lines = event.touch() == Touch::kFetch ? code_ : data_;
  // The reader has to know which lines it is before it knows the touch.
  to.put_tagged(event.ticks(), static_cast<unsigned>(event.touch()), kTouchBits);
  lines.write(to, event.line, 0, 0);
}

Event EventPacking::read(ByteSource& from) {
  const auto ticks = from.get_tagged(kTouchBits);
  const auto touch = static_cast<Touch>(ticks.tag);
  auto& lines = touch == Touch::kFetch ? code_ : data_;
  const auto line = lines.read(from, 0).value;
  return Event::make(static_cast<std::uint32_t>(line), static_cast<std::uint32_t>(ticks.value),
                     touch);
}

Thread ThreadPacking::expected(std::uint32_t thread_template) const {
  Thread thread = last_of_[thread_template % last_of_.size()];
  thread.thread_template = thread_template;
  ++thread.index;
  thread.block = last_.block;
  thread.events.first = last_.events.first + last_.events.count;
  thread.consumers.first = last_.consumers.first + last_.consumers.count;
  thread.inputs.first = last_.inputs.first + last_.inputs.count;
  thread.flows.first = last_.flows.first + last_.flows.count;
  return thread;
}

void ThreadPacking::remember(const Thread& thread) {
  last_ = thread;
  last_of_[thread.thread_template % last_of_.size()] = thread;
}

void ThreadPacking::write(ByteSink& to, const Thread& thread) {
  const Thread guess = expected(thread.thread_template);
  std::uint64_t others = 0;
  for (std::size_t i = 0; i < std::size(kFields); ++i) {
    if (kFields[i].get(thread) != kFields[i].get(guess)) others |= std::uint64_t{1} << i;
  }
  to.put(others << 1 | (thread.thread_template != last_.thread_template ? 1 : 0));
  if (thread.thread_template != last_.thread_template) to.put(thread.thread_template);
  for (std::size_t i = 0; i < std::size(kFields); ++i) {
    if ((others >> i & 1) != 0)
      to.put(ByteSink::folded(kFields[i].get(thread) - kFields[i].get(guess)));
  }
  remember(thread);
}

Thread ThreadPacking::read(ByteSource& from) {
  const auto head = from.get();
  const auto others = head >> 1;
  Thread thread =
      expected((head & 1) != 0 ? static_cast<std::uint32_t>(from.get()) : last_.thread_template);
  for (std::size_t i = 0; i < std::size(kFields); ++i) {
    if ((others >> i & 1) != 0)
      kFields[i].set(thread, kFields[i].get(thread) + ByteSource::unfolded(from.get()));
  }
  remember(thread);
  return thread;
}

void NumberPacking::write(ByteSink& to, std::uint32_t number) { numbers_.write(to, number, 0, 0); }

std::uint32_t NumberPacking::read(ByteSource& from) {
  return static_cast<std::uint32_t>(numbers_.read(from, 0).value);
}

// A region often begins where another one ends, and is as long.
void RegionPacking::write(ByteSink& to, const Region& region) {
  const bool as_long = region.bytes == bytes_;
  addresses_.write(to, region.address, as_long ? 1 : 0, 1);
  if (!as_long) to.put(bytes_ = region.bytes);
}

Region RegionPacking::read(ByteSource& from) {
  const auto address = addresses_.read(from, 1);
  if (address.tag == 0) bytes_ = from.get();
  return {address.value, bytes_};
}

void FlowPacking::write(ByteSink& to, const Flow& flow) {
  producers_.write(to, flow.producer, flow.initial == 0 ? 0 : 1, 1);
  if (flow.initial != 0) to.put(flow.initial);
  regions_.write(to, flow.region);
}

Flow FlowPacking::read(ByteSource& from) {
  const auto producer = producers_.read(from, 1);
  Flow flow;
  flow.producer = static_cast<std::uint32_t>(producer.value);
  if (producer.tag != 0) flow.initial = static_cast<std::uint32_t>(from.get());
  flow.region = regions_.read(from);
  return flow;
}

}  // namespace raddle::ddm::recording
