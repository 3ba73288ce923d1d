// What a program tells the `raddle run` that waits for it: letters in a socket that the environment
// names as NUMBER:INODE, so that a program which closed it and opened something else in its place
// comes to no harm. From outside, a program that never used the device and one that ended by _exit
// look the same.
#pragma once

namespace raddle {

inline constexpr const char* kNoticeVariable = "RADDLE_NOTICE_FD";

enum class ProgramNotice : char {
  kStarted = 's',   // the first CUDA call
  kNoResult = 'n',  // the result could not be written; the runtime has said why
};

}  // namespace raddle
