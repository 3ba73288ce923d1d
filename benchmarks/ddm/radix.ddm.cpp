// Radix: sorts integers by one digit after the other. Keys lie in chunks; for each digit every
// chunk counts its keys, the counts of all chunks become places, and every chunk moves its keys
// there. An iteration is 16 keys (counting and moving) or one digit (places); a thread does `grain`
// of them. The iterations of a chunk follow each other, as they share its counts. Places are found
// within the digits of a thread; every chunk adds the totals of the threads before, so that no
// thread adds up for all.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "application.h"

using namespace application;

namespace {

constexpr std::size_t kDigits = 256, kDigitBits = 8, kPasses = 2;
constexpr std::size_t kChunks = 64;
constexpr std::size_t kKeysPerIteration = 16;

struct Sort {
  std::size_t n, chunk;
  std::vector<std::uint32_t> keys[kPasses + 1];  // before each pass, and after the last
  std::vector<std::uint32_t> counts[kPasses];    // by chunk and digit
  std::vector<std::uint32_t> totals[kPasses];    // by group of digits, one of each thread
  std::vector<std::uint32_t> places[kPasses];    // by chunk and digit

  explicit Sort(std::size_t size) : n(size), chunk(divide_up(size, kChunks)) {
    for (auto& each : keys) each.resize(n);
    for (auto& each : counts) each.resize(kChunks * kDigits);
    for (auto& each : totals) each.resize(kDigits);
    for (auto& each : places) each.resize(kChunks * kDigits);
    Random random(4);
    for (std::uint32_t& key : keys[0])
      key = static_cast<std::uint32_t>(random.next() >> 20 & 0xffff);
  }
  static std::size_t digit(std::uint32_t key, std::size_t pass) {
    return key >> (pass * kDigitBits) & (kDigits - 1);
  }

