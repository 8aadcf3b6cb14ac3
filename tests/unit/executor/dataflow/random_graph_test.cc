// Random graphs against a direct interpretation, with values placed or not, forwarded or not, on one thread and more:
// a buffer that is taken while somebody still reads it shows as a wrong value.
#include <gtest/gtest.h>

#include <random>

#include "tests/unit/executor/test_nodes.h"

namespace dfrun::testing {
namespace {

using Values = std::vector<float>;

// A graph of `nodes` nodes and, beside it, what each of its outputs is for the feeds. All values are small integers
// modulo 64, so that any order of operations is exact.
class RandomGraph {
 public:
  RandomGraph(uint32_t seed, int nodes) : random_(seed) {
    for (int i = 0; i < 3; ++i) AddFeed(i);
    AddFixed();
    for (int i = 0; i < nodes; ++i) AddNode();
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (Below(4) != 0 && i + 1 != outputs_.size()) continue;
      graph_.Fetch(outputs_[i]);
      fetched_.push_back(i);
    }
  }

  TestGraph& graph() { return graph_; }
  const std::vector<Tensor>& feeds() const { return feeds_; }

  void Check(const std::vector<Tensor>& fetches) const {
    for (size_t i = 0; i < fetched_.size(); ++i) {
      const Values& expected = values_[fetched_[i]];
      ASSERT_EQ(fetches[i].num_elements(), static_cast<int64_t>(expected.size()));
      for (size_t k = 0; k < expected.size(); ++k) ASSERT_EQ(fetches[i].data<float>()[k], expected[k]) << "fetch " << i;
    }
  }

 private:
  size_t Below(size_t n) { return random_() % n; }
  static float Small(float value) { return static_cast<float>(static_cast<int64_t>(value) % 64); }

  Tensor RandomTensor() {
    constexpr int64_t kSizes[] = {1, 4, 4, 4, 16};
    Tensor tensor = Filled(kSizes[Below(5)], 0);
    for (int64_t i = 0; i < tensor.num_elements(); ++i) tensor.data<float>()[i] = static_cast<float>(Below(8));
    return tensor;
  }
  void Keep(Output output, Values values) {
    outputs_.push_back(output);
    values_.push_back(std::move(values));
  }
  void AddFeed(int index) {
    feeds_.push_back(RandomTensor());
    const Tensor& fed = feeds_.back();
    Keep(graph_.Feed(index, Below(2) == 0 ? PartialShape(fed.shape()) : PartialShape()),
         Values(fed.values<float>().begin(), fed.values<float>().end()));
  }
  void AddFixed() {
    const Tensor value = RandomTensor();
    Keep(graph_.Fixed(value), Values(value.values<float>().begin(), value.values<float>().end()));
  }

  // Late nodes more often than early ones, so that there are chains.
  size_t Pick() { return outputs_.size() - 1 - std::min(Below(outputs_.size()), Below(outputs_.size())); }
  // Picks a value with as many elements as `other`, or with a single one.
  size_t PickLike(size_t other) {
    for (int tries = 0; tries < 8; ++tries) {
      const size_t picked = Pick();
      if (values_[picked].size() == values_[other].size() || values_[picked].size() == 1) return picked;
    }
    return other;
  }
  std::vector<NodeId> Control() {
    if (Below(6) != 0) return {};
    return {outputs_[Pick()].node};
  }

  void AddNode() {
    switch (Below(6)) {
      case 0:
        return AddBinary("Add", [](float a, float b) { return a + b; });
      case 1:
        return AddBinary("Sub", [](float a, float b) { return a - b; });
      case 2:
        return AddSum();
      case 3:
        return AddUnary("Negate", -1);
      default:
        return AddUnary(Below(2) == 0 ? "Share" : Below(2) == 0 ? "Later" : "Work", 1);
    }
  }
  template <class F>
  void AddBinary(const char* op, F f) {
    const size_t a = Pick();
    const size_t b = PickLike(a);
    Values values(values_[a].size());
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = f(values_[a][i], values_[b][values_[b].size() == 1 ? 0 : i]);
    }
    Keep({graph_.Add(op, {outputs_[a], outputs_[b]}, {}, Control()), 0}, std::move(values));
  }
  void AddSum() {
    const size_t a = Pick();
    std::vector<Output> inputs;
    Values values(values_[a].size(), 0);
    for (size_t n = 1 + Below(4); inputs.size() < n;) {
      const size_t b = PickLike(a);
      const size_t summand = values_[b].size() == values_[a].size() ? b : a;
      inputs.push_back(outputs_[summand]);
      for (size_t i = 0; i < values.size(); ++i) values[i] += values_[summand][i];
    }
    const auto n = static_cast<int64_t>(inputs.size());
    Keep({graph_.Add("AddN", inputs, {{"N", n}}, Control()), 0}, std::move(values));
  }
  void AddUnary(const std::string& op, float factor) {
    const size_t a = Pick();
    Values values = values_[a];
    for (float& value : values) value *= factor;
    AttrMap attrs;
    if (op == "Work") attrs = {{"ns", 200}, {"expensive", Below(2) == 0}};
    Keep({graph_.Add(op, {outputs_[a]}, attrs, Control()), 0}, std::move(values));
  }

  std::mt19937 random_;
  TestGraph graph_;
  std::vector<Tensor> feeds_;
  std::vector<Output> outputs_;
  std::vector<Values> values_;
  std::vector<size_t> fetched_;
};

TEST(RandomGraphTest, AThousandGraphsAgreeWithTheirInterpretation) {
  TestDevice device;
  WorkerPool one(1);
  WorkerPool four(4);
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    RandomGraph random(seed, 8 + static_cast<int>(seed % 60));
    for (const int64_t max_arena_bytes : {int64_t{-1}, int64_t{16}, int64_t{1 << 20}}) {
      const auto plan = MakePlan(random.graph().graph(), device, {.max_arena_bytes = max_arena_bytes});
      for (WorkerPool* pool : {&one, &four, &one}) {
        std::vector<Tensor> fetches(random.graph().num_fetches());
        const Status status = RunPlan(*plan, *pool, {.feeds = random.feeds(), .fetches = fetches, .step = {}});
        ASSERT_TRUE(status.ok()) << "seed " << seed << ": " << status.ToString();
        random.Check(fetches);
        if (HasFatalFailure()) FAIL() << "seed " << seed << ", placed up to " << max_arena_bytes;
      }
    }
  }
}

}  // namespace
}  // namespace dfrun::testing
