#include "machine/tpa/host_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/error.h"
#include "base/nearest_name.h"

namespace raddle::machine::tpa {

namespace {

using Words = std::vector<Word>;

// An argument: an array, or a number as an array of one.
using Arguments = std::vector<Words>;

bool less_signed(Word a, Word b) {
  return static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b);
}

Words sums(const Words& words, Word count) {
  Words result(count, 0);
  for (std::size_t i = 0; i < words.size(); ++i) result[i % count] += words[i];
  return result;
}

Words prefixes(const Words& words, Word count, bool inclusive) {
  Words running(count, 0);
  Words result(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    Word& sum = running[i % count];
    if (inclusive) sum += words[i];
    result[i] = sum;
    if (!inclusive) sum += words[i];
  }
  return result;
}

// Square matrices, row after row.
Words product(const Words& a, const Words& b) {
  const auto n = static_cast<std::size_t>(std::llround(std::sqrt(static_cast<double>(a.size()))));
  if (n * n != a.size() || a.size() != b.size())
    throw Error("product() takes two square matrices of one size");
  Words result(a.size(), 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t j = 0; j < n; ++j) result[i * n + j] += a[i * n + k] * b[k * n + j];
  }
  return result;
}

Words compacted(const Words& words) {
  Words result;
  std::ranges::copy_if(words, std::back_inserter(result), [](Word word) { return word != 0; });
  return result;
}

Words places(const Words& words, bool of_zeros) {
  Words result;
  for (std::size_t i = 0; i < words.size(); ++i)
    if ((words[i] == 0) == of_zeros) result.push_back(i);
  return result;
}

Words sorted(Words words) {
  std::ranges::sort(words, less_signed);
  return words;
}

struct Function {
  HostFunction text;
  std::size_t least, most;  // arguments
  Words (*call)(const Arguments&);
};

Word count_in(const Arguments& a, std::size_t i) {
  if (a.size() <= i) return 1;
  if (a[i].empty() || a[i][0] == 0) throw Error("a number of classes must not be 0");
  return a[i][0];
}

constexpr auto kFunctions = std::to_array<Function>({
    {{"min", "A", "the smallest word, signed"},
     1,
     1,
     [](const Arguments& a) { return Words{std::ranges::min(a[0], less_signed)}; }},
    {{"max", "A", "the largest word, signed"},
     1,
     1,
     [](const Arguments& a) { return Words{std::ranges::max(a[0], less_signed)}; }},
    {{"sums", "A[, K]", "K sums (1): word i belongs to sum i mod K"},
     1,
     2,
     [](const Arguments& a) { return sums(a[0], count_in(a, 1)); }},
    {{"prefixes", "A[, K]", "for each word the sum of those before it, within its class i mod K"},
     1,
     2,
     [](const Arguments& a) { return prefixes(a[0], count_in(a, 1), false); }},
    {{"inclusive", "A[, K]", "as prefixes, each word with itself"},
     1,
     2,
     [](const Arguments& a) { return prefixes(a[0], count_in(a, 1), true); }},
    {{"sort", "A", "the words in ascending order, signed"},
     1,
     1,
     [](const Arguments& a) { return sorted(a[0]); }},
    {{"product", "A, B", "of two square matrices"},
     2,
     2,
     [](const Arguments& a) { return product(a[0], a[1]); }},
    {{"compact", "A", "the words that are not 0, in their order"},
     1,
     1,
     [](const Arguments& a) { return compacted(a[0]); }},
    {{"places", "A", "where words are not 0"},
     1,
     1,
     [](const Arguments& a) { return places(a[0], false); }},
    {{"zeros", "A", "where words are 0"},
     1,
     1,
     [](const Arguments& a) { return places(a[0], true); }},
    {{"words", "A", "the words as they were"}, 1, 1, [](const Arguments& a) { return a[0]; }},
});

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return number;
}

Words argument(std::string_view text, const WordsOf& words) {
  if (const auto number = number_of(text)) return {static_cast<Word>(*number)};
  if (const Words* found = words(text)) return *found;
  throw Error(fmt::format("'{}' is not an array of the program", text));
}

const Function& function_named(std::string_view name, std::string_view call) {
  const auto found =
      std::ranges::find_if(kFunctions, [&](const Function& f) { return f.text.name == name; });
  if (found != kFunctions.end()) return *found;
  std::vector<std::string> known;
  for (const Function& function : kFunctions) known.emplace_back(function.text.name);
  std::string hint = suggestion(name, known);
  if (hint.empty()) hint = fmt::format("known: {}", fmt::join(known, ", "));
  throw Error(fmt::format("'{}': unknown check function '{}'", call, name), {}, hint);
}

struct Call {
  const Function* function = nullptr;
  std::vector<std::string_view> arguments;
};

Call parse_call(std::string_view call) {
  const std::size_t open = call.find('(');
  if (open == std::string_view::npos || !trimmed(call).ends_with(')'))
    throw Error(fmt::format("'{}' is not a call of a check function", call), {},
                "for example sort(_A_)");
  const Function& function = function_named(trimmed(call.substr(0, open)), call);
  Call parsed{&function, {}};
  std::string_view rest = trimmed(call).substr(open + 1);
  rest.remove_suffix(1);
  while (true) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    parsed.arguments.push_back(trimmed(rest.substr(0, comma)));
    if (comma == rest.size()) break;
    rest.remove_prefix(comma + 1);
  }
  if (parsed.arguments.size() < function.least || parsed.arguments.size() > function.most) {
    throw Error(fmt::format("'{}' has {} arguments", call, parsed.arguments.size()), {},
                fmt::format("write it as {}({})", function.text.name, function.text.arguments));
  }
  return parsed;
}

}  // namespace

void check_call(std::string_view call, const std::function<bool(std::string_view)>& is_array) {
  for (const std::string_view argument : parse_call(call).arguments) {
    if (!number_of(argument) && !is_array(argument))
      throw Error(fmt::format("'{}' is not an array of the program", argument));
  }
}

std::vector<Word> expected_words(std::string_view call, const WordsOf& words) {
  const Call parsed = parse_call(call);
  Arguments arguments;
  for (const std::string_view text : parsed.arguments) arguments.push_back(argument(text, words));
  return parsed.function->call(arguments);
}

std::span<const HostFunction> host_functions() {
  static const auto texts = [] {
    std::vector<HostFunction> all;
    for (const Function& function : kFunctions) all.push_back(function.text);
    return all;
  }();
  return texts;
}

std::string difference(std::string_view symbol, std::string_view call, std::span<const Word> found,
                       std::span<const Word> expected) {
  const std::size_t count = std::min(found.size(), expected.size());
  std::size_t first = count;
  std::size_t different = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (found[i] == expected[i]) continue;
    if (different++ == 0) first = i;
  }
  if (different == 0) return {};
  return fmt::format("element {} of {} is {}, expected {} by {} ({} of {} differ)", first, symbol,
                     static_cast<std::int64_t>(found[first]),
                     static_cast<std::int64_t>(expected[first]), call, different, count);
}

}  // namespace raddle::machine::tpa
