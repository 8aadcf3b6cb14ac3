// Finds the folder of the program's library, which its parts share.
#ifndef DFRUN_SRC_BASE_LIBRARY_FOLDER_H_
#define DFRUN_SRC_BASE_LIBRARY_FOLDER_H_

#include <filesystem>

namespace dfrun {

// The folder of the file that holds this function; empty where the loader does not know.
std::filesystem::path LibraryFolder();

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_LIBRARY_FOLDER_H_
