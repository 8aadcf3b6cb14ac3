// The specs that come with dfrun: its library of functions and its examples.
#ifndef DFRUN_SRC_BASE_CONFIGS_FOLDER_H_
#define DFRUN_SRC_BASE_CONFIGS_FOLDER_H_

#include <string>

namespace dfrun {

// The folder `configs`, found from the path of dfrun's loaded library, so that an installation may be moved. Empty if
// that path cannot be found out.
std::string ConfigsFolder();

// Whether a file, by its path, belongs to the library of functions, `lib` in that folder.
bool IsFileOfLibrary(const std::string& path);

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_CONFIGS_FOLDER_H_
