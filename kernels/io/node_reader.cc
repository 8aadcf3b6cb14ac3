#include "kernels/io/node_reader.h"

#include <algorithm>
#include <vector>

#include "kernels/io/record_source.h"
#include "kernels/strings/parse_number.h"
#include "src/storage/file_access.h"

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
  for (const int64_t field : setup.attr<std::vector<int64_t>>("exact")) {
    if (field < 0 || field >= static_cast<int64_t>(set.fields.size())) {
      return InvalidArgument("attr 'exact': there is no field ", field);
    }
    set.fields[static_cast<size_t>(field)].is_exact = true;
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

Result<SampleSetConfig> SetOf(KernelSetup& setup) {
  SampleSetConfig set = setup.node().op->name == "HDF5Reader" ? Hdf5Config(setup) : RecordConfig(setup);
  DF_TRY(ConfineFiles(*FileAccess::Of(setup.device()), set.config));
  // Layouts are taken only from a trusted graph: another author may know nothing of this host's files.
  if (FileAccess::Of(setup.device())->trusts_inputs()) set.config.layouts = setup.attr<std::string>("layouts");
  set.threads = static_cast<int>(std::min(setup.attr<int64_t>("readers"), kMaxSampleThreads));
  DF_TRY(setup.status());
  return set;
}

Result<BatchReader::Config> BatchesOf(KernelSetup& setup) {
  const BatchReader::Config config{.batch = setup.attr<int64_t>("batch"),
                                   .shuffle = setup.attr<bool>("shuffle"),
                                   .shuffle_buffer = setup.attr<int64_t>("shuffle_buffer"),
                                   .seed = static_cast<uint64_t>(setup.attr<int64_t>("seed")),
                                   .slice = setup.attr<int64_t>("slice"),
                                   .slices = setup.attr<int64_t>("slices"),
                                   .prefetch = std::min(setup.attr<int64_t>("prefetch"), kMaxBatchesAhead)};
  if (config.slice >= config.slices || (config.batch >= 0 && config.batch % config.slices != 0)) {
    return InvalidArgument("slice ", config.slice, " of ", config.slices, " of a batch of ", config.batch,
                           ": the batch must divide into equal slices");
  }
  if (std::max(config.batch, config.slices) > kMaxBatch) {
    return InvalidArgument("a batch of ", config.batch, " in ", config.slices, " slices is too large");
  }
  return config;
}

std::string KeyOf(const std::string& node, const std::string& set, const BatchReader::Config& c) {
  return StrCat("reader ", node, " ", c.batch, " ", c.shuffle, " ", c.shuffle_buffer, " ", c.seed, " ", c.slice, " ",
                c.slices, " ", c.prefetch, " ", set);
}

}  // namespace

Result<RefPtr<NodeReader>> NodeReader::Of(KernelSetup& setup, Allocator& memory) {
  DF_ASSIGN(const BatchReader::Config config, BatchesOf(setup));
  DF_ASSIGN(const SampleSetConfig set, SetOf(setup));
  ResourceContainers& containers = setup.device().containers();
  const std::string set_key = set.Key();
  DF_ASSIGN(RefPtr<SampleSet> samples, containers.LookupOrCreate<SampleSet>(
                                           "", set_key, [&]() -> Result<SampleSet*> { return new SampleSet(set); }));
  const std::string key = KeyOf(setup.node().name, set_key, config);
  return containers.LookupOrCreate<NodeReader>(
      "", key, [&]() -> Result<NodeReader*> { return new NodeReader(key, std::move(samples), config, memory); });
}

BatchReader::Done GiveTo(OpContext& ctx, Callback done) {
  return [&ctx, done](Result<BatchReader::Batch> batch) {
    if (!batch.ok()) {
      done(AsInputError(batch.status()));
      return;
    }
    for (size_t i = 0; i < batch->size(); ++i) ctx.SetOutput(static_cast<int>(i), std::move((*batch)[i]));
    done(Status());
  };
}

}  // namespace dfrun
