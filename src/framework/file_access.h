// Which files the ops of a graph may open. A graph may be anyone's, and so may the tensors that it computes: what they
// name is opened only below directories that the user has named.
//
//   DF_ASSIGN(const std::string path, FileAccess::Of(ctx.device())->ForReading(name));
//
// Links are resolved before a path is judged. Who changes a directory of the user's between that and the opening could
// have opened the file without dfrun; OpenForReading() judges what it has opened.
//
// What is written keeps narrower rules (docs/spec.md, "Files"): directories of its own, nothing below a name that
// begins with a dot, nothing that dfrun keeps of a run, and no file that stood there before the job.
#ifndef DFRUN_SRC_FRAMEWORK_FILE_ACCESS_H_
#define DFRUN_SRC_FRAMEWORK_FILE_ACCESS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/base/file.h"
#include "src/framework/device.h"
#include "src/framework/resource.h"
#include "src/framework/written_files.h"

namespace dfrun {

// As rank 0 tells the others.
struct FileRules {
  bool is_confined = false;  // false: any file
  // True where the graph is that of the user's own spec: the readers of samples open what their attrs name.
  bool trusts_inputs = false;
  std::vector<std::string> roots;             // directories, with all that lies below them, and single files
  std::vector<std::string> write_roots = {};  // the same for what is written
  std::string run_directory = {};             // which lists what ops wrote; empty: none
  bool may_replace = false;                   // what stood there before the job
  int rank = 0;                               // of who opens
  int64_t begin_ns = 0;                       // of the job, system clock
};

// Thread safety: all methods from any thread.
class FileAccess final : public Resource {
 public:
  explicit FileAccess(FileRules rules);

  // What holds on the device: its session's rules, or any file where none has set them.
  static RefPtr<FileAccess> Of(Device& device);
  static void Set(Device& device, const FileRules& rules);
  // Any file.
  static RefPtr<FileAccess> Unconfined();

  bool trusts_inputs() const { return rules_.trusts_inputs || !rules_.is_confined; }

  // The path to open for this one: without links where files are confined, else as it is. BadSpec, with the flag that
  // would allow it, for what lies outside; a missing file is no error.
  Result<std::string> ForReading(const std::string& path) const;
  // The same for a file to write into, or to make: one that stands there is of this run, or may be replaced. The run
  // knows it as its own from then on.
  Result<std::string> ForAppending(const std::string& path) const;
  // The same for a file that is made or replaced by a rename, with what stands beside it: a link at its end is kept. A
  // root itself can be replaced only where it is a file.
  Result<std::string> ForWriting(const std::string& path) const;
  // The same for a checkpoint's directory. Whether what stands there may be replaced is for the caller to say.
  Result<std::string> ForSaving(const std::string& path) const;
  // For a directory that gets the file `name`: that of a step which this run saves, or one for ForWriting().
  Result<std::string> ForShard(const std::string& directory, const std::string& name) const;
  // Before a checkpoint is saved there: the run knows it as its own from then on.
  Status NoteSaved(const std::string& saved) const;
  // Whether an op of this run has saved there, or all may be replaced.
  Result<bool> MayReplace(const std::string& saved) const;
  // The same, or what came to its name after the job began: another rank may have written it.
  Result<bool> MayRemove(const std::string& saved) const;
  // For a pattern of a shell: what it may be matched against.
  Status CheckPattern(const std::string& pattern) const;
  // FileDescriptor::OpenForReading() of what is allowed.
  Result<FileDescriptor> OpenForReading(const std::string& path) const;

  std::string DebugString() const override { return "rules of files"; }

 private:
  Result<std::string> Resolve(const char* what, const std::string& path) const;
  Status CheckMayWrite(const std::string& path, const std::string& resolved) const;
  Result<std::string> ForRename(const std::string& path) const;
  Status Claim(const std::string& path) const;
  static bool IsBelowOne(const std::string& resolved, const std::vector<std::string>& roots);
  static Status Refuse(const char* what, const std::string& path, const std::string& resolved,
                       const std::vector<std::string>& roots);

  FileRules rules_;  // its roots are resolved
  mutable WrittenFiles written_;
};

// The path, absolute, with every link in it followed, those that lead nowhere too; what does not exist is kept as it is
// named. Blocks on the file system.
std::string ResolvePath(const std::string& path);
// Whether a resolved path is `root`, resolved too, or lies below it.
bool IsBelow(const std::string& resolved, const std::string& root);

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_FILE_ACCESS_H_
