#include "ddm/recording/recording.h"

#include <algorithm>
#include <array>
#include <istream>
#include <ostream>
#include <stdexcept>
#include <type_traits>

#include "ddm/recording/packing.h"

namespace raddle::ddm::recording {
namespace {

constexpr std::array<char, 16> kMagic = {'r', 'a', 'd', 'd', 'l', 'e', '.', 'd',
                                         'd', 'm', '-', 'r', 'e', 'c', '/', '3'};

[[noreturn]] void fail(const char* what) { throw std::runtime_error(what); }

template <class T>
void put(std::ostream& out, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  out.write(reinterpret_cast<const char*>(&value), sizeof value);
}

void put(std::ostream& out, const std::string& text) {
  put(out, std::uint64_t{text.size()});
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

void put(std::ostream& out, const Template& entry) {
  put(out, entry.name);
  put(out, entry.kind);
}

void put(std::ostream& out, const Block& block) {
  put(out, block.name);
  put(out, block.templates);
}

// Long lists go piece by piece: how many bytes, and these.
constexpr std::size_t kPiece = std::size_t{1} << 16;  // entries

template <class Packing, class T>
void put_packed(std::ostream& out, const std::vector<T>& values) {
  put(out, std::uint64_t{values.size()});
  Packing packing;
  ByteSink piece;
  for (std::size_t i = 0; i < values.size(); ++i) {
    packing.write(piece, values[i]);
    if ((i + 1) % kPiece != 0 && i + 1 != values.size()) continue;
    put(out, std::uint64_t{piece.bytes().size()});
    out.write(reinterpret_cast<const char*>(piece.bytes().data()),
              static_cast<std::streamsize>(piece.bytes().size()));
    piece.clear();
  }
}

void put(std::ostream& out, const Placement& placement) {
  put(out, placement.nodes);
  put_packed<NumberPacking>(out, placement.node_of);
}

template <class T>
void put(std::ostream& out, const std::vector<T>& values) {
  put(out, std::uint64_t{values.size()});
  for (const T& value : values) put(out, value);
}

// Reads what `put` wrote. The number of bytes that are left bounds every length, so that a broken
// file is refused before memory is asked for.
class Reader {
 public:
  explicit Reader(std::istream& in) : in_(in) {
    const auto start = in.tellg();
    in.seekg(0, std::ios::end);
    left_ = static_cast<std::uint64_t>(in.tellg() - start);
    in.seekg(start);
  }

  template <class T>
  void get(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes(&value, sizeof value);
  }
  void get(std::string& text) {
    text.resize(length(1));
    bytes(text.data(), text.size());
  }
  void get(Template& entry) {
    get(entry.name);
    get(entry.kind);
    if (entry.kind > TemplateKind::kJoin) fail("a thread of unknown kind");
  }
  void get(Block& block) {
    get(block.name);
    get(block.templates);
  }
  void get(Placement& placement) {
    get(placement.nodes);
    get_packed<NumberPacking>(placement.node_of);
  }
  template <class T>
  void get(std::vector<T>& values) {
    values.resize(length(1));
    for (T& value : values) get(value);
  }
  // Each entry takes a byte or more.
  template <class Packing, class T>
  void get_packed(std::vector<T>& values) {
    values.resize(length(1));
    Packing packing;
    std::vector<std::uint8_t> piece;
    for (std::size_t first = 0; first < values.size(); first += kPiece) {
      piece.resize(length(1));
      bytes(piece.data(), piece.size());
      ByteSource source(piece);
      const auto last = std::min(values.size(), first + kPiece);
      for (std::size_t i = first; i < last; ++i) values[i] = packing.read(source);
      if (!source.at_end()) fail("a list with bytes to spare");
    }
  }

 private:
  std::size_t length(std::size_t element_bytes) {
    std::uint64_t count = 0;
    get(count);
    if (count > left_ / element_bytes) fail("it ends early");
    return count;
  }
  void bytes(void* to, std::size_t count) {
    if (count > left_) fail("it ends early");
    in_.read(static_cast<char*>(to), static_cast<std::streamsize>(count));
    if (!in_) fail("it ends early");
    left_ -= count;
  }

  std::istream& in_;
  std::uint64_t left_ = 0;
};

void check_range(Range range, std::size_t size) {
  if (range.first > size || range.count > size - range.first) fail("a thread's list lies outside");
}

void check(const Recording& recording) {
  const std::size_t threads = recording.threads.size();
  for (const Thread& thread : recording.threads) {
    check_range(thread.events, recording.events.size());
    check_range(thread.consumers, recording.consumers.size());
    check_range(thread.inputs, recording.inputs.size());
    check_range(thread.flows, recording.flows.size());
    if (thread.thread_template >= recording.templates.size() ||
        thread.block >= recording.blocks.size()) {
      fail("a thread without a code block");
    }
  }
  for (const std::uint32_t consumer : recording.consumers) {
    if (consumer >= threads) fail("a consumer that is not a thread");
  }
  for (const Flow& flow : recording.flows) {
    if (flow.producer >= threads) fail("a producer that is not a thread");
  }
  for (const Placement& placement : recording.placements) {
    if (placement.node_of.size() != threads) fail("a placement of other threads");
    for (const std::uint32_t node : placement.node_of) {
      if (node >= placement.nodes) fail("a thread without a node");
    }
  }
}

}  // namespace

std::uint64_t Recording::instructions() const {
  std::uint64_t sum = 0;
  for (const Thread& thread : threads) sum += thread.instructions;
  return sum;
}

std::uint64_t Recording::references() const {
  std::uint64_t sum = 0;
  for (const Thread& thread : threads) sum += thread.references;
  return sum;
}

const Placement* Recording::placement(std::uint32_t nodes) const {
  for (const Placement& candidate : placements) {
    if (candidate.nodes == nodes) return &candidate;
  }
  return nullptr;
}

void write(std::ostream& out, const Recording& recording) {
  put(out, kMagic);
  put(out, recording.program);
  put(out, recording.templates);
  put(out, recording.blocks);
  put_packed<ThreadPacking>(out, recording.threads);
  put_packed<EventPacking>(out, recording.events);
  put_packed<NumberPacking>(out, recording.consumers);
  put_packed<RegionPacking>(out, recording.inputs);
  put_packed<FlowPacking>(out, recording.flows);
  put(out, recording.placements);
}

Recording read(std::istream& in) {
  Reader reader(in);
  std::array<char, 16> magic{};
  reader.get(magic);
  if (magic != kMagic) fail("it is not a recording of this version");
  Recording recording;
  reader.get(recording.program);
  reader.get(recording.templates);
  reader.get(recording.blocks);
  reader.get_packed<ThreadPacking>(recording.threads);
  reader.get_packed<EventPacking>(recording.events);
  reader.get_packed<NumberPacking>(recording.consumers);
  reader.get_packed<RegionPacking>(recording.inputs);
  reader.get_packed<FlowPacking>(recording.flows);
  reader.get(recording.placements);
  check(recording);
  return recording;
}

}  // namespace raddle::ddm::recording
