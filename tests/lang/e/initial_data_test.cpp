// Contents of shared arrays: formulas, files, and what the command line gives; and files written.
#include "lang/e/initial_data.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.h"
#include "lang/e/e_program.h"
#include "lang/e/interpreter.h"
#include "machine/tpa/data_source.h"

namespace raddle::e::test {
namespace {

using Words = std::vector<std::int64_t>;

class EData : public testing::Test {
 protected:
  EData() : folder_(std::filesystem::temp_directory_path() / ("raddle-e-data-" + name())) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~EData() override { std::filesystem::remove_all(folder_); }

  static std::string name() {
    return testing::UnitTest::GetInstance()->current_test_info()->name();
  }
  void write(const std::string& file, const std::string& text) {
    std::ofstream(folder_ / file, std::ios::binary) << text;
  }
  CompiledProgram compiled(const std::string& text, const Arguments& arguments = {}) {
    return compile(text, "d.e", folder_, arguments, {});
  }
  std::string error_of(const std::string& text, const Arguments& arguments = {}) {
    try {
      compiled(text, arguments);
    } catch (const Error& error) {
      return error.full_text();
    }
    return {};
  }

  std::filesystem::path folder_;
};

TEST_F(EData, ComesFromListsFormulasAndNumbers) {
  EXPECT_EQ(compiled("int A_[4] = {7, -1};").initial[0], (Words{7, -1}));
  EXPECT_EQ(compiled("const N = 3; int A_[N] = [$ * N + #];").initial[0], (Words{3, 6, 9}));
  EXPECT_EQ(compiled("int x_ = -9;").initial[0], (Words{-9}));
}

TEST_F(EData, RandomNumbersStayBetweenTheirBoundsAndRepeat) {
  const Words words = compiled("int A_[1000] = [random(3, -5, 5)];").initial[0];
  EXPECT_EQ(words, compiled("int A_[1000] = [random(3, -5, 5)];").initial[0]);
  EXPECT_NE(words, compiled("int A_[1000] = [random(4, -5, 5)];").initial[0]);
  EXPECT_EQ(*std::min_element(words.begin(), words.end()), -5);
  EXPECT_EQ(*std::max_element(words.begin(), words.end()), 5);
}

TEST_F(EData, IsReadFromTextAndBinaryFiles) {
  write("a.txt", "1, 2\n-3\t4\n");
  EXPECT_EQ(compiled("int A_[4] = file(\"a.txt\");").initial[0], (Words{1, 2, -3, 4}));
  machine::tpa::write_words((folder_ / "a.bin").string(), {5, static_cast<std::uint64_t>(-6)});
  EXPECT_EQ(std::filesystem::file_size(folder_ / "a.bin"), 16u);
  EXPECT_EQ(compiled("int A_[2] = file(\"a.bin\");").initial[0], (Words{5, -6}));
}

TEST_F(EData, SaysWhatIsWrongWithAFile) {
  write("a.txt", "1 2\n3 x\n");
  EXPECT_NE(error_of("int A_[4] = file(\"a.txt\");").find("a.txt:2: 'x' is not a 64-bit integer"),
            std::string::npos);
  write("b.txt", "1 2");
  EXPECT_NE(error_of("int A_[4] = file(\"b.txt\");").find("b.txt holds 2 numbers, 'A_' has 4"),
            std::string::npos);
  write("c.txt", "99999999999999999999");
  EXPECT_NE(error_of("int A_[1] = file(\"c.txt\");")
                .find("c.txt:1: '99999999999999999999' is not a 64-bit integer"),
            std::string::npos);
  write("d.bin", "123");
  EXPECT_NE(error_of("int A_[1] = file(\"d.bin\");")
                .find("3 bytes are not a whole number of 64-bit words"),
            std::string::npos);
  EXPECT_NE(error_of("int A_[1] = file(\"none.txt\");").find("d.e:1:18: cannot read"),
            std::string::npos);
}

TEST_F(EData, GivenOnTheCommandLineComesFirst) {
  write("g.txt", "4 5");
  Arguments arguments;
  arguments.inputs["A_"] = (folder_ / "g.txt").string();
  EXPECT_EQ(compiled("int A_[3] = {1, 2, 3};", arguments).initial[0], (Words{4, 5}));
  EXPECT_NE(error_of("int A_[1];", arguments).find("the file holds 2 words, the array 1"),
            std::string::npos);
  EXPECT_NE(error_of("int B_[1];", arguments).find("the program has no shared variable 'A_'"),
            std::string::npos);
}

TEST_F(EData, IsWrittenWhenAllChecksHold) {
  const CompiledProgram program = compiled(
      "int A_[3] = {1, 2, 3}; #3: A_[$] *= 2; output A_ to \"sub/out.txt\";\n"
      "check { assert(A_[2] == 6, \"doubled\"); }");
  SharedData memory = program.initial;
  interpret(program.program, memory);
  const auto files = finish(program, memory, folder_);
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(machine::tpa::read_words(files[0].string()), (std::vector<std::uint64_t>{2, 4, 6}));
  std::filesystem::remove(files[0]);
  EXPECT_THROW(finish(program, program.initial, folder_), Error);
  EXPECT_FALSE(std::filesystem::exists(files[0]));
}

}  // namespace
}  // namespace raddle::e::test
