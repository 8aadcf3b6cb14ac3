// Writes and reads the text of manifest.json, which FORMAT.md describes.
#ifndef DFRUN_SRC_CHECKPOINT_MANIFEST_TEXT_H_
#define DFRUN_SRC_CHECKPOINT_MANIFEST_TEXT_H_

#include <string>
#include <string_view>

#include "src/checkpoint/manifest.h"

namespace dfrun {

// Returns the text in format 3, with its checksum.
std::string PrintManifest(const Manifest& manifest);

// Reads format 3, 2 or 1. DataLoss where the checksum does not fit, for a member that is unknown, missing, doubled or
// of another type, and for content that no checkpoint has: see CheckManifest(). kBadSpec for another format whose
// checksum fits. Safe on hostile text.
Result<Manifest> ParseManifest(std::string_view text);

// Returns DataLoss for a negative step, more steps without updates than steps, files that are not plain names or come
// twice, links that lead to none of them, variables whose names are no text, that come twice or whose bytes their shard
// cannot hold, state that is not objects by name or is too large, and inputs and settings that come twice.
Status CheckManifest(const Manifest& manifest);

}  // namespace dfrun

#endif  // DFRUN_SRC_CHECKPOINT_MANIFEST_TEXT_H_
