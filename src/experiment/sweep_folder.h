// Where a sweep keeps its cells: `cells/KEY.json` for each that is finished, `cells/KEY.log` for
// what it printed. A cell runs in a working folder of its own and its result is moved into place
// when it is whole, so that a kill at any moment leaves finished cells and nothing that looks like
// one. Several sweeps may share a folder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "experiment/run_result.h"

namespace raddle::experiment {

class SweepFolder {
 public:
  // Makes the folder, and takes away what killed sweeps have left. Throws Error.
  explicit SweepFolder(const std::filesystem::path& output_folder);
  ~SweepFolder();
  SweepFolder(const SweepFolder&) = delete;
  SweepFolder& operator=(const SweepFolder&) = delete;

  // From the output folder: "cells/KEY.json".
  static std::string result_name(const std::string& key);
  static std::string log_name(const std::string& key);

  // The result of a finished cell. A file that cannot be read counts as missing.
  std::optional<RunResult> finished(const std::string& key) const;

  // A fresh, empty folder for one run, with the places where it is to leave its result and log.
  struct Workplace {
    std::filesystem::path folder, result, log;
  };
  Workplace start(const std::string& key);
  Workplace workplace(const std::string& key) const;  // of a run that was started
  // The run has ended: keeps its log and, where `with_result`, its result; the log comes first, as
  // the result says that the cell is finished.
  void keep(const std::string& key, bool with_result);

 private:
  void remove_left_over();

  std::filesystem::path output_;
  std::filesystem::path cells_;
  std::filesystem::path working_;  // of this sweep alone
  int lock_ = -1;                  // held while this process lives
};

}  // namespace raddle::experiment
