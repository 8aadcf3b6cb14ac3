// The event files that summary writers of a graph write. The bytes of summaries are those of the golden cases.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "comm/in_process/in_process.h"
#include "src/base/crc32c.h"
#include "src/graph/graph_ops.h"
#include "src/session/session.h"
#include "src/storage/file_access.h"
#include "src/storage/summary.pb.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

namespace fs = std::filesystem;

template <class T>
T NumberAt(const std::string& bytes, size_t at) {
  T number;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

uint32_t MaskedCrc(const std::string& bytes) {
  return MaskCrc32c(Crc32c(bytes.data(), bytes.size()));
}

// The records of the one file below a directory.
std::vector<std::string> RecordsBelow(const std::string& directory) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (entry.is_regular_file()) files.push_back(entry.path().string());
  }
  EXPECT_EQ(files.size(), 1u);
  EXPECT_NE(files.at(0).find("/events.out.tfevents."), std::string::npos);
  std::ifstream file(files.at(0), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::string> records;
  for (size_t at = 0; at + 12 <= bytes.size();) {
    const auto length = NumberAt<uint64_t>(bytes, at);
    EXPECT_EQ(NumberAt<uint32_t>(bytes, at + 8), MaskedCrc(bytes.substr(at, 8)));
    records.push_back(bytes.substr(at + 12, length));
    EXPECT_EQ(NumberAt<uint32_t>(bytes, at + 12 + length), MaskedCrc(records.back()));
    at += 16 + length;
  }
  return records;
}

class SummaryWriterTest : public ::testing::Test {
 protected:
  SummaryWriterTest() : ops_(graph_, "") {
    writer_ = ops_.Add("writer", "SummaryWriter", {});
    const auto text = [&](const std::string& value) { return ops_.Const("text", Tensor::Scalar(value)); };
    open_ = ops_.Add("open", "CreateSummaryFileWriter",
                     {writer_, text(directory_.Path("logs/train")), ops_.Const("queue", Tensor::Scalar<int32_t>(10)),
                      ops_.Const("millis", Tensor::Scalar<int32_t>(100000)), text(".v2")});
    step_ = ops_.Const("step", Tensor::Scalar<int64_t>(300));
    tag_ = text("loss");
  }

  // Runs a node behind the opening, and the end of the file.
  Status Run(NodeId node) {
    const Output close = ops_.Add("close", "CloseSummaryWriter", {writer_}, {}, {node});
    DF_TRY(ops_.status());
    RunSignature signature;
    signature.targets = {close.node};
    std::vector<std::unique_ptr<Communicator>> communicators = comm::ConnectInProcess(1);
    DF_ASSIGN(const std::unique_ptr<Runtime> runtime, Runtime::Create({}, std::move(communicators[0])));
    DF_ASSIGN(const std::unique_ptr<Session> session, Session::Create(*runtime, std::move(graph_)));
    DF_ASSIGN(const Session::Handle step, session->Prepare(signature));
    return session->RunStep(step, {}, {});
  }

  ScratchDirectory directory_;
  Graph graph_{OpRegistry::Builtin()};
  GraphOps ops_;
  Output writer_;
  Output open_;
  Output step_;
  Output tag_;
};

TEST_F(SummaryWriterTest, WritesTheVersionAndThenEvents) {
  const Output value = ops_.Const("value", Tensor::Scalar(2.5));
  const Output write = ops_.Add("write", "WriteScalarSummary", {writer_, step_, tag_, value}, {}, {open_.node});
  const Status ran = Run(write.node);
  ASSERT_TRUE(ran.ok()) << ran.ToString();
  const std::vector<std::string> records = RecordsBelow(directory_.Path("logs"));
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].substr(9),
            "\x1a\x0d"
            "brain.Event:2");
  EXPECT_GT(NumberAt<double>(records[1], 1), 1.6e9);
  EXPECT_EQ(records[1].substr(9, 3), "\x10\xac\x02");  // step 300
  proto::Summary summary;
  ASSERT_TRUE(summary.ParseFromString(records[1].substr(14)));
  ASSERT_EQ(summary.value_size(), 1);
  EXPECT_EQ(summary.value(0).tag(), "loss");
  EXPECT_EQ(summary.value(0).simple_value(), 2.5F);
}

