#include "lang/cuda/source_scanner.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace raddle::cuda {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

}  // namespace

bool SourceScanner::find_code() {
  while (place_ < source_.size()) {
    if (is_space(current())) {
      ++place_;
    } else if (at("//")) {
      skip_line_comment();
    } else if (at("/*")) {
      const std::size_t end = source_.find("*/", place_ + 2);
      place_ = end == std::string_view::npos ? source_.size() : end + 2;
    } else if (current() == '"') {
      if (at_raw_string()) {
        skip_raw_string();
      } else {
        skip_quoted('"');
      }
      last_token_ = "\"";
    } else if (current() == '\'') {
      skip_quoted('\'');
      last_token_ = "'";
    } else {
      return true;
    }
  }
  return false;
}

void SourceScanner::step() {
  const std::size_t start = place_;
  if (is_word(current())) {
    const bool number = std::isdigit(static_cast<unsigned char>(current())) != 0;
    // 1'000'000: the quote separates digits and opens no character.
    while (place_ < source_.size() && (is_word(current()) || (number && current() == '\'')))
      ++place_;
  } else {
    ++place_;
  }
  last_token_ = source_.substr(start, place_ - start);
}

void SourceScanner::skip_line_comment() {
  while (place_ < source_.size() && current() != '\n') {
    place_ +=
        current() == '\\' ? 2 : 1;  // a backslash at the end of the line carries the comment on
  }
  place_ = std::min(place_, source_.size());
}

void SourceScanner::skip_quoted(char quote) {
  ++place_;
  while (place_ < source_.size() && current() != quote && current() != '\n') {
    place_ += current() == '\\' ? 2 : 1;
  }
  place_ = std::min(place_ + 1, source_.size());
}

bool SourceScanner::at_raw_string() const {
  const std::string_view prefix = last_token_;
  const bool adjacent = place_ > 0 && source_[place_ - 1] == 'R';
  return adjacent &&
         (prefix == "R" || prefix == "LR" || prefix == "uR" || prefix == "UR" || prefix == "u8R");
}

void SourceScanner::skip_raw_string() {
  const std::size_t open = source_.find('(', place_);
  if (open == std::string_view::npos) {
    place_ = source_.size();
    return;
  }
  const std::string closing =
      ")" + std::string(source_.substr(place_ + 1, open - place_ - 1)) + "\"";
  const std::size_t end = source_.find(closing, open);
  place_ = end == std::string_view::npos ? source_.size() : end + closing.size();
}

}  // namespace raddle::cuda
