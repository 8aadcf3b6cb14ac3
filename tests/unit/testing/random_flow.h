// Random programs of nested conditionals and loops: as a graph in the primitive form, and evaluated directly.
//
// All values are float64 vectors of kWidth elements. Every operation keeps values near [-1, 1], so that no derivative
// grows without bound however loops are nested. A loop has at most kMaxTrips iterations and may end earlier by a
// condition on its variables.
#ifndef DFRUN_TESTS_UNIT_TESTING_RANDOM_FLOW_H_
#define DFRUN_TESTS_UNIT_TESTING_RANDOM_FLOW_H_

#include <array>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/testing/dual.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun::testing {

constexpr int kWidth = 2;
constexpr int kMaxTrips = 3;

enum class FlowOp { kMean, kProduct, kSine, kSpread, kConstant, kCond, kWhile };

struct FlowStep;

// A block of steps. It can use the values of the block around it, then a loop's variables, then those that its own
// steps make.
struct FlowBlock {
  std::vector<FlowStep> steps;
  std::vector<int> results;
};

struct FlowStep {
  FlowOp op = FlowOp::kMean;
  std::vector<int> args;  // a conditional: the predicate; a loop: the variables' initial values
  double constant = 0;
  int trips = 0;
  std::vector<FlowBlock> blocks;  // a conditional: when true, when false; a loop: the body
};

// The program's inputs are its first values; its one result is block.results[0].
struct FlowProgram {
  int num_inputs = 0;
  FlowBlock block;
};

class FlowProgramMaker {
 public:
  explicit FlowProgramMaker(uint64_t seed) : random_(seed) {}

  FlowProgram Make(int num_inputs, int depth) {
    FlowProgram program;
    program.num_inputs = num_inputs;
    program.block = Block(num_inputs, 1, depth);
    return program;
  }

 private:
  int Below(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
  double Real() { return static_cast<double>(Below(2000)) / 1000 - 1; }
  int Pick(int known) { return known - 1 - Below(std::min(known, 5)); }

  FlowBlock Block(int known, int num_results, int depth) {
    FlowBlock block;
    const int num_steps = 1 + Below(4);
    for (int i = 0; i < num_steps; ++i) {
      block.steps.push_back(Step(known, depth));
      const FlowStep& step = block.steps.back();
      known += step.op == FlowOp::kWhile  ? static_cast<int>(step.args.size())
               : step.op == FlowOp::kCond ? static_cast<int>(step.blocks[0].results.size())
                                          : 1;
    }
    // Mostly the newest values are chosen, now and then one that is only passed on.
    for (int i = 0; i < num_results; ++i) block.results.push_back(i == 0 ? known - 1 : Pick(known));
    return block;
  }

  FlowStep Step(int known, int depth) {
    FlowStep step;
    step.op = static_cast<FlowOp>(Below(depth > 0 ? 9 : 5));
    if (step.op > FlowOp::kWhile) step.op = Below(2) == 0 ? FlowOp::kCond : FlowOp::kWhile;
    step.constant = Real();
    const int num_values = 1 + Below(2);
    if (step.op == FlowOp::kCond) {
      step.args = {Pick(known)};
      for (int side = 0; side < 2; ++side) step.blocks.push_back(Block(known, num_values, depth - 1));
    } else if (step.op == FlowOp::kWhile) {
      for (int i = 0; i < num_values; ++i) step.args.push_back(Pick(known));
      step.trips = Below(kMaxTrips + 1);
      step.blocks.push_back(Block(known + num_values, num_values, depth - 1));
    } else {
      step.args = {Pick(known), Pick(known)};
    }
    return step;
  }

  std::mt19937_64 random_;
};

// Evaluates a program on numbers of type T: double, or dual numbers for its derivatives.
template <class T>
class FlowInterpreter {
 public:
  using Value = std::array<T, kWidth>;

  static Value Run(const FlowProgram& program, std::vector<Value> inputs) {
    return RunBlock(program.block, std::move(inputs))[0];
  }

 private:
  static T Sum(const Value& v) {
    T sum = v[0];
    for (size_t j = 1; j < kWidth; ++j) sum = sum + v[j];
    return sum;
  }

  static Value Apply(const FlowStep& step, const Value& a, const Value& b) {
    Value out;
    for (size_t j = 0; j < kWidth; ++j) {
      switch (step.op) {
        case FlowOp::kMean:
          out[j] = (a[j] + b[j]) * T(0.5);
          break;
        case FlowOp::kProduct:
          out[j] = Tanh(a[j] * b[j]);
          break;
        case FlowOp::kSine:
          out[j] = Sine(a[j]);
          break;
        case FlowOp::kSpread:
          out[j] = Tanh(a[j] * Sum(b));
          break;
        default:
          out[j] = T(step.constant);
      }
    }
    return out;
  }

