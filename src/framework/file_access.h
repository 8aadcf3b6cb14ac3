// Which files the ops of a graph may open. A graph may be anyone's, and so may the tensors that it computes: what they
// name is opened only below directories that the user has named.
//
//   DF_ASSIGN(const std::string path, FileAccess::Of(ctx.device())->ForReading(name));
//
// Links are resolved before a path is judged. Who changes a directory of the user's between that and the opening could
// have opened the file without dfrun; OpenForReading() judges what it has opened.
#ifndef DFRUN_SRC_FRAMEWORK_FILE_ACCESS_H_
#define DFRUN_SRC_FRAMEWORK_FILE_ACCESS_H_

#include <string>
#include <vector>

#include "src/base/file.h"
#include "src/framework/device.h"
#include "src/framework/resource.h"

namespace dfrun {

// As rank 0 tells the others.
struct FileRules {
  bool is_confined = false;  // false: any file
  // True where the graph is that of the user's own spec: the readers of samples open what their attrs name.
  bool trusts_inputs = false;
  std::vector<std::string> roots;  // directories, with all that lies below them, and single files
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
  // The same for what is opened to be written into, or made there.
  Result<std::string> ForAppending(const std::string& path) const;
  // The same for what is made or replaced by a rename, with what stands beside it: a link at its end is kept. A root
  // itself can be replaced only where it is a file.
  Result<std::string> ForWriting(const std::string& path) const;
  // For a pattern of a shell: what it may be matched against.
  Status CheckPattern(const std::string& pattern) const;
  // FileDescriptor::OpenForReading() of what is allowed.
  Result<FileDescriptor> OpenForReading(const std::string& path) const;

  std::string DebugString() const override { return "rules of files"; }

 private:
  Result<std::string> Resolve(const char* what, const std::string& path) const;
  bool Allows(const std::string& resolved) const;
  Status Refuse(const char* what, const std::string& path, const std::string& resolved) const;

  FileRules rules_;  // its roots are resolved
};

// The path, absolute, with every link in it followed, those that lead nowhere too; what does not exist is kept as it is
// named. Blocks on the file system.
std::string ResolvePath(const std::string& path);
// Whether a resolved path is `root`, resolved too, or lies below it.
bool IsBelow(const std::string& resolved, const std::string& root);

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_FILE_ACCESS_H_
