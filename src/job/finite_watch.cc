#include "src/job/finite_watch.h"

#include <utility>

#include "src/framework/finite.h"
#include "src/job/metrics_log.h"

namespace dfrun {
namespace {

using OnNan = TrainSpec::OnNan;

// The name in a message that begins with "node 'NAME'".
std::string NodeIn(const std::string& message) {
  const size_t begin = message.find('\'') + 1;
  return message.substr(begin, message.find('\'', begin) - begin);
}

std::string TextOf(const Tensor& scalar) {
  if (!AllFinite(scalar)) return DescribeNotFinite(scalar);
  const Result<std::string> text = ScalarToJson(scalar);
  return text.ok() ? *text : scalar.ToString();
}

// What was not finite, by what a second run gave; nothing where all was finite then.
std::string Culprit(const std::vector<Tensor>& checked) {
  if (!AllFinite(checked[0])) return StrCat("the loss is ", TextOf(checked[0]));
  if (checked.size() < 2 || AllFinite(checked[1])) return "";
  return StrCat("the norm of the gradients is ", TextOf(checked[1]), " at a loss of ", TextOf(checked[0]));
}

}  // namespace

FiniteWatch::FiniteWatch(const JobSpec& spec, const JobGraph& parts, Session& session)
    : spec_(spec), parts_(parts), session_(session) {}

Session::AtNotFinite FiniteWatch::at_not_finite() const {
  const bool stops = spec_.train && spec_.train->on_nan == OnNan::kStop;
  return stops ? Session::AtNotFinite::kStop : Session::AtNotFinite::kGoOn;
}

Status FiniteWatch::AfterSteps(int64_t step) {
  if (at_not_finite() == Session::AtNotFinite::kGoOn || session_.steps_not_finite() == seen_) return Status();
  return Explain(step);
}

std::optional<int64_t> FiniteWatch::TakeCount() {
  if (!spec_.train || spec_.train->on_nan == OnNan::kStop) return {};
  const int64_t all = session_.steps_not_finite();
  return all - std::exchange(seen_, all);
}

std::string FiniteWatch::Describe(int64_t step, int64_t count) const {
  return StrCat(
      "up to step ", step, ", ", count, count == 1 ? " step had" : " steps had",
      " a loss, or a norm of gradients, that is not finite: ",
      spec_.train->on_nan == OnNan::kSkip ? "the updates were left out" : "the updates were made all the same");
}

Result<FiniteWatch::Again> FiniteWatch::RunAgain(bool optimize) {
  DF_ASSIGN(const Session::Handle rewind, session_.Prepare(parts_.rewind));
  DF_TRY(session_.RunStep(rewind, {}, {}));
  Again again;
  again.checked.resize(parts_.checked.fetches.size());
  again.found = session_.CheckNumerics(parts_.checked, optimize, again.checked);
  if (again.found.code() != Code::kNotFinite) DF_TRY(again.found);
  return again;
}

// First by the nodes that the spec has. What only the nodes show that ran in the step, fused ones, is looked for in
// those.
Result<FiniteWatch::Again> FiniteWatch::RunAgain() {
  DF_ASSIGN(Again again, RunAgain(/*optimize=*/false));
  if (!again.found.ok() || !Culprit(again.checked).empty()) return again;
  return RunAgain(/*optimize=*/true);
}

Status FiniteWatch::Explain(int64_t step) {
  const Result<Again> again = RunAgain();
  const std::string head = StrCat("step ", step, ": ");
  if (!again.ok()) {
    return Error(Code::kNotFinite, head, "the loss is not finite; running the step again, to name the node, failed: ",
                 again.status().message());
  }
  const std::string culprit = Culprit(again->checked);
  if (culprit.empty()) {
    return Error(Code::kNotFinite, head, "the loss was not finite, but is ", TextOf(again->checked[0]),
                 " when the step is run again: it depends on what a step uses up or changes itself, as a queue, or a "
                 "variable that the graph assigns and that does not say 'reduce'. No update of the step was made");
  }
  const char* advice =
      ". No update of the step was made. A lower learning_rate or a clip_norm may keep it finite; with 'on_nan: skip' "
      "of 'train' such steps are left out";
  if (again->found.ok()) {
    return Error(Code::kNotFinite, head, culprit,
                 ", and no node made it out of finite values: a constant that is not finite goes into it", advice);
  }
  const std::string& found = again->found.message();
  const std::string node = NodeIn(found);
  return Error(Code::kNotFinite, LocationOf(node), head, culprit, "; first, ", InputOf(node), found, advice);
}

std::string FiniteWatch::LocationOf(const std::string& name) const {
  const Graph& graph = session_.graph();
  const NodeId id = graph.Find(name);
  if (id < 0 || graph.node(id).location.file < 0) return "";
  const SourceLocation& location = graph.node(id).location;
  return StrCat(graph.files()[static_cast<size_t>(location.file)], ":", location.line, ":", location.column, ": ");
}

std::string FiniteWatch::InputOf(const std::string& node) const {
  for (const InputSpec& input : spec_.inputs) {
    const std::string read = input.name + "/read";
    if (node == read || node.ends_with("/" + read)) return StrCat("the data of input '", input.name, "' hold it: ");
  }
  return "";
}

Result<std::string> FiniteWatch::FindInVariables() {
  std::vector<Tensor> reports(parts_.not_finite.fetches.size());
  if (reports.empty()) return std::string();
  DF_ASSIGN(const Session::Handle check, session_.Prepare(parts_.not_finite));
  DF_TRY(session_.RunStep(check, {}, reports));
  for (const Tensor& report : reports) {
    if (!report.scalar<std::string>().empty()) return report.scalar<std::string>();
  }
  return std::string();
}

Status FiniteWatch::RefuseToSave(int64_t step, const std::string& found) const {
  if (spec_.train && spec_.train->on_nan == OnNan::kWarn) return Status();
  return Error(Code::kNotFinite, "step ", step, " is not saved: ", found,
               ". The checkpoints before it stay as they are. Where such values belong into a variable, it says "
               "'finite: false'");
}

}  // namespace dfrun
