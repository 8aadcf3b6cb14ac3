// The files that a command writes because the command line names them: --out, --stats, --json.
//
// A file that dfrun writes there carries a mark: the attribute `dfrun_output` of an HDF5 file's root group, the member
// "written_by" of JSON (a trace has its own beginning), a comment in the first line of text, and in a .pb a last field
// that no reader of GraphDefs knows. An existing file is replaced if it carries the mark or if --force is given. A file
// that the command reads is never replaced, and neither is anything but a regular file; links are not followed.
// Thread safety: functions without state.
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
#include "src/graph/graph_def/graph_def.h"
#include "src/storage/hdf5_library.h"

namespace dfrun::jobs {

class OutputDraft;

struct OutputFile {
  std::string flag;  // "--out"
  std::string path;  // empty: nothing is written
  bool force = false;
  std::vector<std::string> inputs = {};  // files and directories that the command reads
  bool is_edited = false;                // people edit such files, so that the mark alone does not let one be replaced

  // Checks whether the file can be written, as far as that is known before, so that results of hours are not lost to a
  // misspelt directory. kUsage for a file that may not be replaced; kIo for a name that no file can have.
  Status Check() const;
  // Creates a new file, which has a temporary name until it is put into place.
  Result<OutputDraft> Begin() const;
  // Creates a new file, lets `write` fill and mark it under its temporary name, and puts it into place.
  Status Write(const std::function<Status(const std::string& path)>& write) const;
  // Writes a file of this content, which must be marked.
  Status WriteText(std::string_view content) const;
};

// A file that is being written. The destructor removes it unless it was committed.
class OutputDraft {
 public:
  OutputDraft(OutputFile target, TemporaryFile file) : target_(std::move(target)), file_(std::move(file)) {}

  const FileDescriptor& file() const { return file_.file(); }
  const std::string& path() const { return file_.path(); }
  // Puts the file into place. If by now a file stands there that may not be replaced, this file gets another name,
  // which the error tells.
  Status Commit();

 private:
  OutputFile target_;
  TemporaryFile file_;
};

// Returns the files that a model was read from, the files of its inputs, and those that constants and attrs of its
// graph name.
std::vector<std::string> FilesOf(const Model& model);

// The following add the mark in each format. MarkedText() puts it before the text, in a line that begins with
// `comment`.
std::string MarkedText(std::string_view comment, std::string_view text);
std::string MarkedMarkup(std::string_view text);  // before SVG and other XML without a declaration
inline constexpr std::string_view kJsonMark = "\"written_by\": \"dfrun\"";  // a member of a JSON object
Status MarkHdf5(Hdf5Writer& file);
// Returns a marked GraphDef in the format that the name of the file `path` asks for.
std::string MarkedGraphDef(const Graph& graph, const std::string& path);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_OUTPUT_FILE_H_
