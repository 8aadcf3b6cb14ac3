// Looks whether a training whose learning rate is 0 leaves the trained variables as they are: then whatever changes one
// is no step of the optimizer.
#ifndef DFRUN_SRC_JOB_ZERO_RATE_WATCH_H_
#define DFRUN_SRC_JOB_ZERO_RATE_WATCH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/session/session.h"
#include "src/spec/job_spec.h"

namespace dfrun {

// Thread safety: one thread, between steps. The arguments outlive it; the session outlives its values.
class ZeroRateWatch {
 public:
  ZeroRateWatch(const LoadedSpec& spec, Session& session) : spec_(spec), session_(session) {}

  // Reads the trained variables, where the rate is the constant 0; else nothing is done here and later. It holds them
  // in rank 0's memory until Look().
  Status Begin();
  // Reads them again, once. Returns a sentence that names those that have other bits; "": none has, or it was done.
  Result<std::string> Look(int64_t step);

 private:
  Status Read(std::vector<Tensor>& values) const;

  const LoadedSpec& spec_;
  Session& session_;
  std::vector<std::string> names_;  // names of the variables; none: there is nothing to do
  std::vector<Tensor> first_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_ZERO_RATE_WATCH_H_
