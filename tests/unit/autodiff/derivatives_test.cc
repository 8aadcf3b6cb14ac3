// The gradients of every op, for each pair of a float or complex input and output, against numeric derivatives at the
// points of the golden cases and of gradient_cases_*.cc. At the end the program prints how many are right and how many
// the ops' definitions refuse; the file that the environment variable DFRUN_TEST_REPORT names lists them. With
// DFRUN_ALL_POINTS every point is checked, not only a few of each op.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include "src/base/text.h"
#include "src/framework/op/op.h"
#include "tests/unit/autodiff/derivative_pairs.h"
#include "tests/unit/autodiff/derivative_points.h"
#include "tests/unit/autodiff/gradient_cases.h"
#include "tests/unit/autodiff/parts.h"

namespace dfrun::testing {
namespace {

// A pair's gradient by the op's definition, and the results at the points.
struct PairCounter {
  GradientFlow flow = GradientFlow::kFlows;
  int right = 0;
  int refused = 0;
  int empty = 0;
  int undecided = 0;
  bool is_refused() const { return flow == GradientFlow::kNone || (right == 0 && refused > 0); }
  bool is_known() const { return right > 0 || is_refused() || (empty > 0 && undecided == 0); }
  bool is_missing() const { return flow == GradientFlow::kFlows && !is_known(); }
};

class OpCheck {
 public:
  explicit OpCheck(const OpDef& op) : op_(op) {
    for (const DerivativePair& pair : PairsOf(op)) {
      const std::string& output = op.outputs[static_cast<size_t>(pair.output)].name;
      const GradientFlow flow = op.FlowBetween(pair.input, pair.output);
      if (flow != GradientFlow::kFlows && flow != GradientFlow::kNone && flow != GradientFlow::kZero) continue;
      if (UncheckedGradient::Excuses(op.name, output, pair.is_complex_input, pair.is_complex_output)) continue;
      pairs_[pair].flow = flow;
    }
  }

  bool IsNeeded() const { return !pairs_.empty(); }

  void Run(const std::vector<GradientCase>& points) {
    for (const GradientCase& point : points) Check(point);
  }

  bool IsKnown() const {
    return std::none_of(pairs_.begin(), pairs_.end(), [](const auto& entry) { return entry.second.is_missing(); });
  }
  std::string Unknown() const {
    std::vector<std::string> names;
    for (const auto& [pair, tally] : pairs_) {
      if (tally.is_missing()) names.push_back(StrCat(NameOf(op_, pair), tally.undecided > 0 ? " (undecided)" : ""));
    }
    return Join(names);
  }
  const std::vector<std::string>& errors() const { return errors_; }
  const std::map<DerivativePair, PairCounter>& pairs() const { return pairs_; }
  const OpDef& op() const { return op_; }

 private:
  void Check(const GradientCase& point) {
    CheckOptions options;
    options.most_elements = 24;
    options.tolerance = 1e-5;
    options.is_self_adjoint = SelfAdjointInput::IsOf(op_.name);
    const Result<std::vector<PairVerdict>> verdicts = CheckGradients(point, options);
    if (!verdicts.ok()) return;
    for (const PairVerdict& verdict : *verdicts) Add(point, verdict);
  }

  void Add(const GradientCase& point, const PairVerdict& verdict) {
    AttrMap attrs = point.attrs;
    std::vector<TypedArg> given;
    for (const Tensor& input : point.inputs) {
      const bool is_rounded = point.dtype == DType::kFloat && input.dtype() == DType::kDouble;
      given.push_back({is_rounded ? DType::kFloat : input.dtype(), false});
    }
    if (!ResolveAttrs(op_, given, attrs).ok()) return;
    const Result<std::vector<TypedArg>> outputs = ExpandArgs(op_.outputs, attrs);
    if (!outputs.ok()) return;
    std::string name = "all outputs";
    bool is_wrong = verdict.verdict == Verdict::kWrong;
    if (verdict.input >= 0 && verdict.output >= 0) {
      const DerivativePair pair{ArgOf(op_.inputs, attrs, verdict.input), ArgOf(op_.outputs, attrs, verdict.output),
                                IsComplex(given[static_cast<size_t>(verdict.input)].dtype),
                                IsComplex((*outputs)[static_cast<size_t>(verdict.output)].dtype)};
      const auto it = pairs_.find(pair);
      if (it == pairs_.end()) return;
      name = NameOf(op_, pair);
      is_wrong = is_wrong || !Count(verdict.verdict, it->second);
    }
    if (!is_wrong || errors_.size() >= kMaxErrors) return;
    errors_.push_back(StrCat(op_.name, " ", name, ": ", verdict.why, "\n  at ", Text(point)));
  }
  static constexpr size_t kMaxErrors = 4;

