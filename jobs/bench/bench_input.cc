// `dfrun bench input`: the processor time spent on the samples of a file, shuffled and in batches. The limit is to read
// the same bytes and to do nothing with them.
//
// An epoch takes every sample once; the first one also opens the file and finds its records. The file is in the
// system's cache. Times are of the processor, all threads together: samples per second of one core.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <memory>

#include "jobs/bench/bench.h"
#include "jobs/timing.h"
#include "kernels/device/cpu_allocator.h"
#include "kernels/io/batch_reader.h"
#include "kernels/io/record_format.h"
#include "src/base/file.h"
#include "src/storage/example.pb.h"
#include "src/storage/hdf5_library.h"

namespace dfrun::jobs {
namespace {

struct InputOptions {
  int rounds = 7;
  int64_t samples = 20'000;
  int64_t batch = 128;
};

constexpr int64_t kPixels = 32 * 32 * 3;  // bytes of a sample, besides an int64 label
constexpr size_t kReadBytes = size_t{1} << 20;
// Multiplier of the pseudo-random bytes of a file. Any number will do that makes the bytes differ.
constexpr uint32_t kStep = 2654435761;

// A directory that is removed with its files by the destructor.
class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "dfrun-bench-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ~ScratchDirectory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct Samples {
  Tensor images;  // uint8 [n, kPixels]
  Tensor labels;  // int64 [n]
};

Samples MakeSamples(int64_t count) {
  Samples samples{Tensor(DType::kUint8, Shape({count, kPixels})), Tensor(DType::kInt64, Shape({count}))};
  uint32_t state = 1;
  for (int64_t i = 0; i < count * kPixels; ++i) {
    state = state * kStep + 1;
    samples.images.data<uint8_t>()[i] = static_cast<uint8_t>(state >> 24);
  }
  for (int64_t i = 0; i < count; ++i) samples.labels.data<int64_t>()[i] = i % 10;
  return samples;
}

Status WriteHdf5(const Samples& samples, const std::string& path) {
  DF_ASSIGN(const Hdf5Library* const library, LoadHdf5());
  DF_ASSIGN(const std::unique_ptr<Hdf5Writer> file, library->Create(path));
  DF_TRY(file->Write("/image", samples.images).status());
  DF_TRY(file->Write("/label", samples.labels).status());
  return file->Close();
}

Status WriteTfRecord(const Samples& samples, const std::string& path) {
  std::string records;
  for (int64_t i = 0; i < samples.labels.num_elements(); ++i) {
    proto::Example example;
    auto& features = *example.mutable_features()->mutable_feature();
    features["image"].mutable_bytes_list()->add_value(samples.images.data<char>() + i * kPixels, kPixels);
    features["label"].mutable_int64_list()->add_value(samples.labels.data<int64_t>()[i]);
    records += FramedTfRecord(example.SerializeAsString());
  }
  return WriteFileAtomically(path, records);
}

// Reads the file in blocks and forgets it.
Status ReadPlainly(const std::string& path) {
  DF_ASSIGN(const FileDescriptor file, FileDescriptor::OpenForReading(path));
  DF_ASSIGN(const uint64_t size, file.Size());
  std::vector<char> block(kReadBytes);
  for (uint64_t at = 0; at < size; at += kReadBytes) {
    DF_TRY(file.ReadAt(at, block.data(), std::min<uint64_t>(kReadBytes, size - at)));
  }
  return Status();
}

Status TakeBatch(BatchReader& reader, int64_t position) {
  std::promise<Status> done;
  reader.Request(position, [&](const Result<BatchReader::Batch>& batch) { done.set_value(batch.status()); });
  return done.get_future().get();
}

// A data set that is read in the same way as by a job.
class Input {
 public:
  Input(const SampleSetConfig& config, const InputOptions& options, Allocator& allocator)
      : options_(options),
        set_(new SampleSet(config)),
        reader_(std::make_shared<BatchReader>(BatchReader::Config{.batch = options.batch, .shuffle = true, .seed = 1},
                                              set_.get(), allocator)) {}

