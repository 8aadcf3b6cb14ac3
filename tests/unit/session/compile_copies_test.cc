// Executables of replicas that run for themselves: what is copied from another is what a compile of its own gives.
#include "src/session/compile_copies.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "src/training/build_job_graph.h"
#include "tests/unit/session/rank_threads.h"
#include "tests/unit/training/small_training.h"

namespace dfrun {
namespace {

constexpr int kReplicas = 4;

// Nodes by name, each as text; a channel is told by what it carries.
std::map<std::string, std::string> Describe(const Graph& graph) {
  const auto named = [&](NodeId id) {
    const Node& node = graph.node(id);
    if (!node.attrs.Has("channel")) return node.name;
    return StrCat(node.op->name, " of ", *node.attrs.Get<std::string>("tensor_name"), " to ",
                  *node.attrs.Get<std::string>("recv_device"));
  };
  std::map<std::string, std::string> nodes;
  for (const Node& node : graph.nodes()) {
    std::string text = StrCat(node.op->name, " on ", node.device);
    for (const Output input : node.inputs) text += StrCat(" ", named(input.node), ":", input.port);
    std::set<std::string> controls;
    for (const NodeId control : node.control_inputs) controls.insert(named(control));
    for (const std::string& control : controls) text += StrCat(" ^", control);
    for (const auto& [name, value] : node.attrs) {
      if (name != "channel") text += StrCat(" ", name, "=", value.ToString());
    }
    nodes[named(node.id)] = text;
  }
  return nodes;
}

std::set<int64_t> ChannelsOf(const std::vector<Partition>& partitions) {
  std::set<int64_t> channels;
  for (const Partition& partition : partitions) {
    for (const Node& node : partition.graph.nodes()) {
      if (node.attrs.Has("channel")) channels.insert(*node.attrs.Get<int64_t>("channel"));
    }
  }
  return channels;
}

class CompileCopies : public SmallTraining {
 protected:
  void SetUp() override { ASSERT_TRUE(ranks_.master().StartTask("worker", 0, {}).ok()); }
  void Build(int tasks) {
    cluster_ = *MakeCluster({}, tasks);
    Result<JobGraph> job = BuildJobGraph(spec_, cluster_);
    ASSERT_TRUE(job.ok()) << job.status().ToString();
    job_ = *std::move(job);
  }

  testing::RankThreads ranks_{1};
  Cluster cluster_;
  JobGraph job_;
};

TEST_F(CompileCopies, AReplicaHasTheNodesOfACompileOfItsOwn) {
  for (const char* optimizer : {"sgd", "momentum", "adam"}) {
    spec_ = LoadedSpec();
    Make(optimizer, "async", kReplicas);
    for (const int tasks : {1, 2, kReplicas}) {
      Build(tasks);
      const CompileOptions options = {.cluster = cluster_, .optimize = true};
      int32_t channels = 3;
      SignatureCompiler compiler(job_.graph, ranks_.master(), options, &channels);
      std::set<int64_t> taken;
      for (const RunSignature& step : job_.apart->steps) {
        const int32_t before = channels;
        const Result<SignatureCompiler::Partitions> copied = compiler.Compile(step);
        ASSERT_TRUE(copied.ok()) << copied.status().ToString();
        int32_t own = 0;
        const auto compiled = CompileRun(job_.graph, step, ranks_.master(), options, &own);
        ASSERT_TRUE(compiled.ok()) << compiled.status().ToString();
        ASSERT_EQ((*copied)->size(), compiled->size());
        EXPECT_EQ(channels - before, own);
        for (size_t i = 0; i < compiled->size(); ++i) {
          EXPECT_EQ((**copied)[i].device, (*compiled)[i].device);
          EXPECT_EQ((**copied)[i].rank, (*compiled)[i].rank);
          const std::map<std::string, std::string> nodes = Describe((**copied)[i].graph);
          const std::map<std::string, std::string> wanted = Describe((*compiled)[i].graph);
          EXPECT_EQ(nodes.size(), wanted.size()) << optimizer << " on " << tasks;
          for (const auto& [name, text] : wanted) {
            const auto found = nodes.find(name);
            EXPECT_EQ(found == nodes.end() ? "" : found->second, text) << optimizer << " on " << tasks << ": " << name;
          }
        }
        for (const int64_t channel : ChannelsOf(**copied)) {
          EXPECT_GE(channel, before);
          EXPECT_LT(channel, channels);
          EXPECT_TRUE(taken.insert(channel).second) << "two executables have channel " << channel;
        }
      }
      EXPECT_EQ(compiler.num_compiled(), tasks) << "replicas of one task are compiled once";
    }
  }
}

// Signatures of one graph, by the names of their targets.
class CompileOthers : public ::testing::Test {
 protected:
  CompileOthers() : ops_(graph_, "") {
    v_ = ops_.Add("v", "VariableV2", {}, {{"shape", Shape({2})}, {"dtype", DType::kFloat}});
  }
  void SetUp() override { ASSERT_TRUE(ranks_.master().StartTask("worker", 0, {}).ok()); }
  int64_t Compiled(const std::vector<std::string>& targets) {
    EXPECT_TRUE(ops_.status().ok()) << ops_.status().ToString();
    const Cluster cluster = *MakeCluster({}, 1);
    const CompileOptions options = {.cluster = cluster, .optimize = true};
    int32_t channels = 0;
    SignatureCompiler compiler(graph_, ranks_.master(), options, &channels);
    for (const std::string& target : targets) {
      RunSignature signature;
      signature.targets = {graph_.Find(target)};
      const auto compiled = compiler.Compile(signature);
      EXPECT_TRUE(compiled.ok()) << compiled.status().ToString();
    }
    return compiler.num_compiled();
  }
  Output Value(const std::string& name, float value) { return ops_.Const(name, Tensor::Vector<float>({value, value})); }

