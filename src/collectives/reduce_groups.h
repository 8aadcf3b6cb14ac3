// The order of sums of many values (docs/step-protocol.md): by groups of them, then the groups' sums.
#ifndef DFRUN_SRC_COLLECTIVES_REDUCE_GROUPS_H_
#define DFRUN_SRC_COLLECTIVES_REDUCE_GROUPS_H_

#include <algorithm>
#include <cstddef>
#include <vector>

namespace dfrun {

// Values that follow each other.
struct ReduceGroup {
  size_t first;
  size_t size;
  // The value at whose device this part of the group's fold is computed, where values lie on different devices.
  size_t Holder(size_t part) const { return first + part % size; }
  // The elements of `values` that belong to this group.
  template <typename T>
  std::vector<T> Of(const std::vector<T>& values) const {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
    return {begin, begin + static_cast<std::ptrdiff_t>(size)};
  }
};

// The largest number of values that are folded one after the other, without groups.
inline constexpr int kMaxInOneReduction = 32;

// Cuts values into groups. Up to kMaxInOneReduction values are one group; more are as many groups as a group has
// values, or fewer: all of one size but the last, which may be smaller.
inline std::vector<ReduceGroup> ReduceGroups(size_t values) {
  size_t in_group = values;
  if (values > size_t{kMaxInOneReduction}) {
    for (in_group = 1; in_group * in_group < values;) ++in_group;
  }
  std::vector<ReduceGroup> groups;
  for (size_t first = 0; first < values; first += in_group)
    groups.push_back({first, std::min(in_group, values - first)});
  return groups;
}

}  // namespace dfrun

#endif  // DFRUN_SRC_COLLECTIVES_REDUCE_GROUPS_H_
