// The result of lowering small libraries; tests/golden/functions compares the graphs' values with TensorFlow.
#include "src/passes/functions/lower_functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/autodiff/gradients.h"
#include "src/graph/graph_def/graph_def.h"
#include "src/graph/graph_def/text_dump.h"
#include "src/graph/graph_def/unknown_ops.h"
#include "tests/unit/passes/functions/library_text.h"

namespace dfrun::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Result<Graph> Lower(const std::string& text) {
  DF_ASSIGN(Graph graph, ImportGraphDef(text, GraphDefFormat::kText));
  DF_TRY(LowerFunctions(graph));
  return graph;
}

std::string Lowered(const std::string& text) {
  const Result<Graph> graph = Lower(text);
  return graph.ok() ? DumpText(*graph) : graph.status().ToString();
}

const std::string kSquareDef = Function("square", Node("last", "Mul", {"x", "x"}));
const std::string kSquare = Library(kSquareDef);

// Attrs have no order.
TEST(LowerFunctionsTest, AFunctionThatIsThereTwiceIsOne) {
  constexpr int kAttrs = 50;
  const auto square = [](int first, int step) {
    std::string attrs;
    for (int k = 0; k < kAttrs; ++k) attrs += StrCat("attr { key: 'a", first + k * step, "' value { i: 1 } } ");
    return Function("square", Node("last", "Mul", {"x", "x"}), "last:z:0", attrs);
  };
  const std::string both = Library(square(0, 1) + square(kAttrs - 1, -1));
  EXPECT_EQ(Lowered(both + kInput + Call("call", "square", "in")),
            Lowered(kSquare + kInput + Call("call", "square", "in")));
}

// Without the function the node would be no call.
TEST(LowerFunctionsTest, ACallThatCannotBeReadIsExportedWithItsFunction) {
  const std::string odd = Function("odd", Node("last", "Mystery", {"x"}));
  const Result<Graph> graph =
      Lower(Library(kSquareDef + odd) + kInput + Call("call", "square", "in") + Call("unread", "odd", "call"));
  ASSERT_TRUE(graph.ok()) << graph.status().ToString();
  const Result<Graph> again = ImportGraphDef(ExportGraphDef(*graph, GraphDefFormat::kBinary), GraphDefFormat::kBinary);
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ(DumpText(*again), DumpText(*graph));
  EXPECT_TRUE(IsUnknown(again->node(again->Find("unread"))));
}

TEST(LowerFunctionsTest, NodesAreNamedUnderTheCallAndItsNameStays) {
  const Result<Graph> graph = Lower(kSquare + kInput + Call("call", "square", "in"));
  ASSERT_TRUE(graph.ok()) << graph.status().ToString();
  const NodeId call = graph->Find("call");
  ASSERT_GE(call, 0);
  EXPECT_EQ(graph->node(call).op->name, "Identity");
  EXPECT_EQ(OutputName(*graph, graph->node(call).inputs[0]), "call/last");
  EXPECT_EQ(graph->shape({call, 0}), PartialShape({3}));
  EXPECT_FALSE(CallsFunctions(*graph));
  EXPECT_THAT(ExportGraphDef(*graph, GraphDefFormat::kText), Not(HasSubstr("library")));
}

TEST(LowerFunctionsTest, AGradientThatTheLibraryNamesIsNotedOnWhatTheCallGives) {
  const std::string library = Library(kSquareDef + Function("other", Node("last", "Mul", {"x", "x"})) +
                                      "gradient { function_name: 'square' gradient_func: 'square_grad' } ");
  Result<Graph> graph = Lower(library + kInput + Call("call", "square", "in") + Call("plain", "other", "in"));
  ASSERT_TRUE(graph.ok()) << graph.status().ToString();
  const Output x{graph->Find("in"), 0};
  const Output plain{graph->Find("plain"), 0};
  EXPECT_TRUE(AddGradients(*graph, {&plain, 1}, {&x, 1}).ok());
  const Output call{graph->Find("call"), 0};
  const Status status = AddGradients(*graph, {&call, 1}, {&x, 1}).status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("node 'call/y' (op Identity) has a gradient of its own, 'square_grad'"));
}