TEST_F(SummaryWriterTest, WritesTensorsWithTheirMetadata) {
  const Output value = ops_.Const("value", Tensor::Vector<int32_t>({7}));
  const Output metadata = ops_.Const("metadata", Tensor::Scalar(std::string("\x12\x01n")));
  const Output write = ops_.Add("write", "WriteSummary", {writer_, step_, value, tag_, metadata}, {}, {open_.node});
  const Status ran = Run(write.node);
  ASSERT_TRUE(ran.ok()) << ran.ToString();
  const std::vector<std::string> records = RecordsBelow(directory_.Path("logs"));
  ASSERT_EQ(records.size(), 2u);
  proto::Summary summary;
  ASSERT_TRUE(summary.ParseFromString(records[1].substr(14)));
  EXPECT_EQ(summary.value(0).metadata(), "\x12\x01n");
  proto::Summary::Tensor tensor;
  ASSERT_TRUE(tensor.ParseFromString(summary.value(0).tensor()));
  EXPECT_EQ(tensor.tensor_content(), std::string("\x07\0\0\0", 4));
}

TEST_F(SummaryWriterTest, AnEventIsWrittenAsItIs) {
  const std::string event = "\x10\x05\x1a\x01x";
  const Output write =
      ops_.Add("write", "ImportEvent", {writer_, ops_.Const("event", Tensor::Scalar(event))}, {}, {open_.node});
  const Status ran = Run(write.node);
  ASSERT_TRUE(ran.ok()) << ran.ToString();
  EXPECT_EQ(RecordsBelow(directory_.Path("logs")).at(1), event);
}

TEST_F(SummaryWriterTest, WhatIsNoEventIsRefused) {
  const Output no_event = ops_.Const("event", Tensor::Scalar(std::string("\x1a\x09x")));
  EXPECT_EQ(Run(ops_.Add("write", "ImportEvent", {writer_, no_event}, {}, {open_.node}).node).code(), Code::kDataLoss);
}

TEST_F(SummaryWriterTest, AClosedWriterIsAnError) {
  const Status ran = Run(ops_.Add("flush", "FlushSummaryWriter", {writer_}).node);
  EXPECT_EQ(ran.code(), Code::kFailedPrecondition);
  EXPECT_NE(ran.message().find("the summary writer 'writer' is closed"), std::string::npos) << ran.message();
}

TEST(EventFiles, LieInTheRunDirectoryWhereThereIsOne) {
  const ScratchDirectory directory;
  const FileAccess access({.is_confined = true, .roots = {}, .run_directory = directory.path()});
  const std::string root = fs::canonical(directory.path()).string();
  const auto path_for = [&](const std::string& logdir) {
    const Result<std::string> path = access.ForEventFile(logdir, "f");
    return path.ok() ? *path : path.status().ToString();
  };
  EXPECT_EQ(path_for("/far/logs/train/"), root + "/events/graph/train/f");
  EXPECT_EQ(path_for("/far/.."), root + "/events/graph/events/f");
  EXPECT_TRUE(fs::is_directory(root + "/events/graph/train"));
  EXPECT_EQ(access.ForEventFile("logs", "../f").status().code(), Code::kInvalidArgument);
  EXPECT_EQ(access.ForEventFile("logs", std::string("f\0g", 3)).status().code(), Code::kInvalidArgument);
}

TEST(EventFiles, AreConfinedWithoutARunDirectory) {
  const ScratchDirectory directory;
  const FileAccess access({.is_confined = true, .roots = {}, .write_roots = {directory.Path("mine")}});
  EXPECT_TRUE(access.ForEventFile(directory.Path("mine/logs"), "f").ok());
  EXPECT_EQ(access.ForEventFile(directory.Path("other/logs"), "f").status().code(), Code::kBadSpec);
  EXPECT_FALSE(fs::exists(directory.Path("other")));
}

}  // namespace
}  // namespace dfrun
