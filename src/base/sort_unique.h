// Makes a vector a set.
#ifndef DFRUN_SRC_BASE_SORT_UNIQUE_H_
#define DFRUN_SRC_BASE_SORT_UNIQUE_H_

#include <algorithm>
#include <vector>

namespace dfrun {

// Sorts the values in ascending order and keeps each once.
template <class T>
void SortUnique(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_SORT_UNIQUE_H_
