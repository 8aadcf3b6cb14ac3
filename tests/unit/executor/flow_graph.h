// A builder of graphs with conditionals and loops in the primitive form, for tests.
#ifndef DFRUN_TESTS_SUBGRAPH_EXECUTOR_FLOW_GRAPH_H_
#define DFRUN_TESTS_SUBGRAPH_EXECUTOR_FLOW_GRAPH_H_

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/unit/testing/graph_maker.h"

namespace dfrun::testing {

// A graph of int32 scalars with loops and branches.
class FlowGraph : public GraphMaker {
 public:
  using Values = std::vector<Output>;

  Output Int(int32_t value) { return Scalar<int32_t>(Name("c"), value); }
  Output Op(const std::string& op, const Values& inputs, AttrMap attrs = {}) {
    return Add(Name(op), op, inputs, std::move(attrs));
  }
  void Fetch(Output value) { Add(Name("ret"), "_Retval", {value}, {{"index", num_fetches++}}); }
  Output Feed() {
    return Add(Name("arg"), "_Arg", {},
               {{"T", DType::kInt32}, {"index", num_feeds++}, {"shape", PartialShape::Scalar()}});
  }

  // cond(pred) ? when_true(x) : when_false(x)
  Output Cond(Output pred, Output x, const std::function<Output(Output)>& when_true,
              const std::function<Output(Output)>& when_false) {
    const Output branch = Op("Switch", {x, pred});
    return Op("Merge", {when_false({branch.node, 0}), when_true({branch.node, 1})});
  }

  // Builds while (cond(vars)) vars = body(vars); `constants` are passed to both after the variables.
  Values While(const Values& initial, const Values& constants, const std::function<Output(const Values&)>& cond,
               const std::function<Values(const Values&)>& body, int parallel = 10) {
    const std::string frame = Name("frame");
    const auto enter = [&](Output value, bool is_constant) {
      return Op("Enter", {value},
                {{"frame_name", frame}, {"is_constant", is_constant}, {"parallel_iterations", parallel}});
    };
    Values merges;
    for (Output value : initial) {
      NodeSpec merge;
      merge.name = Name("Merge");
      merge.op = "Merge";
      merge.inputs = {enter(value, false), Output{}};
      merge.attrs = {{"T", graph.dtype(value)}, {"N", 2}};
      merges.push_back(Add(std::move(merge)));
    }
    Values invariants;
    for (Output value : constants) invariants.push_back(enter(value, true));
    const auto with_invariants = [&](Values values) {
      values.insert(values.end(), invariants.begin(), invariants.end());
      return values;
    };
    const Output pred = Op("LoopCond", {cond(with_invariants(merges))});
    Values inside;
    Values exits;
    for (Output merge : merges) {
      const Output branch = Op("Switch", {merge, pred});
      exits.push_back(Op("Exit", {{branch.node, 0}}));
      inside.push_back(Op("Identity", {{branch.node, 1}}));
    }
    const Values next = body(with_invariants(inside));
    for (size_t i = 0; i < merges.size(); ++i) {
      EXPECT_TRUE(graph.SetInput(merges[i].node, 1, Op("NextIteration", {next[i]})).ok());
    }
    return exits;
  }

  std::string Name(const std::string& base) { return StrCat(base, "_", names_++); }

  int num_fetches = 0;
  int num_feeds = 0;

 private:
  int names_ = 0;
};

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_SUBGRAPH_EXECUTOR_FLOW_GRAPH_H_
