// Replaces a directory by another, by renames alone.
#ifndef DFRUN_SRC_CHECKPOINT_DIRECTORY_SWAP_H_
#define DFRUN_SRC_CHECKPOINT_DIRECTORY_SWAP_H_

#include <functional>
#include <string>
#include <vector>

#include "src/base/status.h"

namespace dfrun {

// OK if the thing of this name may be replaced; NotFound if the name is free.
using MayReplace = std::function<Status(const std::string& path)>;

// Renames the directory `from` to `to`. A directory that had the name `to` gets a name of this process's own, which
// goes to `replaced` (it may be `from`); there are several if other processes renamed theirs to `to` meanwhile.
// `may_replace` is asked before and after the rename; if it then refuses, the rename is undone. After an error `from`
// and `to` are as they were.
//
// Where the file system can exchange two names, `to` names a directory at every moment. Elsewhere the replaced one is
// called `to`.old-HOST-PROCESS-NUMBER in between.
Status SwapDirectory(const std::string& from, const std::string& to, const MayReplace& may_replace,
                     std::vector<std::string>* replaced);

}  // namespace dfrun

#endif  // DFRUN_SRC_CHECKPOINT_DIRECTORY_SWAP_H_
