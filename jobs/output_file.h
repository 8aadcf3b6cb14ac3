// Files that the command line names to be written: --out, --stats, --json.
//
// What dfrun writes there carries a mark: the attribute `dfrun_output` of an HDF5 file's root group, the member
// "written_by" of JSON (a trace has its beginning), a comment in the first line of text, a last field that no reader of
// GraphDefs knows in a .pb. A file that stands there already is replaced where it carries the mark or --force is given.
// Never replaced are a file that the command reads, and anything but a regular file; links are not followed. Thread
// safety: functions without state.
#ifndef DFRUN_JOBS_OUTPUT_FILE_H_
#define DFRUN_JOBS_OUTPUT_FILE_H_

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jobs/model.h"
#include "src/base/file.h"
#include "src/base/status.h"
#include "src/framework/hdf5_library.h"
#include "src/graph/graph_def.h"

namespace dfrun::jobs {

class OutputDraft;

struct OutputFile {
  std::string flag;  // "--out"
  std::string path;  // empty: nothing is written
  bool force = false;
  std::vector<std::string> inputs = {};  // files and directories that the command reads

  // Whether it can be written, as far as is known before: results of hours are not to be lost to a misspelt directory.
  // kUsage for a file that may not be replaced; kIo for a name that no file can have.
  Status Check() const;
  // A new file under a name of its own until it is put into place.
  Result<OutputDraft> Begin() const;
  // Writes a new file by `write`, which gets a name for it and marks it, and puts it into place.
  Status Write(const std::function<Status(const std::string& path)>& write) const;
  // The same of this content, which is marked.
  Status WriteText(std::string_view content) const;
};

// A file that is being written; gone with the object where it is not committed.
class OutputDraft {
 public:
  OutputDraft(OutputFile target, TemporaryFile file) : target_(std::move(target)), file_(std::move(file)) {}

  const FileDescriptor& file() const { return file_.file(); }
  const std::string& path() const { return file_.path(); }
  // Puts it into place. Where a file stands there by now that may not be replaced, it gets another name, which the
  // error tells.
  Status Commit();

 private:
  OutputFile target_;
  TemporaryFile file_;
};

// The files that a model was read from, that its inputs are, and that constants and attrs of its graph name.
std::vector<std::string> FilesOf(const Model& model);

// The mark in each format. The first of a text's lines, which begin with `comment` where they are one.
std::string MarkedText(std::string_view comment, std::string_view text);
inline constexpr std::string_view kJsonMark = "\"written_by\": \"dfrun\"";  // a member
Status MarkHdf5(Hdf5Writer& file);
// A GraphDef as the file `path` holds it.
std::string MarkedGraphDef(const Graph& graph, const std::string& path);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_OUTPUT_FILE_H_
