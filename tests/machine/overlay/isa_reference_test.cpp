// The reference page holds the encoder's own tables. To write it anew:
// RADDLE_WRITE_DOCS=1 build/tests/machine_overlay_test --gtest_filter='IsaReference.*'
#include "machine/overlay/isa_reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/atomic_file.h"
#include "machine/overlay/isa.h"
#include "test_paths.h"

namespace raddle::machine::overlay {
namespace {

TEST(IsaReference, NamesEveryField) {
  const std::string text = isa_reference();
  for (const Field& field : fields()) {
    EXPECT_THAT(text, testing::HasSubstr("| `" + std::string(field.name) + "` |")) << field.name;
  }
}

TEST(IsaReference, IsWhatThePageSays) {
  const std::string page = test_root() + "/docs/machines/overlay-isa.md";
  const std::string begin = "<!-- tables: begin, written from the encoder's tables -->\n\n";
  const std::string end = "<!-- tables: end -->\n";
  std::string text = read_file(page);
  const std::size_t first = text.find(begin), last = text.find(end);
  ASSERT_NE(first, std::string::npos);
  ASSERT_NE(last, std::string::npos);
  const std::size_t start = first + begin.size();
  if (std::getenv("RADDLE_WRITE_DOCS") != nullptr) {
    text.replace(start, last - start, isa_reference());
    write_file_atomically(page, text);
    return;
  }
  EXPECT_EQ(text.substr(start, last - start), isa_reference());
}

}  // namespace
}  // namespace raddle::machine::overlay
