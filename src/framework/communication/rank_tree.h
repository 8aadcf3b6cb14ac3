// The binomial tree over which rank 0 reaches all ranks and hears of them: depth log2(size), rank 0 at the root.
#ifndef DFRUN_SRC_FRAMEWORK_COMMUNICATION_RANK_TREE_H_
#define DFRUN_SRC_FRAMEWORK_COMMUNICATION_RANK_TREE_H_

#include <vector>

namespace dfrun {

// The parent of rank r clears r's lowest set bit. -1 for rank 0.
constexpr int TreeParent(int rank) {
  return rank == 0 ? -1 : rank & (rank - 1);
}

// The ranks whose parent is `rank`, those with the largest subtrees first.
inline std::vector<int> TreeChildren(int rank, int size) {
  std::vector<int> children;
  const int lowest = rank == 0 ? size : rank & -rank;
  int bit = 1;
  while (bit < lowest && rank + bit < size) bit <<= 1;
  for (bit >>= 1; bit > 0; bit >>= 1) children.push_back(rank + bit);
  return children;
}

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_COMMUNICATION_RANK_TREE_H_