  // Takes every sample once, except those that make no whole batch.
  Status TakeEpoch() {
    for (int64_t i = 0; i < options_.samples / options_.batch; ++i, at_ += options_.batch) {
      DF_TRY(TakeBatch(*reader_, at_));
    }
    return Status();
  }

 private:
  const InputOptions options_;
  const RefPtr<SampleSet> set_;
  const std::shared_ptr<BatchReader> reader_;
  int64_t at_ = 0;
};

// Builds the index that a job builds once, on rank 0, however many ranks read.
Status BuildRecordIndex(SampleSetConfig& config) {
  DF_ASSIGN(const std::unique_ptr<SampleSource> source, SampleFormats::Find(config.format)->open(config.config));
  for (SampleField field : config.fields) DF_TRY(source->AddField(field));
  DF_ASSIGN(config.record_index, source->Count());
  return Status();
}

Result<BenchFigure> Figure(const std::string& name, const std::string& path, const InputOptions& options,
                           FunctionRef<Status()> take) {
  Status status;
  const auto keep = [&](Status result) {
    if (status.ok()) status = std::move(result);
  };
  const TurnTimes times = TurnAbout(
      CLOCK_PROCESS_CPUTIME_ID, options.rounds, [&] { keep(take()); }, [&] { keep(ReadPlainly(path)); });
  DF_TRY(std::move(status));
  const double thousands = static_cast<double>(options.samples) / 1000;
  return BenchFigure{StrCat("input/", name), thousands / times.value_s, "k/s", thousands / times.limit_s,
                     "the same bytes, read plainly"};
}

// Measures the first epoch, which opens the files and finds the records, and later ones.
Status Measure(SampleSetConfig config, const InputOptions& options, std::vector<BenchFigure>& figures) {
  CpuAllocator allocator;
  const std::string path = config.config.files[0];
  DF_TRY(BuildRecordIndex(config));
  DF_ASSIGN(BenchFigure first, Figure(config.format + "/first_epoch", path, options,
                                      [&] { return Input(config, options, allocator).TakeEpoch(); }));
  Input input(config, options, allocator);
  DF_ASSIGN(BenchFigure later,
            Figure(config.format + "/later_epochs", path, options, [&] { return input.TakeEpoch(); }));
  figures.push_back(std::move(first));
  figures.push_back(std::move(later));
  return Status();
}

Result<BenchOutcome> RunInput(const InputOptions& options) {
  const ScratchDirectory directory;
  if (directory.path().empty()) return IoError("cannot make a directory for temporary files");
  const Samples samples = MakeSamples(options.samples);
  SampleSetConfig hdf5{"hdf5", {{directory.path() + "/samples.h5"}, {}}, {}, {}, 1};
  hdf5.fields = {{"/image", DType::kInvalid, PartialShape(), {}}, {"/label", DType::kInvalid, PartialShape(), {}}};
  SampleSetConfig records{"tfrecord", {{directory.path() + "/samples.tfrecord"}, {}}, {}, {}, 1};
  records.fields = {{"image", DType::kUint8, PartialShape({kPixels}), {}},
                    {"label", DType::kInt64, PartialShape::Scalar(), {}}};
  DF_TRY(WriteHdf5(samples, hdf5.config.files[0]));
  DF_TRY(WriteTfRecord(samples, records.config.files[0]));
  BenchOutcome outcome;
  DF_TRY(Measure(hdf5, options, outcome.figures));
  DF_TRY(Measure(records, options, outcome.figures));
  return outcome;
}

BENCH("input", "Samples a second from files, shuffled and in batches, on one core.",
      "dfrun bench input --json input.json", [](Options& args) -> RunBench {
        auto options = std::make_shared<InputOptions>();
        args.Value("--rounds", options->rounds, "Rounds that the median is taken of").AtLeast(1);
        args.Value("--samples", options->samples, "Samples of 3 KiB").Between(1, 1'000'000);
        args.Value("--batch", options->batch, "Samples in a batch").AtLeast(1);
        return [options] { return RunInput(*options); };
      });

}  // namespace
}  // namespace dfrun::jobs
