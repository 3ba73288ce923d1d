#include "lang/cuda/header_names.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/atomic_file.h"

namespace raddle::cuda {
namespace {

HeaderNames names_of(std::string_view header) {
  HeaderNames names;
  add_header_names(header, names);
  return names;
}

TEST(HeaderNames, AreMacrosOfDirectivesAndIncludedFiles) {
  const HeaderNames names = names_of(
      "#ifdef NDEBUG\n int plain;\n#  if defined(A) && \\\n     B > 2\n#include <bits/x.h>\n"
      "# include \"y.h\"\n#endif");
  EXPECT_THAT(names.macros, testing::IsSupersetOf({"NDEBUG", "A", "B"}));
  EXPECT_THAT(names.macros, testing::Not(testing::Contains("plain")));
  EXPECT_THAT(names.included, testing::ElementsAre("bits/x.h", "y.h"));
}

TEST(HeaderNames, AreReadAsTheyAreWritten) {
  const HeaderNames names = names_of("#ifdef A\n#include <b.h>\n#endif\n");
  const HeaderNames again = header_names_of(to_text(names));
  EXPECT_EQ(again.macros, names.macros);
  EXPECT_EQ(again.included, names.included);
}

TEST(HeaderNames, TellWhatAProgramsFlagsChange) {
  const HeaderNames names = names_of("#ifdef NDEBUG\n#include <math.h>\n#endif\n");
  EXPECT_TRUE(leave_unchanged({"-D", "N=4", "-D", "CALL(x)=x"}, names));
  EXPECT_FALSE(leave_unchanged({"-D", "N=4", "-D", "NDEBUG"}, names));
  EXPECT_FALSE(leave_unchanged({"-D", "NDEBUG=1"}, names));
  EXPECT_FALSE(leave_unchanged({"-U", "N"}, names));
  EXPECT_FALSE(leave_unchanged({"-include", "first.h"}, names));

  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / fmt::format("header-names-{}", getpid());
  fs::create_directories(folder);
  EXPECT_TRUE(leave_unchanged({"-I", folder.string()}, names));
  write_scratch_file(folder / "math.h", "");
  EXPECT_FALSE(leave_unchanged({"-I", folder.string()}, names));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace raddle::cuda
