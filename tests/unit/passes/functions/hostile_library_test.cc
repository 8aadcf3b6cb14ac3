// Libraries that are wrong or mean harm: each is refused by an error that names the fault, in bounded time and memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/graph/graph_def/graph_def.h"
#include "src/graph/graph_def/unknown_ops.h"
#include "src/passes/functions/lower_functions.h"
#include "src/passes/prune.h"
#include "tests/unit/passes/functions/library_text.h"

namespace dfrun::testing {
namespace {

using ::testing::HasSubstr;

Status Lower(const std::string& text) {
  DF_ASSIGN(Graph graph, ImportGraphDef(text, GraphDefFormat::kText));
  DF_TRY(LowerFunctions(graph, {.max_nodes = 20000}));
  return CheckKnown(graph, std::vector<bool>(static_cast<size_t>(graph.num_nodes()), true));
}

struct HostileLibrary {
  std::string name;
  std::string text;
  std::vector<std::string> error;  // parts of it
};

std::ostream& operator<<(std::ostream& out, const HostileLibrary& library) {
  return out << library.name;
}

const std::string kNeg = Function("neg", Node("last", "Neg", {"x"}), "last:y:0");

std::string WithCall(const std::string& functions, const std::string& called) {
  return Library(functions) + kInput + Call("call", called, "in");
}

std::string SomeFunction(const std::string& name, const std::string& signature, const std::string& rest) {
  return StrCat("function { signature { name: '", name, "' ", signature, "} ", rest, "} ");
}

// A function without arguments of its own nodes: f(k) calls f(k - 1) twice, f0 is `innermost`.
std::string Doubling(const std::string& innermost, int levels) {
  std::string functions = innermost;
  for (int k = 1; k <= levels; ++k) {
    const std::string inner = StrCat("f", k - 1);
    functions += Function(StrCat("f", k), Node("a", inner, {"x"}, "") + Node("b", inner, {"a:y:0"}, ""), "b:y:0");
  }
  return functions;
}

// f(k) returns all outputs of two calls of f(k - 1).
std::string DoublingOutputs(int levels) {
  const auto two = [](int k, const std::string& nodes, const std::string& result) {
    return SomeFunction(
        StrCat("f", k),
        "input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } output_arg { "
        "name: 'z' type: DT_FLOAT } ",
        StrCat(nodes, "ret { key: 'y' value: '", result, "' } ret { key: 'z' value: '", result, "' } "));
  };
  std::string functions = two(0, "", "x");
  for (int k = 1; k <= levels; ++k) {
    functions += two(k,
                     Node("a", "PartitionedCall", {"x"},
                          FunctionAttr("f", StrCat("f", k - 1)) + FloatList("Tin") + FloatList("Tout", 2)),
                     "a:output");
  }
  return functions;
}

// Every node reads all outputs of the one before twice.
std::string DoublingInputs(int levels) {
  std::string nodes = Node("n0", "IdentityN", {"x", "x"}, FloatList("T", 2));
  for (int k = 1; k <= levels; ++k) {
    const std::string all = StrCat("n", k - 1, ":output");
    nodes += Node(StrCat("n", k), "IdentityN", {all, all}, "");
  }
  return Function("f", nodes, StrCat("n", levels, ":output:0"));
}

// Each function is the gradient of the one before.
std::string GradientsOfGradients(int levels) {
  std::string functions = Function("f0", Node("s", "Sin", {"x"}) + Node("last", "Mul", {"x", "s:y:0"}));
  for (int k = 1; k <= levels; ++k) {
    const std::string attrs = FunctionAttr("f", StrCat("f", k - 1)) + FloatList("Tin", 2) + FloatList("Tout");
    functions += Function(StrCat("f", k), Node("d", "SymbolicGradient", {"x", "x"}, attrs), "d:output:0");
  }
  return functions;
}

std::string Chain(int length) {
  std::string functions = kNeg;
  for (int k = 0; k < length; ++k) {
    functions += Function(StrCat("g", k), Node("a", k == 0 ? "neg" : StrCat("g", k - 1), {"x"}, ""), "a:y:0");
  }
  return functions;
}

// Functions g1 to g<levels>, each a Case whose last branch is the function before, so that inlining nests them.
std::string CaseInCase(int levels, int branches) {
  const auto attrs = [&](const std::string& last) {
    std::string functions;
    for (int k = 0; k + 1 < branches; ++k) functions += "func { name: 'neg' } ";
    return StrCat("attr { key: 'branches' value { list { ", functions, "func { name: '", last, "' } } } } ",
                  FloatList("Tin"), FloatList("Tout"));
  };
  const std::string index = Node(
      "index", "Const", {},
      "attr { key: 'dtype' value { type: DT_INT32 } } attr { key: 'value' value { tensor { dtype: DT_INT32 int_val: "
      "1 tensor_shape {} } } } ");
  std::string library = kNeg;
  for (int k = 1; k <= levels; ++k) {
    const std::string last = k == 1 ? "neg" : StrCat("g", k - 1);
    library += Function(StrCat("g", k), index + Node("c", "Case", {"index:output:0", "x"}, attrs(last)), "c:output:0");
  }
  return library;
}

std::string If(const std::string& name, const std::string& taken, const std::string& other,
               const std::string& types = FloatList("Tin") + FloatList("Tout")) {
  return StrCat("node { name: '", name, "' op: 'If' input: 'in' input: 'in' ", FunctionAttr("then_branch", taken),
                FunctionAttr("else_branch", other), "attr { key: 'Tcond' value { type: DT_FLOAT } } ", types, "} ");
}

std::string While(const std::string& cond, const std::string& body) {
  return StrCat("node { name: 'loop' op: 'While' input: 'in' ", FunctionAttr("cond", cond), FunctionAttr("body", body),
                FloatList("T"), "} ");
}

std::vector<HostileLibrary> Libraries() {
  const std::string twice =
      SomeFunction("twice",
                   "input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } output_arg { name: "
                   "'z' type: DT_FLOAT } ",
                   "ret { key: 'y' value: 'x' } ret { key: 'z' value: 'x' } ");
  const std::string none = SomeFunction("none", "output_arg { name: 'y' type: DT_FLOAT } ",
                                        Node("c", "Const", {},
                                             "attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'value' value "
                                             "{ tensor { dtype: DT_FLOAT float_val: 1 tensor_shape {} } } } ") +
                                            "ret { key: 'y' value: 'c:output:0' } ");
  const std::string repeated =
      "attr { name: 'N' type: 'int' } input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT "
      "number_attr: 'N' } ";
  return {
      {"NoLibrary", kInput + Call("call", "f", "in"), {"'call'", "no function 'f'"}},
      {"MissingBranch", Library(kNeg) + kInput + If("if", "neg", "absent"), {"'if'", "no function 'absent'"}},
      {"TooFewArguments",
       Library(kNeg) + kInput + "node { name: 'call' op: 'PartitionedCall' " + FunctionAttr("f", "neg") +
           FloatList("Tin", 0) + FloatList("Tout") + "}",
       {"'call'", "'neg'"}},
      {"TooManyArguments",
       Library(kNeg) + kInput + "node { name: 'call' op: 'PartitionedCall' input: 'in' input: 'in' " +
           FunctionAttr("f", "neg") + FloatList("Tin", 2) + FloatList("Tout") + "}",
       {"'call'", "'neg'"}},
      {"TooManyResults", WithCall(twice, "twice"), {"'call'", "2 outputs"}},
      {"CallsItself", WithCall(Function("f", Node("a", "f", {"x"}, ""), "a:y:0"), "f"), {"'f' calls itself"}},
      {"CallsItselfThroughAnother",
       WithCall(Function("f", Node("a", "g", {"x"}, ""), "a:y:0") + Function("g", Node("a", "f", {"x"}, ""), "a:y:0"),
                "f"),
       {"'f' -> 'g' -> 'f'"}},
      {"ABodyThatHoldsItsLoop",
       Library(SomeFunction("cond", "input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } ",
                            "ret { key: 'y' value: 'x' } ") +
               Function("body",
                        Node("w", "While", {"x"},
                             FunctionAttr("cond", "cond") + FunctionAttr("body", "body") + FloatList("T")),
                        "w:output:0")) +
           kInput + While("cond", "body"),
       {"'body' calls itself"}},
      {"DerivesItself",
       WithCall(Function("f",
                         Node("d", "SymbolicGradient", {"x", "x"},
                              FunctionAttr("f", "f") + FloatList("Tin", 2) + FloatList("Tout")),
                         "d:output:0"),
                "f"),
       {"'f' calls itself"}},
      {"IsItsOwnGradient",
       Library(Function("f",
                        Node("d", "SymbolicGradient", {"x", "x"},
                             FunctionAttr("f", "h") + FloatList("Tin", 2) + FloatList("Tout")),
                        "d:output:0") +
               "gradient { function_name: 'h' gradient_func: 'f' } ") +
           kInput + Call("call", "f", "in"),
       {"'f'"}},
      {"AttrMissing", WithCall(Function("f", Node("a", "Cast", {"x"}, ""), "a:y:0"), "f"), {"'a'", "'DstT'"}},
      {"AttrOfAnotherType",
       WithCall(Function("f", Node("last", "Neg", {"x"}, "attr { key: 'T' value { i: 3 } } "), "last:y:0"), "f"),
       {"'last'", "'T'"}},
      {"FunctionAttrIsNoFunction",
       Library(kNeg) + kInput +
           "node { name: 'call' op: 'PartitionedCall' input: 'in' attr { key: 'f' value { s: 'neg' } } " +
           FloatList("Tin") + FloatList("Tout") + "}",
       {"'call'", "'f'"}},
      {"FunctionAttrMissing",
       Library(kNeg) + kInput + "node { name: 'call' op: 'PartitionedCall' input: 'in' " + FloatList("Tin") +
           FloatList("Tout") + "}",
       {"'call'", "'f'"}},
      {"PlaceholderOfNoAttr",
       WithCall(Function("f", Node("last", "Neg", {"x"}, "attr { key: 'T' value { placeholder: 'U' } } "), "last:y:0"),
                "f"),
       {"'f'", "'U'"}},
      {"TwoFunctionsOfOneName",
       WithCall(kNeg + Function("neg", Node("last", "Exp", {"x"}), "last:y:0"), "neg"),
       {"'neg'"}},
      {"TwoNodesOfOneName",
       WithCall(Function("f", Node("last", "Neg", {"x"}) + Node("last", "Exp", {"x"}), "last:y:0"), "f"),
       {"'f'", "'last'"}},
      {"ANodeOfAnArgumentsName", WithCall(Function("f", Node("x", "Neg", {"x"}), "x:y:0"), "f"), {"'f'", "'x'"}},
      {"ACycle",
       WithCall(Function("f", Node("a", "Neg", {"b:y:0"}) + Node("b", "Neg", {"a:y:0"}), "a:y:0"), "f"),
       {"'f'", "cycle"}},
      {"NothingReturned",
       WithCall(
           SomeFunction("f", "input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } ", ""),
           "f"),
       {"'f'", "'y'"}},
      {"ReturnsWhatToWaitFor", WithCall(Function("f", "", "^x"), "f"), {"'f'", "'y'", "'^x'"}},
      {"WaitsForNoArgument",
       WithCall(SomeFunction("f", "input_arg { name: 'x:' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } ",
                             Node("last", "NoOp", {"^x::"}, "") + "ret { key: 'y' value: 'last' } "),
                "f"),
       {"'f'", "'last'", "'^x::'"}},
      {"MoreReturnedThanDeclared",
       WithCall(Function("f", Node("n", "IdentityN", {"x", "x"}, FloatList("T", 2)), "n:output"), "f"),
       {"'f'", "'y'"}},
      {"ReturnedInAnotherType",
       WithCall(
           Function(
               "f",
               Node("c", "Cast", {"x"},
                    "attr { key: 'SrcT' value { type: DT_FLOAT } } attr { key: 'DstT' value { type: DT_INT32 } } "),
               "c:y:0"),
           "f"),
       {"'f'", "'y'"}},
      {"RepeatedWithoutEnd",
       Library(SomeFunction("f", repeated, "ret { key: 'y' value: 'x' } ")) + kInput +
           "node { name: 'call' op: 'f' input: 'in' attr { key: 'N' value { i: 1000000000000 } } } ",
       {"'call'", "1000000000000"}},
      {"BranchesOfOtherResults", Library(kNeg + twice) + kInput + If("if", "neg", "twice"), {"'if'"}},
      {"AConditionOfNoArguments", Library(none + kNeg) + kInput + While("none", "neg"), {"'loop'", "'none'"}},
      {"ABodyOfOtherResults", Library(kNeg + twice) + kInput + While("neg", "twice"), {"'loop'", "'twice'"}},
      {"NodesMultiply",
       WithCall(Doubling(kNeg, 0) + Doubling(Function("f0", Node("last", "Neg", {"x"}), "last:y:0"), 60), "f60"),
       {"more than"}},
      {"CallsMultiplyWithoutNodes", WithCall(Doubling(Function("f0", "", "x"), 60), "f60"), {"more than"}},
      {"OutputsMultiply", WithCall(DoublingOutputs(60), "f60"), {"'y'"}},
      {"InputsMultiply", WithCall(DoublingInputs(60), "f"), {"more than"}},
      {"GradientsMultiply", WithCall(GradientsOfGradients(60), "f60"), {"more than"}},
      {"CasesNestTooDeep", WithCall(CaseInCase(150, 4), "g150"), {"conditionals are nested"}},
      {"CallsNestTooDeep", WithCall(Chain(100000), "g99999"), {"nested"}},
  };
}

class HostileLibraryTest : public ::testing::TestWithParam<HostileLibrary> {};

TEST_P(HostileLibraryTest, IsRefusedByName) {
  const Status status = Lower(GetParam().text);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.code(), Code::kInternal) << status.ToString();
  for (const std::string& part : GetParam().error) EXPECT_THAT(status.message(), HasSubstr(part));
}

INSTANTIATE_TEST_SUITE_P(Libraries, HostileLibraryTest, ::testing::ValuesIn(Libraries()),
                         [](const auto& info) { return info.param.name; });

// A call that cannot be read is refused by the runs that need it, and by no others.
TEST(AFunctionThatCallsNone, IsRefusedByNameInARunThatNeedsIt) {
  Result<Graph> graph = ImportGraphDef(
      WithCall(Function("f", Node("n", "absent", {"x"}, "")), "f") + "node { name: 'other' op: 'NoOp' } ",
      GraphDefFormat::kText);
  ASSERT_TRUE(graph.ok()) << graph.status().ToString();
  const Status lowered = LowerFunctions(*graph, {.max_nodes = 20000});
  ASSERT_TRUE(lowered.ok()) << lowered.ToString();
  RunSignature fetched, run_for_its_effect, other;
  fetched.fetches = {{graph->Find("call"), 0}};
  run_for_its_effect.targets = {graph->Find("call")};
  other.targets = {graph->Find("other")};
  for (const RunSignature& run : {fetched, run_for_its_effect}) {
    const Status status = PruneForRun(*graph, run).status();
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << status.ToString();
    for (const char* part : {"'call'", "'f'", "'n'", "'absent'"}) EXPECT_THAT(status.message(), HasSubstr(part));
  }
  EXPECT_TRUE(PruneForRun(*graph, other).ok());
}

TEST(ManyBranches, NestAsDeepAsTheirLogarithm) {
  const Status status = Lower(WithCall(CaseInCase(2, 600), "g2"));
  EXPECT_TRUE(status.ok()) << status.ToString();
}

}  // namespace
}  // namespace dfrun::testing
