// Random nests of loops and conditionals: each way of running them gives the same bits. Integers overflow, real numbers
// become NaN and infinite and are compared all the same; loops may have no iteration, or only hand values on.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "src/executor/build_plan.h"
#include "src/executor/executor.h"
#include "src/executor/loop_program/loop_program.h"
#include "tests/unit/executor/flow_graph.h"
#include "tests/unit/testing/tested_device.h"

namespace dfrun::testing {
namespace {

using Values = FlowGraph::Values;

constexpr int kFeeds = 3;
constexpr int kGraphs = 60;

struct Kind {
  DType dtype;
  int64_t size;  // elements of each value; -1: scalars
};

class RandomLoops {
 public:
  RandomLoops(uint64_t seed, Kind kind) : random_(seed), kind_(kind) {
    Values known;
    for (int i = 0; i < kFeeds; ++i) {
      known.push_back(
          g.Add(g.Name("arg"), "_Arg", {}, {{"T", kind.dtype}, {"index", i}, {"shape", PartialShape(shape())}}));
    }
    for (Output result : Steps(known, 3)) g.Fetch(result);
  }

  Shape shape() const { return kind_.size < 0 ? Shape() : Shape({kind_.size}); }

  FlowGraph g;

 private:
  int Below(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
  Output Pick(const Values& known) {
    return known[known.size() - 1 - static_cast<size_t>(Below(std::min<int>(5, static_cast<int>(known.size()))))];
  }

  // Adds a few steps and returns the known values; the last of them are new.
  Values Steps(Values known, int depth) {
    const int num_steps = 1 + Below(4);
    for (int i = 0; i < num_steps; ++i) {
      const int kind = Below(depth > 0 ? 10 : 5);
      const Values made = kind < 5 ? Values{Simple(known)} : kind < 8 ? Cond(known, depth) : While(known, depth);
      known.insert(known.end(), made.begin(), made.end());
    }
    return known;
  }

  Output Simple(const Values& known) {
    static constexpr const char* kIntegers[] = {"AddV2", "Sub", "Mul", "BitwiseXor", "Maximum"};
    static constexpr const char* kReals[] = {"AddV2", "Sub", "Mul", "RealDiv", "Maximum"};
    const Output a = Pick(known);
    if (Below(6) == 0) return g.Op("Identity", {a});
    return g.Op(kind_.dtype == DType::kInt32 ? kIntegers[Below(5)] : kReals[Below(5)], {a, Pick(known)});
  }

  Output Predicate(const Values& known) {
    const auto scalar = [&](Output value) {
      if (kind_.size < 0) return value;
      return g.Op("Sum", {value, g.Const(g.Name("axis"), Tensor::Vector<int32_t>({0}))});
    };
    const Output less = g.Op(Below(2) == 0 ? "Less" : "GreaterEqual", {scalar(Pick(known)), scalar(Pick(known))});
    return Below(4) == 0 ? g.Op("LogicalNot", {less}) : less;
  }

  Values Cond(const Values& known, int depth) {
    const Output pred = last_pred_.valid() && Below(5) == 0 ? last_pred_ : Predicate(known);
    const Output outer_pred = std::exchange(last_pred_, Output());
    Values sides[2];
    const int num_values = 1 + Below(2);
    for (int side = 0; side < 2; ++side) {
      Values inside;
      for (Output value : known) inside.push_back({g.Op("Switch", {value, pred}).node, side});
      const Values results = Below(4) == 0 ? inside : Steps(inside, depth - 1);  // or hands values on
      sides[side].assign(results.end() - num_values, results.end());
      last_pred_ = Output();
    }
    last_pred_ = Below(2) == 0 ? pred : outer_pred;
    Values merged;
    for (size_t i = 0; i < sides[0].size(); ++i) merged.push_back(g.Op("Merge", {sides[0][i], sides[1][i]}));
    return merged;
  }

  Values While(const Values& known, int depth) {
    const Output outer_pred = std::exchange(last_pred_, Output());
    const size_t num_values = 1 + static_cast<size_t>(Below(2));
    Values initial = {g.Op("Sub", {Whole(known[0]), Whole(known[0])})};  // 0, dead where the branch is
    for (size_t i = 0; i < num_values; ++i) initial.push_back(Pick(known));
    const int32_t trips = Below(5);
    const Values exits = g.While(
        initial, known,
        [&](const Values& v) {
          const Output counts = g.Op("Less", {v[0], g.Int(trips)});
          return Below(2) == 0 ? counts : g.Op("LogicalAnd", {counts, Predicate({v[1], v.back()})});
        },
        [&](const Values& v) {
          Values inside(v.begin() + 1, v.end());
          for (size_t i = num_values; i < inside.size(); ++i) inside[i] = AliveWith(v[0], inside[i]);
          const Values results = Below(6) == 0 ? inside : Steps(inside, depth - 1);
          Values next = {g.Op("AddV2", {v[0], g.Int(1)})};
          for (size_t i = 0; i < num_values; ++i) next.push_back(results[results.size() - 1 - i]);
          return next;
        },
        1 + Below(4));
    last_pred_ = outer_pred;
    return {exits.begin() + 1, exits.end()};
  }

  // Makes a constant in a body depend on `pivot`: values made of constants alone must not go on when the loop has
  // ended.
  Output AliveWith(Output pivot, Output constant) {
    NodeSpec spec;
    spec.name = g.Name("constant");
    spec.op = "Identity";
    spec.inputs = {constant};
    spec.control_inputs = {pivot.node};
    return g.Add(std::move(spec));
  }

  // Returns an integer scalar that is alive if and only if `value` is.
  Output Whole(Output value) { return g.Op("Size", {value}); }

  std::mt19937_64 random_;
  const Kind kind_;
  Output last_pred_;  // predicate of a conditional at this level
};

struct Way {
  bool program;
  bool infer;
  int threads;
};

Tensor FedValue(Kind kind, const Shape& shape, int i) {
  static constexpr float kReals[] = {0.5F, -2.0F, 0.0F};
  static constexpr int32_t kIntegers[] = {7, std::numeric_limits<int32_t>::max() - 3, -40000};
  Tensor value(kind.dtype, shape);
  for (int64_t k = 0; k < value.num_elements(); ++k) {
    if (kind.dtype == DType::kInt32) {
      value.data<int32_t>()[k] = kIntegers[i] - static_cast<int32_t>(k);
    } else {
      value.data<float>()[k] = kReals[i] + 0.25F * static_cast<float>(k % 5);
    }
  }
  return value;
}

class RandomLoopsTest : public ::testing::TestWithParam<Kind> {
 protected:
  // Returns all fetches when the loops run in this way.
  Result<std::vector<Tensor>> Run(int seed, Way way) {
    RandomLoops made(static_cast<uint64_t>(seed), GetParam());
    if (way.infer) DF_TRY(made.g.graph.InferShapes());
    DF_ASSIGN(auto plan, BuildPlan(made.g.graph, *device_, KernelRegistry::Builtin(), {.loop_programs = way.program}));
    for (const FramePlan& frame : plan->frames())
      num_branching_ += frame.program != nullptr && frame.program->blocks.size() > 4;
    std::vector<Tensor> feeds;
    for (int i = 0; i < kFeeds; ++i) feeds.push_back(FedValue(GetParam(), made.shape(), i));
    WorkerPool& pool = way.threads == 1 ? one_ : three_;
    std::vector<Tensor> fetches(static_cast<size_t>(made.g.num_fetches));
    DF_TRY(RunPlan(*plan, pool, {.feeds = feeds, .fetches = fetches, .step = {}}));
    std::vector<Tensor> again(fetches.size());
    DF_TRY(RunPlan(*plan, pool, {.feeds = feeds, .fetches = again, .step = {}}));
    for (size_t i = 0; i < again.size(); ++i) EXPECT_TRUE(again[i].Identical(fetches[i])) << "in the second step";
    return fetches;
  }