  static std::vector<Value> RunBlock(const FlowBlock& block, std::vector<Value> known) {
    for (const FlowStep& step : block.steps) {
      std::vector<Value> made;
      if (step.op == FlowOp::kCond) {
        const bool taken = RealPart(Sum(known[static_cast<size_t>(step.args[0])])) > step.constant;
        made = RunBlock(step.blocks[taken ? 0 : 1], known);
      } else if (step.op == FlowOp::kWhile) {
        for (int arg : step.args) made.push_back(known[static_cast<size_t>(arg)]);
        for (int i = 0; i < step.trips && RealPart(Sum(made[0])) > step.constant - 1; ++i) {
          std::vector<Value> seen = known;
          seen.insert(seen.end(), made.begin(), made.end());
          made = RunBlock(step.blocks[0], std::move(seen));
        }
      } else {
        made = {Apply(step, known[static_cast<size_t>(step.args[0])], known[static_cast<size_t>(step.args[1])])};
      }
      known.insert(known.end(), made.begin(), made.end());
    }
    std::vector<Value> results;
    for (int result : block.results) results.push_back(known[static_cast<size_t>(result)]);
    return results;
  }
};

// Builds a program as nodes of a graph: Switch and Merge, and loops of the form that while loops have.
class FlowGraphMaker : public GraphMaker {
 public:
  // Returns the program's result; `inputs` are vectors outside of loops.
  Output Make(const FlowProgram& program, const std::vector<Output>& inputs) {
    std::vector<Value> known;
    for (Output input : inputs) known.push_back({0, input});
    levels_.assign(1, Level());
    return Block(program.block, known)[0];
  }

 private:
  // An output, and the level of nesting whose nodes can read it.
  struct Value {
    size_t level;
    Output output;
  };
  struct Level {
    Output pred = {};  // predicate of a conditional, in the level around it
    int side = 0;
    std::string frame = {};  // frame of a loop
    NodeId pivot = -1;       // node that runs only if the branch does
    std::map<std::pair<int32_t, int32_t>, Output> captured = {};
  };

  std::string Name(const std::string& op) { return graph.UniqueName(op); }
  Output Op(const std::string& op, const std::vector<Output>& inputs, AttrMap attrs = {}) {
    return Add(Name(op), op, inputs, std::move(attrs));
  }
  Output Scalar64(double value) { return Pinned(Tensor::Scalar<double>(value)); }
  // Adds a constant that, in a branch, is alive only if the branch is taken.
  Output Pinned(Tensor value) {
    NodeSpec spec;
    spec.name = Name("Const");
    spec.op = "Const";
    spec.attrs = {{"dtype", value.dtype()}, {"value", value}};
    if (levels_.back().pivot >= 0) spec.control_inputs = {levels_.back().pivot};
    return Add(std::move(spec));
  }

  // Returns the value as an output that nodes of the innermost level can read.
  Output Read(const Value& value) { return ReadAt(value, levels_.size() - 1); }
  Output ReadAt(const Value& value, size_t level) {
    if (value.level == level) return value.output;
    const Output outer = ReadAt(value, level - 1);
    Output& captured = levels_[level].captured[{outer.node, outer.port}];
    if (captured.valid()) return captured;
    if (!levels_[level].frame.empty()) return captured = Enter(levels_[level].frame, outer, true);
    const Output sides = Op("Switch", {outer, levels_[level].pred});
    return captured = {sides.node, levels_[level].side};
  }

  Output Enter(const std::string& frame, Output value, bool is_constant) {
    return Op("Enter", {value}, {{"frame_name", frame}, {"is_constant", is_constant}, {"parallel_iterations", 4}});
  }
  Output IsAbove(Output value, double bound) {
    const Output axis = Pinned(Tensor::Vector<int32_t>({0}));
    const Output sum = Op("Sum", {value, axis});
    return Op("Greater", {sum, Scalar64(bound)});
  }

  std::vector<Output> Block(const FlowBlock& block, std::vector<Value> known) {
    for (const FlowStep& step : block.steps) {
      const std::vector<Output> made = Step(step, known);
      for (Output output : made) known.push_back({levels_.size() - 1, output});
    }
    std::vector<Output> results;
    for (int result : block.results) results.push_back(Read(known[static_cast<size_t>(result)]));
    return results;
  }

