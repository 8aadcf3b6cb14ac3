// HDF5Reader and SampleReader: batches of a data set that the readers of a device share.
#include <algorithm>

#include "kernels/device/cpu_kernel.h"
#include "kernels/io/batch_reader.h"
#include "kernels/io/record_source.h"
#include "kernels/strings/parse_number.h"
#include "src/framework/file_access.h"

namespace dfrun {
namespace {

constexpr int64_t kMaxBatch = int64_t{1} << 28;

Status BadList(std::string_view attr, size_t entries, size_t components) {
  return InvalidArgument("attr '", attr, "' has ", entries, " entries for ", components, " components");
}

SampleSetConfig Hdf5Config(KernelSetup& setup) {
  SampleSetConfig set;
  set.format = "hdf5";
  set.config.files = {setup.attr<std::string>("path")};
  if (setup.attr<bool>("external") && FileAccess::Of(setup.device())->trusts_inputs()) {
    set.config.options["external"] = "true";
  }
  const auto dtypes = setup.attr<std::vector<DType>>("component_types");
  const auto datasets = setup.attr<std::vector<std::string>>("datasets");
  if (datasets.size() != dtypes.size()) {
    setup.Fail(BadList("datasets", datasets.size(), dtypes.size()));
    return set;
  }
  for (size_t i = 0; i < datasets.size(); ++i) set.fields.push_back({datasets[i], dtypes[i], PartialShape(), {}});
  return set;
}

// Splits "key=value".
Result<std::pair<std::string, std::string>> KeyAndValue(const std::string& text) {
  const size_t at = text.find('=');
  if (at == std::string::npos) return InvalidArgument("'", text, "' is not written key=value");
  return std::pair{text.substr(0, at), text.substr(at + 1)};
}

Status ReadOptions(KernelSetup& setup, SampleSetConfig& set) {
  for (const std::string& option : setup.attr<std::vector<std::string>>("options")) {
    DF_ASSIGN(auto entry, KeyAndValue(option));
    set.config.options.insert(std::move(entry));
  }
  for (const std::string& text : setup.attr<std::vector<std::string>>("defaults")) {
    DF_ASSIGN(auto entry, KeyAndValue(text));
    size_t field = 0;
    if (!ParseNumber(entry.first, field) || field >= set.fields.size()) {
      return InvalidArgument("attr 'defaults': there is no field ", entry.first);
    }
    set.fields[field].fallback = std::move(entry.second);
  }
  return Status();
}

Status ReadRecordIndex(KernelSetup& setup, RecordIndex& record_index) {
  const auto pieces = setup.attr<std::vector<int64_t>>("pieces");
  if (pieces.size() % 3 != 0)
    return InvalidArgument("attr 'pieces' has ", pieces.size(), " entries, not three a piece");
  for (size_t i = 0; i < pieces.size(); i += 3)
    record_index.pieces.push_back({pieces[i], pieces[i + 1], pieces[i + 2]});
  record_index.left_out = setup.attr<std::vector<int64_t>>("left_out");
  return Status();
}

SampleSetConfig RecordConfig(KernelSetup& setup) {
  SampleSetConfig set;
  set.format = setup.attr<std::string>("format");
  set.config.files = setup.attr<std::vector<std::string>>("files");
  const auto dtypes = setup.attr<std::vector<DType>>("component_types");
  const auto fields = setup.attr<std::vector<std::string>>("fields");
  const auto shapes = setup.attr<std::vector<PartialShape>>("sample_shapes");
  for (const auto& [name, size] : {std::pair{"fields", fields.size()}, std::pair{"sample_shapes", shapes.size()}}) {
    if (size == dtypes.size()) continue;
    setup.Fail(BadList(name, size, dtypes.size()));
    return set;
  }
  for (size_t i = 0; i < fields.size(); ++i) set.fields.push_back({fields[i], dtypes[i], shapes[i], {}});
  if (Status status = ReadOptions(setup, set); !status.ok()) setup.Fail(std::move(status));
  if (Status status = ReadRecordIndex(setup, set.record_index); !status.ok()) setup.Fail(std::move(status));
  return set;
}

// A graph that is not the user's own spec opens no more here than elsewhere.
Status ConfineFiles(const FileAccess& access, SampleConfig& config) {
  if (access.trusts_inputs()) return Status();
  config.options.erase("external");
  for (const std::string& pattern : config.files) DF_TRY(access.CheckPattern(pattern));
  DF_ASSIGN(config.files, ExpandFiles(config.files));
  for (std::string& file : config.files) {
    DF_ASSIGN(file, access.ForReading(file));
  }
  return Status();
}

// What the kernels of one node in several plans have in common: a step that fetches more than others has a plan of its
// own, and takes the batch that was read ahead while the others ran.
class NodeReader final : public Resource {
 public:
  NodeReader(RefPtr<SampleSet> set, const BatchReader::Config& config, Allocator& allocator)
      : set_(std::move(set)), reader_(std::make_shared<BatchReader>(config, set_.get(), allocator)) {}

