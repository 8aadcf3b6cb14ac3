// The list of files that the ops of a job have written. The run directory has a file `written-RANK.txt` for each rank
// that wrote any, so that other ranks, and a job that resumes the run, know them too.
#ifndef DFRUN_SRC_STORAGE_WRITTEN_FILES_H_
#define DFRUN_SRC_STORAGE_WRITTEN_FILES_H_

#include <set>
#include <string>
#include <string_view>

#include "src/base/mutex.h"
#include "src/base/status.h"

namespace dfrun {

// Paths are absolute and without links. A list has a path a line, relative to the run directory where it lies below it;
// a line feed in it is written as "\n", a backslash as "\\".
// Thread safety: all methods from any thread.
class WrittenFiles {
 public:
  // An empty run directory: files that this process wrote are known, and nothing is listed.
  WrittenFiles(std::string run_directory, int rank) : run_directory_(std::move(run_directory)), rank_(rank) {}

  // Whether an op of this run has written this path. Reads the lists of other ranks where this one does not know it.
  Result<bool> Has(const std::string& path) const EXCLUDES(mu_);
  // Lists the path before it is written: a job that is killed in between leaves a line too many, which names nothing.
  // The line is on the disk at the return.
  Status Add(const std::string& path) EXCLUDES(mu_);

  // Returns true for the name of a list in a run directory.
  static bool IsListName(std::string_view name);

 private:
  std::string LineOf(const std::string& path) const;
  Result<bool> IsListed(const std::string& line) const;

  const std::string run_directory_;
  const int rank_;
  mutable Mutex mu_;
  std::set<std::string> known_ GUARDED_BY(mu_);  // lines
};

}  // namespace dfrun

#endif  // DFRUN_SRC_STORAGE_WRITTEN_FILES_H_
