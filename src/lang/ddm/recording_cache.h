// Recordings of data-driven programs, each made once by running the instrumented program: what is
// recorded depends on the program and its arguments alone, so every configuration of a machine
// replays the same.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ddm/recording/recording.h"

namespace raddle::ddm_lang {

struct RecordRequest {
  std::string executable;  // instrumented
  std::vector<std::string> arguments;
  std::string program;      // what the result calls it
  std::uint32_t nodes = 1;  // must be among those recorded
};

struct Recorded {
  int status = 0;                       // of the program
  int signal = 0;                       // that ended it; 0: it exited
  std::string output;                   // what it said
  ddm::recording::Recording recording;  // empty unless the status is 0
};

// Throws Error where the program leaves no whole recording, and Stopped.
Recorded record_cached(const RecordRequest& request, const std::string& cache_folder);

}  // namespace raddle::ddm_lang
