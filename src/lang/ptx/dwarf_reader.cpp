// The part of DWARF that says what was inlined: functions and inlined subroutines with their labels
// and calls.
#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>

#include "lang/ptx/debug_sections.h"

namespace raddle::ptx {
namespace {

using kernel::kNoId;

constexpr std::size_t kMaxScopes = 1 << 20;
constexpr std::size_t kMaxTables = 1 << 12;

namespace tag {
constexpr std::uint64_t kInlinedSubroutine = 0x1d;
constexpr std::uint64_t kSubprogram = 0x2e;
}  // namespace tag

namespace attribute {
constexpr std::uint64_t kLowPc = 0x11;
constexpr std::uint64_t kHighPc = 0x12;
constexpr std::uint64_t kAbstractOrigin = 0x31;
constexpr std::uint64_t kCallColumn = 0x57;
constexpr std::uint64_t kCallFile = 0x58;
constexpr std::uint64_t kCallLine = 0x59;
}  // namespace attribute

struct NotUnderstood {};

// Reads little-endian numbers; throws NotUnderstood past the end.
class ByteReader {
 public:
  ByteReader(std::span<const std::uint8_t> bytes, std::size_t at) : bytes_(bytes), at_(at) {}

  std::size_t at() const { return at_; }
  bool at_end() const { return at_ >= bytes_.size(); }
  void skip(std::uint64_t count) {
    if (count > bytes_.size() - std::min(at_, bytes_.size())) throw NotUnderstood{};
    at_ += static_cast<std::size_t>(count);
  }
  std::uint64_t fixed(int bytes) {
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) value |= std::uint64_t{byte()} << (8 * i);
    return value;
  }
  std::uint64_t variable() {  // LEB128; the sign of signed ones does not matter here
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const std::uint8_t next = byte();
      if (shift < 64) value |= std::uint64_t{next & 0x7fu} << shift;
      if ((next & 0x80) == 0) return value;
    }
  }
  void text() {
    while (byte() != 0) {
    }
  }

 private:
  std::uint8_t byte() {
    if (at_ >= bytes_.size()) throw NotUnderstood{};
    return bytes_[at_++];
  }

  std::span<const std::uint8_t> bytes_;
  std::size_t at_;
};

struct AttributeSpec {
  std::uint64_t name = 0;
  std::uint64_t form = 0;
};

struct Abbreviation {
  std::uint64_t tag = 0;
  bool has_children = false;
  std::vector<AttributeSpec> attributes;
};

using AbbreviationTable = std::unordered_map<std::uint64_t, Abbreviation>;

AbbreviationTable read_abbreviations(std::span<const std::uint8_t> bytes, std::size_t offset) {
  AbbreviationTable table;
  ByteReader reader(bytes, offset);
  while (const std::uint64_t code = reader.variable()) {
    Abbreviation abbreviation;
    abbreviation.tag = reader.variable();
    abbreviation.has_children = reader.fixed(1) != 0;
    for (;;) {
      AttributeSpec spec{reader.variable(), reader.variable()};
      if (spec.form == 0x21) reader.variable();  // the value of an implicit constant
      if (spec.name == 0 && spec.form == 0) break;
      abbreviation.attributes.push_back(spec);
    }
    table.emplace(code, std::move(abbreviation));
  }
  return table;
}

class UnitReader {
 public:
  UnitReader(const DebugSections& sections, std::vector<InlineScope>& scopes)
      : sections_(sections), scopes_(scopes), reader_(sections.information.bytes, 0) {}

  void read_all() {
    while (!reader_.at_end()) read_unit();
  }

 private:
  struct Entry {
    InlineScope scope;
    bool has_range = false;
  };

  void read_unit() {
    unit_ = reader_.at();
    const std::uint64_t length = reader_.fixed(4);
    const std::size_t end = reader_.at() + static_cast<std::size_t>(length);
    if (end > sections_.information.bytes.size()) throw NotUnderstood{};
    version_ = reader_.fixed(2);
    if (version_ < 2 || version_ > 5) throw NotUnderstood{};
    std::uint64_t abbreviations = 0;
    if (version_ == 5) {
      reader_.skip(1);
      address_bytes_ = static_cast<int>(reader_.fixed(1));
      abbreviations = reader_.fixed(4);
    } else {
      abbreviations = reader_.fixed(4);
      address_bytes_ = static_cast<int>(reader_.fixed(1));
    }
    if (address_bytes_ != 4 && address_bytes_ != 8) throw NotUnderstood{};
    if (abbreviations != table_offset_) {
      if (++tables_ > kMaxTables) throw NotUnderstood{};
      table_ = read_abbreviations(sections_.abbreviations.bytes,
                                  static_cast<std::size_t>(abbreviations));
      table_offset_ = abbreviations;
    }
    read_entries(end);
  }

