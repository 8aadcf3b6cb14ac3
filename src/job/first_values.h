// The first values of a job's variables.
#ifndef DFRUN_SRC_JOB_FIRST_VALUES_H_
#define DFRUN_SRC_JOB_FIRST_VALUES_H_

#include <functional>
#include <string>

#include "src/session/session.h"
#include "src/spec/job_spec.h"
#include "src/training/job_graph.h"

namespace dfrun {

// Gives each variable its first value, and those that `init_from` names the ones that it finds, of which it tells a
// table. Returns RunFacts::init_from. Errors are those of InitPlan and of the steps.
Result<std::string> GiveFirstValues(const LoadedSpec& spec, const JobGraph& parts, Session& session,
                                    const std::function<void(const std::string&)>& tell);

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_FIRST_VALUES_H_
