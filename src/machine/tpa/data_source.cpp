#include "machine/tpa/data_source.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cstring>
#include <numeric>
#include <optional>
#include <random>
#include <utility>

#include "base/atomic_file.h"
#include "base/error.h"
#include "machine/tpa/word_arithmetic.h"

namespace raddle::machine::tpa {

namespace {

// Signed or unsigned, decimal.
std::optional<Word> integer_word(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  Word word = 0;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [stop, error] = std::from_chars(begin, end, word);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  if (negative && word > Word{1} << 63) return std::nullopt;
  return negative ? 0 - word : word;
}

template <class T>
std::optional<Word> float_word(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  T value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return word_of(value);
}

std::optional<Word> parsed_word(std::string_view text, WordForm form) {
  switch (form) {
    case WordForm::kSingle: return float_word<float>(text);
    case WordForm::kDouble: return float_word<double>(text);
    case WordForm::kInteger: break;
  }
  return integer_word(text);
}

Word converted(Word integer, WordForm form) {
  const auto value = static_cast<std::int64_t>(integer);
  if (form == WordForm::kSingle) return word_of(static_cast<float>(value));
  return form == WordForm::kDouble ? word_of(static_cast<double>(value)) : integer;
}

// Numbers between separators; nothing if there is anything else.
std::optional<std::vector<Word>> numbers_of(std::string_view text, char separator,
                                            WordForm form = WordForm::kInteger) {
  std::vector<Word> words;
  while (true) {
    const std::size_t end = std::min(text.find(separator), text.size());
    const auto word = parsed_word(text.substr(0, end), form);
    if (!word) return std::nullopt;
    words.push_back(*word);
    if (end == text.size()) return words;
    text.remove_prefix(end + 1);
  }
}

[[noreturn]] void refuse(std::string_view text) {
  throw Error(fmt::format("cannot read words from '{}'", text), {},
              "iota[:FIRST[:STEP]], random:SEED[:LOW:HIGH], permutation:SEED, fill:VALUE, a list "
              "such as 3,1,2, or a file");
}

Word random_word(std::mt19937_64& bits, Word low, Word high) {
  const Word span = high - low + 1;
  return span == 0 ? bits() : low + bits() % span;
}

std::vector<Word> permutation(Word seed, Word count) {
  std::vector<Word> words(count);
  std::iota(words.begin(), words.end(), Word{0});
  std::mt19937_64 bits(seed);
  for (Word i = count; i > 1; --i) std::swap(words[i - 1], words[bits() % i]);
  return words;
}

// One of the rules, with the numbers after its colon.
std::optional<std::vector<Word>> words_by_rule(std::string_view text, Word count) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string_view rule = text.substr(0, colon);
  if (rule != "iota" && rule != "random" && rule != "permutation" && rule != "fill")
    return std::nullopt;
  std::vector<Word> numbers;
  if (colon < text.size()) {
    auto read = numbers_of(text.substr(colon + 1), ':');
    if (!read) refuse(text);
    numbers = std::move(*read);
  }
  std::vector<Word> words(count);
  if (rule == "iota" && numbers.size() <= 2) {
    const Word first = numbers.empty() ? 0 : numbers[0];
    const Word step = numbers.size() < 2 ? 1 : numbers[1];
    for (Word i = 0; i < count; ++i) words[i] = first + i * step;
  } else if (rule == "random" && (numbers.size() == 1 || numbers.size() == 3)) {
    const Word low = numbers.size() == 3 ? numbers[1] : 0;
    const Word high = numbers.size() == 3 ? numbers[2] : 999'999;
    std::mt19937_64 bits(numbers[0]);
    for (Word& word : words) word = random_word(bits, low, high);
  } else if (rule == "permutation" && numbers.size() == 1) {
    words = permutation(numbers[0], count);
  } else if (rule == "fill" && numbers.size() == 1) {
    words.assign(count, numbers[0]);
  } else {
    refuse(text);
  }
  return words;
}

std::vector<Word> parse_text(std::string_view text, const std::string& file, WordForm form) {
  std::vector<Word> words;
  std::size_t line = 1;
  std::size_t i = 0;
  const auto separates = [](char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0 || c == ',';
  };
  while (i < text.size()) {
    if (separates(text[i])) {
      if (text[i++] == '\n') ++line;
      continue;
    }
    const std::size_t begin = i;
    while (i < text.size() && !separates(text[i])) ++i;
    const std::string_view found = text.substr(begin, i - begin);
    const auto word = parsed_word(found, form);
    if (!word)
      throw Error(fmt::format("'{}' is not a {}", found,
                              form == WordForm::kInteger ? "64-bit integer" : "number"),
                  fmt::format("{}:{}", file, line));
    words.push_back(*word);
  }
  return words;
}

}  // namespace

std::vector<Word> words_from(std::string_view text, Word count, WordForm form) {
  if (auto words = words_by_rule(text, count)) {
    for (Word& word : *words) word = converted(word, form);
    return std::move(*words);
  }
  std::vector<Word> words;
  std::string_view kind = "the list";
  if (auto list = numbers_of(text, ',', form)) {
    words = std::move(*list);
  } else {
    kind = "the file";
    words = read_words(std::string(text), form);
  }
  if (words.size() > count)
    throw Error(fmt::format("{} holds {} words, the array {}", kind, words.size(), count),
                kind == "the file" ? std::string(text) : std::string());
  return words;
}

std::vector<Word> read_words(const std::string& file, WordForm form) {
  const std::string content = read_file(file);
  if (!file.ends_with(".bin")) return parse_text(content, file, form);
  if (content.size() % kWordBytes != 0)
    throw Error(fmt::format("{} bytes are not a whole number of 64-bit words", content.size()),
                file);
  std::vector<Word> words(content.size() / kWordBytes);
  std::memcpy(words.data(), content.data(), content.size());
  return words;
}

std::string text_of(Word word, WordForm form) {
  switch (form) {
    case WordForm::kSingle: return fmt::format("{}", as_single(word));
    case WordForm::kDouble: return fmt::format("{}", as_double(word));
    case WordForm::kInteger: break;
  }
  return fmt::format("{}", static_cast<std::int64_t>(word));
}

void write_words(const std::string& file, const std::vector<Word>& words, WordForm form) {
  std::string content;
  if (file.ends_with(".bin")) {
    content.resize(words.size() * kWordBytes);
    std::memcpy(content.data(), words.data(), content.size());
  } else {
    for (const Word word : words) content += text_of(word, form) + "\n";
  }
  write_file_atomically(file, content);
}

}  // namespace raddle::machine::tpa
