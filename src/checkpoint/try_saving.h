// Whether a checkpoint could be saved, by a small file.
#ifndef DFRUN_SRC_CHECKPOINT_TRY_SAVING_H_
#define DFRUN_SRC_CHECKPOINT_TRY_SAVING_H_

#include <cstdint>
#include <string>

#include "src/base/status.h"

namespace dfrun {

// Makes a directory like a save of `checkpoint`, a path in the directory `store`, and a small file in it, syncs both
// and removes them; where `store` is not there yet, it does so beside the future `store`. Nothing else is changed.
// Files that cannot be removed are left, with a warning, as a process that is killed leaves them; in `store` a later
// save removes them. `with_link`: a link is made too. An error describes the failure, or says that fewer than `bytes`
// bytes are free.
Status TrySaving(const std::string& store, const std::string& checkpoint, uint64_t bytes, bool with_link);

}  // namespace dfrun

#endif  // DFRUN_SRC_CHECKPOINT_TRY_SAVING_H_
