// Rules for the files that the ops of a graph may open. A graph may come from anyone, and so may the tensors that it
// computes: a file that they name is opened only below directories that the user has named.
//
//   DF_ASSIGN(const std::string path, FileAccess::Of(ctx.device())->ForReading(name));
//
// Links are resolved before a path is judged. A program that can change a user's directory between that and the opening
// could have opened the file without dfrun; OpenForReading() judges the file that it has opened.
//
// Files that are written have narrower rules (docs/spec.md, "Files"): directories of their own, nothing below a name
// that begins with a dot, nothing that dfrun keeps of a run, and no file that stood there before the job.
#ifndef DFRUN_SRC_STORAGE_FILE_ACCESS_H_
#define DFRUN_SRC_STORAGE_FILE_ACCESS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/base/file.h"
#include "src/framework/device/device.h"
#include "src/framework/values/resource.h"
#include "src/storage/written_files.h"

namespace dfrun {

// The rules, which rank 0 sends to the other ranks.
struct FileRules {
  bool is_confined = false;  // false: any file
  // True where the graph is that of the user's own spec: the readers of samples may open the files that their attrs
  // name.
  bool trusts_inputs = false;
  std::vector<std::string> roots;             // directories, with all that lies below them, and single files
  std::vector<std::string> write_roots = {};  // directories and files, likewise, for writing
  std::string run_directory = {};             // lists the files that ops wrote; empty: none
  bool may_replace = false;                   // whether files from before the job may be replaced
  int rank = 0;                               // rank of the process that opens
  int64_t begin_ns = 0;                       // begin of the job, system clock in ns
};

// Thread safety: all methods from any thread.
class FileAccess final : public Resource {
 public:
  explicit FileAccess(FileRules rules);

  // The rules of the device: its session's, or any file where none has set them.
  static RefPtr<FileAccess> Of(Device& device);
  static void Set(Device& device, const FileRules& rules);
  // Returns rules that allow any file.
  static RefPtr<FileAccess> Unconfined();

  bool trusts_inputs() const { return rules_.trusts_inputs || !rules_.is_confined; }

  // Returns the path to open for this one: without links where files are confined, else as it is. BadSpec, with the
  // flag that would allow it, for a path outside; a missing file is no error.
  Result<std::string> ForReading(const std::string& path) const;
  // Checks a file to write into, or to make: a file that exists must be of this run, or may be replaced. The run knows
  // it as its own from then on.
  Result<std::string> ForAppending(const std::string& path) const;
  // Checks a file that is made or replaced by a rename, with the files beside it: a link at its end is kept. A root
  // itself can be replaced only where it is a file.
  Result<std::string> ForWriting(const std::string& path) const;
  // Returns the path for a new event file `name` that an op would write into `directory`, and makes the directories
  // above it. Where the job has a run directory it lies in `events/graph`, below the last name of `directory`, so that
  // one program shows it with the job's own; else the rules of ForAppending() hold.
  Result<std::string> ForEventFile(const std::string& directory, const std::string& name) const;
  // Checks a checkpoint's directory. The caller decides whether files there may be replaced.
  Result<std::string> ForSaving(const std::string& path) const;
  // Checks a directory that gets the file `name`: the directory of a step which this run saves, or one for
  // ForWriting().
  Result<std::string> ForShard(const std::string& directory, const std::string& name) const;
  // Notes a checkpoint before it is saved: the run knows it as its own from then on.
  Status NoteSaved(const std::string& saved) const;
  // Whether an op of this run has saved there, or all may be replaced.
  Result<bool> MayReplace(const std::string& saved) const;
  // Whether an op of this run has saved there, or the name came into being after the job began: another rank may have
  // written it. True too where all may be replaced.
  Result<bool> MayRemove(const std::string& saved) const;
  // Checks a pattern of a shell: the paths that it may match must be allowed.
  Status CheckPattern(const std::string& pattern) const;
  // Opens a file as FileDescriptor::OpenForReading() does, if the rules allow it.
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

  FileRules rules_;  // with resolved roots
  mutable WrittenFiles written_;
};

// Returns the absolute path, with every link in it followed, also those that lead nowhere; a part that does not exist
// is kept as it is named.
// Blocks: on the file system.
std::string ResolvePath(const std::string& path);
// Whether a resolved path is `root`, resolved too, or lies below it.
bool IsBelow(const std::string& resolved, const std::string& root);

}  // namespace dfrun

#endif  // DFRUN_SRC_STORAGE_FILE_ACCESS_H_
