#include "lang/ptx/debug_sections.h"

#include <algorithm>

#include "base/stop_token.h"
#include "lang/ptx/constant_expression.h"
#include "lang/ptx/declaration.h"

namespace raddle::ptx {
namespace {

constexpr std::size_t kMaxSectionBytes = std::size_t{1} << 28;

class SectionParser {
 public:
  SectionParser(Context& context, DebugSection* section) : context_(context), section_(section) {}

  void parse() {
    context_.expect('{');
    while (!context_.accept('}')) {
      throw_if_stopped(kReadingPtx);
      if (context_.token().is_dot_word()) {
        parse_data();
      } else if (context_.token().is_word()) {
        context_.advance();
        context_.expect(':');
      } else {
        context_.fail_expected("the data of a section");
      }
    }
  }

 private:
  void parse_data() {
    const int bytes = kernel::size_of(parse_type(context_));
    do {
      parse_value(bytes);
    } while (context_.accept(','));
    context_.accept(';');
  }

  void parse_value(int bytes) {
    std::uint64_t value = 0;
    if (context_.token().is_word() || context_.token().is_dot_word()) {
      const std::string_view label = context_.advance().text;
      if (section_ != nullptr) {
        section_->fixups.push_back({static_cast<std::uint32_t>(section_->bytes.size()), label});
      }
      while (context_.token().is('+') || context_.token().is('-')) {
        const bool minus = context_.advance().is('-');
        if (context_.token().is_word()) {
          context_.advance();  // the difference of two labels: a length that nobody needs
          continue;
        }
        const std::uint64_t addend = parse_constant_factor(context_);
        value = minus ? value - addend : value + addend;
      }
    } else {
      value = parse_constant(context_);
    }
    if (section_ == nullptr) return;
    if (section_->bytes.size() > kMaxSectionBytes) context_.fail("a section is too large");
    for (int i = 0; i < bytes; ++i)
      section_->bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  }

  Context& context_;
  DebugSection* section_;  // null: what is said is not kept
};

}  // namespace

void parse_section(Context& context, DebugSections& sections) {
  if (!context.token().is_dot_word()) context.fail_expected("the name of a section");
  const std::string_view name = context.advance().text;
  while (context.token().is_dot_word()) context.advance();  // .nv.info
  DebugSection* section = nullptr;
  if (name == ".debug_abbrev") section = &sections.abbreviations;
  if (name == ".debug_info") section = &sections.information;
  SectionParser(context, section).parse();
}

}  // namespace raddle::ptx