TEST(LowerFunctionsTest, AGraphWithoutCallsStaysAsItIs) {
  Graph graph = *ImportGraphDef(kSquare + kInput, GraphDefFormat::kText);
  const std::string before = ExportGraphDef(graph, GraphDefFormat::kBinary);
  ASSERT_TRUE(LowerFunctions(graph).ok());
  EXPECT_EQ(ExportGraphDef(graph, GraphDefFormat::kBinary), before);
}

TEST(LowerFunctionsTest, NamesThatAreTakenAreNotUsed) {
  const Result<Graph> graph = Lower(kSquare + kInput + Call("call", "square", "in") +
                                    "node { name: 'call/last' op: 'NoOp' } node { name: 'call/last_1' op: 'NoOp' }");
  ASSERT_TRUE(graph.ok()) << graph.status().ToString();
  EXPECT_EQ(graph->node(graph->Find("call/last")).op->name, "NoOp");
  EXPECT_EQ(OutputName(*graph, graph->node(graph->Find("call")).inputs[0]), "call/last_2");
}

TEST(LowerFunctionsTest, TheCallsDeviceCompletesThoseOfItsNodes) {
  const std::string nodes = Node("first", "Neg", {"x"}, StrCat(kFloat, "device: '/device:CPU:1'")) +
                            Node("last", "Mul", {"first:y:0", "x"},
                                 StrCat(kFloat, "attr { key: '_class' value { list { s: 'loc:@first' } } }"));
  const Result<Graph> graph =
      Lower(Library(Function("f", nodes)) + kInput + Call("call", "f", "in", "device: '/job:ps/task:2'"));
  ASSERT_TRUE(graph.ok()) << graph.status().ToString();
  EXPECT_EQ(graph->node(graph->Find("call/first")).device, "/job:ps/task:2/device:cpu:1");
  EXPECT_EQ(graph->node(graph->Find("call/last")).device, "/job:ps/task:2");
  EXPECT_EQ(graph->node(graph->Find("call/last")).colocate_with, "call/first");
  EXPECT_EQ(graph->node(graph->Find("call")).device, "/job:ps/task:2");
}

TEST(LowerFunctionsTest, WhoReadsOrWaitsForACallWaitsForItsEffects) {
  const std::string nodes =
      Node("say", "Print", {"x", "x"}, StrCat(kFloat, "attr { key: 'U' value { list { type: DT_FLOAT } } }")) +
      Node("last", "Mul", {"x", "x"});
  std::string f = Function("f", nodes, "last:z:0", "control_ret { key: 'said' value: 'say' }");
  f.insert(f.find(" output_arg"), " control_output: 'said'");
  const std::string dump = Lowered(Library(f) + kInput + "node { name: 'before' op: 'NoOp' } " +
                                   Call("call", "f", "in", "input: '^before'"));
  EXPECT_THAT(dump, HasSubstr("call/say = Print(in, in, ^before)"));
  EXPECT_THAT(dump, HasSubstr("call/last = Mul(in, in) "));
  const Result<Graph> graph = Lower(Library(f) + kInput + Call("call", "f", "in"));
  ASSERT_TRUE(graph.ok()) << graph.status().ToString();
  const dfrun::Node& output = graph->node(graph->Find("call/output"));
  ASSERT_EQ(output.control_inputs.size(), 1U);
  const dfrun::Node& effects = graph->node(output.control_inputs[0]);
  ASSERT_EQ(effects.control_inputs.size(), 1U);
  EXPECT_EQ(graph->node(effects.control_inputs[0]).name, "call/say");
}

// The body reads the variable after all that the call waits for.
TEST(LowerFunctionsTest, ACallReadsAVariableWhenItBegins) {
  const std::string variable =
      "node { name: 'v' op: 'VariableV2' attr { key: 'dtype' value { type: DT_FLOAT } } "
      "attr { key: 'shape' value { shape { dim { size: 3 } } } } } ";
  const std::string update = StrCat("node { name: 'u' op: 'AssignAdd' input: 'v' input: 'in' ", kFloat, "} ");
  const std::string dump = Lowered(kSquare + kInput + variable + update + Call("call", "square", "v", "input: '^u'"));
  EXPECT_THAT(dump, HasSubstr("call/read = Identity(v, ^u)"));
  EXPECT_THAT(dump, HasSubstr("call/last = Mul(call/read, call/read)"));
}

