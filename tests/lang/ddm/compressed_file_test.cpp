// Files that are kept compressed come back whole or not at all.
#include "lang/ddm/compressed_file.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/stop_token.h"

namespace raddle::ddm_lang {
namespace {

namespace fs = std::filesystem;

class CompressedFile : public ::testing::Test {
 protected:
  void SetUp() override {
    file_ = fs::path(::testing::TempDir()) /
            ::testing::UnitTest::GetInstance()->current_test_info()->name();
  }
  void TearDown() override { fs::remove(file_); }

  std::string refusal() const {
    try {
      read_compressed(file_);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "none";
  }

  fs::path file_;
};

// Some megabytes that repeat themselves, with a number in each repetition.
std::string sample() {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += "thread " + std::to_string(i * 7919) + " follows\n";
  return text;
}

TEST_F(CompressedFile, ComesBackWholeAndIsSmaller) {
  const std::string text = sample();
  write_compressed(file_, text);
  EXPECT_EQ(read_compressed(file_), text);
  EXPECT_LT(fs::file_size(file_), text.size() / 3);
}

TEST_F(CompressedFile, MayBeEmpty) {
  write_compressed(file_, "");
  EXPECT_EQ(read_compressed(file_), "");
}

TEST_F(CompressedFile, IsRefusedWithOneWrongByte) {
  write_compressed(file_, sample());
  std::string bytes = read_file(file_);
  bytes[bytes.size() / 2] ^= 1;
  write_file_atomically(file_, bytes);
  EXPECT_EQ(refusal(), "the file is damaged");
}

TEST_F(CompressedFile, IsRefusedWithoutItsEnd) {
  write_compressed(file_, sample());
  fs::resize_file(file_, fs::file_size(file_) / 2);
  EXPECT_EQ(refusal(), "the file is damaged");
}

TEST_F(CompressedFile, MustExist) { EXPECT_EQ(refusal(), "the file is missing"); }

TEST_F(CompressedFile, NeedsAFolder) {
  try {
    write_compressed("/nowhere/file", "text");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.full_text(), "cannot write '/nowhere/file'\nhint: is the disk full?");
  }
}

TEST_F(CompressedFile, StopsBetweenTwoPieces) {
  const std::atomic<bool> interrupted{true};
  const StopScope scope{StopToken(&interrupted)};
  EXPECT_THROW(write_compressed(file_, sample()), Stopped);
}

}  // namespace
}  // namespace raddle::ddm_lang
