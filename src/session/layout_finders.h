// Chooses the rank that looks into an HDF5 file that rank 0 does not see: the first of its host, for all ranks of the
// host that see the file with the same device and inode.
#ifndef DFRUN_SRC_SESSION_LAYOUT_FINDERS_H_
#define DFRUN_SRC_SESSION_LAYOUT_FINDERS_H_

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "src/session/control/control.pb.h"

namespace dfrun {

// Rank 0's. Thread safety: one thread.
class LayoutFinders {
 public:
  // `unknown`: the ranks' questions.
  explicit LayoutFinders(const std::vector<control::Layouts>& unknown);

  bool empty() const { return groups_.empty(); }
  // The questions that the rank answers.
  control::FindLayouts RequestTo(int rank) const;
  // Takes a rank's answers to RequestTo(), in its order.
  void Take(const control::Layouts& found);
  // Adds the answers of other ranks to the rank's questions.
  void AddFound(int rank, control::Build& build) const;

 private:
  using Key = std::tuple<std::string, std::string, std::string, bool>;  // host, path, question, follows_all
  struct Group {
    std::vector<int> ranks;
    control::Layouts::File file;  // the question, or its answer
    bool is_found = false;
    int finder() const;
  };

  std::map<Key, Group> groups_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_LAYOUT_FINDERS_H_
