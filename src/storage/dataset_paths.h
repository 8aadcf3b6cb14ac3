// Names of datasets as HDF5 takes them: which of them a file cannot hold together.
#ifndef DFRUN_SRC_STORAGE_DATASET_PATHS_H_
#define DFRUN_SRC_STORAGE_DATASET_PATHS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dfrun {

// "/a/b" for "a//b", "/a/./b/" and "a/b": parts that are empty or "." say nothing.
std::string DatasetPath(std::string_view name);

// Two names of one file.
struct DatasetClash {
  size_t at = 0;
  size_t other = 0;
  bool is_below = false;  // names[at] lies below the dataset names[other]; else they are one path
};
// The first name that clashes with another, in the order of the names; nothing where a file can hold all.
std::optional<DatasetClash> FindDatasetClash(const std::vector<std::string>& names);

}  // namespace dfrun

#endif  // DFRUN_SRC_STORAGE_DATASET_PATHS_H_
