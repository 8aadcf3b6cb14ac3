// Inputs of the formats beside HDF5: their nodes, and errors with their locations.
#include <gtest/gtest.h>

#include "tests/unit/spec/spec_test_util.h"

namespace dfrun {
namespace {

class InputFormats : public ::testing::Test {
 protected:
  InputFormats() {
    directory_.Write("a.csv", "x,y,name\n1,2,p\n3,4,q\n5,6,r\n");
    directory_.Write("b.csv", "x,y,name\n7,8,s\n");
    directory_.Write("bad.csv", "x,y,name\n1,2,p\n3,oops,q\n");
    directory_.Write("fixed.bin", "aabbc");
  }
  Result<LoadedSpec> Load(const std::string& input) {
    return LoadSpec(directory_.Write("job.yaml", "dfrun: 1\ninputs:\n  in: " + input + "\n"), {});
  }
  std::string Error(const std::string& input) {
    const Result<LoadedSpec> spec = Load(input);
    if (spec.ok()) return "no error";
    std::string error = spec.status().message();
    const std::string prefix = directory_.path() + "/";
    for (size_t at = error.find(prefix); at != std::string::npos; at = error.find(prefix)) {
      error.erase(at, prefix.size());
    }
    return error;
  }

  ScratchDirectory directory_;
};

TEST_F(InputFormats, CsvBecomesAReader) {
  const Result<LoadedSpec> spec = Load(
      "{csv: ['?.csv'], header: true, batch: 2, shuffle: 3, readers: 2, prefetch: 5,\n"
      "       tensors: {x: , xy: {from: '0:2', dtype: int64, default: -1}, name: {dtype: string}}}");
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  const InputSpec& in = spec->job.inputs[0];
  EXPECT_EQ(in.num_samples, 4);
  const Node& read = spec->graph.node(in.read);
  EXPECT_EQ(read.op->name, "SampleReader");
  EXPECT_EQ(*read.attrs.Get<std::string>("format"), "csv");
  EXPECT_EQ(*read.attrs.Get<std::vector<std::string>>("files"),
            (std::vector<std::string>{directory_.path() + "/a.csv", directory_.path() + "/b.csv"}));
  EXPECT_EQ(*read.attrs.Get<std::vector<std::string>>("fields"), (std::vector<std::string>{"x", "0:2", "name"}));
  EXPECT_EQ(*read.attrs.Get<std::vector<std::string>>("defaults"), std::vector<std::string>{"1=-1"});
  EXPECT_EQ(*read.attrs.Get<int64_t>("shuffle_buffer"), 3);
  EXPECT_EQ(*read.attrs.Get<int64_t>("readers"), 2);
  EXPECT_EQ(*read.attrs.Get<int64_t>("prefetch"), 5);
  EXPECT_EQ(spec->graph.shape(in.tensors[1].value), PartialShape({2, 2}));
  EXPECT_EQ(spec->graph.dtype(in.tensors[0].value), DType::kFloat);
  EXPECT_EQ(spec->graph.dtype(in.tensors[2].value), DType::kString);
}

TEST_F(InputFormats, TensorsMayBeLeftToTheFormat) {
  const Result<LoadedSpec> spec = Load("{text: a.csv, skip_lines: 1, batch: all}");
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_EQ(spec->graph.shape({spec->graph.Find("in/line"), 0}), PartialShape({3}));
}

TEST_F(InputFormats, SkippedRecordsAreCounted) {
  const Result<LoadedSpec> spec = Load("{csv: bad.csv, header: true, on_error: skip, tensors: {y: }, batch: 1}");
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_EQ(spec->job.inputs[0].num_samples, 1);
  EXPECT_EQ(spec->job.inputs[0].record_index.skipped, 1);
}

TEST_F(InputFormats, SizesHaveUnits) {
  directory_.Write("large.bin", std::string(3 * 1024 + 7, 'x'));
  const Result<LoadedSpec> spec = Load("{fixed_length: large.bin, record_bytes: 1KiB, header_bytes: 7, batch: 1}");
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_EQ(spec->job.inputs[0].num_samples, 3);
  EXPECT_EQ(Error("{fixed_length: large.bin, record_bytes: 1kb, batch: 1}"),
            "job.yaml:3:47: 'record_bytes' must be a number of bytes, or one with KiB, MiB or GiB, not '1kb': kb may "
            "stand for a power of 1,000 or of 1,024; write 1KiB, or 1000");
}

TEST_F(InputFormats, Errors) {
  EXPECT_EQ(Error("{cvs: a.csv, batch: 1}"), "job.yaml:3:8: unknown key 'cvs' of input 'in', did you mean 'csv'?");
  EXPECT_EQ(Error("{batch: 1}"),
            "job.yaml:3:3: input 'in' lacks its files, by their format: csv, fixed_length, hdf5, image, text, "
            "tfrecord, whole_file");
  EXPECT_EQ(Error("{csv: c.csv, tensors: {x: 0}, batch: 1}"),
            "job.yaml:3:13: input 'in': cannot open c.csv: No such file or directory");
  EXPECT_EQ(Error("{csv: ['z*.csv'], tensors: {x: 0}, batch: 1}"), "job.yaml:3:13: input 'in': no file fits z*.csv");
  EXPECT_EQ(Error("{csv: a.csv, header: true, tensors: {x: nam}, batch: 1}"),
            "job.yaml:3:47: input 'in': there is no column 'nam', did you mean 'name'?");
  EXPECT_EQ(Error("{csv: a.csv, tensors: {x: {from: 0, dtype: flaot32}}, batch: 1}"),
            "job.yaml:3:50: unknown dtype 'flaot32', did you mean 'float32'?");
  EXPECT_EQ(Error("{csv: a.csv, tensors: {x: {from: 0, shape: [2]}}, batch: 1}"),
            "job.yaml:3:40: input 'in': '0' are 1 columns, but [2] is declared");
  EXPECT_EQ(Error("{csv: a.csv, tensors: {x: {from: 0, default: many}}, batch: 1}"),
            "job.yaml:3:40: input 'in': the default of '0': 'many' is no float32");
  EXPECT_EQ(Error("{csv: a.csv, tensors: {x: {form: 0}}, batch: 1}"),
            "job.yaml:3:34: unknown key 'form' of tensor 'x', did you mean 'from'?");
  EXPECT_EQ(Error("{csv: a.csv, tensors: {x: 0}, compression: zip, batch: 1}"),
            "job.yaml:3:50: 'compression' must be one of none, gzip, zlib, not 'zip'");
  EXPECT_EQ(Error("{fixed_length: fixed.bin, batch: 1}"), "job.yaml:3:3: input 'in' lacks 'record_bytes'");
  EXPECT_EQ(
      Error("{fixed_length: fixed.bin, record_bytes: 2, batch: 1}"),
      "job.yaml:3:22: input 'in': fixed.bin, record 2 at byte 4: the record at byte 4 is cut short: 1 of 2 bytes");
  EXPECT_EQ(Error("{tfrecord: a.csv, tensors: {x: {dtype: float32}}, batch: 1}"),
            "job.yaml:3:18: input 'in': a.csv, record 0 at byte 0: the record at byte 0 has a damaged length");
  EXPECT_EQ(Error("{tfrecord: a.csv, tensors: {x: }, batch: 1}"),
            "job.yaml:3:35: input 'in': the feature 'x' needs a dtype: {dtype: float32, shape: [...]}");
  EXPECT_EQ(Error("{text: a.csv, batch: 1, shuffle: 0}"),
            "job.yaml:3:40: 'shuffle' (true, false or a number of samples) must be an integer of at least 1, not '0'");
}

}  // namespace
}  // namespace dfrun
