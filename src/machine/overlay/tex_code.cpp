#include "machine/overlay/tex_code.h"

#include <algorithm>
#include <cmath>

namespace raddle::machine::overlay {
namespace {

constexpr std::array<Lanes, 4> kZeroRegister{};

// To whole texels, towards minus infinity; NaN counts as 0.
std::int64_t texel_of(float coordinate) {
  if (!(std::fabs(coordinate) < 2e9F))
    return coordinate > 0 ? 2'000'000'000 : coordinate < 0 ? -1 : 0;
  const auto whole = static_cast<std::int64_t>(coordinate);
  return coordinate < static_cast<float>(whole) ? whole - 1 : whole;
}

std::int64_t placed(std::int64_t at, std::int64_t size, Addressing addressing) {
  if (addressing == Addressing::kClamp || addressing == Addressing::kBorder)
    return std::clamp<std::int64_t>(at, 0, size - 1);
  if (addressing == Addressing::kLinear) return at;
  const std::int64_t period = addressing == Addressing::kRepeat ? size : 2 * size;
  at = (at % period + period) % period;
  return at < size ? at : period - 1 - at;
}

}  // namespace

TexCode::TexCode(const Instruction& word, const SamplerRegister& sampler)
    : word_(word),
      sampler_(sampler),
      mask_(static_cast<ChannelMask>(word.vector.write_mask | (word.scalar.write_mask ? 8U : 0U))) {
  for (std::uint32_t i = 0; i < sampler.levels; ++i) levels_.push_back(sampler.level(i));
}

ThreadMask TexCode::executing(const BatchState& batch) const {
  ThreadMask mask = batch.flow.active;
  const PredicateSelect select = word_.vector.predicate;
  if (select == PredicateSelect::kNone || select > PredicateSelect::kAlpha) return mask;
  const unsigned channel =
      select == PredicateSelect::kPerChannel ? 0 : static_cast<unsigned>(select) - 2;
  ThreadMask predicate = batch.predicates[channel];
  if (word_.vector.predicate_invert) predicate ^= kAllThreads;
  return mask & predicate;
}

const Lanes* TexCode::source(const BatchState& batch) const {
  unsigned number = word_.tex.source.address;
  if (word_.tex.source.relative) {
    number = (number + static_cast<unsigned>(batch.flow.al)) % kTemporaries;
  }
  return number < batch.register_count ? batch.registers + number * 4 : kZeroRegister.data();
}

std::array<float, 2> TexCode::coordinates(const Lanes* lanes, unsigned thread) const {
  const auto& channels = word_.tex.source.channels;
  const float s = lanes[channels[0]][thread];
  const float t = lanes[channels[1]][thread];
  if (!divides()) return {s, t};
  const float q = lanes[channels[3]][thread];
  return {s / q, t / q};
}

std::array<float, 2> TexCode::coordinates(const BatchState& batch, unsigned thread) const {
  return coordinates(source(batch), thread);
}

// The level that a thread reads. Threads of a batch are a square: 1 is right of 0, 2 below it.
const SamplerRegister& TexCode::level(const Lanes* lanes, unsigned thread) const {
  const TexOp op = word_.tex.op;
  if (levels_.size() == 1 || op == TexOp::kDxDy) return levels_.front();
  const float q = lanes[word_.tex.source.channels[3]][thread];
  float wanted = q;
  if (op != TexOp::kLod) {
    const float width = word_.tex.unscaled ? 1 : static_cast<float>(sampler_.width);
    const float height = word_.tex.unscaled ? 1 : static_cast<float>(sampler_.height);
    const std::array<float, 2> here = coordinates(lanes, thread);
    float farthest = 0;  // in texels, squared
    for (const unsigned step : {1U, 2U}) {
      const std::array<float, 2> there = coordinates(lanes, thread ^ step);
      const float x = (there[0] - here[0]) * width;
      const float y = (there[1] - here[1]) * height;
      farthest = std::max(farthest, x * x + y * y);
    }
    wanted = 0.5F * std::log2(farthest) + (op == TexOp::kLodBias ? q : 0);
  }
  const auto last = static_cast<float>(levels_.size() - 1);
  if (!(wanted > 0)) return levels_.front();
  return levels_[static_cast<std::size_t>(std::floor(std::min(wanted, last) + 0.5F))];
}

std::optional<TexelShare> TexCode::share(const SamplerRegister& level, std::int64_t x,
                                         std::int64_t y, float weight) {
  const auto width = static_cast<std::int64_t>(level.width);
  const auto height = static_cast<std::int64_t>(level.height);
  const bool is_border =
      level.addressing == Addressing::kBorder && (x < 0 || x >= width || y < 0 || y >= height);
  x = placed(x, width, level.addressing);
  y = placed(y, height, level.addressing);
  const std::int64_t offset = x + y * width;
  if (offset < 0 || offset >= width * height) return std::nullopt;
  return TexelShare{level.base + static_cast<std::uint64_t>(offset), weight, is_border};
}

// False: outside of the buffer.
bool TexCode::find(const SamplerRegister& level, float s, float t,
                   std::array<TexelShare, 4>& shares) const {
  // Coordinates that count texels count those of level 0.
  const bool counts = word_.tex.unscaled;
  s *= counts ? static_cast<float>(level.width) / static_cast<float>(sampler_.width)
              : static_cast<float>(level.width);
  t *= counts ? static_cast<float>(level.height) / static_cast<float>(sampler_.height)
              : static_cast<float>(level.height);
  if (sampler_.filter == Filter::kNearest) {
    const auto found = share(level, texel_of(s), texel_of(t), 1);
    if (found) shares[0] = *found;
    return found.has_value();
  }
  // Texels have their values at their centres.
  const std::int64_t x = texel_of(s - 0.5F);
  const std::int64_t y = texel_of(t - 0.5F);
  const float right = s - 0.5F - static_cast<float>(x);
  const float below = t - 0.5F - static_cast<float>(y);
  for (unsigned i = 0; i < 4; ++i) {
    const auto found = share(level, x + i % 2, y + i / 2,
                             (i % 2 == 1 ? right : 1 - right) * (i / 2 == 1 ? below : 1 - below));
    if (!found) return false;
    shares[i] = *found;
  }
  return true;
}

void TexCode::add(const TexelShare& share, const Float4& texel, bool is_first, Float4& sum) const {
  if (sampler_.filter == Filter::kNearest) {
    sum = share.is_border ? Float4{} : texel;  // bit by bit
    return;
  }
  for (unsigned c = 0; c < 4; ++c)
    sum[c] = (is_first ? 0 : sum[c]) + (share.is_border ? 0 : share.weight * texel[c]);
}

TexRequest TexCode::request(const BatchState& batch) const {
  TexRequest request;
  if (!loads()) return request;
  request.threads = executing(batch);
  unsigned destination = word_.tex.destination;
  if (word_.tex.destination_relative) {
    destination = (destination + static_cast<unsigned>(batch.flow.al)) % kTemporaries;
  }
  request.destination = static_cast<std::uint16_t>(destination);
  const Lanes* lanes = source(batch);
  for (unsigned thread = 0; thread < kBatchThreads; ++thread) {
    if (((request.threads >> thread) & 1U) == 0) continue;
    const auto [s, t] = coordinates(lanes, thread);
    if (!find(level(lanes, thread), s, t, request.shares[thread]))
      request.outside |= static_cast<ThreadMask>(1U << thread);
  }
  return request;
}

void TexCode::kill(BatchState& batch) const {
  const Lanes* lanes = source(batch);
  const ThreadMask threads = executing(batch);
  for (unsigned thread = 0; thread < kBatchThreads; ++thread) {
    if (((threads >> thread) & 1U) == 0) continue;
    const bool is_below = std::ranges::any_of(word_.tex.source.channels, [&](std::uint8_t channel) {
      return lanes[channel][thread] < 0;
    });
    if (is_below) batch.killed |= static_cast<ThreadMask>(1U << thread);
  }
}

void TexCode::write(const Float4& texel, unsigned thread, std::uint16_t destination,
                    BatchState& batch) const {
  if (destination >= batch.register_count) return;
  for (unsigned c = 0; c < 4; ++c) {
    if (((mask_ >> c) & 1U) == 0) continue;
    batch.registers[destination * 4U + c][thread] = texel[word_.tex.result_channels[c]];
  }
}

}  // namespace raddle::machine::overlay
