#include "lang/tpa/encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/error.h"
#include "base/stop_token.h"
#include "lang/tpa/line_rules.h"

namespace raddle::tpa {

namespace {

using namespace machine::tpa;

class Writer {
 public:
  void byte(std::size_t value) { bytes_ += static_cast<char>(value); }
  // Seven bits a byte, lowest first; the highest bit says that more follow.
  void number(std::uint64_t value) {
    while (value >= 0x80) {
      byte((value & 0x7f) | 0x80);
      value >>= 7;
    }
    byte(value);
  }
  // Signed numbers near 0 become small ones.
  void signed_number(std::int64_t value) {
    const auto word = static_cast<std::uint64_t>(value);
    number((word << 1) ^ (value < 0 ? ~std::uint64_t{0} : 0));
  }
  void text(std::string_view value) {
    number(value.size());
    bytes_ += value;
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_{kBinaryMagic};
};

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file) {
    if (!bytes.starts_with(kBinaryMagic))
      throw Error("this is not a TPA binary", file, "raddle asm X.tpa -o X.tpo makes one");
    position_ = kBinaryMagic.size();
  }

  [[noreturn]] void fail(std::string_view what) const {
    throw Error(fmt::format("{} at byte {}", what, position_), file_,
                "the file is damaged, or was made by another version");
  }
  std::uint8_t byte() {
    if (position_ == bytes_.size()) fail("the file ends early");
    return static_cast<std::uint8_t>(bytes_[position_++]);
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t next = byte();
      value |= std::uint64_t{next & 0x7fU} << shift;
      if ((next & 0x80) == 0) return value;
    }
    fail("a number is too long");
  }
  // A count of things that take at least a byte each.
  std::size_t count() {
    const std::uint64_t value = number();
    if (value > bytes_.size() - position_) fail("a count is too large");
    return value;
  }
  std::int64_t signed_number() {
    const std::uint64_t word = number();
    return static_cast<std::int64_t>((word >> 1) ^ (0 - (word & 1)));
  }
  std::string text() {
    const std::size_t size = count();
    std::string value(bytes_.substr(position_, size));
    position_ += size;
    return value;
  }
  void end() const {
    if (position_ != bytes_.size()) fail("data follows the program");
  }

 private:
  std::string_view bytes_;
  const std::string& file_;
  std::size_t position_ = 0;
};

void write_place(Writer& out, Place place, std::uint32_t first_file) {
  out.number(place.file - first_file);
  out.number(place.line);
}

Place read_place(Reader& in) {
  Place place;
  place.file = static_cast<std::uint32_t>(in.number());
  place.line = static_cast<std::uint32_t>(in.number());
  return place;
}

std::size_t index_of(const Mnemonic& mnemonic) {
  return static_cast<std::size_t>(&mnemonic - mnemonics().data());
}

void write_part(Writer& out, const Subinstruction& part) {
  const Mnemonic& mnemonic = mnemonic_of(part.unit, part.operation, part.op);
  out.number(index_of(mnemonic));
  if (!mnemonic.numbered.empty()) out.byte(part.number);
  for (std::size_t i = 0; i < part.count; ++i) {
    const Operand& operand = part.operands[i];
    out.byte(static_cast<std::size_t>(operand.source));
    if (operand.source == Source::kConstant) {
      out.signed_number(operand.constant);
    } else {
      out.byte(operand.number);
    }
  }
}

Subinstruction read_part(Reader& in) {
  const std::uint64_t index = in.number();
  if (index >= mnemonics().size()) in.fail("unknown subinstruction");
  const Mnemonic& mnemonic = mnemonics()[index];
  Subinstruction part;
  part.unit = mnemonic.unit;
  part.operation = mnemonic.operation;
  part.op = mnemonic.op;
  if (!mnemonic.numbered.empty()) {
    part.number = in.byte();
    const bool no_count = mnemonic.unit == Unit::kLayout && part.number == 0;
    if (part.number >= mnemonic.numbers || no_count) in.fail("unknown unit number");
  }
  for (const char letter : mnemonic.operands) {
    Operand& operand = part.operands[part.count++];
    const std::uint8_t source = in.byte();
    if (source == 0 || source > static_cast<std::uint8_t>(Source::kFiberId))
      in.fail("unknown operand");
    operand.source = static_cast<Source>(source);
    const bool constant_here = letter == 'l' || mnemonic.unit == Unit::kSlot;
    if (operand.source == Source::kConstant) {
      if (!constant_here) in.fail("a constant is not allowed here");
      operand.constant = in.signed_number();
    } else {
      if (letter == 'l') in.fail("a line number is missing");
      operand.number = in.byte();
    }
  }
  return part;
}

