// Batches by position: every sample once an epoch, whatever the slices, threads and jumps.
#include "kernels/io/batch_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <numeric>

#include "src/framework/values/resource.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

constexpr int64_t kSamples = 103;

class BatchReaderTest : public ::testing::Test {
 protected:
  BatchReaderTest() {
    std::string lines;
    for (int64_t i = 0; i < kSamples; ++i) lines += std::to_string(i) + "\n";
    files_.Write("lines.txt", lines);
    std::vector<int64_t> numbers(kSamples);
    std::iota(numbers.begin(), numbers.end(), 0);
    files_.Write("numbers", std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * 8));
  }

  // Opens the same samples, so short that reading a batch takes no longer than waking a thread.
  RefPtr<SampleSet> OpenShort(int threads) {
    SampleSetConfig config;
    config.format = "fixed_length";
    config.config = {{files_.Path("numbers")}, {{"record_bytes", "8"}}};
    config.fields = {{"0", DType::kInt64, PartialShape::Scalar(), {}}};
    config.threads = threads;
    return RefPtr<SampleSet>(new SampleSet(config));
  }

  RefPtr<SampleSet> Open(int threads, const std::string& name = "lines.txt") {
    SampleSetConfig config;
    config.format = "csv";
    config.config.files = {files_.Path(name)};
    config.fields = {{"0", DType::kInt64, PartialShape::Scalar(), {}}};
    config.threads = threads;
    return RefPtr<SampleSet>(new SampleSet(config));
  }

  static Result<std::vector<int64_t>> Get(BatchReader& reader, int64_t position) {
    std::promise<Result<BatchReader::Batch>> done;
    reader.Request(position, [&](Result<BatchReader::Batch> batch) { done.set_value(std::move(batch)); });
    Result<BatchReader::Batch> batch = done.get_future().get();
    if (!batch.ok()) return batch.status();
    return std::vector<int64_t>((*batch)[0].values<int64_t>().begin(), (*batch)[0].values<int64_t>().end());
  }

  // Returns the samples of `steps` batches of 12 from `position` on, each read in `slices` slices.
  std::vector<int64_t> Stream(int64_t slices, int threads, int64_t buffer, int64_t position, int64_t steps,
                              bool is_short = false) {
    const RefPtr<SampleSet> set = is_short ? OpenShort(threads) : Open(threads);
    std::vector<std::shared_ptr<BatchReader>> readers;
    for (int64_t slice = 0; slice < slices; ++slice) {
      const BatchReader::Config config{.batch = 12,
                                       .shuffle = true,
                                       .shuffle_buffer = buffer,
                                       .seed = 5,
                                       .slice = slice,
                                       .slices = slices,
                                       .prefetch = 3};
      readers.push_back(std::make_shared<BatchReader>(config, set.get(), SystemAllocator()));
    }
    std::vector<int64_t> samples;
    for (int64_t step = 0; step < steps; ++step) {
      for (const auto& reader : readers) {
        const Result<std::vector<int64_t>> slice = Get(*reader, position + step * 12);
        EXPECT_TRUE(slice.ok()) << slice.status().ToString();
        if (slice.ok()) samples.insert(samples.end(), slice->begin(), slice->end());
      }
    }
    return samples;
  }

  ScratchDirectory files_;
};

TEST_F(BatchReaderTest, EverySampleOnceAnEpochInAnySlicesAndThreads) {
  for (int64_t buffer : {0, 10}) {
    const std::vector<int64_t> whole = Stream(1, 1, buffer, 0, 26);  // three epochs and three samples
    for (int64_t epoch = 0; epoch < 3; ++epoch) {
      std::vector<int64_t> samples(whole.begin() + epoch * kSamples, whole.begin() + (epoch + 1) * kSamples);
      std::sort(samples.begin(), samples.end());
      for (int64_t i = 0; i < kSamples; ++i) ASSERT_EQ(samples[static_cast<size_t>(i)], i);
    }
    for (int64_t slices : {2, 3, 4}) EXPECT_EQ(Stream(slices, 4, buffer, 0, 26), whole) << slices;
    for (int64_t slices : {1, 2, 3}) EXPECT_EQ(Stream(slices, 2, buffer, 0, 26, true), whole) << slices;
    // Batches that were read ahead have no effect: from step 7 on the same samples come.
    EXPECT_EQ(Stream(3, 2, buffer, 7 * 12, 19), std::vector<int64_t>(whole.begin() + 7 * 12, whole.end()));
  }
}

TEST_F(BatchReaderTest, PositionsMayJump) {
  const std::vector<int64_t> whole = Stream(1, 1, 0, 0, 20);
  for (const RefPtr<SampleSet>& set : {Open(3), OpenShort(2)}) {
    const BatchReader::Config config{.batch = 12, .shuffle = true, .seed = 5};
    auto reader = std::make_shared<BatchReader>(config, set.get(), SystemAllocator());
    for (int64_t step : {0, 1, 9, 2, 3, 3, 4, 19, 0}) {
      const Result<std::vector<int64_t>> batch = Get(*reader, step * 12);
      ASSERT_TRUE(batch.ok()) << batch.status().ToString();
      EXPECT_EQ(*batch, std::vector<int64_t>(whole.begin() + step * 12, whole.begin() + (step + 1) * 12));
    }
    EXPECT_EQ(Get(*reader, -1).status().code(), Code::kInvalidArgument);
    EXPECT_EQ(Get(*reader, INT64_MAX - 3).status().code(), Code::kInvalidArgument);
  }
}

TEST_F(BatchReaderTest, ErrorsComeWithTheBatch) {
  const BatchReader::Config config{.batch = 1};
  const RefPtr<SampleSet> absent = Open(2, "none");
  auto reader = std::make_shared<BatchReader>(config, absent.get(), SystemAllocator());
  for (int64_t position : {0, 1}) EXPECT_EQ(Get(*reader, position).status().code(), Code::kNotFound);
  files_.Write("bad", "1\nx\n2\n");
  const RefPtr<SampleSet> bad = Open(2, "bad");
  auto damaged = std::make_shared<BatchReader>(config, bad.get(), SystemAllocator());
  EXPECT_TRUE(Get(*damaged, 0).ok());
  EXPECT_TRUE(Get(*damaged, 1)
                  .status()
                  .message()
                  .starts_with(files_.Path("bad") + ":2, record 1 at byte 2: column 0: 'x' is no int64"));
  EXPECT_TRUE(Get(*damaged, 2).ok());
}

}  // namespace
}  // namespace dfrun
