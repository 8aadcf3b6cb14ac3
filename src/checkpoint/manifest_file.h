// The files that describe a checkpoint, manifest.json and index.h5: writing and reading, and the check of the shards.
#ifndef DFRUN_SRC_CHECKPOINT_MANIFEST_FILE_H_
#define DFRUN_SRC_CHECKPOINT_MANIFEST_FILE_H_

#include <string>

#include "src/checkpoint/manifest.h"

namespace dfrun {

// Returns NotFound where there is no manifest; DataLoss where it is damaged, see manifest_text.h; kBadSpec for another
// format; kIo where it cannot be read.
Result<Manifest> ReadManifest(const std::string& directory);
// InvalidArgument, and nothing written, where ReadManifest() would not read it back.
Status WriteManifest(const std::string& directory, const Manifest& manifest);

// Writes index.h5 with a relative external link for every variable.
Status WriteIndex(const std::string& directory, const Manifest& manifest);

// Compares sizes and crc32c of all shards and further files with the manifest: DataLoss where they differ or one is
// missing or no regular file; kIo where one cannot be read. Links are not looked at.
Status VerifyFiles(const std::string& directory, const Manifest& manifest);

}  // namespace dfrun

#endif  // DFRUN_SRC_CHECKPOINT_MANIFEST_FILE_H_
