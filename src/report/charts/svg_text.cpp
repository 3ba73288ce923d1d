#include "report/charts/svg_text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>

namespace raddle::report {

namespace {

// Hundredths of the type size for U+0020 to U+007E: of DejaVu Sans and an Arial-like face the
// wider.
constexpr std::array<std::uint8_t, 95> kWidths{
    32, 41, 46, 84, 64, 96, 78, 28, 40,  40, 50, 84, 32, 37, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 34, 34, 84, 84, 84, 56, 102, 69, 69, 73, 77, 67, 62, 78, 76, 30, 50, 67, 56, 87, 75, 79,
    67, 79, 73, 67, 62, 74, 69, 99, 69,  67, 69, 40, 34, 40, 84, 56, 50, 62, 64, 55, 64, 62, 36, 64,
    64, 28, 28, 58, 28, 98, 64, 62, 64,  64, 42, 53, 40, 64, 60, 82, 60, 60, 53, 64, 34, 64, 84};
constexpr double kOtherWidth = 0.84;  // ×, ≤, Greek …: none of them is wider
constexpr double kWideWidth = 1.05;   // "…", and East Asian letters
constexpr char32_t kReplacement = 0xfffd;
constexpr std::string_view kEllipsis = "…";

struct Character {
  char32_t code = 0;
  std::size_t bytes = 1;
};

bool allowed_in_xml(char32_t code) {
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  return !is_surrogate && code != 0xfffe && code != 0xffff && code <= 0x10ffff && code != 0x7f;
}

// The character that the text begins with; a byte that begins none stands for U+FFFD.
Character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xf0 && lead < 0xf8   ? 4
                             : lead >= 0xe0 && lead < 0xf0 ? 3
                             : lead >= 0xc2 && lead < 0xe0 ? 2
                                                           : 0;
  if (length == 0 || text.size() < length) return {kReplacement, 1};
  auto code = static_cast<char32_t>(lead & (0xff >> (length + 1)));
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) return {kReplacement, 1};
    code = code << 6 | (next & 0x3f);
  }
  constexpr std::array<char32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[length] || !allowed_in_xml(code)) return {kReplacement, length};
  return {code, length};
}

double width_of(char32_t code) {
  if (code >= 0x20 && code <= 0x7e) return kWidths[code - 0x20] / 100.0;
  const bool is_wide = code == 0x2026 || (code >= 0x2e80 && code != kReplacement);
  return is_wide ? kWideWidth : kOtherWidth;
}

}  // namespace

std::string xml_escaped(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Character character = first_character(text);
    switch (character.code) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      case '\'': result += "&#39;"; break;
      default:
        if (character.code == kReplacement || !allowed_in_xml(character.code)) {
          result += "\xef\xbf\xbd";
        } else {
          result += text.substr(0, character.bytes);
        }
    }
    text.remove_prefix(character.bytes);
  }
  return result;
}

double text_width(std::string_view text, double size) {
  double width = 0;
  while (!text.empty()) {
    const Character character = first_character(text);
    width += width_of(character.code);
    text.remove_prefix(character.bytes);
  }
  return width * size;
}

std::string fitted_text(std::string_view text, double size, double width) {
  if (text_width(text, size) <= width) return std::string(text);
  double left = width - text_width(kEllipsis, size);
  std::size_t end = 0;
  while (end < text.size()) {
    const Character character = first_character(text.substr(end));
    left -= width_of(character.code) * size;
    if (left < 0) break;
    end += character.bytes;
  }
  while (end > 0 && text[end - 1] == ' ') --end;
  return end == 0 ? std::string() : std::string(text.substr(0, end)) + std::string(kEllipsis);
}

std::string svg_number(double value) {
  std::string text = fmt::format("{:.2f}", std::isfinite(value) ? value : 0);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

}  // namespace raddle::report
