// The file of what the last step of a run fetched.
#ifndef DFRUN_SRC_JOB_FETCHED_FILE_H_
#define DFRUN_SRC_JOB_FETCHED_FILE_H_

#include <span>
#include <string>
#include <vector>

#include "src/base/status.h"
#include "src/framework/values/tensor.h"

namespace dfrun {

// Writes the values, by their names, as datasets of an HDF5 file, which takes the path's place when it is whole.
// Blocks: on writes. Errors are those of the file.
Status WriteFetchedFile(const std::string& path, const std::vector<std::string>& names, std::span<const Tensor> values);

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_FETCHED_FILE_H_
