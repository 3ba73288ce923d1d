#include "base/atomic_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>
#include <string>

#include "base/error.h"
#include "base/temporary_folder.h"

namespace raddle {
namespace {

namespace fs = std::filesystem;

std::string error_of_writing(const fs::path& path, std::string_view content = "new") {
  try {
    write_file_atomically(path, content);
  } catch (const Error& error) {
    return error.full_text();
  }
  return "no error";
}

std::ptrdiff_t files_in(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

TEST(AtomicFile, TakesItsContentPartByPart) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "a.json", [](const TextSink& put) {
    for (const char* part : {"one ", "", "two ", "three"}) put(part);
  });
  EXPECT_EQ(read_file(folder / "a.json"), "one two three");
  EXPECT_EQ(files_in(folder.path()), 1);
}

TEST(AtomicFile, CreatesAndReplacesAFileAndLeavesNothingBeside) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "a.json", "first, and longer");
  write_file_atomically(folder / "a.json", "second");
  EXPECT_EQ(read_file(folder / "a.json"), "second");
  EXPECT_EQ(files_in(folder.path()), 1);
}

TEST(AtomicFile, KeepsTheModeOfTheFileItReplaces) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "script", "old");
  fs::permissions(folder / "script", fs::perms{0750});
  write_file_atomically(folder / "script", "new");
  EXPECT_EQ(fs::status(folder / "script").permissions(), fs::perms{0750});
}

TEST(AtomicFile, FollowsASymbolicLink) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "target", "old");
  fs::create_symlink("target", folder / "link");
  write_file_atomically(folder / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "target"), "new");
}

TEST(AtomicFile, SaysThatTheFolderIsMissing) {
  const TemporaryFolder folder;
  const fs::path path = folder / "nowhere/a.json";
  EXPECT_EQ(error_of_writing(path),
            fmt::format(
                "cannot write '{}': No such file or directory\nhint: create the folder '{}' first",
                path.string(), (folder / "nowhere").string()));
}

TEST(AtomicFile, SaysThatTheFolderMayNotBeWritten) {
  const TemporaryFolder folder;
  fs::permissions(folder.path(), fs::perms{0555});
  const fs::path path = folder / "a.json";
  // Root may write everywhere: be somebody else for the moment.
  const uid_t user = ::geteuid();
  if (user == 0) {
    ASSERT_EQ(::seteuid(65534), 0);
  }
  const std::string message = error_of_writing(path);
  ASSERT_EQ(::seteuid(user), 0);
  EXPECT_EQ(message, fmt::format("cannot write '{}': Permission denied\n"
                                 "hint: name a folder that you may write to",
                                 path.string()));
  fs::permissions(folder.path(), fs::perms{0700});
}

TEST(AtomicFile, SaysThatTheFolderTakesNoFiles) {
  // The one folder of every Linux machine in which nobody, not even root, makes files.
  EXPECT_THAT(error_of_writing("/proc/raddle-test"),
              testing::StartsWith("cannot write '/proc/raddle-test': No such file or directory"));
}

TEST(AtomicFile, SaysThatTheNameIsAFolder) {
  const TemporaryFolder folder;
  EXPECT_EQ(error_of_writing(folder.path()),
            fmt::format("cannot write '{}': Is a directory", folder.path().string()));
}

TEST(AtomicFile, SaysThatTheDiskIsFull) {
  EXPECT_EQ(error_of_writing("/dev/full"),
            "cannot write '/dev/full': No space left on device\n"
            "hint: free some space or name another folder");
}

TEST(AtomicFile, KeepsTheOldFileWhenWritingFailsHalfWay) {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.json";
  write_file_atomically(path, "old");

  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old_handler = ::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string message = error_of_writing(path, std::string(100'000, 'x'));
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, old_handler);

  EXPECT_EQ(message, fmt::format("cannot write '{}': File too large\n"
                                 "hint: free some space or name another folder",
                                 path.string()));
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(files_in(folder.path()), 1);
}

TEST(ReadFile, SaysWhatCannotBeRead) {
  const auto error_of_reading = [](const fs::path& path) -> std::string {
    try {
      return read_file(path);
    } catch (const Error& error) {
      return error.full_text();
    }
  };
  const TemporaryFolder folder;
  EXPECT_EQ(
      error_of_reading(folder / "none.cu"),
      fmt::format("cannot read '{}': No such file or directory", (folder / "none.cu").string()));
  EXPECT_EQ(error_of_reading(folder.path()),
            fmt::format("cannot read '{}': Is a directory", folder.path().string()));
}

}  // namespace
}  // namespace raddle
