// Files are TensorFlow's; tests/golden/models/make_models.py makes them.
#include "src/graph/graph_def/graph_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "src/graph/graph_def/file_kind.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kModels[] = "tests/golden/models/";

std::string Bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

MetaGraph Meta(const std::string& path, const std::vector<std::string>& tags = {}) {
  Result<GraphFile> file = ReadGraphFile(path, tags);
  if (!file.ok() || !file->meta) {
    ADD_FAILURE() << path << ": " << file.status().ToString();
    return {};
  }
  return *std::move(file->meta);
}

TEST(GraphFileTest, MetaGraphsSayTheirRunnersAndVariables) {
  const MetaGraph meta = Meta(std::string(kModels) + "queue_runners.meta");
  ASSERT_EQ(meta.runners.size(), 3);
  EXPECT_EQ(meta.runners[1].queue, "batch/fifo_queue");
  EXPECT_THAT(meta.runners[1].enqueue, ElementsAre("batch/fifo_queue_enqueue"));
  EXPECT_EQ(meta.runners[1].close, "batch/fifo_queue_Close");
  EXPECT_EQ(meta.runners[1].cancel, "batch/fifo_queue_Close_1");
  EXPECT_THAT(meta.runners[1].closed_codes, ElementsAre(11));
  ASSERT_EQ(meta.variables.size(), 2);
  EXPECT_EQ(meta.variables[0].initializer, "scale/Assign");
}

TEST(GraphFileTest, SavedModelsSayTheirSignatures) {
  const MetaGraph meta = Meta(std::string(kModels) + "saved_model_v1");
  EXPECT_THAT(meta.tags, ElementsAre("serve"));
  ASSERT_EQ(meta.signatures.size(), 2);
  EXPECT_EQ(PrintSignature("f", meta.signatures.at("serving_default")), "f(x) -> (y)");
  EXPECT_EQ(meta.signatures.at("serving_default").inputs[0].tensor, "x_in:0");
  EXPECT_EQ(meta.init_op, "init_all_tables_1");
  EXPECT_EQ(meta.values, std::string(kModels) + "saved_model_v1/variables");
}

TEST(GraphFileTest, NodesOfAssetsNameTheFiles) {
  const std::string directory = std::string(kModels) + "saved_model_v1";
  const Result<GraphFile> file = ReadGraphFile(directory, {});
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  bool found = false;
  for (const Node& node : file->graph.nodes()) {
    const Tensor* value = node.num_outputs() == 1 ? file->graph.ConstantValue({node.id, 0}) : nullptr;
    if (value == nullptr || value->dtype() != DType::kString || value->num_elements() != 1) continue;
    found = found || value->values<std::string>()[0] == directory + "/assets/words.txt";
  }
  EXPECT_TRUE(found);
}

TEST(GraphFileTest, AssetsStayBelowTheirDirectory) {
  const ScratchDirectory scratch;
  for (const char* name : {"../secret", "/etc/passwd", "a/../../b"}) {
    scratch.Write(
        "saved_model.pbtxt",
        StrCat("meta_graphs { graph_def { node { name: 'a' op: 'NoOp' } } asset_file_def { tensor_info { name: "
               "'a:0' } filename: '",
               name, "' } }"));
    const Status status = ReadGraphFile(scratch.path(), {}).status();
    EXPECT_EQ(status.code(), Code::kBadSpec);
    EXPECT_THAT(status.message(), HasSubstr("is not below the SavedModel's directory"));
  }
}

// Cut and changed files are refused or read; none ends the program.
TEST(GraphFileTest, DamagedFilesAreNoCrash) {
  const ScratchDirectory scratch;
  for (const char* file : {"queue_runners.meta", "saved_model_v1/saved_model.pb", "saved_model_v2/saved_model.pb"}) {
    const std::string whole = Bytes(std::string(kModels) + file);
    ASSERT_GT(whole.size(), 1000);
    for (size_t n = 0; n < whole.size(); n += 37) {
      (void)ReadGraphFile(scratch.Write("cut", whole.substr(0, n)), {}).ok();
      std::string damaged = whole;
      damaged[n] = static_cast<char>(static_cast<unsigned char>(damaged[n]) ^ (n % 2 == 0 ? 0x01 : 0xff));
      (void)ReadGraphFile(scratch.Write("damaged", damaged), {}).ok();
    }
    EXPECT_EQ(ReadGraphFile(scratch.Write("cut", whole.substr(0, whole.size() - 1)), {}).status().code(),
              Code::kBadSpec);
  }
}

TEST(FileKindTest, ContentDecides) {
  EXPECT_EQ(IdentifyContent("x.pb", "node { name: 'a' }").kind, FileKind::kGraphText);
  EXPECT_EQ(IdentifyContent("x.pb", "# meta_graphs\n graph_def {}").kind, FileKind::kMetaGraphText);
  EXPECT_EQ(IdentifyContent("x.pbtxt", Bytes("tests/golden/eval/mlp.pb")).kind, FileKind::kProtobuf);
  EXPECT_EQ(IdentifyContent("x", Bytes(std::string(kModels) + "saved_model_v1/variables/variables.index")).what,
            "the index of a TensorFlow checkpoint");
  EXPECT_EQ(IdentifyContent("x", Bytes("tests/golden/eval/expected.h5")).what, "an HDF5 file");
}

}  // namespace
}  // namespace dfrun
