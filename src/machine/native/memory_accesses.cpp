#include "machine/native/memory_accesses.h"

#include <utility>
#include <vector>

#include "kernel/address_map.h"

namespace raddle::machine::native {

using kernel::Opcode;
using kernel::Operand;
using kernel::Space;
using kernel::SymbolKind;
using kernel::exec::DecodedInstruction;

namespace {

constexpr int kHalf = 16;

// <32 x i64> of 0, stride … in each half.
std::string steps(int stride) {
  std::string list;
  for (int lane = 0; lane < 32; ++lane)
    list += fmt::format("{}i64 {}", lane == 0 ? "" : ", ", lane % kHalf * stride);
  return "<" + list + ">";
}

// Both halves, one after the other, or the first of each spread over it.
std::string both_halves() {
  std::string list;
  for (int lane = 0; lane < 32; ++lane)
    list += fmt::format("{}i32 {}", lane == 0 ? "" : ", ", lane);
  return "<" + list + ">";
}
std::string first_of_halves() {
  std::string list;
  for (int lane = 0; lane < 32; ++lane)
    list += fmt::format("{}i32 {}", lane == 0 ? "" : ", ", lane / kHalf * kHalf);
  return "<" + list + ">";
}

}  // namespace

bool MemoryAccesses::translate(const DecodedInstruction& d) {
  const kernel::Instruction& i = *d.ir;
  if (d.polls || kernel::size_of(i.type) == 0) return false;
  if (i.opcode == Opcode::kLd && i.space == Space::kParam) return load_parameter(d);
  if (i.space != Space::kGlobal && i.space != Space::kConst && i.space != Space::kShared &&
      i.space != Space::kGeneric)
    return false;
  const bool load_of_one =
      i.opcode == Opcode::kLd && i.destinations.size() == 1 && i.destinations[0].is_register();
  const bool store_of_one = i.opcode == Opcode::kSt && i.sources.size() == 2;
  if (!load_of_one && !store_of_one) return false;
  try {
    if (load_of_one) load(d);
    if (store_of_one) store(d);
  } catch (const Operations::NotTranslated&) {
    return false;
  }
  return true;
}

// A kernel's own parameters are the same for all.
bool MemoryAccesses::load_parameter(const DecodedInstruction& d) {
  const kernel::Instruction& i = *d.ir;
  const Operand& base = i.sources[0];
  if (!function_.ir->is_entry || base.kind != Operand::Kind::kSymbol ||
      base.symbol != SymbolKind::kParameter)
    return false;
  const std::uint64_t address = function_.ir->parameters[base.index].offset + base.bits +
                                static_cast<std::uint64_t>(d.offset);
  const auto size = static_cast<std::uint64_t>(kernel::size_of(i.type));
  if (address + size * i.destinations.size() > function_.incoming_bytes) return false;
  for (std::size_t n = 0; n < i.destinations.size(); ++n) {
    if (!i.destinations[n].is_register()) continue;
    const std::string place =
        text_.op("getelementptr i8, ptr %parameters, i64 {}", address + n * size);
    const std::string value = text_.op("load i{}, ptr {}, align 1, !noalias !1", 8 * size, place);
    operations_.finish(d, n, widened(d, value, true));
  }
  return true;
}

// What was loaded, as wide as its register.
Value MemoryAccesses::widened(const DecodedInstruction& d, const std::string& value, bool uniform) {
  const int from = 8 * kernel::size_of(d.ir->type);
  const int to = registers_.bits_of(d.ir->destinations[0].index);
  if (from == to) return {value, to, uniform};
  return {text_.op("{} {} {} to {}", kernel::is_signed(d.ir->type) ? "sext" : "zext",
                   IrText::integer(from, uniform), value, IrText::integer(to, uniform)),
          to, uniform};
}

MemoryAccesses::Range MemoryAccesses::range_of(const DecodedInstruction& d) {
  if (d.ir->space == Space::kShared) return {"%shared", "%shared_bytes", 0};
  return {"%global", "%global_bytes", kernel::kGlobalBase};
}

std::string MemoryAccesses::limit(const Range& range, std::uint64_t size) {
  return text_.call("i64", "usub.sat.i64", "i64, i64",
                    fmt::format("i64 {}, i64 {}", range.bytes, size - 1));
}

std::string MemoryAccesses::in_range(const std::string& place, const std::string& limit,
                                     int alignment) {
  const std::string inside = text_.op("icmp ult i64 {}, {}", place, limit);
  const std::string low = text_.op("and i64 {}, {}", place, alignment - 1);
  const std::string aligned = text_.op("icmp eq i64 {}, 0", low);
  return text_.op("and i1 {}, {}", inside, aligned);
}

// Without the instruction's offset. 64 bits: a sum of 32 bits that wraps is out of range, and the
// interpreter sees to it.
Value MemoryAccesses::address_of(const DecodedInstruction& d) {
  const Operand& base = d.ir->sources[0];
  const int bits = base.is_register() ? registers_.bits_of(base.index) : 64;
  Value value = operations_.source(d, 0, bits);
  if (bits == 64) return value;
  if (bits != 32) throw Operations::NotTranslated{};
  return {text_.op("zext {} {} to {}", IrText::type_of(value), value.text,
                   IrText::integer(64, value.uniform)),
          64, value.uniform};
}

std::string MemoryAccesses::active_of(const DecodedInstruction& d) {
  if (!d.guarded) return registers_.all_lanes() ? "" : "%lanes";
  const Value guard = text_.spread(operations_.guard(d));
  if (registers_.all_lanes()) return guard.text;
  return text_.op("and <32 x i1> {}, %lanes", guard.text);
}

std::string MemoryAccesses::all_of(const std::string& lanes) {
  const std::string word = text_.op("bitcast <32 x i1> {} to i32", lanes);
  return text_.op("icmp eq i32 {}, -1", word);
}

MemoryAccesses::Shape MemoryAccesses::shape_of(const Range& range, const Value& address,
                                               std::int64_t offset) {
  const auto shift = static_cast<std::int64_t>(static_cast<std::uint64_t>(offset) - range.start);
  Shape shape;
  const std::string firsts =
      text_.op("shufflevector <32 x i64> {}, <32 x i64> poison, <32 x i32> {}", address.text,
               first_of_halves());
  shape.distance = text_.op("sub <32 x i64> {}, {}", address.text, firsts);
  const std::string low = text_.op("extractelement <32 x i64> {}, i32 0", address.text);
  const std::string high = text_.op("extractelement <32 x i64> {}, i32 {}", address.text, kHalf);
  shape.low = text_.op("add i64 {}, {}", low, shift);
  shape.high = text_.op("add i64 {}, {}", high, shift);
  return shape;
}

std::string MemoryAccesses::in_a_row(const Range& range, const Shape& shape, std::uint64_t size,
                                     int stride) {
  const std::string span = limit(range, stride == 0 ? size : kHalf * size);
  const std::string low = in_range(shape.low, span, static_cast<int>(size));
  const std::string high = in_range(shape.high, span, static_cast<int>(size));
  const std::string both = text_.op("and i1 {}, {}", low, high);
  const std::string regular = all_of(text_.op("icmp eq <32 x i64> {}, {}", shape.distance,
                                              stride == 0 ? "zeroinitializer" : steps(stride)));
  return text_.op("and i1 {}, {}", regular, both);
}

std::string MemoryAccesses::places(const Range& range, const Value& address, std::int64_t offset) {
  const auto shift = static_cast<std::int64_t>(static_cast<std::uint64_t>(offset) - range.start);
  return text_.op("add {} {}, {}", IrText::type_of(address), address.text,
                  IrText::literal(shift, 64, address.uniform));
}

std::string MemoryAccesses::pointers(const Range& range, const std::string& places) {
  return text_.op("getelementptr i8, ptr {}, <32 x i64> {}", range.base, places);
}

std::string MemoryAccesses::all_in_range(const DecodedInstruction& d, const Range& range,
                                         const std::string& places, const std::string& active) {
  const int size = kernel::size_of(d.ir->type);
  const Value bound{limit(range, static_cast<std::uint64_t>(size)), 64, true};
  const std::string inside =
      text_.op("icmp ult <32 x i64> {}, {}", places, text_.spread(bound).text);
  const std::string low =
      text_.op("and <32 x i64> {}, {}", places, IrText::literal(size - 1, 64, false));
  const std::string aligned = text_.op("icmp eq <32 x i64> {}, zeroinitializer", low);
  std::string good = text_.op("and <32 x i1> {}, {}", inside, aligned);
  if (!active.empty()) {
    const std::string idle = text_.op("xor <32 x i1> {}, splat (i1 true)", active);
    good = text_.op("or <32 x i1> {}, {}", good, idle);
  }
  return all_of(good);
}

void MemoryAccesses::load(const DecodedInstruction& d) {
  const auto size = static_cast<std::uint64_t>(kernel::size_of(d.ir->type));
  Value address = address_of(d);
  // The first lane may not take part; and a generic address may be of local memory, where each lane
  // has something else.
  if (d.guarded || d.ir->space == Space::kGeneric) address = text_.spread(address);
  Load load{.d = d,
            .range = range_of(d),
            .address = address,
            .active = active_of(d),
            .element = fmt::format("i{}", size * 8),
            .size = size,
            .done = text_.fresh_label("loaded"),
            .slow = text_.fresh_label("carry")};
  if (address.uniform) {
    load_one(load);
  } else {
    const std::string any = text_.fresh_label("gather");
    if (load.active.empty()) {
      load_halves(load, any);
    } else {
      text_.line("br label %{}", any);
    }
    text_.label(any);
    gather(load);
  }
  load_slowly(load);
  text_.label(load.done);
  const int bits = registers_.bits_of(d.ir->destinations[0].index);
  std::string list;
  for (const auto& [value, block] : load.results)
    list += fmt::format("{}[ {}, %{} ]", list.empty() ? "" : ", ", value, block);
  const std::string type = IrText::integer(bits, address.uniform);
  operations_.finish(d, 0, {text_.op("phi {} {}", type, list), bits, address.uniform});
}

void MemoryAccesses::deliver(Load& load, const std::string& value) {
  load.results.emplace_back(widened(load.d, value, load.address.uniform).text, text_.block());
  text_.line("br label %{}", load.done);
}

void MemoryAccesses::load_one(Load& load) {
  const std::string place = places(load.range, load.address, load.d.offset);
  const std::string good =
      in_range(place, limit(load.range, load.size), static_cast<int>(load.size));
  const std::string quick = text_.fresh_label("one");
  text_.line("br i1 {}, label %{}, label %{}, !prof !4", good, quick, load.slow);
  text_.label(quick);
  deliver(load, text_.op("load {}, ptr {}, align {}, !noalias !1", load.element,
                         pointer(load.range, place), load.size));
}

// Each half 16 elements in a row, or one element for all.
void MemoryAccesses::load_halves(Load& load, const std::string& otherwise) {
  const Shape shape = shape_of(load.range, load.address, load.d.offset);
  const std::string& element = load.element;
  const auto load_from = [&](const std::string& type, const std::string& place) {
    return text_.op("load {}, ptr {}, align {}, !noalias !1", type, pointer(load.range, place),
                    load.size);
  };
  const std::string spread = text_.fresh_label("spread");
  const std::string rows = text_.fresh_label("rows");
  text_.line("br i1 {}, label %{}, label %{}",
             in_a_row(load.range, shape, load.size, static_cast<int>(load.size)), rows, spread);
  text_.label(rows);
  const std::string half = fmt::format("<16 x {}>", element);
  const std::string low = load_from(half, shape.low);
  const std::string high = load_from(half, shape.high);
  deliver(load, text_.op("shufflevector {0} {1}, {0} {2}, <32 x i32> {3}", half, low, high,
                         both_halves()));
  text_.label(spread);
  const std::string ones = text_.fresh_label("ones");
  text_.line("br i1 {}, label %{}, label %{}", in_a_row(load.range, shape, load.size, 0), ones,
             otherwise);
  text_.label(ones);
  const std::string first = load_from(element, shape.low);
  const std::string second = load_from(element, shape.high);
  const std::string one =
      text_.op("insertelement <32 x {0}> poison, {0} {1}, i32 0", element, first);
  const std::string two =
      text_.op("insertelement <32 x {0}> {1}, {0} {2}, i32 {3}", element, one, second, kHalf);
  deliver(load, text_.op("shufflevector <32 x {0}> {1}, <32 x {0}> poison, <32 x i32> {2}", element,
                         two, first_of_halves()));
}

void MemoryAccesses::gather(Load& load) {
  const std::string from = places(load.range, load.address, load.d.offset);
  const std::string good = all_in_range(load.d, load.range, from, load.active);
  const std::string any = text_.fresh_label("any");
  text_.line("br i1 {}, label %{}, label %{}, !prof !4", good, any, load.slow);
  text_.label(any);
  const std::string lanes = load.active.empty() ? "splat (i1 true)" : load.active;
  deliver(load,
          text_.call(fmt::format("<32 x {}>", load.element),
                     fmt::format("masked.gather.v32{}.v32p0", load.element),
                     fmt::format("<32 x ptr>, i32, <32 x i1>, <32 x {}>", load.element),
                     fmt::format("<32 x ptr> {}, i32 {}, <32 x i1> {}, <32 x {}> "
                                 "zeroinitializer",
                                 pointers(load.range, from), load.size, lanes, load.element)));
}

void MemoryAccesses::load_slowly(Load& load) {
  text_.label(load.slow);
  carry_out_(load.d);
  const kernel::RegisterId target = load.d.ir->destinations[0].index;
  const Value value = registers_.from_slot(function_.register_slots[target],
                                           registers_.bits_of(target), load.address.uniform);
  load.results.emplace_back(value.text, text_.block());
  text_.line("br label %{}", load.done);
}

void MemoryAccesses::store(const DecodedInstruction& d) {
  const auto size = static_cast<std::uint64_t>(kernel::size_of(d.ir->type));
  const int bits = static_cast<int>(size) * 8;
  const Range range = range_of(d);
  const Value address = text_.spread(address_of(d));
  const Operand& data = d.ir->sources[1];
  const int register_bits = data.is_register() ? registers_.bits_of(data.index) : bits;
  Value value = text_.spread(operations_.source(d, 1, register_bits));
  const std::string element = fmt::format("i{}", bits);
  if (register_bits > bits) {
    value = {text_.op("trunc {} {} to <32 x {}>", IrText::type_of(value), value.text, element),
             bits, false};
  }
  const std::string active = active_of(d);
  const std::string done = text_.fresh_label("stored");
  const std::string slow = text_.fresh_label("carry");
  const std::string scatter = text_.fresh_label("scatter");
  if (active.empty()) {
    const Shape shape = shape_of(range, address, d.offset);
    const std::string good = in_a_row(range, shape, size, static_cast<int>(size));
    const std::string quick = text_.fresh_label("halves");
    text_.line("br i1 {}, label %{}, label %{}", good, quick, scatter);
    text_.label(quick);
    const auto store_half = [&](int first, const std::string& place) {
      std::string list;
      for (int lane = first; lane < first + kHalf; ++lane)
        list += fmt::format("{}i32 {}", lane == first ? "" : ", ", lane);
      const std::string half =
          text_.op("shufflevector <32 x {0}> {1}, <32 x {0}> poison, <16 x i32> <{2}>", element,
                   value.text, list);
      text_.line("store <16 x {}> {}, ptr {}, align {}, !noalias !1", element, half, place, size);
    };
    // In lane order, as the halves may overlap.
    store_half(0, pointer(range, shape.low));
    store_half(kHalf, pointer(range, shape.high));
    text_.line("br label %{}", done);
  } else {
    text_.line("br label %{}", scatter);
  }
  text_.label(scatter);
  const std::string to = places(range, address, d.offset);
  const std::string good = all_in_range(d, range, to, active);
  const std::string any = text_.fresh_label("any");
  text_.line("br i1 {}, label %{}, label %{}, !prof !4", good, any, slow);
  text_.label(any);
  // Ordered by lane where places are the same.
  text_.call("void", fmt::format("masked.scatter.v32{}.v32p0", element),
             fmt::format("<32 x {}>, <32 x ptr>, i32, <32 x i1>", element),
             fmt::format("<32 x {0}> {1}, <32 x ptr> {2}, i32 {3}, <32 x i1> {4}", element,
                         value.text, pointers(range, to), size,
                         active.empty() ? std::string("splat (i1 true)") : active));
  text_.line("br label %{}", done);
  text_.label(slow);
  carry_out_(d);
  text_.line("br label %{}", done);
  text_.label(done);
}

}  // namespace raddle::machine::native
