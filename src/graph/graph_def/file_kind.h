// Identifies a file or directory that was given as a graph, a model or a checkpoint, by its content alone.
//
// Files are hostile: nothing is unpacked, no library opens them, and a bounded part of their bytes is read.
// Thread safety: functions without state.
#ifndef DFRUN_SRC_GRAPH_GRAPH_DEF_FILE_KIND_H_
#define DFRUN_SRC_GRAPH_GRAPH_DEF_FILE_KIND_H_

#include <string>
#include <string_view>

#include "src/base/status.h"

namespace dfrun {

enum class FileKind {
  kProtobuf,   // may be a GraphDef, a MetaGraphDef or a SavedModel
  kGraphText,  // a GraphDef in protobuf's text form, or text that may be meant as one
  kMetaGraphText,
  kSavedModelText,
  kSavedModel,    // a directory that holds one
  kCheckpoint,    // a directory that holds one of dfrun's
  kRunDirectory,  // a directory of a dfrun job
  kOther,
};

struct FileIdentity {
  FileKind kind = FileKind::kOther;
  std::string what;      // "a gzip archive"
  std::string advice;    // the way to get a graph from it: "unpack it first"; may be empty
  bool is_text = false;  // text without a mark of its kind, which may be YAML
};

// Identifies a file by its first bytes, or all of them. `path` is used for kinds without a mark of their own (a
// TensorFlow checkpoint's data).
FileIdentity IdentifyContent(const std::string& path, std::string_view data);

// Identifies the file or directory at a path, or the files of a checkpoint whose prefix it is. NotFound if there is
// neither; Io if it cannot be read.
Result<FileIdentity> IdentifyFile(const std::string& path);

// The path of the SavedModel's file in a directory; empty if it has none.
std::string SavedModelFileIn(const std::string& directory);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_GRAPH_DEF_FILE_KIND_H_
