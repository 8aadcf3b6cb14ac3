// Puts a directory in the place of another, by renames alone.
#ifndef DFRUN_SRC_CHECKPOINT_DIRECTORY_SWAP_H_
#define DFRUN_SRC_CHECKPOINT_DIRECTORY_SWAP_H_

#include <functional>
#include <string>
#include <vector>

#include "src/base/status.h"

namespace dfrun {

// OK where what stands under a name may be replaced; NotFound where nothing does.
using MayReplace = std::function<Status(const std::string& path)>;

// Renames the directory `from` to `to`. What stood there comes to names of this process's own, which `replaced` holds,
// `from` may be among them; several where other processes did the same in the meantime. It is asked for before and
// after the rename, and comes back where the answer is no. On an error `from` and `to` are what they were.
//
// Where the file system can exchange two names there is no time at which nothing stands under `to`. Elsewhere what
// stood there is called `to`.old-HOST-PROCESS-NUMBER in between.
Status SwapDirectory(const std::string& from, const std::string& to, const MayReplace& may_replace,
                     std::vector<std::string>* replaced);

}  // namespace dfrun

#endif  // DFRUN_SRC_CHECKPOINT_DIRECTORY_SWAP_H_
