#include "jobs/compare/compare_graphs.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include "comm/in_process/in_process.h"
#include "jobs/compare/common_nodes.h"
#include "jobs/eval/eval_request.h"
#include "jobs/eval/eval_variables.h"
#include "jobs/file_rules.h"
#include "jobs/model.h"
#include "src/base/counted.h"
#include "src/base/printable.h"
#include "src/framework/values/value_facts.h"
#include "src/graph/node_arithmetic.h"
#include "src/graph/order/variable_reads.h"
#include "src/session/session.h"

namespace dfrun::jobs {
namespace {

// Nodes that differ and are shown.
constexpr size_t kMaxRows = 20;

// One of the two graphs, with what its step feeds.
struct Side {
  std::string path;
  Model model;
  std::vector<Output> fed = {};
  std::vector<Tensor> values = {};  // values of `fed`
  FedStep first = {};               // gives variables their values
  std::unique_ptr<Runtime> runtime = {};
  std::unique_ptr<Session> session = {};

  void Feed(Output output, Tensor value) {
    fed.push_back(output);
    values.push_back(std::move(value));
  }
  bool IsFed(Output output) const { return std::find(fed.begin(), fed.end(), output) != fed.end(); }
};

// A row of the table.
struct Row {
  const CommonOutput* output;
  Distance distance;
  Tensor a;
  Tensor b;
};

class Comparison {
 public:
  explicit Comparison(const GraphComparison& wanted) : wanted_(wanted) {}

  Result<int> Run() {
    DF_TRY(Load(wanted_.a, a_));
    DF_TRY(Load(wanted_.b, b_));
    if (!a_.model.job) return Error(Code::kUsage, "--graph: ", a_.path, " is no spec; name the spec first");
    DF_TRY(ReadGivenFeeds());
    DF_TRY(FindOutputs());
    DF_TRY(RunA());
    DF_TRY(GiveToB());
    std::vector<Tensor> of_b;
    DF_TRY(RunStep(b_, OutputsOf(&CommonOutput::in_b), of_b));
    return Report(of_b);
  }

 private:
  Status Load(const std::string& path, Side& side) const {
    side.path = path;
    ModelOptions options;
    options.path = path;
    if (IsSpec(path)) options.sets = wanted_.sets;
    options.ranks = 1;
    DF_ASSIGN(side.model, LoadRunnable(options));
    if (side.model.job) SetArithmetic(side.model.job->arithmetic, side.model.graph);
    return Status();
  }

  Status ReadGivenFeeds() {
    for (const std::string& text : wanted_.feeds) {
      DF_ASSIGN(const NameAndValue feed, SplitFeed(text));
      bool is_known = false;
      for (Side* const side : {&a_, &b_}) {
        if (!side->model.ParseInput(feed.name).ok()) continue;
        is_known = true;
        DF_ASSIGN(const std::vector<Feed> feeds, ReadFeeds(side->model, {text}, wanted_.allow_paths));
        for (const Feed& one : feeds) {
          if (one.source.valid()) return Error(Code::kUsage, "--feed ", text, ": give a value, not another output");
          side->Feed(one.output, one.value);
        }
      }
      if (!is_known) return Error(Code::kUsage, "--feed ", text, ": neither graph has '", feed.name, "'");
    }
    return Status();
  }

  // The tensors of inputs of `a` that `b` has too, under the same names; they are fed to it.
  void FindInputs() {
    for (const InputSpec& input : a_.model.job->inputs) {
      for (const InputTensor& tensor : input.tensors) {
        const NodeId other = b_.model.graph.Find(a_.model.graph.node(tensor.value.node).name);
        if (other < 0 || b_.IsFed({other, 0})) continue;
        inputs_.push_back({"", tensor.value, {other, 0}});
      }
    }
  }

  Status FindOutputs() {
    FindInputs();
    std::vector<Output> fed_of_b = b_.fed;
    for (const CommonOutput& input : inputs_) fed_of_b.push_back(input.in_b);
    std::vector<Output> first_values;
    for (const VariableSpec& variable : a_.model.job->variables) first_values.push_back(variable.init);
    DF_ASSIGN(common_, FindCommonOutputs({a_.model.graph, a_.fed, first_values}, {b_.model.graph, fed_of_b}));
    if (!common_.outputs.empty()) return Status();
    return Error(Code::kUsage, "--graph: ", a_.path, " and ", b_.path, " have no node in common that can be compared",
                 common_.left_out == 0 ? ": no names are the same"
                                       : "; give --feed NAME=FILE.h5:/path for the placeholders that they need");
  }

  std::vector<Output> OutputsOf(Output CommonOutput::*side) const {
    std::vector<Output> outputs;
    outputs.reserve(common_.outputs.size());
    for (const CommonOutput& output : common_.outputs) outputs.push_back(output.*side);
    return outputs;
  }

  // Runs the step of `a`, and reads its variables as they were before, and its inputs.
  Status RunA() {
    Graph& graph = a_.model.graph;
    DF_ASSIGN(a_.first, AddInitialValues(graph, *a_.model.job));
    std::vector<Output> variables;
    for (const VariableSpec& variable : a_.model.job->variables) {
      variable_names_.push_back(graph.node(variable.node).name);
      variables.push_back({variable.node, 0});
    }
    std::vector<Output> outputs = OutputsOf(&CommonOutput::in_a);
    for (const CommonOutput& input : inputs_) outputs.push_back(input.in_a);
    DF_TRY(Begin(a_));
    DF_TRY(Fetch(a_, variables, variables_));
    DF_TRY(Fetch(a_, outputs, of_a_));
    input_values_.assign(of_a_.end() - static_cast<int64_t>(inputs_.size()), of_a_.end());
    of_a_.resize(common_.outputs.size());
    return Status();
  }

