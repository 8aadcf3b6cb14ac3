// What a file or directory is that was given as a graph, a model or a checkpoint: by its content, whatever its name.
//
// Files are hostile: nothing is unpacked, no library opens them, and a bounded part of their bytes is looked at.
// Thread safety: functions without state.
#ifndef DFRUN_SRC_GRAPH_FILE_KIND_H_
#define DFRUN_SRC_GRAPH_FILE_KIND_H_

#include <string>
#include <string_view>

#include "src/base/status.h"

namespace dfrun {

enum class FileKind {
  kProtobuf,   // may be a GraphDef, a MetaGraphDef or a SavedModel
  kGraphText,  // a GraphDef in protobuf's text form, or what may be meant as one
  kMetaGraphText,
  kSavedModelText,
  kSavedModel,    // a directory that holds one
  kCheckpoint,    // a directory that holds one of dfrun's
  kRunDirectory,  // of a job of dfrun
  kOther,
};

struct FileIdentity {
  FileKind kind = FileKind::kOther;
  std::string what;      // "a gzip archive"
  std::string advice;    // what to do with it where a graph is wanted: "unpack it first"; may be empty
  bool is_text = false;  // that has no mark of a kind of its own: may be YAML
};

// By the first bytes, or all, of a file; `path` serves for kinds that have no mark of their own (a TensorFlow
// checkpoint's data).
FileIdentity IdentifyContent(const std::string& path, std::string_view data);

// The same of what stands at a path, a directory included, or the files of a checkpoint of which it is the prefix.
// NotFound where nothing does; Io where it cannot be read.
Result<FileIdentity> IdentifyFile(const std::string& path);

// The file of a SavedModel in a directory; empty where it has none.
std::string SavedModelFileIn(const std::string& directory);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_FILE_KIND_H_