  // Counts a verdict. Returns false if it contradicts the definition.
  static bool Count(Verdict verdict, PairCounter& tally) {
    const bool is_right = verdict == Verdict::kRight || verdict == Verdict::kSilent;
    tally.right += is_right ? 1 : 0;
    tally.refused += verdict == Verdict::kRefused ? 1 : 0;
    tally.undecided += verdict == Verdict::kUndecided ? 1 : 0;
    tally.empty += verdict == Verdict::kEmpty ? 1 : 0;
    switch (tally.flow) {
      case GradientFlow::kNone:
        return verdict != Verdict::kRight;
      case GradientFlow::kZero:
        return verdict != Verdict::kRefused;
      default:
        return true;
    }
  }

  static std::string Text(const GradientCase& point) {
    std::vector<std::string> parts;
    for (const Tensor& input : point.inputs) parts.push_back(input.ToString(6));
    for (const auto& [name, value] : point.attrs) parts.push_back(StrCat(name, "=", value.ToString()));
    return Join(parts);
  }

  const OpDef& op_;
  const std::vector<GradientCase> points_;
  std::map<DerivativePair, PairCounter> pairs_;
  std::vector<std::string> errors_;
};

// The totals of the report.
struct Counts {
  int ops = 0;
  int inputs = 0;
  int outputs = 0;
  int right = 0;
  int refused = 0;
};

void AddRow(const OpCheck& check, Counts& all, std::ostream* report) {
  std::set<int> inputs;
  std::set<int> outputs;
  Counts row{1};
  for (const auto& [pair, tally] : check.pairs()) {
    inputs.insert(pair.input);
    outputs.insert(pair.output);
    (tally.is_refused() ? row.refused : row.right) += tally.is_known() ? 1 : 0;
  }
  row.inputs = static_cast<int>(inputs.size());
  row.outputs = static_cast<int>(outputs.size());
  all = {all.ops + 1, all.inputs + row.inputs, all.outputs + row.outputs, all.right + row.right,
         all.refused + row.refused};
  if (report == nullptr) return;
  *report << StrCat("| ", check.op().name, " | ", row.inputs, " | ", row.outputs, " | ", row.right, " | ", row.refused,
                    " |\n");
}

TEST(Derivatives, OfEveryOpAreRightOrRefused) {
  auto points = GoldenPoints();
  ASSERT_TRUE(points.ok()) << points.status().ToString();
  std::map<std::string, std::vector<GradientCase>> lines;
  for (const GradientCase& line : GradientCases::All()) lines[line.op].push_back(line);
  const char* const path = std::getenv("DFRUN_TEST_REPORT");
  std::ofstream report;
  if (path != nullptr) report.open(path);
  report << "| op | inputs | outputs | right | refused |\n|---|---|---|---|---|\n";
  Counts all;
  for (const OpDef* op : OpRegistry::Builtin().List()) {
    OpCheck check(*op);
    if (!check.IsNeeded()) continue;
    check.Run(lines[op->name]);
    if (!LinesAlone::IsSaidOf(op->name)) check.Run((*points)[op->name]);
    for (const std::string& error : check.errors()) ADD_FAILURE() << error;
    EXPECT_TRUE(check.IsKnown()) << op->name << ": no point tells of " << check.Unknown();
    AddRow(check, all, path == nullptr ? nullptr : &report);
  }
  std::printf("%d ops with %d inputs and %d outputs: %d pairs are right, %d are refused\n", all.ops, all.inputs,
              all.outputs, all.right, all.refused);
}

}  // namespace
}  // namespace dfrun::testing