  // Keys number first to last of a chunk.
  void count(std::size_t pass, std::size_t c, std::size_t first, std::size_t last) {
    std::uint32_t* own = &counts[pass][c * kDigits];
    const std::uint32_t* from = &keys[pass][c * chunk];
    for (std::size_t i = first; i < last; ++i) ++own[digit(from[i], pass)];
  }
  void move(std::size_t pass, std::size_t c, std::size_t first, std::size_t last) {
    std::uint32_t* own = &places[pass][c * kDigits];
    const std::uint32_t* from = &keys[pass][c * chunk];
    for (std::size_t i = first; i < last; ++i)
      keys[pass + 1][own[digit(from[i], pass)]++] = from[i];
  }
  // How many keys come before each chunk's among digits first to last, and how many these have.
  void place_within(std::size_t pass, std::size_t group, std::size_t first, std::size_t last) {
    std::uint32_t sum = 0;
    for (std::size_t d = first; d < last; ++d) {
      for (std::size_t c = 0; c < kChunks; ++c) {
        places[pass][c * kDigits + d] = sum;
        sum += counts[pass][c * kDigits + d];
      }
    }
    totals[pass][group] = sum;
  }
  // Adds what groups of `length` digits have before.
  void shift(std::size_t pass, std::size_t c, std::size_t length) {
    std::uint32_t* own = &places[pass][c * kDigits];
    std::uint32_t before = 0;
    for (std::size_t first = 0; first < kDigits; first += length) {
      for (std::size_t d = first; d < std::min(kDigits, first + length); ++d) own[d] += before;
      before += totals[pass][first / length];
    }
  }
  std::size_t keys_of(std::size_t c) const { return std::min(chunk, n - std::min(n, c * chunk)); }
};

// The plain program has one histogram: chunks are for threads.
void sort(Sort& s) {
  std::vector<std::uint32_t> places(kDigits);
  for (std::size_t pass = 0; pass < kPasses; ++pass) {
    const std::vector<std::uint32_t>& from = s.keys[pass];
    std::fill(places.begin(), places.end(), 0);
    for (const std::uint32_t key : from) ++places[Sort::digit(key, pass)];
    std::uint32_t sum = 0;
    for (std::uint32_t& place : places) sum += std::exchange(place, sum);
    for (const std::uint32_t key : from) s.keys[pass + 1][places[Sort::digit(key, pass)]++] = key;
  }
}

int node_of_chunk(std::size_t c, int nodes) {
  return static_cast<int>(c * static_cast<std::size_t>(nodes) / kChunks);
}

// Brings the keys of a pass from where they were to all nodes. What a chunk has moved ends, for
// each digit, where its places now are.
void share_keys(Sort& s, std::size_t pass) {
  share(kChunks, node_of_chunk, [&s, pass](std::size_t c) {
    return ddm::data(std::span(s.counts[pass]).subspan(c * kDigits, kDigits),
                     std::span(s.places[pass]).subspan(c * kDigits, kDigits));
  });
  share(kChunks, node_of_chunk, [&s, pass](std::size_t c) {
    std::vector<ddm::Operand> moved;
    for (std::size_t d = c * kDigits; d < (c + 1) * kDigits; ++d) {
      const std::size_t count = s.counts[pass][d];
      moved.push_back(
          ddm::data(std::span(s.keys[pass + 1]).subspan(s.places[pass][d] - count, count))[0]);
    }
    return moved;
  });
}

void sort_by_threads(Sort& s, std::size_t grain) {
  const std::size_t step = grain * kKeysPerIteration;
  const std::size_t parts = divide_up(s.chunk, step), groups = divide_up(kDigits, grain);
  for (std::size_t pass = 0; pass < kPasses; ++pass) {
    ddm::Program<> program(pass == 0 ? "low_digit" : "high_digit");
    const auto keys_read = [&s, step, pass](std::size_t c, std::size_t part) {
      const std::size_t first = std::min(s.n, c * s.chunk + part * step);
      const std::size_t last = std::min({s.n, c * s.chunk + s.chunk, first + step});
      return std::span(s.keys[pass]).subspan(first, last - std::min(first, last));
    };
    const auto on_chunk = [](std::size_t c, std::size_t, int nodes) {
      return node_of_chunk(c, nodes);
    };
    auto count = program.thread("count", ddm::range(kChunks, parts),
                                [&, step, pass](std::size_t c, std::size_t part) {
                                  s.count(pass, c, std::min(s.keys_of(c), part * step),
                                          std::min(s.keys_of(c), (part + 1) * step));
                                });
    auto place = program.thread("place", ddm::range(groups), [&, grain, pass](std::size_t g) {
      s.place_within(pass, g, g * grain, std::min(kDigits, (g + 1) * grain));
    });
    auto shift = program.thread("shift", ddm::range(kChunks),
                                [&, grain, pass](std::size_t c) { s.shift(pass, c, grain); });
    auto move = program.thread("move", ddm::range(kChunks, parts),
                               [&, step, pass](std::size_t c, std::size_t part) {
                                 s.move(pass, c, std::min(s.keys_of(c), part * step),
                                        std::min(s.keys_of(c), (part + 1) * step));
                               });
    count.on(on_chunk).reads(
        [=](std::size_t c, std::size_t part) { return ddm::data(keys_read(c, part)); });
    move.on(on_chunk).reads(
        [=](std::size_t c, std::size_t part) { return ddm::data(keys_read(c, part)); });
    shift.on([](std::size_t c, int nodes) { return node_of_chunk(c, nodes); })
        .reads([&, pass, groups](std::size_t c) {
          return ddm::data(std::span(s.places[pass]).subspan(c * kDigits, kDigits),
                           std::span(s.totals[pass]).first(groups));
        });
    // A group's digits of one chunk, in the counts or the places of all.
    const auto digits = [grain](std::vector<std::uint32_t>& all, std::size_t c, std::size_t g) {
      const std::size_t first = g * grain;
      return ddm::data(
          std::span(all).subspan(c * kDigits + first, std::min(grain, kDigits - first)))[0];
    };
    place.reads([&, pass, digits](std::size_t g) {
      std::vector<ddm::Operand> reads;
      for (std::size_t c = 0; c < kChunks; ++c) reads.push_back(digits(s.counts[pass], c, g));
      return reads;
    });
    if (parts > 1) count.then(count, ddm::offset(0, 1));
    count
        .then(place,
              [parts, groups](std::size_t, std::size_t part, ddm::To<1> to) {
                if (part + 1 < parts) return;
                for (std::size_t g = 0; g < groups; ++g) to(g);
              })
        .carries([&, pass](std::size_t c, std::size_t) {
          return ddm::data(std::span(s.counts[pass]).subspan(c * kDigits, kDigits));
        });
    place
        .then(shift,
              [](std::size_t, ddm::To<1> to) {
                for (std::size_t c = 0; c < kChunks; ++c) to(c);
              })
        .carries([&, pass, digits](std::size_t g, std::size_t c) {
          return std::array{ddm::data(s.totals[pass][g])[0], digits(s.places[pass], c, g)};
        });
    shift.then(move, [](std::size_t c, ddm::To<2> to) { to(c, 0); });
    if (parts > 1) move.then(move, ddm::offset(0, 1));
    program.run();
    share_keys(s, pass);
  }
}

bool check(const Sort& s) {
  std::vector<std::uint32_t> expected = s.keys[0];
  std::sort(expected.begin(), expected.end());
  return s.keys[kPasses] == expected;
}

}  // namespace

int main(int count, char** words) {
  const Arguments arguments = parse(count, words, {65536, 1048576});
  Sort s(arguments.size);
  if (arguments.sequential) {
    run_sequentially([&] { sort(s); });
  } else {
    sort_by_threads(s, arguments.grain);
  }
  return finish("radix", arguments, check(s),
                digest(std::span<const std::uint32_t>(s.keys[kPasses])));
}