void check_numbers(Reader& in, const Subinstruction& part, std::size_t lines) {
  const Mnemonic& mnemonic = mnemonic_of(part.unit, part.operation, part.op);
  for (std::size_t i = 0; i < part.count; ++i) {
    const Operand& operand = part.operands[i];
    const bool target = mnemonic.operands[i] == 'l';
    if (target && (operand.constant < 0 || operand.constant > static_cast<std::int64_t>(lines)))
      in.fail("a jump has no target");
    if (operand.source == Source::kFrontRegister && operand.number >= kFrontRegisters)
      in.fail("unknown register");
  }
}

Line read_line(Reader& in, std::size_t lines) {
  Line line;
  line.place = read_place(in);
  const std::size_t parts = in.count();
  for (std::size_t i = 0; i < parts; ++i) {
    line.parts.push_back(read_part(in));
    check_numbers(in, line.parts.back(), lines);
  }
  try {
    check_line(line);
  } catch (const LineFault& fault) {
    in.fail(fault.message);
  }
  return line;
}

Symbol read_symbol(Reader& in) {
  Symbol symbol;
  symbol.name = in.text();
  const std::uint8_t space = in.byte();
  if (space > 1) in.fail("unknown memory");
  symbol.space = static_cast<Space>(space);
  symbol.address = in.number();
  symbol.words = in.number();
  const std::size_t initial = in.count();
  if (initial > symbol.words || symbol.words > (Word{1} << 36) ||
      symbol.address > (Word{1} << 40) || symbol.address % kWordBytes != 0)
    in.fail("a symbol has no address");
  for (std::size_t i = 0; i < initial; ++i)
    symbol.initial.push_back(static_cast<Word>(in.signed_number()));
  return symbol;
}

}  // namespace

std::string encode(const Program& program) {
  Writer out;
  // The file of a program whose lines all come from others, as a disassembled one, is left out: it
  // would tell nobody anything.
  const bool own =
      program.files.size() < 2 ||
      std::ranges::any_of(program.lines, [](const Line& line) { return line.place.file == 0; });
  const std::uint32_t first_file = own ? 0 : 1;
  out.number(program.files.size() - first_file);
  for (std::size_t i = first_file; i < program.files.size(); ++i) out.text(program.files[i]);
  out.number(program.symbols.size());
  for (const Symbol& symbol : program.symbols) {
    out.text(symbol.name);
    out.byte(static_cast<std::size_t>(symbol.space));
    out.number(symbol.address);
    out.number(symbol.words);
    out.number(symbol.initial.size());
    for (const Word word : symbol.initial) out.signed_number(static_cast<std::int64_t>(word));
  }
  out.number(program.labels.size());
  for (const Label& label : program.labels) {
    out.text(label.name);
    out.number(label.line);
  }
  out.number(program.expectations.size());
  for (const Expectation& expectation : program.expectations) {
    out.text(expectation.symbol);
    out.text(expectation.call);
  }
  out.number(program.lines.size());
  for (const Line& line : program.lines) {
    write_place(out, line.place, first_file);
    out.number(line.parts.size());
    for (const Subinstruction& part : line.parts) write_part(out, part);
  }
  return out.take();
}

Program decode(std::string_view bytes, const std::string& file_name) {
  Reader in(bytes, file_name);
  Program program;
  for (std::size_t left = in.count(); left > 0; --left) program.files.push_back(in.text());
  for (std::size_t left = in.count(); left > 0; --left) program.symbols.push_back(read_symbol(in));
  for (std::size_t left = in.count(); left > 0; --left) {
    Label label{in.text(), 0};
    label.line = static_cast<std::uint32_t>(in.number());
    program.labels.push_back(std::move(label));
  }
  for (std::size_t left = in.count(); left > 0; --left) {
    Expectation expectation;
    expectation.symbol = in.text();
    expectation.call = in.text();
    if (program.find_symbol(expectation.symbol) == nullptr) in.fail("an unknown symbol is named");
    program.expectations.push_back(std::move(expectation));
  }
  const std::size_t lines = in.count();
  for (std::size_t i = 0; i < lines; ++i) {
    throw_if_stopped("reading a .tpo file");
    program.lines.push_back(read_line(in, lines));
  }
  in.end();
  return program;
}

}  // namespace raddle::tpa
