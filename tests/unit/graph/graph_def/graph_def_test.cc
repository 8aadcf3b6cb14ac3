// Fixtures are TensorFlow's; testdata/make_graphs.py makes them.
#include "src/graph/graph_def/graph_def.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <sstream>

#include "src/graph/graph_def/text_dump.h"
#include "tests/unit/graph/test_ops.h"

namespace dfrun {
namespace {

using testing::AddConst;
using ::testing::HasSubstr;
using testing::TestOps;

std::string Path(const std::string& file) {
  return "tests/unit/graph/testdata/" + file;
}

std::string Bytes(const std::string& file) {
  std::ifstream in(Path(file), std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

Graph Read(const std::string& file) {
  Result<Graph> graph = ReadGraphDefFile(Path(file), TestOps());
  if (!graph.ok()) {
    ADD_FAILURE() << graph.status().ToString();
    return Graph(TestOps());
  }
  return *std::move(graph);
}

Result<Graph> Text(const std::string& text) {
  return ImportGraphDef(text, GraphDefFormat::kText, TestOps());
}

const Tensor& Value(const Graph& graph, const std::string& name) {
  const NodeId id = graph.Find(name);
  DF_CHECK(id >= 0);
  return *graph.ConstantValue({id, 0});
}

TEST(GraphDefImportTest, FrozenMlp) {
  const Graph g = Read("mlp.pb");
  const Output y = *g.ParseOutput("y");
  EXPECT_EQ(g.shape(y), PartialShape({-1, 2}));
  const Node& bias = g.node(g.node(g.Find("h")).inputs[0].node);
  EXPECT_EQ(bias.op->name, "BiasAdd");
  EXPECT_EQ(*bias.attrs.Find("data_format"), AttrValue("NHWC"));
  EXPECT_EQ(DumpText(g), DumpText(Read("mlp.pbtxt")));
}

TEST(GraphDefImportTest, EveryDTypeInEveryForm) {
  for (const char* file : {"tensors.pbtxt", "tensors.pb"}) {
    const Graph g = Read(file);
    for (const char* dtype : {"float32", "float64", "int32", "uint8", "int16", "int8", "complex64", "int64", "bool",
                              "bfloat16", "uint16", "complex128", "float16", "uint32", "uint64"}) {
      SCOPED_TRACE(dtype);
      const Tensor& content = Value(g, std::string(dtype) + "/content");
      const Tensor& repeated = Value(g, std::string(dtype) + "/repeated");
      EXPECT_EQ(content.shape(), Shape({2, 2}));
      EXPECT_TRUE(content.Identical(Value(g, std::string(dtype) + "/typed")));
      EXPECT_EQ(repeated.shape(), Shape({2, 3}));
      EXPECT_TRUE(repeated.SliceRows(0, 1).Identical(repeated.SliceRows(1, 2)));
      EXPECT_EQ(std::memcmp(static_cast<const char*>(content.raw()) + DTypeSize(content.dtype()), repeated.raw(),
                            DTypeSize(content.dtype())),
                0);
    }
    EXPECT_EQ(Value(g, "float32/typed").values<float>()[1], -2.25F);
    EXPECT_EQ(Value(g, "uint64/typed").values<uint64_t>()[3], ~uint64_t{0});
    EXPECT_EQ(Value(g, "float16/typed").values<float16>()[2].bits, 0x7bff);
    EXPECT_EQ(Value(g, "bfloat16/typed").values<bfloat16>()[0].bits, 0x3fc0);
    EXPECT_EQ(Value(g, "complex64/typed").values<std::complex<float>>()[1], std::complex<float>(0, -3));
    EXPECT_EQ(Value(g, "string/typed").values<std::string>()[1], std::string("\0b", 2));
    EXPECT_EQ(Value(g, "string/typed").values<std::string>()[3], "\xe4");
  }
}

TEST(GraphDefImportTest, LoopInAnyOrder) {
  const Graph g = Read("loop.pb");
  const Node& merge = g.node(g.Find("loop/Merge"));
  EXPECT_EQ(OutputName(g, merge.inputs[1]), "loop/NextIteration");
  EXPECT_TRUE(g.IsBackEdge(merge, 1));
  const Node& identity = g.node(g.Find("loop/Identity"));
  EXPECT_EQ(OutputName(g, identity.inputs[0]), "loop/Switch:1");
  ASSERT_EQ(g.node(g.Find("loop/add/y")).control_inputs.size(), 1U);
  EXPECT_EQ(g.node(g.node(g.Find("loop/add/y")).control_inputs[0]).name, "loop/Identity");
  EXPECT_EQ(g.node(g.Find("loop/Switch")).colocate_with, "loop/Merge");
}

TEST(GraphDefImportTest, RefsDevicesAndColocation) {
  const Graph g = Read("variables.pbtxt");
  const NodeId w = g.Find("w");
  EXPECT_TRUE(g.is_ref({w, 0}));
  EXPECT_EQ(g.node(w).device, "/job:ps/task:0");
  EXPECT_EQ(g.node(g.Find("twice")).colocate_with, "w");
  EXPECT_EQ(g.node(g.Find("w/Assign")).colocate_with, "w");
  EXPECT_FALSE(g.node(g.Find("twice")).attrs.Has("_class"));
  EXPECT_EQ(g.node(g.Find("done")).control_inputs.size(), 2U);
}

TEST(GraphDefExportTest, KeepsFunctionsAndVersions) {
  const Graph g = Read("functions.pb");
  const std::string text = ExportGraphDef(g, GraphDefFormat::kText);
  EXPECT_THAT(text, HasSubstr("library {"));
  EXPECT_THAT(text, HasSubstr("__inference_double_"));
  EXPECT_THAT(text, HasSubstr("min_consumer: 12"));
  const Graph again = *ImportGraphDef(text, GraphDefFormat::kText, TestOps());
  EXPECT_EQ(ExportGraphDef(again, GraphDefFormat::kBinary), ExportGraphDef(g, GraphDefFormat::kBinary));
}

TEST(GraphDefExportTest, RoundTripIsExact) {
  for (const char* file : {"mlp.pb", "tensors.pb", "loop.pb", "variables.pbtxt", "functions.pb"}) {
    const Graph g = Read(file);
    for (GraphDefFormat format : {GraphDefFormat::kBinary, GraphDefFormat::kText}) {
      Result<Graph> again = ImportGraphDef(ExportGraphDef(g, format), format, TestOps());
      ASSERT_TRUE(again.ok()) << file << ": " << again.status().ToString();
      EXPECT_EQ(DumpText(*again), DumpText(g)) << file;
      EXPECT_EQ(ExportGraphDef(*again, format), ExportGraphDef(g, format)) << file;
    }
  }
}

TEST(GraphDefExportTest, SystemAttrsAndUnknownFieldsStay) {
  const std::string text = R"(
    node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
           attr { key: "_note" value { list { i: 3 i: 4 } } } attr { key: "_variant" value { type: DT_VARIANT } }
           attr { key: "later_option" value { b: false } }
           experimental_debug_info { original_node_names: "was_x" } })";
  Result<Graph> g = Text(text);
  ASSERT_TRUE(g.ok()) << g.status().ToString();
  EXPECT_EQ(*g->node(0).attrs.Find("_note"), AttrValue(std::vector<int64_t>{3, 4}));
  const std::string out = ExportGraphDef(*g, GraphDefFormat::kText);
  for (const char* kept : {"_note", "DT_VARIANT", "later_option", "was_x"}) EXPECT_THAT(out, HasSubstr(kept));
}

TEST(GraphDefExportTest, FromScratchReadsInTensorFlow) {
  Graph g(TestOps());
  const NodeId c = AddConst(g, "c", Tensor::Vector<float>({1, 2}));
  NodeSpec spec;
  spec.name = "twice";
  spec.op = "Add";
  spec.inputs = {{c, 0}, {c, 0}};
  spec.control_inputs = {c};
  spec.device = "/job:ps";
  spec.colocate_with = "c";
  ASSERT_TRUE(g.AddNode(spec).ok());
  EXPECT_EQ(ExportGraphDef(g, GraphDefFormat::kText), R"(node {
  name: "c"
  op: "Const"
  attr {
    key: "dtype"
    value {
      type: DT_FLOAT
    }
  }
  attr {
    key: "value"
    value {
      tensor {
        dtype: DT_FLOAT
        tensor_shape {
          dim {
            size: 2
          }
        }
        tensor_content: "\000\000\200?\000\000\000@"
      }
    }
  }
}
node {
  name: "twice"
  op: "Add"
  input: "c"
  input: "c"
  input: "^c"
  device: "/job:ps"
  attr {
    key: "T"
    value {
      type: DT_FLOAT
    }
  }
  attr {
    key: "_class"
    value {
      list {
        s: "loc:@c"
      }
    }
  }
}
versions {
  producer: 27
}
)");
}

TEST(GraphDefImportTest, FurtherColocationStaysInClass) {
  const Graph g = *Text(R"(node { name: "a" op: "NoOp" } node { name: "b" op: "NoOp" }
      node { name: "c" op: "NoOp"
             attr { key: "_class" value { list { s: "tag" s: "loc:@a" s: "loc:@b" } } } })");
  const Node& c = g.node(g.Find("c"));
  EXPECT_EQ(c.colocate_with, "a");
  EXPECT_EQ(*c.attrs.Find("_class"), AttrValue(std::vector<std::string>{"tag", "loc:@b"}));
}

TEST(GraphDefImportTest, RefusesWrongGraphs) {
  const auto error = [](const std::string& text) { return Text(text).status().message(); };
  EXPECT_THAT(error("node { name: 'a' op: 'Relu' input: 'b' }"), HasSubstr("input 'b' is the output of no node"));
  EXPECT_THAT(error("node { name: 'a' op: 'NoOp' } node { name: 'a' op: 'NoOp' }"), HasSubstr("two nodes"));
  EXPECT_THAT(error("node { name: 'a' op: 'NoOp' input: '^b' } node { name: 'b' op: 'NoOp' input: '^a' }"),
              HasSubstr("cycle"));
  EXPECT_THAT(error("node { name: 'a' op: 'NoOp' } node { name: 'r' op: 'Relu' input: 'a:x' }"), HasSubstr("port"));
  EXPECT_THAT(error("node { name: 'a' op: 'NoOp' } node { name: 'r' op: 'Relu' input: 'a' }"),
              HasSubstr("no output 'a:0'"));
  EXPECT_THAT(error("node {\n  nam: 'a' }"), HasSubstr("2:"));
  EXPECT_THAT(error("node { name: 'a' op: 'Placeholder' attr { key: 'dtype' value { placeholder: 'T' } } }"),
              HasSubstr("outside of a function"));
}

TEST(GraphDefImportTest, RefusesNamesThatAreNoUtf8) {
  EXPECT_THAT(Text("node { name: 'a' op: 'NoOp' attr { key: 'x\\377' value { b: false } } }").status().message(),
              HasSubstr("UTF-8"));
}

std::string ConstText(const std::string& tensor) {
  return "node { name: 'c' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'value' value { "
         "tensor { dtype: DT_FLOAT " +
         tensor + " } } } }";
}

// TensorFlow's own optimiser writes strings so.
TEST(GraphDefImportTest, StringsAsContent) {
  const auto read = [](const std::string& content) {
    return Text(
        "node { name: 'c' op: 'Const' attr { key: 'dtype' value { type: DT_STRING } } attr { key: 'value' value { "
        "tensor { dtype: DT_STRING tensor_shape { dim { size: 3 } } tensor_content: '" +
        content + "' } } } }");
  };
  const Result<Graph> graph = read(R"(\001\000\201\001b)" + std::string(129, 'x'));
  ASSERT_TRUE(graph.ok()) << graph.status().ToString();
  const auto values = Value(*graph, "c").values<std::string>();
  EXPECT_EQ(values[0] + "," + values[1] + "," + values[2], "b,," + std::string(129, 'x'));
  for (const char* wrong :
       {R"(\001\000)", R"(\001\000\002abcd)", R"(\001\000\003ab)", R"(\377\377\377\377\377\001\000)"}) {
    EXPECT_THAT(read(wrong).status().message(), HasSubstr("does not hold the 3 strings of string[3]")) << wrong;
  }
}

TEST(GraphDefImportTest, RefusesVersionsThatRefuseIt) {
  const auto read = [](const std::string& versions) {
    return Text("node { name: 'a' op: 'NoOp' } versions { " + versions + " }").status();
  };
  EXPECT_TRUE(read("producer: 999999 min_consumer: 24 bad_consumers: [1, 999999]").ok());
  EXPECT_THAT(read("producer: 999999 min_consumer: 999998").message(), HasSubstr("version 999998 or later"));
  EXPECT_THAT(read("bad_consumers: [1, 2474]").message(), HasSubstr("not for readers of GraphDef version 2474"));
}

TEST(GraphDefImportTest, ValuesBeyondTheShapeAreLeftOut) {
  const Result<Graph> graph = Text(ConstText("tensor_shape { dim { size: 2 } } float_val: [1, 2, 3]"));
  ASSERT_TRUE(graph.ok()) << graph.status().ToString();
  EXPECT_TRUE(Value(*graph, "c").Identical(Tensor::Vector<float>({1, 2})));
  const Result<Graph> none = Text(ConstText("tensor_shape { dim { size: 0 } } float_val: 7"));
  ASSERT_TRUE(none.ok()) << none.status().ToString();
  EXPECT_EQ(Value(*none, "c").num_elements(), 0);
}

TEST(GraphDefImportTest, RefusesHostileTensors) {
  const auto error = [](const std::string& tensor) { return Text(ConstText(tensor)).status().message(); };
  EXPECT_THAT(error("tensor_shape { dim { size: 2 } } tensor_content: '1234'"), HasSubstr("has 4 bytes"));
  EXPECT_THAT(error("tensor_shape { dim { size: -1 } } float_val: 1"), HasSubstr("shape [?]"));
  EXPECT_THAT(error("tensor_shape { dim { size: -5 } } float_val: 1"), HasSubstr("size -5"));
  EXPECT_THAT(error("tensor_shape { unknown_rank: true } float_val: 1"), HasSubstr("unknown"));
  EXPECT_THAT(error("tensor_shape { dim { size: 9223372036854775807 } } float_val: 1"), HasSubstr("larger than"));
  EXPECT_FALSE(Text(ConstText("tensor_shape { dim { size: 4294967296 } dim { size: 4294967296 } } float_val: 1")).ok());
  EXPECT_THAT(error("tensor_shape { dim { size: 400000000 } } float_val: 1"), HasSubstr("1 GiB"));
  EXPECT_FALSE(Text("node { name: 'c' op: 'Const' attr { key: 'dtype' value { type: DT_COMPLEX64 } } attr { key: "
                    "'value' value { tensor { dtype: DT_COMPLEX64 tensor_shape {} scomplex_val: 1 } } } }")
                   .ok());
  std::string deep = "{ name: 'f' ";
  for (int i = 0; i < 500; ++i) deep += "attr { key: 'a' value { func { name: 'f' ";
  for (int i = 0; i < 500; ++i) deep += "} } }";
  EXPECT_FALSE(Text("node { name: 'c' op: 'NoOp' attr { key: '_f' value { func " + deep + "} } } }").ok());
}

TEST(GraphDefImportTest, DamagedBytesNeverCrash) {
  for (const char* file : {"mlp.pb", "tensors.pb", "loop.pb", "functions.pb"}) {
    const std::string whole = Bytes(file);
    ASSERT_FALSE(whole.empty());
    for (size_t n = 0; n < whole.size(); n += 7) {
      (void)ImportGraphDef(whole.substr(0, n), GraphDefFormat::kBinary, TestOps()).ok();
      for (unsigned char bits : {0x01, 0x80, 0xff}) {
        std::string damaged = whole;
        damaged[n] = static_cast<char>(static_cast<unsigned char>(damaged[n]) ^ bits);
        (void)ImportGraphDef(damaged, GraphDefFormat::kBinary, TestOps()).ok();
      }
    }
    EXPECT_FALSE(ImportGraphDef(whole.substr(0, whole.size() - 1), GraphDefFormat::kBinary, TestOps()).ok());
  }
}

TEST(GraphDefFileTest, ErrorsNameTheFile) {
  const Status missing = ReadGraphDefFile("no/such.pb", TestOps()).status();
  EXPECT_EQ(missing.code(), Code::kIo);
  EXPECT_THAT(missing.message(), HasSubstr("no/such.pb"));
  EXPECT_EQ(ReadGraphDefFile("tests", TestOps()).status().code(), Code::kBadSpec);
  const Status wrong = ReadGraphDefFile("CMakeLists.txt", TestOps()).status();
  EXPECT_EQ(wrong.code(), Code::kBadSpec);
  EXPECT_THAT(wrong.message(), HasSubstr("CMakeLists.txt: "));
}

}  // namespace
}  // namespace dfrun
