// Whether a checkpoint could be saved, by a small file.
#ifndef DFRUN_SRC_CHECKPOINT_TRY_SAVING_H_
#define DFRUN_SRC_CHECKPOINT_TRY_SAVING_H_

#include <cstdint>
#include <string>

#include "src/base/status.h"

namespace dfrun {

// Makes a directory as a save of `checkpoint`, a path in the directory `store`, does, and a small file in it, syncs
// both and removes them; where `store` is not there yet, beside the place of it. Nothing else is changed. What cannot
// be removed is left, with a warning, as a process that is killed leaves it; in `store` a later save removes it. An
// error says what could not be done, or that fewer than `bytes` bytes are free.
Status TrySaving(const std::string& store, const std::string& checkpoint, uint64_t bytes);

}  // namespace dfrun

#endif  // DFRUN_SRC_CHECKPOINT_TRY_SAVING_H_
