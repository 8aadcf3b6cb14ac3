// The directory that a job writes to: metrics.jsonl, checkpoints/, trace/. Rank 0 makes it.
#ifndef DFRUN_SRC_SESSION_RUN_DIRECTORY_H_
#define DFRUN_SRC_SESSION_RUN_DIRECTORY_H_

#include <string>

#include "src/base/status.h"

namespace dfrun {

// Thread safety: const methods from any thread.
class RunDirectory {
 public:
  // Makes the directory. Usage error if it holds a run already and `resume` is false, or while another process works in
  // it. Held until this object goes.
  static Result<RunDirectory> Open(const std::string& path, bool resume);
  RunDirectory(RunDirectory&& other) noexcept;
  RunDirectory& operator=(RunDirectory&&) = delete;
  ~RunDirectory();

  const std::string& path() const { return path_; }
  std::string metrics() const { return path_ + "/metrics.jsonl"; }
  std::string checkpoints() const { return path_ + "/checkpoints"; }
  std::string trace() const { return path_ + "/trace"; }

 private:
  RunDirectory(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}

  std::string path_;
  int lock_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_RUN_DIRECTORY_H_
