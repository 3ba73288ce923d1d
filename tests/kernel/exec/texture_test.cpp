// Texture fetches and surfaces against an independent computation: point and linear filtering, all
// address modes, channels of every width, normalized reads.
#include "kernel/texture.h"

#include <bit>
#include <cmath>

#include "lane_check.h"
#include "warp_fixture.h"

namespace raddle::kernel::exec {
namespace {

float component(const TexelResult& texel, std::size_t index = 0) {
  return std::bit_cast<float>(texel.component[index]);
}

class Textures : public WarpFixture {
 protected:
  static constexpr std::uint32_t kWidth = 8;
  static constexpr std::uint32_t kHeight = 5;
  static constexpr std::uint32_t kDepth = 3;

  // Texel (x, y, z) holds 100 z + 10 y + x.
  TextureDescriptor floats(int dimensions) {
    TextureDescriptor texture;
    texture.address = buffer_;
    texture.width = kWidth;
    texture.height = dimensions > 1 ? kHeight : 0;
    texture.depth = dimensions > 2 ? kDepth : 0;
    texture.row_bytes = 64;
    texture.slice_bytes = 512;
    texture.channel_bits = {32, 0, 0, 0};
    for (std::uint32_t z = 0; z < kDepth; ++z) {
      for (std::uint32_t y = 0; y < kHeight; ++y) {
        for (std::uint32_t x = 0; x < kWidth; ++x)
          *device<float>(buffer_ + z * 512 + y * 64 + x * 4) = texel_value(x, y, z);
      }
    }
    return texture;
  }
  static float texel_value(std::int64_t x, std::int64_t y, std::int64_t z) {
    return static_cast<float>(100 * z + 10 * y + x);
  }
  float fetch(const TextureDescriptor& texture, std::array<float, 3> at, int dimensions,
              std::uint32_t layer = 0) {
    return component(fetch_texel(texture, memory_, at, dimensions, layer));
  }
};

TEST_F(Textures, PointSamplingTakesTheTexelThatHoldsTheCoordinate) {
  const TextureDescriptor one = floats(1);
  EXPECT_EQ(fetch(one, {0, 0, 0}, 1), 0);
  EXPECT_EQ(fetch(one, {3.99f, 0, 0}, 1), 3);
  EXPECT_EQ(fetch(one, {4, 0, 0}, 1), 4);
  const TextureDescriptor two = floats(2);
  EXPECT_EQ(fetch(two, {2.5f, 3.5f, 0}, 2), 32);
  const TextureDescriptor three = floats(3);
  EXPECT_EQ(fetch(three, {7.5f, 4.5f, 2.5f}, 3), 247);
}

TEST_F(Textures, ClampBorderWrapAndMirrorOutsideTheRange) {
  TextureDescriptor texture = floats(1);
  texture.border = {-5, 0, 0, 0};
  texture.normalized_coordinates = true;
  struct Row {
    TextureAddressing mode;
    std::int64_t (*index)(std::int64_t);  // -1: border
  };
  const Row rows[] = {
      {TextureAddressing::kClamp, [](std::int64_t i) { return i < 0   ? 0
                                                              : i > 7 ? 7
                                                                      : i; }},
      {TextureAddressing::kBorder, [](std::int64_t i) { return i < 0 || i > 7 ? -1 : i; }},
      {TextureAddressing::kWrap, [](std::int64_t i) { return (i + 80) % 8; }},
      {TextureAddressing::kMirror,
       [](std::int64_t i) {
         const std::int64_t p = (i + 80) % 16;
         return p < 8 ? p : 15 - p;
       }},
  };
  for (const Row& row : rows) {
    texture.addressing[0] = row.mode;
    for (std::int64_t i = -20; i < 30; ++i) {
      const std::int64_t index = row.index(i);
      const float coordinate = (static_cast<float>(i) + 0.5f) / 8;
      EXPECT_EQ(fetch(texture, {coordinate, 0, 0}, 1),
                index < 0 ? -5.0f : static_cast<float>(index))
          << static_cast<int>(row.mode) << " at " << i;
    }
  }
}

TEST_F(Textures, WrapWithoutNormalizedCoordinatesClamps) {
  TextureDescriptor texture = floats(1);
  texture.addressing[0] = TextureAddressing::kWrap;
  EXPECT_EQ(fetch(texture, {9.5f, 0, 0}, 1), 7);
  EXPECT_EQ(fetch(texture, {-3.0f, 0, 0}, 1), 0);
}

TEST_F(Textures, LinearFilteringWeighsNeighboursWithEightFractionBits) {
  for (int dimensions = 1; dimensions <= 3; ++dimensions) {
    TextureDescriptor texture = floats(dimensions);
    texture.filter = TextureFilter::kLinear;
    OperandSource source(static_cast<std::uint64_t>(dimensions));
    for (int trial = 0; trial < 200; ++trial) {
      std::array<float, 3> at{};
      double expected = 0;
      // Values are linear in the coordinates, so filtering is, too; clamping happens dimension by
      // dimension.
      const double scale[3] = {1, 10, 100};
      const int extent[3] = {kWidth, kHeight, kDepth};
      for (int d = 0; d < dimensions; ++d) {
        at[static_cast<std::size_t>(d)] =
            static_cast<float>(source.below(static_cast<std::uint64_t>(extent[d]) * 1000 + 2000)) /
                1000.0f -
            1.0f;
        const double shifted = static_cast<double>(at[static_cast<std::size_t>(d)]) - 0.5;
        const double weight = std::round((shifted - std::floor(shifted)) * 256) / 256;
        const double low = std::min(std::max(std::floor(shifted), 0.0), extent[d] - 1.0);
        const double high = std::min(std::max(std::floor(shifted) + 1, 0.0), extent[d] - 1.0);
        expected += scale[d] * (low * (1 - weight) + high * weight);
      }
      EXPECT_NEAR(static_cast<double>(fetch(texture, at, dimensions)), expected, 1e-4)
          << at[0] << " " << at[1] << " " << at[2];
    }
  }
}

TEST_F(Textures, LinearFilteringMixesWithTheBorder) {
  TextureDescriptor texture = floats(1);
  texture.filter = TextureFilter::kLinear;
  texture.addressing[0] = TextureAddressing::kBorder;
  texture.border = {4, 0, 0, 0};
  EXPECT_FLOAT_EQ(fetch(texture, {0.25f, 0, 0}, 1), 0.25f * 4 + 0.75f * 0);
  EXPECT_FLOAT_EQ(fetch(texture, {8.0f, 0, 0}, 1), 0.5f * 7 + 0.5f * 4);
  EXPECT_FLOAT_EQ(fetch(texture, {20.0f, 0, 0}, 1), 4);
}

TEST_F(Textures, LinearFilteringWrapsAroundTheEdge) {
  TextureDescriptor texture = floats(1);
  texture.filter = TextureFilter::kLinear;
  texture.addressing[0] = TextureAddressing::kWrap;
  texture.normalized_coordinates = true;
  EXPECT_FLOAT_EQ(fetch(texture, {0, 0, 0}, 1), 3.5f);  // half of texel 7, half of texel 0
}

TEST_F(Textures, CoordinatesThatAreNoNumbersAreHarmless) {
  for (const bool normalized : {false, true}) {
    for (TextureAddressing mode : {TextureAddressing::kClamp, TextureAddressing::kWrap,
                                   TextureAddressing::kMirror, TextureAddressing::kBorder}) {
      for (TextureFilter filter : {TextureFilter::kPoint, TextureFilter::kLinear}) {
        TextureDescriptor texture = floats(2);
        texture.normalized_coordinates = normalized;
        texture.addressing = {mode, mode, mode};
        texture.filter = filter;
        for (const float bad : {NAN, INFINITY, -INFINITY, 3e38f, -3e38f}) {
          const float value = fetch(texture, {bad, bad, 0}, 2);
          EXPECT_GE(value, 0);
          EXPECT_LE(value, 47);
        }
      }
    }
  }
  TextureDescriptor clamped = floats(1);
  EXPECT_EQ(fetch(clamped, {INFINITY, 0, 0}, 1), 7);
  EXPECT_EQ(fetch(clamped, {-INFINITY, 0, 0}, 1), 0);
}

TEST_F(Textures, LayersAreSlices) {
  TextureDescriptor texture = floats(3);
  texture.depth = 0;
  texture.layers = kDepth;
  EXPECT_EQ(fetch(texture, {3.5f, 1.5f, 0}, 2, 2), 213);
  EXPECT_EQ(fetch(texture, {3.5f, 1.5f, 0}, 2, 9), 213) << "beyond the last layer, the last";
}

TEST_F(Textures, IntegerChannelsKeepTheirBitsAndSign) {
  TextureDescriptor texture;
  texture.address = buffer_;
  texture.width = 4;
  texture.channel_bits = {8, 8, 8, 8};
  texture.channel_kind = ChannelKind::kSigned;
  const std::uint8_t bytes[] = {1, 0x80, 0xff, 0x7f};
  std::memcpy(memory_.view(buffer_ + 4), bytes, 4);
  TexelResult texel = fetch_texel_integer(texture, memory_, {1, 0, 0}, 1, 0);
  EXPECT_EQ(texel.component, (std::array<std::uint32_t, 4>{1, 0xffffff80u, 0xffffffffu, 0x7f}));
  EXPECT_EQ(texel.address, buffer_ + 4);
  texture.channel_kind = ChannelKind::kUnsigned;
  texel = fetch_texel_integer(texture, memory_, {1, 0, 0}, 1, 0);
  EXPECT_EQ(texel.component, (std::array<std::uint32_t, 4>{1, 0x80, 0xff, 0x7f}));
  texture.channel_bits = {16, 16, 0, 0};
  texel = fetch_texel_integer(texture, memory_, {1, 0, 0}, 1, 0);
  EXPECT_EQ(texel.component[0], 0x8001u);
  EXPECT_EQ(texel.component[1], 0x7fffu);
  EXPECT_EQ(texel.component[2], 0u);
}

TEST_F(Textures, NormalizedReadsMapTheWholeRangeToOne) {
  TextureDescriptor texture;
  texture.address = buffer_;
  texture.width = 4;
  texture.channel_bits = {8, 8, 8, 8};
  texture.read_as_normalized_float = true;
  texture.channel_kind = ChannelKind::kUnsigned;
  const std::uint8_t bytes[] = {0, 255, 128, 51};
  std::memcpy(memory_.view(buffer_), bytes, 4);
  TexelResult texel = fetch_texel(texture, memory_, {0, 0, 0}, 1, 0);
  EXPECT_EQ(component(texel, 0), 0);
  EXPECT_EQ(component(texel, 1), 1);
  EXPECT_FLOAT_EQ(component(texel, 2), 128.0f / 255);
  EXPECT_FLOAT_EQ(component(texel, 3), 0.2f);
  texture.channel_kind = ChannelKind::kSigned;
  texel = fetch_texel(texture, memory_, {0, 0, 0}, 1, 0);
  EXPECT_EQ(component(texel, 2), -1) << "-128 is clamped to -1";
  EXPECT_FLOAT_EQ(component(texel, 1), -1.0f / 127);
}

TEST_F(Textures, HalfChannelsBecomeFloats) {
  TextureDescriptor texture;
  texture.address = buffer_;
  texture.width = 4;
  texture.channel_bits = {16, 16, 0, 0};
  const std::uint16_t halves[] = {0x3c00, 0xc100, 0x0001, 0x7bff};
  std::memcpy(memory_.view(buffer_), halves, sizeof(halves));
  EXPECT_EQ(component(fetch_texel(texture, memory_, {0, 0, 0}, 1, 0), 1), -2.5f);
  EXPECT_EQ(component(fetch_texel(texture, memory_, {1, 0, 0}, 1, 0), 0), 0x1p-24f);
  EXPECT_EQ(component(fetch_texel(texture, memory_, {1, 0, 0}, 1, 0), 1), 65504.0f);
}

TEST_F(Textures, FetchesFromLinearMemoryReadZeroOutsideTheBoundRange) {
  TextureDescriptor texture = floats(1);
  texture.linear_memory = true;
  EXPECT_EQ(component(fetch_texel_integer(texture, memory_, {6, 0, 0}, 1, 0)), 6);
  EXPECT_EQ(component(fetch_texel_integer(texture, memory_, {8, 0, 0}, 1, 0)), 0);
  EXPECT_EQ(fetch_texel_integer(texture, memory_, {8, 0, 0}, 1, 0).address, 0u);
  *device<float>(buffer_) = 42;
  EXPECT_EQ(component(fetch_texel_integer(texture, memory_, {-1, 0, 0}, 1, 0)), 0);
}

TEST_F(Textures, InstructionsFetchLaneByLane) {
  textures_[kTextureBase] = floats(2);
  for (int i = 0; i < kLanes; ++i) {
    lanes<std::uint64_t>(0)[i] = kTextureBase;
    lanes<float>(1)[i] = static_cast<float>(i % 8) + 0.5f;
    lanes<float>(2)[i] = static_cast<float>(i / 8) + 0.5f;
    lanes<float>(3)[i] = -1;
  }
  Instruction tex = instruction_of(Opcode::kTex, Type::kF32, [](Instruction& i) {
    i.source_type = Type::kF32;
    i.mode = Mode::kTexture2D;
  });
  run(tex, {.destinations = {3, 4, -1, 5}, .sources = {0, 1, 2}}, 0xfffffffeu);
  EXPECT_TRUE(warp_.faults.empty());
  EXPECT_EQ(lanes<float>(3)[0], -1);
  for (int i = 1; i < kLanes; ++i)
    EXPECT_EQ(lanes<float>(3)[i], static_cast<float>(10 * (i / 8) + i % 8));
  lanes<std::uint64_t>(0)[4] = kTextureBase + 99;
  run(tex, {.destinations = {3, 4, -1, 5}, .sources = {0, 1, 2}});
  ASSERT_EQ(warp_.faults.size(), 1u);
  EXPECT_EQ(warp_.faults[0].lane, 4);
  EXPECT_TRUE(warp_.faults[0].fatal);
}

TEST_F(Textures, GatherTakesFourTexelsInTheManualsOrder) {
  textures_[kTextureBase] = floats(2);
  for (int i = 0; i < kLanes; ++i) {
    lanes<std::uint64_t>(0)[i] = kTextureBase;
    lanes<float>(1)[i] = 3;
    lanes<float>(2)[i] = 2;
  }
  lanes<float>(1)[31] = NAN;
  lanes<float>(2)[31] = 1e30f;
  Instruction gather = instruction_of(Opcode::kTld4, Type::kF32, [](Instruction& i) {
    i.source_type = Type::kF32;
    i.mode = Mode::kGatherRed;
  });
  run(gather, {.destinations = {4, 5, 6, 7}, .sources = {0, 1, 2}});
  // Around (3, 2): texels (2, 1) (3, 1) (2, 2) (3, 2), counter-clockwise from the lower left.
  EXPECT_EQ(lanes<float>(4)[0], 22);
  EXPECT_EQ(lanes<float>(5)[0], 23);
  EXPECT_EQ(lanes<float>(6)[0], 13);
  EXPECT_EQ(lanes<float>(7)[0], 12);
}

TEST_F(Textures, SurfacesAreReadAndWrittenByByteCoordinates) {
  textures_[kTextureBase] = floats(2);
  for (int i = 0; i < kLanes; ++i) {
    lanes<std::uint64_t>(0)[i] = kTextureBase;
    lanes<std::uint32_t>(1)[i] = static_cast<std::uint32_t>(i % 8 * 4);
    lanes<std::uint32_t>(2)[i] = static_cast<std::uint32_t>(i / 8);
    lanes<float>(3)[i] = static_cast<float>(1000 + i);
  }
  Instruction store = instruction_of(Opcode::kSust, Type::kB32, [](Instruction& i) {
    i.mode = Mode::kTexture2D;
    i.clamp_mode = Mode::kSurfaceZero;
  });
  run(store, {.destinations = {}, .sources = {0, 1, 2, 3}});
  EXPECT_EQ(*device<float>(buffer_ + 64 * 3 + 4 * 7), 1031);
  Instruction load = instruction_of(Opcode::kSuld, Type::kB32, [](Instruction& i) {
    i.mode = Mode::kTexture2D;
    i.clamp_mode = Mode::kSurfaceZero;
  });
  lanes<std::uint32_t>(2)[9] = 5;    // below the last row
  lanes<std::uint32_t>(1)[10] = 32;  // right of the last column
  run(load, {.destinations = {4}, .sources = {0, 1, 2}});
  for (int i = 0; i < kLanes; ++i)
    EXPECT_EQ(lanes<float>(4)[i], i == 9 || i == 10 ? 0.0f : static_cast<float>(1000 + i));
  EXPECT_TRUE(warp_.faults.empty());
  load.clamp_mode = Mode::kSurfaceTrap;
  run(load, {.destinations = {4}, .sources = {0, 1, 2}});
  EXPECT_EQ(warp_.faults.size(), 2u);
}

TEST_F(Textures, QueriesTellTheSize) {
  textures_[kTextureBase] = floats(3);
  for (int i = 0; i < kLanes; ++i) lanes<std::uint64_t>(0)[i] = kTextureBase;
  struct Row {
    Mode mode;
    std::uint32_t value;
  };
  for (const Row& row : {Row{Mode::kQueryWidth, kWidth}, Row{Mode::kQueryHeight, kHeight},
                         Row{Mode::kQueryDepth, kDepth}}) {
    Instruction query =
        instruction_of(Opcode::kTxq, Type::kB32, [&](Instruction& i) { i.mode = row.mode; });
    run(query, {.destinations = {1}, .sources = {0}});
    EXPECT_EQ(lanes<std::uint32_t>(1)[17], row.value);
  }
}

}  // namespace
}  // namespace raddle::kernel::exec
