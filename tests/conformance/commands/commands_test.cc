// The program's commands: what they print and how they end.
#include <gmock/gmock.h>

#include <set>
#include <sstream>

#include "src/graph/graph_def/graph_def.h"
#include "src/graph/graph_def/text_dump.h"
#include "tests/conformance/commands/command_runner.h"

namespace dfrun {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kPlaced[] = "tests/golden/eval/placed.pb";

using CommandsTest = CommandTest;

TEST_F(CommandsTest, EveryHelpHasAnExample) {
  ASSERT_EQ(Dfrun("--help"), 0);
  for (const char* command : {"run", "eval", "check", "graph", "ops", "info", "bench"}) {
    EXPECT_THAT(output_, HasSubstr(command));
    const std::string all = output_;
    EXPECT_EQ(Dfrun(std::string(command) + " --help"), 0);
    EXPECT_THAT(output_, HasSubstr("Example:"));
    output_ = all;
  }
}

TEST_F(CommandsTest, WrongCommandLinesEndWith64) {
  for (const char* args : {"", "graph", "graph a.pb --text --dot", "ops --nonsense", "eval", "check x.yaml --ranks 0",
                           "bench", "ops Matmull", "no_such_file.yaml", "graph tests/golden/eval/mlp.pb --pb"}) {
    EXPECT_EQ(Dfrun(args), 64) << args << ": " << output_;
  }
  EXPECT_EQ(Dfrun("opps"), 64);
  EXPECT_THAT(output_, HasSubstr("did you mean 'dfrun ops'"));
  for (const char* unknown : {"-x", "bench nope"}) {
    EXPECT_EQ(Dfrun(unknown), 64);
    EXPECT_THAT(output_, HasSubstr("is not known here"));
  }
}

TEST_F(CommandsTest, OutputThatIsNotWrittenIsAnErrorButOfAJobsProgress) {
  const std::string spec = Write("one.yaml", "dfrun: 1\ngraph: {x: [1.0]}\nrun: {steps: 3, fetch: [x]}\n");
  const auto to_full = [&](const std::string& args) { return Dfrun(args, "sh -c '\"$@\" > /dev/full' sh"); };
  EXPECT_EQ(to_full("graph " + spec), 74);
  EXPECT_EQ(to_full("ops"), 74);
  EXPECT_EQ(to_full("run " + spec + " --output " + Path("full.run")), 0);
}

TEST_F(CommandsTest, AFileThatMayNotGrowIsAnErrorOfTheWrite) {
  const std::string spec =
      Write("big.yaml",
            "dfrun: 1\ngraph:\n  W: {op: Variable, shape: [100000], init: ones}\n"
            "  loss: Sum(W * W)\ntrain: {loss: loss, learning_rate: 0.1, steps: 1}\ncheckpoint: {}\n");
  EXPECT_EQ(Dfrun("run " + spec + " --output " + Path("big.run"), "prlimit --fsize=100000"), 74);
  EXPECT_THAT(output_, HasSubstr("File too large"));
}

TEST_F(CommandsTest, WhatTheCompileFindsIsTheSpecsFaultInARunToo) {
  const std::string spec = Write("none.yaml",
                                 "dfrun: 1\ngraph:\n  W: {op: Variable, shape: [2], init: ones}\n  loss: 1.0\n"
                                 "train: {loss: loss, learning_rate: 0.1, steps: 1}\n");
  for (const char* command : {"check ", "run "}) {
    EXPECT_EQ(Dfrun(command + spec), 65);
    EXPECT_THAT(output_, HasSubstr("none.yaml:5:15: train.loss 'loss' depends on no trainable variable"));
  }
}

TEST_F(CommandsTest, LibrariesAreNotLookedForInTheCurrentDirectory) {
  ASSERT_EQ(Dfrun("--version", "env LD_DEBUG=libs"), 0);
  ASSERT_THAT(output_, HasSubstr("trying file=/"));  // the loader does print what it tries
  EXPECT_THAT(output_, Not(::testing::ContainsRegex("trying file=[^/]")));
}

TEST_F(CommandsTest, OpsShowsAnOp) {
  ASSERT_EQ(Dfrun("ops MatMul"), 0);
  EXPECT_THAT(output_, HasSubstr("MatMul(a: T, b: T) -> (product: T)"));
  EXPECT_THAT(output_, HasSubstr("transpose_a: bool = false"));
  EXPECT_THAT(output_, HasSubstr("Gradient: yes"));
  EXPECT_THAT(output_, HasSubstr("cpu: "));
  ASSERT_EQ(Dfrun("ops ArgMax"), 0);
  EXPECT_THAT(output_, HasSubstr("Gradient: -\n"));
  ASSERT_EQ(Dfrun("ops Betainc"), 0);
  EXPECT_THAT(output_, HasSubstr("Gradient: yes; none for a, b\n"));
  ASSERT_EQ(Dfrun("ops"), 0);
  EXPECT_THAT(output_, HasSubstr("\nMatMul("));
}

TEST_F(CommandsTest, OpsAsSchemaAndTable) {
  ASSERT_EQ(Dfrun("ops --json-schema"), 0) << output_;
  for (const char* part : {"draft-07", "\"op.MatMul\"", "\"transpose_a\"", "\"momentum\"", "\"float32\""}) {
    EXPECT_THAT(output_, HasSubstr(part));
  }
  ASSERT_EQ(std::system(("python3 -m json.tool < " + work() + "/log > " + work() + "/schema").c_str()), 0);
  ASSERT_EQ(Dfrun("ops --table"), 0) << output_;
  EXPECT_THAT(output_, HasSubstr("\n| MatMul | cpu: float32"));
  EXPECT_EQ(Dfrun("ops --table --tests absent"), 74);
  EXPECT_EQ(Dfrun("ops MatMul --table"), 64);
}

// The first line in which they differ; empty: they are the same.
std::string FirstDifference(const std::string& got, const std::string& want) {
  std::istringstream got_lines(got);
  std::istringstream want_lines(want);
  for (int number = 1;; ++number) {
    std::string a;
    std::string b;
    const bool has_a = static_cast<bool>(std::getline(got_lines, a));
    const bool has_b = static_cast<bool>(std::getline(want_lines, b));
    if (!has_a && !has_b) return "";
    if (a == b && has_a == has_b) continue;
    return "line " + std::to_string(number) + "\n  registered: " + a + "\n  reviewed:   " + b +
           "\nscripts/ops-table writes docs/OPS.md and tests/golden/registry anew; review their difference";
  }
}

// Returns the environment in which the program registers nothing of the part for GPUs, which not every build has.
std::string WithoutParts(const std::string& empty_folder) {
  return "env DFRUN_DEVICE_PARTS=" + empty_folder;
}

TEST_F(CommandsTest, RegistryIsAsReviewed) {
  ASSERT_EQ(Dfrun("ops --registry", WithoutParts(work())), 0) << output_;
  EXPECT_EQ(FirstDifference(output_, ReadText("tests/golden/registry/ops.txt")), "");
}

TEST_F(CommandsTest, TableOfOpsIsUpToDate) {
  ASSERT_EQ(Dfrun("ops --table", WithoutParts(work())), 0) << output_;
  EXPECT_EQ(FirstDifference(output_, ReadText("docs/OPS.md")), "");
}

TEST_F(CommandsTest, InfoNamesWhatIsThere) {
  ASSERT_EQ(Dfrun("info"), 0);
  for (const char* what : {"MPI ", "HDF5 ", "oneDNN ", "-march=", "CUDA ", "/device:cpu:0"}) {
    EXPECT_THAT(output_, HasSubstr(what));
  }
}

TEST_F(CommandsTest, GraphAsGraphDefIsTheSameGraph) {
  const std::string path = Path("copy.pbtxt");
  ASSERT_EQ(Dfrun(std::string("graph ") + kPlaced + " --pb --out " + path), 0) << output_;
  ASSERT_EQ(Dfrun(std::string("graph ") + kPlaced), 0);
  const std::string original = output_;
  EXPECT_THAT(original, HasSubstr("w1 = VariableV2()"));
  ASSERT_EQ(Dfrun("graph " + path + " --text"), 0);
  EXPECT_EQ(output_, original);
}

TEST_F(CommandsTest, PartitionedGraphHasChannelsBetweenDevices) {
  ASSERT_EQ(Dfrun(std::string("graph ") + kPlaced + " --partitioned"), 0) << output_;
  EXPECT_THAT(output_, HasSubstr("# /job:ps/task:0/device:cpu:0 (rank 0)"));
  EXPECT_THAT(output_, HasSubstr("# /job:worker/task:0/device:cpu:0 (rank 1)"));
  EXPECT_THAT(output_, HasSubstr(" = _Send("));
  EXPECT_THAT(output_, HasSubstr(" = _Recv("));
  ASSERT_EQ(Dfrun(std::string("graph ") + kPlaced + " --partitioned --dot"), 0) << output_;
  EXPECT_THAT(output_, HasSubstr("subgraph cluster_1"));
  ASSERT_EQ(Dfrun(std::string("graph ") + kPlaced + " --partitioned --pb --out " + work() + "/part.pb"), 0) << output_;
  for (const char* part : {"/part.0.pb", "/part.1.pb"}) {
    const Result<Graph> graph = ReadGraphDefFile(work() + part);
    ASSERT_TRUE(graph.ok()) << graph.status().ToString();
    EXPECT_GT(graph->num_nodes(), 5);
  }
}

TEST_F(CommandsTest, GraphAfterAPassIsWholeOrByDevice) {
  const std::string graph = "graph configs/digits_mlp.yaml --ranks 2 --after ";
  ASSERT_EQ(Dfrun(graph + "prune"), 0) << output_;
  EXPECT_THAT(output_, HasSubstr("# the whole graph\n"));
  EXPECT_THAT(output_, HasSubstr("= Identity("));
  ASSERT_EQ(Dfrun(graph + "remove_identity"), 0) << output_;
  EXPECT_THAT(output_, Not(HasSubstr("= Identity(")));
  EXPECT_THAT(output_, HasSubstr("# the whole graph\n"));
  ASSERT_EQ(Dfrun(graph + "partition"), 0) << output_;
  EXPECT_THAT(output_, HasSubstr("# /job:worker/task:0/device:cpu:0 (rank 0)"));
  EXPECT_THAT(output_, Not(HasSubstr("_FusedMatMul")));
  ASSERT_EQ(Dfrun(graph + "cpu/fuse_bias"), 0) << output_;
  EXPECT_THAT(output_, HasSubstr("# /job:worker/task:1/device:cpu:0 (rank 1)"));
  EXPECT_THAT(output_, HasSubstr("_FusedMatMul"));
  EXPECT_EQ(Dfrun(graph + "no_such"), 64);
  EXPECT_THAT(output_, HasSubstr("there is no pass 'no_such'"));
  EXPECT_THAT(
      output_,
      HasSubstr("prune, loops_end, lower_collectives, enter_before_exit, dependency_pruning, constant_folding"));
  EXPECT_THAT(output_, HasSubstr("place, partition, cpu/fuse_bias"));
}

TEST_F(CommandsTest, GraphShowsWhatNodesCost) {
  ASSERT_EQ(Dfrun("graph configs/figure1.yaml --costs"), 0) << output_;
  EXPECT_THAT(output_, HasSubstr("W: VariableV2 flops=0 read=0 written=0\n"));
  EXPECT_THAT(output_, HasSubstr(": MatMul unknown\n"));  // the batch is free
  ASSERT_EQ(Dfrun("graph configs/figure1.yaml --costs --partitioned --ranks 2"), 0) << output_;
  EXPECT_THAT(output_, HasSubstr("# in all: flops="));
}

TEST_F(CommandsTest, OwnOpsAreNamedOrWrittenPortably) {
  const std::string path = Path("digits.pbtxt");
  EXPECT_EQ(Dfrun("graph configs/digits_mlp.yaml --pb --out " + path), 64);
  EXPECT_THAT(output_, HasSubstr("node 'batch/read': HDF5Reader"));
  EXPECT_THAT(output_, HasSubstr("--portable"));
  ASSERT_EQ(Dfrun("graph configs/digits_mlp.yaml --pb --portable --out " + path), 0) << output_;
  ASSERT_EQ(Dfrun("graph " + path), 0) << output_;
  EXPECT_THAT(output_, HasSubstr("batch/image = Placeholder() {dtype=float32, shape=[?,"));
  EXPECT_THAT(output_, HasSubstr("\ninit = NoOp("));
  EXPECT_THAT(output_, Not(HasSubstr("HDF5Reader")));
}

// The nodes that a portable graph has beside the spec's give way to those of the spec, and it is said.
TEST_F(CommandsTest, APortableGraphKeepsTheSpecsNodesNamedInitAndTrain) {
  const std::string graph =
      "graph:\n  init: {op: Variable, shape: [2], init: ones}\n  train: init * 3.0\n  loss: Mean(train)\n";
  const std::string spec =
      Write("named.yaml", "dfrun: 1\n" + graph + "train: {loss: loss, optimizer: sgd, learning_rate: 1.0, steps: 1}\n");
  const std::string path = Path("named.pb");
  ASSERT_EQ(Dfrun("graph " + spec + " --pb --portable --out " + path), 0) << output_;
  EXPECT_THAT(output_, HasSubstr("the spec has a node 'train': the node that makes a step of training is 'train_1'"));
  EXPECT_THAT(output_, HasSubstr("the node that gives the variables their first values is 'init_1'"));
  EXPECT_EQ(Evaluate(path + " --init init_1", "train").data<float>()[1], 3.0F);
  EXPECT_EQ(Evaluate(path + " --init init_1 --init train_1", "train").data<float>()[1], -1.5F);

  const std::string plain = Write("plain.yaml", "dfrun: 1\n" + graph + "run: {steps: 1, fetch: [loss]}\n");
  ASSERT_EQ(Dfrun("graph " + plain + " --pb --portable --out " + path), 0) << output_;
  EXPECT_THAT(output_, HasSubstr("the node that gives the variables their first values is 'init_1'"));
  EXPECT_THAT(output_, Not(HasSubstr("makes a step")));
  EXPECT_EQ(Evaluate(path + " --init init_1", "loss").scalar<float>(), 3.0F);
}

TEST_F(CommandsTest, EvalTakesNamesAsTheSpecMeansThem) {
  const std::string spec = Write("several.yaml",
                                 "dfrun: 1\n"
                                 "functions:\n  pair: {args: [a], returns: {twice: a * 2, more: a + 1}}\n"
                                 "graph:\n"
                                 "  last: {op: While, vars: {t: 0, h: 1.0}, cond: t < 3, body: {t: t + 1, h: h * 2}}\n"
                                 "  p: pair(last)\n"
                                 "  done: {op: NoOp, control: [^p]}\n");
  EXPECT_EQ(Evaluate(spec, "last").scalar<int32_t>(), 3);
  EXPECT_EQ(Evaluate(spec, "last:1").scalar<float>(), 8.0F);
  EXPECT_EQ(Evaluate(spec, "p:1").scalar<int32_t>(), 4);
  EXPECT_EQ(Dfrun("eval " + spec + " --fetch last:2"), 64);
  EXPECT_THAT(output_, HasSubstr("'last' has 2 values"));
  EXPECT_EQ(Dfrun("eval " + spec + " --target done"), 0) << output_;
  EXPECT_EQ(Dfrun("eval " + spec + " --target p/more:0"), 64);
  EXPECT_THAT(output_, HasSubstr("is an output, not a node: write 'p/more'"));
}

TEST_F(CommandsTest, GraphOfASpec) {
  ASSERT_EQ(Dfrun("graph configs/figure1.yaml"), 0) << output_;
  EXPECT_THAT(output_, HasSubstr("relu = Relu("));
  ASSERT_EQ(Dfrun("graph configs/digits_mlp.yaml --partitioned --ranks 3"), 0) << output_;
  EXPECT_THAT(output_, HasSubstr("(rank 2)"));
}

TEST_F(CommandsTest, CheckCompilesEveryStep) {
  ASSERT_EQ(Dfrun("check configs/digits_mlp.yaml --ranks 64"), 0) << output_;
  for (const char* step : {"train: ", "init: ", "eval: ", "save: ", "restore: "}) EXPECT_THAT(output_, HasSubstr(step));
}

TEST_F(CommandsTest, CheckSaysWhatEachPassTook) {
  ASSERT_EQ(Dfrun("check configs/digits_mlp.yaml"), 0) << output_;
  const std::string without = output_;
  ASSERT_EQ(Dfrun("check configs/digits_mlp.yaml --timings"), 0) << output_;
  const size_t start = output_.find("milliseconds ");
  const size_t end = output_.find('\n', output_.find("\nall ") + 1) + 1;
  ASSERT_LT(start, end) << output_;
  std::istringstream table(output_.substr(start, end - start));
  EXPECT_EQ(output_.erase(start, end - start), without);
  std::string line;
  std::getline(table, line);
  EXPECT_THAT(line, ::testing::MatchesRegex("milliseconds +all +train +init +eval +save +restore"));
  std::vector<std::string> stages;
  double sum = 0;
  double all = 0;
  while (std::getline(table, line)) {
    sum += all;
    std::istringstream(line) >> stages.emplace_back() >> all;
  }
  EXPECT_GT(all, 0);
  EXPECT_NEAR(all, sum, 0.001 * static_cast<double>(stages.size()));  // each is rounded to 0.001
  const std::set<std::string> of_each_kind = {"prune",     "constant_folding", "place",
                                              "partition", "late_receives",    "all"};
  std::erase_if(stages, [&](const std::string& stage) { return !of_each_kind.contains(stage); });
  EXPECT_THAT(stages, ElementsAre("prune", "constant_folding", "place", "partition", "late_receives", "all"));
}

TEST_F(CommandsTest, CheckCompilesNoGraph) {
  for (const std::string flag : {"--timings", "--explain-gpu"}) {
    EXPECT_EQ(Dfrun(StrCat("check ", kPlaced, " ", flag)), 64) << output_;
    EXPECT_THAT(output_, HasSubstr(StrCat(flag, ": ", kPlaced, " is a graph, which is compiled when it runs")));
  }
}

// 64 x 128 + 128 weights, and 128 x 10 + 10, of 4 bytes.
TEST_F(CommandsTest, CheckShowsParametersByScope) {
  ASSERT_EQ(Dfrun("check configs/digits_mlp.yaml"), 0) << output_;
  EXPECT_THAT(output_, HasSubstr("\n"
                                 "  scope   variables  parameters  bytes\n"
                                 "  h1              2        8320  33280\n"
                                 "  logits          2        1290   5160\n"
                                 "  total           4        9610  38440\n"));
}

TEST_F(CommandsTest, TheFirstLineOfARunSaysWhatRunsWhere) {
  const std::string run = "run configs/digits_mlp.yaml --set batch=256 --output ";
  ASSERT_EQ(Dfrun(run + Path("two.run"), WithoutParts(work()) + " mpirun --oversubscribe -np 2"), 0) << output_;
  EXPECT_THAT(output_, ::testing::StartsWith("dfrun: digits_mlp: 2 ranks on 1 host, 4 replicas, 2 cpus, "
                                             "9610 parameters, 1437 samples, 169 steps\n"));
  ASSERT_EQ(Dfrun("run configs/figure1.yaml --output " + Path("figure1.run"),
                  WithoutParts(work()) + " mpirun --oversubscribe -np 2"),
            0)
      << output_;
  EXPECT_THAT(output_,
              ::testing::StartsWith("dfrun: figure1: 2 ranks on 1 host, 1 of 2 cpus, 78500 parameters, 10 steps\n"));
}

TEST_F(CommandsTest, CheckFindsWhatTheCompileFinds) {
  const std::string spec = Write("far.yaml",
                                 "dfrun: 1\n"
                                 "graph:\n"
                                 "  a: {op: Const, value: 1.0, device: /job:worker/task:5}\n"
                                 "  b: Tanh(a)\n"
                                 "run: {fetch: [b]}\n");
  EXPECT_EQ(Dfrun("check " + spec + " --ranks 2"), 65);
  EXPECT_THAT(output_, HasSubstr("far.yaml:3:"));
  EXPECT_THAT(output_, Not(HasSubstr("dfrun: ")));
  EXPECT_EQ(Dfrun("check " + spec), 0) << output_;  // the default is the number of ranks that it needs
}

}  // namespace
}  // namespace dfrun
