// The reader by a string handle, which TensorFlow's graphs cannot show: its own kernel refuses the handle.
#include <gtest/gtest.h>

#include "src/session/session.h"
#include "tests/unit/session/rank_threads.h"
#include "tests/unit/testing/graph_maker.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

using testing::GraphMaker;
using testing::RankThreads;

// Reads records of three bytes after a header of two and before a footer of one, from files named in a queue.
class FixedLengthReader {
 public:
  explicit FixedLengthReader(const std::vector<std::string>& files) : ranks_(1) {
    GraphMaker g;
    const AttrMap text{{"component_types", std::vector<DType>{DType::kString}},
                       {"shapes", std::vector<PartialShape>{PartialShape::Scalar()}}};
    const Output queue = g.Add("queue", "FIFOQueue", {}, text);
    g.Add("put", "QueueEnqueueMany", {queue, g.Const("files", Tensor::Vector<std::string>(files))});
    g.Add("close", "QueueClose", {queue});
    const Output reader =
        g.Add("reader", "FixedLengthRecordReader", {}, {{"record_bytes", 3}, {"header_bytes", 2}, {"footer_bytes", 1}});
    g.Add("read", "ReaderRead", {reader, queue});
    g.Add("produced", "ReaderNumRecordsProduced", {reader});
    session_ = *Session::Create(ranks_.master(), std::move(g.graph));
    EXPECT_TRUE(session_->Run({}, {}, {"put"}).ok());
    EXPECT_TRUE(session_->Run({}, {}, {"close"}).ok());
  }
  Result<std::string> Read() {
    DF_ASSIGN(const std::vector<Tensor> record, session_->Run({}, {"read:1"}));
    return record[0].scalar<std::string>();
  }
  int64_t NumProduced() { return (*session_->Run({}, {"produced"}))[0].scalar<int64_t>(); }

 private:
  RankThreads ranks_;
  std::unique_ptr<Session> session_;
};

TEST(FixedLengthReaderTest, ReadsFileAfterFile) {
  const ScratchDirectory scratch;
  FixedLengthReader reader({scratch.Write("first", "hhabcdeff"), scratch.Write("second", "hhxyzf")});
  for (const char* expected : {"abc", "def", "xyz"}) {
    const Result<std::string> record = reader.Read();
    ASSERT_TRUE(record.ok()) << record.status().ToString();
    EXPECT_EQ(*record, expected);
  }
  EXPECT_EQ(reader.Read().status().code(), Code::kOutOfRange);
  EXPECT_EQ(reader.NumProduced(), 3);
}

TEST(FixedLengthReaderTest, AMissingFileIsNamed) {
  const ScratchDirectory scratch;
  FixedLengthReader reader({scratch.Path("absent")});
  const Status status = reader.Read().status();
  EXPECT_EQ(status.code(), Code::kNotFound) << status.ToString();
  EXPECT_NE(status.message().find("absent"), std::string::npos) << status.ToString();
}

}  // namespace
}  // namespace dfrun
