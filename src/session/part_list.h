// The list of the parts of executables that a rank has, for threads that look at all of them.
#ifndef DFRUN_SRC_SESSION_PART_LIST_H_
#define DFRUN_SRC_SESSION_PART_LIST_H_

#include <algorithm>
#include <vector>

#include "src/base/mutex.h"

namespace dfrun {

struct LocalExecutable;

// Thread safety: all methods from any thread.
class PartList {
 public:
  void Add(LocalExecutable& part) EXCLUDES(mu_) {
    MutexLock lock(mu_);
    parts_.push_back(&part);
  }
  // Removes a part; waits for a thread that looks at it.
  void Remove(LocalExecutable& part) EXCLUDES(mu_) {
    MutexLock lock(mu_);
    parts_.erase(std::find(parts_.begin(), parts_.end(), &part));
  }
  template <class Body>
  void ForEach(Body body) EXCLUDES(mu_) {
    MutexLock lock(mu_);
    for (LocalExecutable* const part : parts_) body(*part);
  }

 private:
  Mutex mu_;
  std::vector<LocalExecutable*> parts_ GUARDED_BY(mu_);
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_PART_LIST_H_