TEST(LowerFunctionsTest, CallsThatComeBackAreRefused) {
  const std::string call = R"(attr { key: 'f' value { func { name: '%' } } }
      attr { key: 'Tin' value { list { type: DT_FLOAT } } } attr { key: 'Tout' value { list { type: DT_FLOAT } } })";
  const auto calling = [&](const std::string& name) { return std::string(call).replace(call.find('%'), 1, name); };
  const std::string library = Function("f", Node("n", "PartitionedCall", {"x"}, calling("g")), "n:output:0") +
                              Function("g", Node("m", "h", {"x"}, ""), "m:y:0") +
                              Function("h", Node("k", "PartitionedCall", {"x"}, calling("g")), "k:output:0");
  const Result<Graph> graph = Lower(Library(library) + kInput + Call("call", "f", "in"));
  ASSERT_FALSE(graph.ok());
  EXPECT_THAT(graph.status().message(), HasSubstr("'call'"));
  EXPECT_THAT(graph.status().message(), HasSubstr("function 'g' calls itself"));
  EXPECT_THAT(graph.status().message(), HasSubstr("'g' -> 'h' -> 'g'"));
}

TEST(LowerFunctionsTest, AFunctionThatIsNotCalledMayBeWrong) {
  const std::string wrong = Function("g", Node("last", "Mul", {"nowhere", "x"}));
  EXPECT_TRUE(Lower(Library(kSquareDef + wrong) + kInput + Call("call", "square", "in")).ok());
}

TEST(LowerFunctionsTest, ErrorsNameFunctionAndNode) {
  const auto error = [](const std::string& text) { return Lower(text).status().message(); };
  EXPECT_THAT(error(kSquare + kInput + Call("call", "sqare", "in")),
              AllOf(HasSubstr("'call'"), HasSubstr("no function 'sqare'"), HasSubstr("'square'")));
  EXPECT_THAT(error(Library(Function("g", Node("last", "Mul", {"nowhere", "x"}))) + kInput + Call("call", "g", "in")),
              AllOf(HasSubstr("function 'g'"), HasSubstr("node 'last'"), HasSubstr("'nowhere'")));
  EXPECT_THAT(error(Library(Function("g", Node("last", "Neg", {"x"}), "last:q:0")) + kInput + Call("call", "g", "in")),
              AllOf(HasSubstr("function 'g'"), HasSubstr("no output 'last:q'")));
  EXPECT_THAT(error(Library(Function("g", Node("last", "Neg", {"x"}), "last:y:1")) + kInput + Call("call", "g", "in")),
              AllOf(HasSubstr("function 'g'"), HasSubstr("'last:y:1'")));
  const std::string ints = "node { name: 'in' op: 'Placeholder' attr { key: 'dtype' value { type: DT_INT32 } } } ";
  EXPECT_THAT(error(kSquare + ints +
                    "node { name: 'call' op: 'PartitionedCall' input: 'in' attr { key: 'f' value { func { name: "
                    "'square' } } } attr { key: 'Tin' value { list { type: DT_INT32 } } } attr { key: 'Tout' value { "
                    "list { type: DT_FLOAT } } } }"),
              AllOf(HasSubstr("function 'square'"), HasSubstr("must be float32, but is int32")));
}

TEST(LowerFunctionsTest, CallsThatMultiplyAreStopped) {
  std::string library = Function("f0", Node("last", "Mul", {"x", "x"}));
  for (int i = 1; i < 40; ++i) {
    const std::string f = StrCat("f", i - 1);
    library += Function(StrCat("f", i), Node("a", f, {"x"}, "") + Node("b", f, {"a:y:0"}, ""), "b:y:0");
  }
  Graph graph = *ImportGraphDef(Library(library) + kInput + Call("call", "f39", "in"), GraphDefFormat::kText);
  EXPECT_THAT(LowerFunctions(graph, {.max_nodes = 1000}).message(), HasSubstr("more than 1000 nodes"));
}

TEST(LowerFunctionsTest, DeepCallsAreStopped) {
  std::string library = Function("f0", Node("last", "Mul", {"x", "x"}));
  for (int i = 1; i < 300; ++i) library += Function(StrCat("f", i), Node("a", StrCat("f", i - 1), {"x"}, ""), "a:y:0");
  EXPECT_TRUE(Lower(Library(library) + kInput + Call("call", "f150", "in")).ok());
  EXPECT_THAT(Lower(Library(library) + kInput + Call("call", "f299", "in")).status().message(), HasSubstr("nested"));
}

}  // namespace
}  // namespace dfrun::testing