  const std::unique_ptr<Device> device_ = MakeTestedDevice();
  WorkerPool one_{1};
  WorkerPool three_{3};
  int num_branching_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Kinds, RandomLoopsTest,
                         ::testing::Values(Kind{DType::kInt32, -1}, Kind{DType::kFloat, -1}, Kind{DType::kInt32, 3},
                                           Kind{DType::kFloat, 100}),
                         [](const auto& info) {
                           return StrCat(DTypeName(info.param.dtype), info.param.size < 0 ? "Scalar" : "Of",
                                         std::max<int64_t>(info.param.size, 0));
                         });

TEST_P(RandomLoopsTest, EachWayGivesTheSameBits) {
  for (int seed = 0; seed < kGraphs; ++seed) {
    SCOPED_TRACE(StrCat("seed ", seed));
    const Result<std::vector<Tensor>> general = Run(seed, {.program = false, .infer = true, .threads = 1});
    ASSERT_TRUE(general.ok()) << general.status().ToString();
    for (const Way way : {Way{true, true, 1}, Way{true, false, 1}, Way{true, true, 3}, Way{false, false, 3}}) {
      const Result<std::vector<Tensor>> results = Run(seed, way);
      ASSERT_TRUE(results.ok()) << results.status().ToString();
      for (size_t i = 0; i < results->size(); ++i) {
        ASSERT_TRUE((*results)[i].Identical((*general)[i]))
            << "fetch " << i << (way.program ? ", straight" : ", general") << (way.infer ? ", placed" : ", counted")
            << ", threads " << way.threads << ": " << (*results)[i].ToString() << ", not " << (*general)[i].ToString();
      }
    }
  }
  EXPECT_GT(num_branching_, 20) << "conditionals that ran in straight lines";
}

}  // namespace
}  // namespace dfrun::testing
