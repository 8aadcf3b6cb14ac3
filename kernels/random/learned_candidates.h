// LearnedCandidates: the distribution that a sampler of candidates has learned from the classes that it was shown.
#ifndef DFRUN_KERNELS_RANDOM_LEARNED_CANDIDATES_H_
#define DFRUN_KERNELS_RANDOM_LEARNED_CANDIDATES_H_

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/random/candidates.h"
#include "src/base/mutex.h"
#include "src/framework/kernel/kernel.h"
#include "src/framework/values/resource.h"

namespace dfrun {

// A node with the attr `_position` has the one of that name on its device, which outlives its plan: its kernels in
// several plans go on learning in it.
// Thread safety: all methods from any thread.
class LearnedCandidates final : public Resource {
 public:
  // The object of that name for `range` classes, made by the first caller; "": a new object that nothing else shares.
  static Result<RefPtr<LearnedCandidates>> Named(const std::string& name, int64_t range, Device& device);

  explicit LearnedCandidates(UnigramCandidates distribution) : distribution_(std::move(distribution)) {}

  template <class Use>
  Status With(const Use& use) EXCLUDES(mu_) {
    MutexLock lock(mu_);
    return use(distribution_);
  }
  // The part that a checkpoint keeps: the weights of the classes.
  Result<std::vector<Tensor>> SaveState(Allocator& allocator) EXCLUDES(mu_);
  Status RestoreState(std::span<const Tensor> parts, Allocator& allocator) EXCLUDES(mu_);
  std::string DebugString() const override { return "what a sampler has learned"; }

 private:
  Mutex mu_;
  UnigramCandidates distribution_ GUARDED_BY(mu_);
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_RANDOM_LEARNED_CANDIDATES_H_