  // The tree of entries, flat: a stack of the scope that each open entry lies in.
  void read_entries(std::size_t end) {
    std::vector<std::uint32_t> enclosing{kNoId};
    while (reader_.at() < end) {
      const std::size_t at = reader_.at();
      const std::uint64_t code = reader_.variable();
      if (code == 0) {
        if (enclosing.size() > 1) enclosing.pop_back();
        continue;
      }
      const auto found = table_.find(code);
      if (found == table_.end()) throw NotUnderstood{};
      Entry entry;
      entry.scope.origin = at;
      for (const AttributeSpec& spec : found->second.attributes) read_attribute(spec, entry);
      std::uint32_t scope = enclosing.back();
      const bool is_inlined = found->second.tag == tag::kInlinedSubroutine && scope != kNoId;
      const bool is_function = found->second.tag == tag::kSubprogram;
      if (is_function) scope = kNoId;
      if ((is_inlined || is_function) && !entry.scope.low.empty() && !entry.scope.high.empty()) {
        if (scopes_.size() == kMaxScopes) throw NotUnderstood{};
        entry.scope.parent = scope;
        scope = static_cast<std::uint32_t>(scopes_.size());
        scopes_.push_back(entry.scope);
      }
      if (found->second.has_children) enclosing.push_back(scope);
    }
  }

  std::string_view label_at(std::size_t offset) const {
    const auto& fixups = sections_.information.fixups;
    const auto found = std::lower_bound(
        fixups.begin(), fixups.end(), offset,
        [](const DebugSection::Fixup& fixup, std::size_t at) { return fixup.offset < at; });
    return found != fixups.end() && found->offset == offset ? found->label : std::string_view();
  }

  void read_attribute(const AttributeSpec& spec, Entry& entry) {
    const std::size_t at = reader_.at();
    const std::uint64_t value = read_form(spec.form);
    switch (spec.name) {
      case attribute::kLowPc: entry.scope.low = label_at(at); break;
      case attribute::kHighPc: entry.scope.high = label_at(at); break;
      case attribute::kAbstractOrigin:
        entry.scope.origin =
            spec.form == 0x10 ? value : unit_ + value;  // ref_addr counts from the section's start
        break;
      case attribute::kCallFile: entry.scope.call_file = static_cast<std::uint32_t>(value); break;
      case attribute::kCallLine: entry.scope.call_line = static_cast<std::uint32_t>(value); break;
      case attribute::kCallColumn:
        entry.scope.call_column = static_cast<std::uint32_t>(value);
        break;
      default: break;
    }
  }

  std::uint64_t skip_block(std::uint64_t bytes) {
    reader_.skip(bytes);
    return 0;
  }

  // The value where it is a number; other forms are passed over.
  std::uint64_t read_form(std::uint64_t form) {
    switch (form) {
      case 0x01:  // addr
        return reader_.fixed(address_bytes_);
      case 0x0b:  // data1
      case 0x0c:  // flag
      case 0x11:  // ref1
        return reader_.fixed(1);
      case 0x05:  // data2
      case 0x12:  // ref2
        return reader_.fixed(2);
      case 0x06:  // data4
      case 0x0e:  // strp
      case 0x13:  // ref4
      case 0x17:  // sec_offset
      case 0x1f:  // line_strp
        return reader_.fixed(4);
      case 0x07:  // data8
      case 0x14:  // ref8
      case 0x20:  // ref_sig8
        return reader_.fixed(8);
      case 0x10:  // ref_addr: as wide as an address in DWARF 2
        return reader_.fixed(version_ == 2 ? address_bytes_ : 4);
      case 0x0d:  // sdata
      case 0x0f:  // udata
      case 0x15:  // ref_udata
      case 0x1a:  // strx
      case 0x1b:  // addrx
        return reader_.variable();
      case 0x08:  // string
        reader_.text();
        return 0;
      case 0x0a:  // block1
        return skip_block(reader_.fixed(1));
      case 0x03:  // block2
        return skip_block(reader_.fixed(2));
      case 0x04:  // block4
        return skip_block(reader_.fixed(4));
      case 0x09:  // block
      case 0x18:  // exprloc
        return skip_block(reader_.variable());
      case 0x19:  // flag_present
      case 0x21:  // implicit_const
        return 0;
      default: throw NotUnderstood{};
    }
  }

  const DebugSections& sections_;
  std::vector<InlineScope>& scopes_;
  ByteReader reader_;
  AbbreviationTable table_;
  std::uint64_t table_offset_ = ~std::uint64_t{0};
  std::size_t tables_ = 0;
  std::size_t unit_ = 0;
  std::uint64_t version_ = 2;
  int address_bytes_ = 8;
};

}  // namespace

std::vector<InlineScope> read_inline_scopes(const DebugSections& sections) {
  std::vector<InlineScope> scopes;
  try {
    UnitReader(sections, scopes).read_all();
  } catch (const NotUnderstood&) {
    return scopes;  // what was understood up to here is still true
  }
  return scopes;
}

}  // namespace raddle::ptx
