// Files that make a checkpoint one of TensorFlow's as well. FORMAT.md says what they are.
#ifndef DFRUN_SRC_CHECKPOINT_TENSORFLOW_FILES_H_
#define DFRUN_SRC_CHECKPOINT_TENSORFLOW_FILES_H_

#include <string>
#include <vector>

#include "src/checkpoint/manifest.h"

namespace dfrun {

// The names of the files of texts that shards get, empty for a shard without strings: `has_texts` tells for each.
std::vector<std::string> NamesOfTextsFiles(const std::vector<bool>& has_texts);

// Makes the links and tf.index in the directory, in which the shards and the files of texts are, syncs tf.index, and
// adds all of these files to the manifest's. The caller syncs the directory. kIo where the file system has no links.
Status WriteTensorFlowFiles(const std::string& directory, Manifest& manifest);

// Makes the link `path`, whose text is the name of a file beside it. kIo where the file system has no links.
Status MakeLink(const std::string& target, const std::string& path);

}  // namespace dfrun

#endif  // DFRUN_SRC_CHECKPOINT_TENSORFLOW_FILES_H_
