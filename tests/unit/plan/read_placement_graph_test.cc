#include "src/plan/read_placement_graph.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace dfrun {
namespace {

constexpr std::string_view kGraph = R"({"maxSizePerFPGA": 10.0, "maxFPGAs": 2, "maxCPUs": 1, "nodes": [
  {"id": 7, "supportedOnFpga": 1, "cpuLatency": 4, "fpgaLatency": 2.5, "colorClass": 3, "size": 6},
  {"id": 2, "supportedOnFpga": false, "cpuLatency": 1, "fpgaLatency": 0, "colorClass": null, "size": 0},
  {"id": 5, "supportedOnFpga": true, "cpuLatency": 1, "fpgaLatency": 1, "colorClass": 3, "size": 1}],
  "edges": [{"sourceId": 2, "destId": 7, "cost": 0.5}, {"sourceId": 2, "destId": 5, "cost": 0.5},
            {"sourceId": 7, "destId": 5, "cost": 1}]})";

// The graph with its first `from` replaced.
std::string With(std::string_view from, std::string_view to) {
  std::string text(kGraph);
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(ReadPlacementGraphTest, ReadsNodesInTheOrderOfTheirIds) {
  const Result<PlacementGraph> graph = ParsePlacementGraph(kGraph);
  ASSERT_TRUE(graph.ok()) << graph.status().ToString();
  const PlacementProblem& problem = graph->problem;
  EXPECT_EQ(graph->ids, (std::vector<int64_t>{2, 5, 7}));
  EXPECT_EQ(problem.num_groups(), 2);
  EXPECT_EQ(problem.nodes()[1].group, problem.nodes()[2].group);
  EXPECT_FALSE(problem.nodes()[0].runs_on_accelerator);
  EXPECT_EQ(problem.nodes()[2].accelerator_time, 2.5);
  EXPECT_EQ(problem.nodes()[0].output_cost, 0.5);
  EXPECT_EQ(problem.successors(0), (std::vector<int>{1, 2}));
  EXPECT_EQ(problem.predecessors(1), (std::vector<int>{0, 2}));
  EXPECT_EQ(problem.devices().accelerators, 2);
  EXPECT_EQ(problem.devices().accelerator_bytes, 10);
}

struct WrongGraph {
  std::string_view from;
  std::string_view to;
  std::string_view error;
};

TEST(ReadPlacementGraphTest, ErrorsNameTheMember) {
  for (const WrongGraph& wrong : std::initializer_list<WrongGraph>{
           {"\"maxFPGAs\": 2, ", "", "maxFPGAs: the member is missing"},
           {"\"maxFPGAs\": 2", "\"maxFPGAs\": 1e9", "maxFPGAs: it is 1000000000"},
           {"\"maxFPGAs\": 2", "\"maxFPGAs\": -1", "maxFPGAs"},
           {"\"maxFPGAs\": 2", "\"maxFPGAs\": 1.5", "maxFPGAs"},
           {"\"maxSizePerFPGA\": 10.0", "\"maxSizePerFPGA\": \"nan\"", "maxSizePerFPGA"},
           {"\"size\": 6", "\"size\": 1e300", "nodes[0].size"},
           {"\"size\": 6", "\"size\": \"inf\"", "nodes[0].size"},
           {"\"size\": 6", "\"size\": -6", "nodes[0].size"},
           {"\"size\": 6", "\"size\": []", "nodes[0].size"},
           {", \"size\": 6", "", "nodes[0].size: the member is missing"},
           {"\"cpuLatency\": 4, ", "", "nodes[0].cpuLatency: the member is missing"},
           {"\"supportedOnFpga\": 1", "\"supportedOnFpga\": 2", "nodes[0].supportedOnFpga"},
           {"\"colorClass\": 3", "\"colorClass\": \"red\"", "nodes[0].colorClass"},
           {"\"id\": 5", "\"id\": 7", "two nodes have the id 7"},
           {"\"sourceId\": 7", "\"sourceId\": 8", "edges[2].sourceId: no node has the id 8"},
           {"\"destId\": 7", "\"destId\": 2", "reads its own output"},
           {"\"cost\": 0.5", "\"cost\": 0.25", "edges[1].cost"},
           {"\"edges\"", "\"arcs\"", "edges: the member is missing"},
       }) {
    const Result<PlacementGraph> graph = ParsePlacementGraph(With(wrong.from, wrong.to));
    ASSERT_FALSE(graph.ok()) << wrong.to;
    EXPECT_EQ(graph.status().code(), Code::kInvalidArgument) << graph.status().ToString();
    EXPECT_NE(graph.status().message().find(wrong.error), std::string::npos) << graph.status().ToString();
  }
}

TEST(ReadPlacementGraphTest, AGroupThatRunsNowhereIsAnError) {
  std::string text = With("\"maxCPUs\": 1", "\"maxCPUs\": 0");
  EXPECT_EQ(ParsePlacementGraph(text).status().code(), Code::kInvalidArgument);
  text.replace(text.find("false"), 5, "true");
  EXPECT_TRUE(ParsePlacementGraph(text).ok());
  text.replace(text.find("10.0"), 4, "6.5");
  const Status status = ParsePlacementGraph(text).status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_NE(status.message().find("node 5"), std::string::npos) << status.ToString();
}

TEST(ReadPlacementGraphTest, EveryPrefixIsAnError) {
  for (size_t length = 0; length < kGraph.size(); ++length) {
    EXPECT_FALSE(ParsePlacementGraph(kGraph.substr(0, length)).ok()) << length;
  }
  EXPECT_FALSE(ParsePlacementGraph("[]").ok());
  EXPECT_FALSE(
      ParsePlacementGraph(R"({"maxSizePerFPGA": 1, "maxFPGAs": 1, "maxCPUs": 1, "nodes": [], "edges": []})").ok());
}

TEST(ReadPlacementGraphTest, AFileThatIsMissingIsNoInput) {
  EXPECT_EQ(ReadPlacementGraph("/nonexistent/graph.json").status().code(), Code::kNoInput);
}

}  // namespace
}  // namespace dfrun
