// The child process that opens HDF5 files of others: the program itself, started again.
//
//   int main(int argc, char** argv) {
//     if (const std::optional<int> code = dfrun::RunAsHdf5Helper(argc, argv)) return *code;
//
// A program whose main() does not begin so opens such files itself, and a file that makes HDF5 crash ends it.
#ifndef DFRUN_SRC_FRAMEWORK_HDF5_HELPER_H_
#define DFRUN_SRC_FRAMEWORK_HDF5_HELPER_H_

#include <memory>
#include <optional>
#include <string>

#include "src/framework/hdf5_library.h"

namespace dfrun {

// Where this process was started as the helper: serves until the other end closes, and gives the exit code. Else notes
// that this program can be started so, and gives nothing. Before any thread.
std::optional<int> RunAsHdf5Helper(int argc, char** argv);

// Whether RunAsHdf5Helper() has been called.
bool HasHdf5Helper();
// The file opened by a child; after RunAsHdf5Helper().
Result<std::unique_ptr<Hdf5Structure>> OpenStructureInHelper(const std::string& path, const Hdf5Rules& rules);

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_HDF5_HELPER_H_
