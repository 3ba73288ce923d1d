// Pictures and tables there and back, and what is refused.
#include "image/image.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"

namespace raddle::image {
namespace {

Image sample() {
  Image image{3, 2, {}};
  for (int i = 0; i < 6; ++i) {
    const float v = static_cast<float>(i) / 5;
    image.texels.push_back({v, 1 - v, 0.2F, 1});
  }
  return image;
}

void expect_near(const Image& a, const Image& b, float tolerance, unsigned channels = 4) {
  ASSERT_EQ(a.width, b.width);
  ASSERT_EQ(a.height, b.height);
  ASSERT_EQ(a.texels.size(), b.texels.size());
  for (std::size_t i = 0; i < a.texels.size(); ++i) {
    for (unsigned c = 0; c < channels; ++c) {
      EXPECT_NEAR(a.texels[i][c], b.texels[i][c], tolerance) << i << " " << c;
    }
  }
}

std::string error_of(auto function) {
  try {
    function();
  } catch (const Error& error) {
    return error.full_text();
  }
  return "no error";
}

TEST(Image, PngKeepsEightBitsAndAlphaWhereItMatters) {
  Image image = sample();
  expect_near(decode_png(encode_png(image), "t.png"), image, 0.5F / 255);
  image.texels[2][3] = 0.4F;
  expect_near(decode_png(encode_png(image), "t.png"), image, 0.5F / 255);
  // Alpha that is 0 everywhere was not meant.
  for (Texel& texel : image.texels) texel[3] = 0;
  EXPECT_EQ(decode_png(encode_png(image), "t.png").texels[0][3], 1);
}

TEST(Image, EightBitFormatsKeepValuesWithinBounds) {
  Image image{2, 1, {{-3, 7, 0.5F, 1}, {NAN, 0, 1, 1}}};
  const Image back = decode_netpbm(encode_ppm(image), "t.ppm");
  EXPECT_EQ(back.texels[0][0], 0);
  EXPECT_EQ(back.texels[0][1], 1);
  EXPECT_EQ(back.texels[1][0], 0);
}

TEST(Image, NetpbmTextBinaryAndDeepSamplesAreRead) {
  EXPECT_EQ(decode_netpbm("P3 # a comment\n1 1\n10\n0 5 10\n", "t.ppm").texels[0],
            (Texel{0, 0.5F, 1, 1}));
  EXPECT_EQ(decode_netpbm(std::string("P5 2 1 65535\n") + '\xff' + '\xff' + '\0' + '\0', "t.pgm")
                .texels[0],
            (Texel{1, 1, 1, 1}));
  expect_near(decode_netpbm(encode_pgm(sample()), "t.pgm"), sample(), 0.5F / 255, 1);
}

TEST(Image, PfmKeepsFloatsAndItsRowsRunUpwards) {
  Image image{1, 2, {{1.5F, -2, 3e20F, 1}, {4, 5, 6, 1}}};
  const std::string content = encode_pfm(image);
  expect_near(decode_netpbm(content, "t.pfm"), image, 0);
  // The first row in the file is the lower one.
  float first = 0;
  std::memcpy(&first, content.data() + content.size() - 24, 4);
  EXPECT_EQ(first, 4);
}

TEST(Image, CsvTakesOneToFourNumbersATexel) {
  const Image image = decode_csv("1, 2 3 ,4 5 6 7\n-1e3,0.5,2\n", "t.csv");
  EXPECT_EQ(image.width, 3U);
  EXPECT_EQ(image.height, 2U);
  EXPECT_EQ(image.texels[1], (Texel{2, 3, 0, 0}));
  EXPECT_EQ(image.texels[2], (Texel{4, 5, 6, 7}));
  EXPECT_EQ(image.texels[3][0], -1000);
  expect_near(decode_csv(encode_csv(sample()), "t.csv"), sample(), 0);
}

TEST(Image, FilesAreToldByTheirEndings) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("raddle-image-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  for (const char* name : {"a.png", "a.ppm", "a.pfm", "a.csv"}) {
    const std::string path = (folder / name).string();
    write_image(path, sample());
    expect_near(read_image(path), sample(), 0.5F / 255);
  }
  const std::string raw = (folder / "a.raw").string();
  write_image(raw, sample());
  expect_near(read_image(raw, 3, 2), sample(), 0);
  EXPECT_EQ(error_of([&] { read_image(raw); }),
            raw + ": the size of a raw file must be given\nhint: write FILE:WIDTHxHEIGHT");
  EXPECT_EQ(error_of([&] { read_image(raw, 4, 4); }),
            raw + ": the file has 96 bytes; 4x4 texels take 256");
  std::filesystem::remove_all(folder);
  EXPECT_EQ(error_of([] { read_image("a.jpg"); }),
            "a.jpg: unknown file extension\n"
            "hint: known: .png, .ppm, .pgm, .pfm, .csv, .raw, .bin");
}

TEST(Image, BadFilesAreRefused) {
  EXPECT_EQ(error_of([] { decode_png("no picture", "t.png"); }).substr(0, 21),
            "t.png: invalid PNG: N");
  EXPECT_EQ(error_of([] { decode_netpbm("P9 1 1", "t.ppm"); }),
            "t.ppm: unsupported Netpbm format; expected P2, P3, P5, P6, PF or Pf");
  EXPECT_EQ(error_of([] { decode_netpbm("P6 1 1 255\nab", "t.ppm"); }),
            "t.ppm: the picture ends too early");
  EXPECT_EQ(error_of([] { decode_netpbm("P6 99999999 1 255\n", "t.ppm"); }),
            "t.ppm: invalid width of the picture: '99999999'");
  EXPECT_EQ(error_of([] { decode_netpbm("P6 0 1 255\n", "t.ppm"); }),
            "t.ppm: the picture is empty");
  EXPECT_EQ(error_of([] { decode_netpbm("PF 1 1 0\nabcdefghijkl", "t.pfm"); }),
            "t.pfm: invalid scale of the picture: '0'");
  EXPECT_EQ(error_of([] { decode_csv("1,2\n3\n", "t.csv"); }),
            "t.csv:2: this row has 1 texels, the first has 2");
  EXPECT_EQ(error_of([] { decode_csv("1,x\n", "t.csv"); }), "t.csv:1: not a number: 'x'");
  EXPECT_EQ(error_of([] { decode_csv("1,\n", "t.csv"); }), "t.csv:1: a texel without a number");
  EXPECT_EQ(error_of([] { decode_csv("1 2 3 4 5\n", "t.csv"); }),
            "t.csv:1: a texel has at most four numbers");
  EXPECT_EQ(error_of([] { decode_csv("\n \n", "t.csv"); }), "t.csv: the file has no rows");
}

}  // namespace
}  // namespace raddle::image
