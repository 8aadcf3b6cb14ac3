#include "src/graph/graph_def/unknown_ops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/graph/graph_def/graph_def.h"
#include "src/graph/graph_def/text_dump.h"

namespace dfrun {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

Graph Import(const std::string& text) {
  Result<Graph> graph = ImportGraphDef(text, GraphDefFormat::kText);
  if (!graph.ok()) {
    ADD_FAILURE() << graph.status().ToString();
    return Graph();
  }
  return *std::move(graph);
}

const Node& Find(const Graph& graph, const char* name) {
  return graph.node(graph.Find(name));
}

constexpr char kFloat[] = R"(attr { key: "T" value { type: DT_FLOAT } })";

TEST(UnknownOpsTest, AreListedWithNodesAndNearNames) {
  const Graph g = Import(
      R"(node { name: "a" op: "Identityy" } node { name: "b" op: "Convolve" } node { name: "c" op: "Identityy" })");
  EXPECT_THAT(ListUnknown(g), StartsWith("node 'b': unknown op 'Convolve'"));
  EXPECT_THAT(ListUnknown(g), EndsWith("node 'a' and 1 more: unknown op 'Identityy', did you mean 'Identity'?"));
  EXPECT_THAT(CheckKnown(g, {false, true, false}).message(), HasSubstr("'Convolve'"));
  EXPECT_THAT(CheckKnown(g, {false, true, false}).message(), Not(HasSubstr("Identityy")));
  EXPECT_TRUE(CheckKnown(g, {false, false, false}).ok());
}

TEST(UnknownOpsTest, ReadersSayWhatTheOutputsAre) {
  const Graph g = Import(StrCat(
      R"(node { name: "u" op: "Mystery" attr { key: "output_types" value { list { type: DT_HALF type: DT_INT64 } } } }
         node { name: "y" op: "Identity" input: "u:2" )",
      kFloat, R"( }
         node { name: "z" op: "Mystery" input: "u:1" input: "^y" })"));
  const Node& u = Find(g, "u");
  ASSERT_EQ(u.num_outputs(), 3);
  EXPECT_EQ(u.output_types[0].dtype, DType::kHalf);
  EXPECT_EQ(u.output_types[1].dtype, DType::kInt64);
  EXPECT_EQ(u.output_types[2].dtype, DType::kFloat);
  EXPECT_FALSE(u.output_shapes[2].known_rank());
  EXPECT_EQ(Find(g, "y").inputs[0], (Output{u.id, 2}));
  EXPECT_EQ(OpNameOf(u), "Mystery");
}

TEST(UnknownOpsTest, InFunctionsCountWhereTheyAreCalled) {
  const std::string library =
      R"(library { function { signature { name: "used" } node_def { name: "x" op: "Absent" } }
                   function { signature { name: "outer" }
                              node_def { name: "y" op: "NoOp" attr { key: "_f" value { func { name: "used" } } } } }
                   function { signature { name: "by_name" } node_def { name: "v" op: "outer" } }
                   function { signature { name: "unused" } node_def { name: "w" op: "Missing" } } })";
  EXPECT_THAT(ListUnknown(Import(library + R"(node { name: "a" op: "NoOp" })")), IsEmpty());
  const Graph g =
      Import(library + R"(node { name: "a" op: "NoOp" attr { key: "_f" value { list { func { name: "by_name" } } } } }
                   node { name: "b" op: "outer" })");
  EXPECT_THAT(ListUnknown(g), StartsWith("node 'a' and 1 more: node 'x' of function 'used': unknown op 'Absent'"));
}

TEST(UnknownOpsTest, UnknownAttrsAndDTypesAreOfTheirNodesAlone) {
  const Graph g = Import(
      R"(node { name: "a" op: "NoOp" attr { key: "later_option" value { b: true } } }
         node { name: "b" op: "NoOp" attr { key: "later_option" value { b: false } } }
         node { name: "c" op: "Identity" input: "d" attr { key: "T" value { type: DT_FLOAT8_E5M2 } } }
         node { name: "d" op: "Source" })");
  EXPECT_TRUE(IsUnknown(Find(g, "a")));
  EXPECT_FALSE(IsUnknown(Find(g, "b")));
  EXPECT_THAT(ListUnknown(g), HasSubstr("node 'a': unknown attr 'later_option' of NoOp"));
  EXPECT_THAT(ListUnknown(g), HasSubstr("node 'c': attr 'T' of Identity: dtype DT_FLOAT8_E5M2 is not supported"));
}

// The node that replaces an unknown op gives no reference.
TEST(UnknownOpsTest, WhatTakesAReferenceFromOneIsOne) {
  const Graph g = Import(StrCat(
      R"(node { name: "v" op: "OddVariable" } node { name: "pred" op: "OddCondition" }
         node { name: "s" op: "RefSwitch" input: "v" input: "pred" )",
      kFloat, R"( }
         node { name: "n" op: "RefNextIteration" input: "s:1" )",
      kFloat, R"( }
         node { name: "y" op: "Identity" input: "n" )",
      kFloat, R"( })"));
  EXPECT_TRUE(IsUnknown(Find(g, "s")));
  EXPECT_TRUE(IsUnknown(Find(g, "n")));
  EXPECT_FALSE(IsUnknown(Find(g, "y")));
  EXPECT_THAT(ListUnknown(g), HasSubstr("node 's': it takes a reference to what 'v' makes"));
}

TEST(UnknownOpsTest, AnExportIsWhatWasImported) {
  const std::string text = StrCat(
      R"(node { name: "u" op: "Mystery" input: "p" device: "/job:ps" attr { key: "depth" value { i: 7 } }
                attr { key: "_class" value { list { s: "loc:@p" } } } }
         node { name: "p" op: "Source" }
         node { name: "y" op: "Identity" input: "u:1" )",
      kFloat, " }");
  const Graph g = Import(text);
  const std::string out = ExportGraphDef(g, GraphDefFormat::kText);
  for (const char* kept : {"op: \"Mystery\"", "i: 7", "loc:@p", "device: \"/job:ps\"", "input: \"u:1\""}) {
    EXPECT_THAT(out, HasSubstr(kept));
  }
  EXPECT_THAT(out, Not(HasSubstr("_UnknownOp")));
  EXPECT_EQ(DumpText(Import(out)), DumpText(g));
}

TEST(UnknownOpsTest, MillionsOfOutputsAreRefused) {
  const Result<Graph> graph = ImportGraphDef(
      StrCat(R"(node { name: "u" op: "Mystery" } node { name: "y" op: "Identity" input: "u:2147483647" )", kFloat,
             " }"),
      GraphDefFormat::kText);
  EXPECT_THAT(graph.status().message(), HasSubstr("more than 4000000 outputs"));
}

}  // namespace
}  // namespace dfrun
