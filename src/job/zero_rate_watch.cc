#include "src/job/zero_rate_watch.h"

#include <utility>

#include "src/base/text.h"

namespace dfrun {
namespace {

bool IsZero(const ScheduleSpec& rate) {
  return rate.kind == ScheduleSpec::Kind::kConstant && rate.initial == 0;
}

}  // namespace

Status ZeroRateWatch::Begin() {
  if (!spec_.job.train || !IsZero(spec_.job.train->learning_rate)) return Status();
  for (const VariableSpec& variable : spec_.job.variables) {
    const std::string& name = spec_.graph.node(variable.node).name;
    if (variable.is_trained() && session_.graph().Find(name) >= 0) names_.push_back(name);
  }
  return names_.empty() ? Status() : Read(first_);
}

Status ZeroRateWatch::Read(std::vector<Tensor>& values) const {
  DF_ASSIGN(values, session_.Run({}, names_));
  return Status();
}

Result<std::string> ZeroRateWatch::Look(int64_t step) {
  if (first_.empty()) return std::string();
  std::vector<Tensor> now;
  DF_TRY(Read(now));
  std::vector<std::string> changed;
  for (size_t i = 0; i < now.size(); ++i) {
    if (!now[i].Identical(first_[i])) changed.push_back(StrCat("'", names_[i], "'"));
  }
  first_.clear();
  if (changed.empty()) return std::string();
  return StrCat("learning_rate is 0, and up to step ", step, " the trained variable", changed.size() == 1 ? " " : "s ",
                Join(changed), changed.size() == 1 ? " has" : " have",
                " changed: the graph assigns to it, or the optimizer changes it whatever the rate is");
}

}  // namespace dfrun
