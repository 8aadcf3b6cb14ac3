#include "src/job/first_values.h"

#include <optional>
#include <utility>
#include <vector>

#include "src/job/init_plan.h"

namespace dfrun {
namespace {

// Rows of the table that are shown; run.json has all.
constexpr size_t kMaxInitRows = 40;

}  // namespace

Result<std::string> GiveFirstValues(const LoadedSpec& spec, const JobGraph& parts, Session& session,
                                    const std::function<void(const std::string&)>& tell) {
  std::optional<InitPlan> plan;
  std::string init_from = "null";
  if (spec.job.init_from) {
    DF_ASSIGN(plan, InitPlan::Make(spec.job, spec.graph, spec.other.get()));
    std::string table = plan->Table(kMaxInitRows);
    table.pop_back();
    tell(table);
    DF_TRY(plan->CheckWhole());
    init_from = plan->ToJson();
  }
  DF_ASSIGN(const Session::Handle init, session.Prepare(parts.init));
  session.TellMemoryAfter(init);
  DF_TRY(session.RunStep(init, {}, {}));
  for (const GivenValues& given : parts.given) {
    std::vector<Tensor> values;
    for (const size_t variable : given.variables) {
      DF_ASSIGN(Tensor value, plan->Read(variable));
      values.push_back(std::move(value));
    }
    DF_ASSIGN(const Session::Handle step, session.Prepare(given.signature));
    DF_TRY(session.RunStep(step, values, {}));
  }
  return init_from;
}

}  // namespace dfrun