  std::vector<Output> Step(const FlowStep& step, const std::vector<Value>& known) {
    if (step.op == FlowOp::kCond) return Cond(step, known);
    if (step.op == FlowOp::kWhile) return While(step, known);
    if (step.op == FlowOp::kConstant) {
      return {Pinned(Tensor::Vector<double>(std::vector<double>(kWidth, step.constant)))};
    }
    const Output a = Read(known[static_cast<size_t>(step.args[0])]);
    if (step.op == FlowOp::kSine) return {Op("Sin", {a})};
    const Output b = Read(known[static_cast<size_t>(step.args[1])]);
    if (step.op == FlowOp::kMean) {
      const Output sum = Op("AddV2", {a, b});
      return {Op("Mul", {sum, Scalar64(0.5)})};
    }
    if (step.op == FlowOp::kProduct) return {Op("Tanh", {Op("Mul", {a, b})})};
    const Output axis = Pinned(Tensor::Vector<int32_t>({0}));
    const Output sum = Op("Sum", {b, axis});
    return {Op("Tanh", {Op("Mul", {a, sum})})};
  }

  std::vector<Output> Cond(const FlowStep& step, const std::vector<Value>& known) {
    const Output pred = IsAbove(Read(known[static_cast<size_t>(step.args[0])]), step.constant);
    const Output pivots = Op("Switch", {pred, pred});
    std::vector<Output> sides[2];
    for (int side = 1; side >= 0; --side) {
      const Output pivot = Op("Identity", {{pivots.node, side}});
      levels_.push_back({.pred = pred, .side = side, .pivot = pivot.node});
      for (Output result : Block(step.blocks[static_cast<size_t>(1 - side)], known)) {
        sides[side].push_back(Op("Identity", {result}));
      }
      levels_.pop_back();
    }
    std::vector<Output> merged;
    for (size_t i = 0; i < sides[0].size(); ++i) merged.push_back(Op("Merge", {sides[0][i], sides[1][i]}));
    return merged;
  }

  std::vector<Output> While(const FlowStep& step, std::vector<Value> known) {
    const std::string frame = StrCat("loop_", num_loops_++);
    std::vector<Output> initial = {Pinned(Tensor::Scalar<int32_t>(0))};
    for (int arg : step.args) initial.push_back(Read(known[static_cast<size_t>(arg)]));
    std::vector<Output> merges;
    for (Output value : initial) {
      NodeSpec merge;
      merge.name = Name("Merge");
      merge.op = "Merge";
      merge.inputs = {Enter(frame, value, false), Output()};
      merge.attrs = {{"T", graph.dtype(value)}, {"N", 2}};
      merges.push_back(Add(std::move(merge)));
      node(merges.back()).output_shapes[0] = graph.shape(value);
    }
    levels_.push_back({.frame = frame});
    const Output goes_on = Op("Less", {merges[0], Op("Const", {}, IntAttrs(step.trips))});
    const Output pred = Op("LoopCond", {Op("LogicalAnd", {goes_on, IsAbove(merges[1], step.constant - 1)})});
    std::vector<Output> inside;
    std::vector<Output> exits;
    for (Output merge : merges) {
      const Output sides = Op("Switch", {merge, pred});
      exits.push_back(Op("Exit", {sides}));
      inside.push_back(Op("Identity", {{sides.node, 1}}));
    }
    levels_.back().pivot = inside[0].node;
    for (size_t i = 1; i < inside.size(); ++i) known.push_back({levels_.size() - 1, inside[i]});
    std::vector<Output> next = Block(step.blocks[0], known);
    next.insert(next.begin(), Op("AddV2", {inside[0], Op("Const", {}, IntAttrs(1))}));
    for (size_t i = 0; i < next.size(); ++i) {
      NodeSpec spec;
      spec.name = Name("NextIteration");
      spec.op = "NextIteration";
      spec.inputs = {next[i]};
      spec.control_inputs = {inside[0].node};
      EXPECT_TRUE(graph.SetInput(merges[i].node, 1, Add(std::move(spec))).ok());
    }
    levels_.pop_back();
    return {exits.begin() + 1, exits.end()};
  }

  static AttrMap IntAttrs(int value) { return {{"dtype", DType::kInt32}, {"value", Tensor::Scalar<int32_t>(value)}}; }

  std::vector<Level> levels_;
  int num_loops_ = 0;
};

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_TESTING_RANDOM_FLOW_H_