  static std::string Key(const std::string& node, const std::string& set, const BatchReader::Config& c) {
    return StrCat("reader ", node, " ", c.batch, " ", c.shuffle, " ", c.shuffle_buffer, " ", c.seed, " ", c.slice, " ",
                  c.slices, " ", c.prefetch, " ", set);
  }
  BatchReader& reader() { return *reader_; }
  std::string DebugString() const override { return "batches of " + set_->DebugString(); }

 private:
  const RefPtr<SampleSet> set_;
  const std::shared_ptr<BatchReader> reader_;
};

class SampleReaderKernel final : public AsyncKernel {
 public:
  explicit SampleReaderKernel(KernelSetup& setup) {
    const BatchReader::Config config{.batch = setup.attr<int64_t>("batch"),
                                     .shuffle = setup.attr<bool>("shuffle"),
                                     .shuffle_buffer = setup.attr<int64_t>("shuffle_buffer"),
                                     .seed = static_cast<uint64_t>(setup.attr<int64_t>("seed")),
                                     .slice = setup.attr<int64_t>("slice"),
                                     .slices = setup.attr<int64_t>("slices"),
                                     .prefetch = std::min(setup.attr<int64_t>("prefetch"), kMaxBatchesAhead)};
    if (config.slice >= config.slices || (config.batch >= 0 && config.batch % config.slices != 0)) {
      setup.Fail(InvalidArgument("slice ", config.slice, " of ", config.slices, " of a batch of ", config.batch,
                                 ": the batch must divide into equal slices"));
    }
    if (std::max(config.batch, config.slices) > kMaxBatch) {
      setup.Fail(InvalidArgument("a batch of ", config.batch, " in ", config.slices, " slices is too large"));
    }
    SampleSetConfig set = setup.node().op->name == "HDF5Reader" ? Hdf5Config(setup) : RecordConfig(setup);
    if (Status status = ConfineFiles(*FileAccess::Of(setup.device()), set.config); !status.ok()) {
      setup.Fail(std::move(status));
    }
    set.threads = static_cast<int>(std::min(setup.attr<int64_t>("readers"), kMaxSampleThreads));
    if (!setup.status().ok()) return;
    Result<RefPtr<NodeReader>> found = ReaderOf(setup, set, config);
    if (found.ok()) {
      shared_ = *std::move(found);
    } else {
      setup.Fail(found.status());
    }
  }

  void ComputeAsync(OpContext& ctx, Callback done) override {
    shared_->reader().Request(ctx.input(0).scalar<int64_t>(), [&ctx, done](Result<BatchReader::Batch> batch) {
      if (!batch.ok()) {
        done(AsInputError(batch.status()));
        return;
      }
      for (size_t i = 0; i < batch->size(); ++i) ctx.SetOutput(static_cast<int>(i), std::move((*batch)[i]));
      done(Status());
    });
  }

 private:
  static Result<RefPtr<NodeReader>> ReaderOf(KernelSetup& setup, const SampleSetConfig& set,
                                             const BatchReader::Config& config) {
    ResourceContainers& containers = setup.device().containers();
    const std::string set_key = set.Key();
    DF_ASSIGN(RefPtr<SampleSet> samples, containers.LookupOrCreate<SampleSet>(
                                             "", set_key, [&]() -> Result<SampleSet*> { return new SampleSet(set); }));
    return containers.LookupOrCreate<NodeReader>(
        "", NodeReader::Key(setup.node().name, set_key, config), [&]() -> Result<NodeReader*> {
          return new NodeReader(std::move(samples), config, setup.device().allocator());
        });
  }

  RefPtr<NodeReader> shared_;
};

CPU_KERNEL_ANY("HDF5Reader", SampleReaderKernel);
CPU_KERNEL_ANY("SampleReader", SampleReaderKernel);

}  // namespace
}  // namespace dfrun