  Status GiveToB() {
    for (size_t i = 0; i < inputs_.size(); ++i) b_.Feed(inputs_[i].in_b, input_values_[i]);
    Graph& graph = b_.model.graph;
    if (!b_.model.job) DF_TRY(ReadVariablesAtUse(graph, b_.fed));
    if (b_.model.job) {
      DF_ASSIGN(before_b_, AddInitialValues(graph, *b_.model.job));
    }
    for (size_t i = 0; i < variable_names_.size(); ++i) {
      const Result<NodeId> variable = VariableOfName(graph, variable_names_[i]);
      if (variable.ok()) DF_TRY(AddAssigned(graph, *variable, variables_[i], b_.first));
    }
    return Status();
  }

  Status RunStep(Side& side, const std::vector<Output>& outputs, std::vector<Tensor>& values) {
    DF_TRY(Begin(side));
    return Fetch(side, outputs, values);
  }

  // Makes the side's session, and gives its variables their values.
  Status Begin(Side& side) {
    SessionOptions options;
    options.optimize = false;
    options.soft_placement = true;
    options.files = RulesOfModel(side.path, wanted_.allow_paths);
    AllowSets(wanted_.sets, options.files);
    DF_ASSIGN(side.runtime, Runtime::Create({}, std::move(comm::ConnectInProcess(1)[0])));
    DF_ASSIGN(side.session, Session::Create(*side.runtime, std::move(side.model.graph), options));
    if (&side == &b_) DF_TRY(RunFirst(side, before_b_));
    return RunFirst(side, side.first);
  }

  static Status RunFirst(Side& side, const FedStep& step) {
    if (step.signature.targets.empty()) return Status();
    DF_ASSIGN(const Session::Handle handle, side.session->Prepare(step.signature));
    return side.session->RunStep(handle, step.feeds, {});
  }

  static Status Fetch(Side& side, const std::vector<Output>& outputs, std::vector<Tensor>& values) {
    RunSignature signature;
    signature.feeds = side.fed;
    for (const Tensor& value : side.values) signature.feed_shapes.emplace_back(value.shape());
    signature.fetches = outputs;
    values.resize(outputs.size());
    const Result<Session::Handle> handle = side.session->Prepare(signature);
    DF_TRY(AsFileError(side.path, handle.status()));
    return side.session->RunStep(*handle, side.values, values);
  }

  Result<int> Report(const std::vector<Tensor>& of_b) const {
    std::vector<Row> rows;
    for (size_t i = 0; i < common_.outputs.size(); ++i) {
      Row row{&common_.outputs[i], DistanceOf(of_a_[i], of_b[i]), of_a_[i], of_b[i]};
      if (row.distance.ulps > static_cast<uint64_t>(wanted_.ulps)) rows.push_back(std::move(row));
    }
    if (!rows.empty()) Print(rows);
    std::printf("%zu of %s the same within %lld ulps", common_.outputs.size() - rows.size(),
                Counted(static_cast<int64_t>(common_.outputs.size()), "common output").c_str(),
                static_cast<long long>(wanted_.ulps));
    if (common_.left_out > 0) {
      std::printf("; %s not compared: loops, branches, variables, and what is not fed",
                  Counted(common_.left_out, "common node").c_str());
    }
    std::printf("\n");
    return rows.empty() ? 0 : 1;
  }

  void Print(const std::vector<Row>& rows) const {
    const Row& first = rows[0];
    const Graph& graph = a_.session->graph();
    std::printf("%s is the first that differs\n  in %s: %s\n  in %s: %s\n",
                PrintableLine(graph.Describe(first.output->in_a.node)).c_str(), PrintableLine(a_.path).c_str(),
                PrintableLine(DescribeNumbers(first.a)).c_str(), PrintableLine(b_.path).c_str(),
                PrintableLine(DescribeNumbers(first.b)).c_str());
    size_t width = 0;
    const size_t shown = std::min(rows.size(), kMaxRows);
    for (size_t i = 0; i < shown; ++i) width = std::max(width, rows[i].output->name.size());
    std::printf("  %-*s  %20s  where\n", static_cast<int>(width), "name", "ulps");
    for (size_t i = 0; i < shown; ++i) {
      const Row& row = rows[i];
      std::printf("  %-*s  %20s  %s\n", static_cast<int>(width), PrintableLine(row.output->name).c_str(),
                  UlpsText(row.distance).c_str(), WhereText(row).c_str());
    }
    if (shown < rows.size()) std::printf("  and %zu more\n", rows.size() - shown);
  }

  static std::string UlpsText(const Distance& distance) {
    return distance.ulps == Distance::kApart ? "apart" : std::to_string(distance.ulps);
  }
  static std::string WhereText(const Row& row) {
    if (!row.distance.is_comparable) return StrCat(DescribeNumbers(row.a), " and ", DescribeNumbers(row.b));
    return StrCat(PlaceOf(row.a.shape(), row.distance.at), row.a.shape().rank() == 0 ? "" : ", ", "in ",
                  row.distance.elements, " of ", Counted(row.a.num_elements(), "element"));
  }

  const GraphComparison& wanted_;
  Side a_;
  Side b_;
  FedStep before_b_;                  // first values of the spec of `b`
  std::vector<CommonOutput> inputs_;  // tensors of inputs, without names
  std::vector<Tensor> input_values_;  // values of `a`
  CommonOutputs common_;
  std::vector<std::string> variable_names_;  // names in `a`
  std::vector<Tensor> variables_;            // first values of these
  std::vector<Tensor> of_a_;                 // values of `a` by common output
};

}  // namespace

Result<int> CompareGraphs(const GraphComparison& comparison) {
  return Comparison(comparison).Run();
}

}  // namespace dfrun::jobs
