// A compiler at work, and what it says: kept in memory, so that it is heard on a full disk, too.
#pragma once

#include <string>

#include "lang/cuda/process.h"

namespace raddle::cuda {

class ToolRun {
 public:
  // Throws Error if the tool cannot be started.
  explicit ToolRun(const Command& command)
      : tool_(command.arguments.front()), process_(command, streams()) {}

  int wait() { return process_.wait(); }
  // After wait().
  int signal() const { return process_.signal(); }
  std::string output() const { return output_.content(); }
  std::string errors() const { return errors_.content(); }
  const std::string& tool() const { return tool_; }

 private:
  Streams streams() const {
    Streams streams;
    streams.output_handle = output_.handle();
    streams.error_handle = errors_.handle();
    return streams;
  }

  std::string tool_;
  MemoryFile output_;
  MemoryFile errors_;
  Process process_;
};

}  // namespace raddle::cuda
