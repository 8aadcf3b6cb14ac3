// The folder in which a user's programs keep results that they can compute again.
#ifndef DFRUN_SRC_BASE_USER_CACHE_H_
#define DFRUN_SRC_BASE_USER_CACHE_H_

#include <string>

namespace dfrun {

// The folder for this program's files, which need not exist: $DFRUN_CACHE, else dfrun in $XDG_CACHE_HOME, else
// .cache/dfrun in $HOME. Empty: DFRUN_CACHE is "off", or the others are not absolute paths, and nothing is to be kept.
std::string UserCacheFolder();

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_USER_CACHE_H_