  testing::RankThreads ranks_{1};
  Graph graph_;
  GraphOps ops_;
  Output v_;
};

TEST_F(CompileOthers, WhatDiffersInMoreThanNamesIsCompiled) {
  ops_.Add("a", "Assign", {v_, Value("one", 1)});
  ops_.Add("b", "Assign", {v_, Value("uno", 1)});
  ops_.Add("other_value", "Assign", {v_, Value("two", 2)});
  ops_.Add("other_op", "AssignAdd", {v_, Value("un", 1)});
  ops_.Add("later", "Assign", {v_, Value("eins", 1)}, {}, {graph_.Find("a")});
  EXPECT_EQ(Compiled({"a", "b"}), 1);
  EXPECT_EQ(Compiled({"a", "other_value"}), 2);
  EXPECT_EQ(Compiled({"a", "other_op"}), 2);
  EXPECT_EQ(Compiled({"a", "later"}), 2);
}

TEST_F(CompileOthers, RandomNumbersAreTheCopysOwn) {
  const Output shape = ops_.Const("shape", Tensor::Vector<int32_t>({2}));
  const auto draw = [&](const std::string& name, int64_t seed) {
    const Output random = ops_.Add(name, "RandomUniform", {shape},
                                   {{"dtype", DType::kFloat},
                                    {"seed", int64_t{1}},
                                    {"seed2", seed},
                                    {"_position", StrCat(name, " of session 0")}});
    ops_.Add(name + "_added", "AssignAdd", {v_, random});
  };
  draw("x", 5);
  draw("y", 6);
  const Cluster cluster = *MakeCluster({}, 1);
  const CompileOptions options = {.cluster = cluster, .optimize = true};
  int32_t channels = 0;
  SignatureCompiler compiler(graph_, ranks_.master(), options, &channels);
  for (const std::string name : {"x", "y"}) {
    RunSignature signature;
    signature.targets = {graph_.Find(name + "_added")};
    const auto compiled = compiler.Compile(signature);
    ASSERT_TRUE(compiled.ok()) << compiled.status().ToString();
    const Graph& part = (**compiled)[0].graph;
    const Node& node = part.node(part.Find(name));
    EXPECT_EQ(*node.attrs.Get<int64_t>("seed2"), name == "x" ? 5 : 6);
    EXPECT_EQ(*node.attrs.Get<std::string>("_position"), name + " of session 0");
  }
  EXPECT_EQ(compiler.num_compiled(), 1);
}

}  // namespace
}  // namespace dfrun
