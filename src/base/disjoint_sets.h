// Sets that are united and never split, by union-find with path halving (Tarjan and van Leeuwen, 1984).
#ifndef DFRUN_SRC_BASE_DISJOINT_SETS_H_
#define DFRUN_SRC_BASE_DISJOINT_SETS_H_

#include <cstddef>
#include <numeric>
#include <vector>

namespace dfrun {

// Members are numbers from 0. A set is known by its root, one of its members.
// Thread safety: one thread; Root() shortens paths.
class DisjointSets {
 public:
  // Each member is a set of its own.
  explicit DisjointSets(size_t members) : parent_(members) { std::iota(parent_.begin(), parent_.end(), 0); }

  int Root(int member) const {
    while (parent_[Index(member)] != member) {
      int& parent = parent_[Index(member)];
      parent = parent_[Index(parent)];
      member = parent;
    }
    return member;
  }

  // Unites the sets of two roots, of which the first stays one.
  void Unite(int root, int other) { parent_[Index(other)] = root; }

 private:
  static size_t Index(int i) { return static_cast<size_t>(i); }

  mutable std::vector<int> parent_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_DISJOINT_SETS_H_
