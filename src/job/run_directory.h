// The directory that a job writes to: run.json, spec.yaml, metrics.jsonl, placement.json, state.bin, checkpoints/,
// events/, trace/, capture/. Rank 0 makes it.
#ifndef DFRUN_SRC_JOB_RUN_DIRECTORY_H_
#define DFRUN_SRC_JOB_RUN_DIRECTORY_H_

#include <string>

#include "src/base/file.h"
#include "src/base/status.h"

namespace dfrun {

// Thread safety: const methods from any thread.
class RunDirectory {
 public:
  // Looks at the directory and holds it, where it is there, until this object goes: nothing is made yet but the lock in
  // it. Usage error if it holds a run already and `resume` is false, or while another process works in it.
  static Result<RunDirectory> Open(const std::string& path, bool resume);
  // Makes and holds it where it was not there; before the first file is written to it. Usage error if another process
  // was faster; it is not held then, and may be made again.
  Status Make();

  const std::string& path() const { return path_; }
  // The devices of nodes, where the rules do not decide them (src/graph/placement_file.h).
  std::string placement() const { return PlacementOf(path_); }
  static std::string PlacementOf(const std::string& path) { return path + "/placement.json"; }
  std::string record() const { return path_ + "/run.json"; }
  std::string spec() const { return path_ + "/spec.yaml"; }
  std::string metrics() const { return path_ + "/metrics.jsonl"; }
  std::string state() const { return path_ + "/state.bin"; }
  std::string checkpoints() const { return path_ + "/checkpoints"; }
  std::string events() const { return path_ + "/events"; }
  std::string trace() const { return path_ + "/trace"; }
  std::string capture() const { return path_ + "/capture/node.h5"; }

 private:
  explicit RunDirectory(std::string path) : path_(std::move(path)) {}
  // Opens the lock file, made where it is missing, and locks it until it is closed; waits for 0.1 s at most. Usage
  // error where another process has locked it. A file system without locks is a warning, and OK.
  Result<FileDescriptor> Lock() const;

  std::string path_;
  FileDescriptor lock_;  // the lock file; not open: the directory is not held
};

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_RUN_DIRECTORY_H_
