// Shape inference for nodes whose inputs are known in part: it must infer the shapes that TensorFlow infers, and no
// less. tests/golden/shapes/make_shapes.py makes the nodes.
#include <gtest/gtest.h>

#include <charconv>
#include <fstream>
#include <sstream>

#include "src/graph/graph_def/graph_def.h"
#include "tests/conformance/kernels/golden_file.h"

namespace dfrun {
namespace {

// "[2,?]".
PartialShape ParseShape(std::string_view text) {
  std::vector<int64_t> dims;
  for (size_t at = 1; at + 1 < text.size(); ++at) {
    const std::string_view word = text.substr(at, text.find_first_of(",]", at) - at);
    int64_t size = PartialShape::kUnknown;
    if (word != "?") std::from_chars(word.data(), word.data() + word.size(), size);
    dims.push_back(size);
    at += word.size();
  }
  return PartialShape(std::move(dims));
}

TEST(ShapeGolden, IsAsPreciseAsTensorFlow) {
  const Result<Graph> graph = ReadGraphDefFile(testing::GoldenDir() + "/shapes/shapes.pb");
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  std::ifstream file(testing::GoldenDir() + "/shapes/expected.txt");
  int outputs = 0;
  for (std::string line; std::getline(file, line);) {
    if (line[0] == '#') continue;
    std::string name;
    std::string dtype;
    std::string shape;
    std::istringstream(line) >> name >> dtype >> shape;
    const Result<Output> output = graph->ParseOutput(name);
    ASSERT_TRUE(output.ok()) << output.status().message();
    EXPECT_EQ(DTypeName(graph->dtype(*output)), dtype) << name;
    const PartialShape& inferred = graph->shape(*output);
    const Result<PartialShape> both = inferred.Merge(ParseShape(shape));
    EXPECT_TRUE(both.ok() && *both == inferred) << name << " is " << inferred << ", but TensorFlow infers " << shape;
    ++outputs;
  }
  EXPECT_GT(outputs, 400);
}

}  // namespace
}  // namespace dfrun
