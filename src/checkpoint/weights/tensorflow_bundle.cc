// TensorFlow's checkpoints: PREFIX.index, and the values in PREFIX.data-00000-of-00001 and so on.
// tensorflow/core/util/tensor_bundle/tensor_bundle.h
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>

#include "src/base/byte_reader.h"
#include "src/base/crc32c.h"
#include "src/base/file.h"
#include "src/base/text.h"
#include "src/checkpoint/tensor_bytes.h"
#include "src/checkpoint/tensorflow/bundle.pb.h"
#include "src/checkpoint/tensorflow/slice_key.h"
#include "src/checkpoint/tensorflow/table_reader.h"
#include "src/checkpoint/weights/weight_source.h"
#include "src/framework/values/true_bools.h"

namespace dfrun {
namespace {

constexpr size_t kMaxIndexBytes = size_t{256} << 20;
constexpr int kMaxParts = 10'000;  // parts of a tensor
constexpr int32_t kMaxDataFiles = 100'000;
constexpr std::string_view kIndexEnding = ".index";
constexpr std::string_view kObjectGraph = "_CHECKPOINTABLE_OBJECT_GRAPH";
constexpr std::string_view kOfObject = "/.ATTRIBUTES/VARIABLE_VALUE";

std::optional<Shape> ShapeOf(const tensorflow_bundle::TensorShape& shape) {
  std::vector<int64_t> dims;
  for (const auto& dim : shape.dim()) dims.push_back(dim.size());
  const Result<Shape> made = Shape::Create(dims);
  return made.ok() && !shape.unknown_rank() ? std::optional<Shape>(*made) : std::nullopt;
}

DType DTypeOfNumber(int32_t number) {
  const auto dtype = static_cast<DType>(number);
  return IsPlain(dtype) && DTypeSize(dtype) > 0 ? dtype : dtype == DType::kString ? dtype : DType::kInvalid;
}

// A part of a tensor: where it begins and its sizes.
struct Part {
  std::vector<int64_t> begin;
  std::vector<int64_t> sizes;
  std::string key;  // the key of its own entry
};

class BundleSource final : public WeightSource {
 public:
  explicit BundleSource(std::string prefix)
      : WeightSource("the TensorFlow checkpoint " + prefix), prefix_(std::move(prefix)) {}

  Status List() {
    DF_ASSIGN(const std::string index, ReadFile(StrCat(prefix_, kIndexEnding), kMaxIndexBytes));
    Result<std::map<std::string, std::string>> table = ReadTable(index);
    if (!table.ok()) return Damaged(table.status().message());
    table_ = *std::move(table);
    DF_TRY(ReadHeader());
    std::map<std::string, std::string> full_names;
    if (table_.contains(std::string(kObjectGraph))) {
      DF_ASSIGN(full_names, FullNames());
    }
    for (const auto& [key, value] : table_) {
      if (key.empty() || key[0] == '\0' || key == kObjectGraph) continue;  // the header, parts, and no variable
      DF_TRY(Add(key, full_names));
    }
    return Status();
  }

  Result<Tensor> Read(size_t entry) override {
    DF_ASSIGN(const tensorflow_bundle::Entry saved, EntryOf(keys_[entry]));
    if (saved.slices().empty()) return ReadWhole(keys_[entry], saved);
    return ReadParts(keys_[entry], saved);
  }

 private:
  Status Damaged(const std::string& why) const {
    return Error(Code::kDataLoss, "the TensorFlow checkpoint ", prefix_, " is damaged: ", why);
  }

  Status ReadHeader() {
    tensorflow_bundle::Header header;
    const auto found = table_.find("");
    if (found == table_.end() || !header.ParseFromString(found->second)) return Damaged("its index has no header");
    if (header.endianness() != 0)
      return Error(Code::kUnimplemented, prefix_, kIndexEnding,
                   ": its values are of a machine of the other byte order");
    num_files_ = header.num_shards();
    if (num_files_ < 1 || num_files_ > kMaxDataFiles) return Damaged(StrCat("it has ", num_files_, " files of values"));
    return Status();
  }

  Result<tensorflow_bundle::Entry> EntryOf(const std::string& key) const {
    tensorflow_bundle::Entry entry;
    const auto found = table_.find(key);
    if (found == table_.end() || !entry.ParseFromString(found->second))
      return Damaged(StrCat("its index has no entry of '", key, "', or of a part of it"));
    return entry;
  }

  Status Add(const std::string& key, const std::map<std::string, std::string>& full_names) {
    DF_ASSIGN(const tensorflow_bundle::Entry saved, EntryOf(key));
    const std::optional<Shape> shape = ShapeOf(saved.shape());
    if (!shape) return Damaged(StrCat("'", key, "' has no shape"));
    const bool is_of_object = key.ends_with(kOfObject);
    Entry entry{.name = is_of_object ? key.substr(0, key.size() - kOfObject.size()) : key,
                .dtype = DTypeOfNumber(saved.dtype()),
                .type = StrCat("TensorFlow's type ", saved.dtype()),
                .shape = *shape};
    if (is_of_object) entry.aliases.push_back(key);
    const auto full = full_names.find(key);
    if (full != full_names.end() && full->second != entry.name) entry.aliases.push_back(full->second);
    entries_.push_back(std::move(entry));
    keys_.push_back(key);
    return Status();
  }

  // The names that variables of objects had themselves, by the keys of their entries.
  Result<std::map<std::string, std::string>> FullNames() {
    const std::string key(kObjectGraph);
    DF_ASSIGN(const tensorflow_bundle::Entry saved, EntryOf(key));
    if (saved.dtype() != static_cast<int32_t>(DType::kString) || saved.shape().dim_size() != 0)
      return Damaged("its graph of objects is no text");
    DF_ASSIGN(const Tensor text, ReadWhole(key, saved));
    tensorflow_bundle::ObjectGraph objects;
    if (!objects.ParseFromString(text.scalar<std::string>())) return Damaged("its graph of objects cannot be read");
    std::map<std::string, std::string> names;
    for (const auto& node : objects.nodes()) {
      for (const auto& attribute : node.attributes()) {
        if (!attribute.full_name().empty()) names[attribute.checkpoint_key()] = attribute.full_name();
      }
    }
    return names;
  }

  std::string PathOf(int32_t file) const {
    char ending[32];
    std::snprintf(ending, sizeof ending, ".data-%05d-of-%05d", file, num_files_);
    return prefix_ + ending;
  }

  // The bytes of an entry, which lie in the file that it names.
  Result<const FileDescriptor*> FileOf(const std::string& key, const tensorflow_bundle::Entry& saved) {
    if (saved.shard_id() < 0 || saved.shard_id() >= num_files_)
      return Damaged(StrCat("'", key, "' would be in file ", saved.shard_id(), " of ", num_files_));
    auto& [file, size] = files_[saved.shard_id()];
    if (file.fd() < 0) {
      Result<FileDescriptor> opened = FileDescriptor::OpenForReading(PathOf(saved.shard_id()));
      if (!opened.ok()) return Damaged(opened.status().message());
      file = *std::move(opened);
      DF_ASSIGN(size, file.Size());
    }
    const auto offset = static_cast<uint64_t>(saved.offset());
    const auto bytes = static_cast<uint64_t>(saved.size());
    if (saved.offset() < 0 || saved.size() < 0 || bytes > size || offset > size - bytes)
      return Damaged(StrCat("'", key, "' is beyond the end of ", file.path()));
    return &file;
  }

  Status CheckCrc(const std::string& key, const tensorflow_bundle::Entry& saved, uint32_t crc) const {
    return MaskCrc32c(crc) == saved.crc32c() ? Status() : Damaged(StrCat("the checksum of '", key, "' is another"));
  }

  Result<Tensor> ReadWhole(const std::string& key, const tensorflow_bundle::Entry& saved) {
    const DType dtype = DTypeOfNumber(saved.dtype());
    const std::optional<Shape> shape = ShapeOf(saved.shape());
    if (!shape || dtype == DType::kInvalid) return Damaged(StrCat("'", key, "' has no dtype or no shape"));
    DF_ASSIGN(const FileDescriptor* const file, FileOf(key, saved));
    const auto bytes = static_cast<uint64_t>(saved.size());
    if (dtype == DType::kString) {
      const auto elements = static_cast<uint64_t>(shape->num_elements());
      if (elements > bytes) return Damaged(StrCat("'", key, "' has ", bytes, " bytes for ", elements, " texts"));
      return ReadTexts(key, saved, *shape, *file);
    }
    if (!IsSizeOf(dtype, *shape, bytes))
      return Damaged(StrCat("'", key, "' of shape ", *shape, " has ", bytes, " bytes"));
    DF_ASSIGN(Tensor value, Tensor::Allocate(SystemAllocator(), dtype, *shape));
    DF_TRY(file->ReadAt(static_cast<uint64_t>(saved.offset()), value.raw(), value.num_bytes()));
    DF_TRY(CheckCrc(key, saved, Crc32c(value.raw(), value.num_bytes())));
    MakeTrueBools(value);
    return value;
  }

  // Texts come as their lengths, a checksum of these, and their bytes.
  Result<Tensor> ReadTexts(const std::string& key, const tensorflow_bundle::Entry& saved, const Shape& shape,
                           const FileDescriptor& file) {
    std::string raw(static_cast<size_t>(saved.size()), '\0');
    DF_TRY(file.ReadAt(static_cast<uint64_t>(saved.offset()), raw.data(), raw.size()));
    ByteReader from(raw);
    DF_ASSIGN(Tensor value, Tensor::Allocate(SystemAllocator(), DType::kString, shape));
    std::vector<uint64_t> lengths(static_cast<size_t>(shape.num_elements()));
    uint32_t crc = 0;
    for (uint64_t& length : lengths) {
      if (!from.TakeVarint(length)) return Damaged(StrCat("the texts of '", key, "' are cut short"));
      crc = ExtendByLength(crc, length);
    }
    uint64_t of_lengths = 0;
    if (!from.TakeNumber(4, of_lengths) || of_lengths != MaskCrc32c(crc))
      return Damaged(StrCat("the checksum of '", key, "' is another"));
    const auto stored = static_cast<uint32_t>(of_lengths);
    crc = ExtendCrc32c(crc, &stored, sizeof stored);
    crc = ExtendCrc32c(crc, from.rest().data(), from.rest().size());
    DF_TRY(CheckCrc(key, saved, crc));
    for (size_t i = 0; i < lengths.size(); ++i) {
      std::string_view text;
      if (!from.TakeBytes(lengths[i], text)) return Damaged(StrCat("the texts of '", key, "' are cut short"));
      value.data<std::string>()[i] = text;
    }
    return from.empty() ? std::move(value) : Result<Tensor>(Damaged(StrCat("'", key, "' has texts too many")));
  }

  // The parts of a tensor that is saved so; they cover all of it, each element once.
  Result<std::vector<Part>> PartsOf(const std::string& key, const tensorflow_bundle::Entry& saved,
                                    const Shape& shape) const {
    std::vector<Part> parts;
    int64_t elements = 0;
    if (saved.slices_size() > kMaxParts) return Damaged(StrCat("'", key, "' has ", saved.slices_size(), " parts"));
    for (const tensorflow_bundle::Slice& slice : saved.slices()) {
      if (slice.extent_size() != shape.rank()) return Damaged(StrCat("a part of '", key, "' has another rank"));
      Part part;
      std::vector<SliceExtent> extents;
      int64_t count = 1;
      for (int i = 0; i < shape.rank(); ++i) {
        const auto& extent = slice.extent(i);
        const bool is_full = extent.has_length_case() != tensorflow_bundle::Slice::Extent::kLength;
        const int64_t size = is_full ? shape[i] : extent.length();
        if (extent.start() < 0 || size < 0 || size > shape[i] || extent.start() > shape[i] - size)
          return Damaged(StrCat("a part of '", key, "' is beyond its shape ", shape));
        extents.push_back({extent.start(), is_full ? -1 : extent.length()});
        part.begin.push_back(extent.start());
        part.sizes.push_back(size);
        count *= size;
      }
      elements += count;
      part.key = SliceKey(key, extents);
      parts.push_back(std::move(part));
    }
    if (elements != shape.num_elements() || Overlap(parts))
      return Damaged(StrCat("the parts of '", key, "' do not make a whole"));
    return parts;
  }

  static bool Overlap(const std::vector<Part>& parts) {
    for (size_t a = 0; a < parts.size(); ++a) {
      for (size_t b = a + 1; b < parts.size(); ++b) {
        bool meet = true;
        for (size_t i = 0; i < parts[a].begin.size(); ++i) {
          meet = meet && parts[a].begin[i] < parts[b].begin[i] + parts[b].sizes[i] &&
                 parts[b].begin[i] < parts[a].begin[i] + parts[a].sizes[i];
        }
        if (meet) return true;
      }
    }
    return false;
  }

  Result<Tensor> ReadParts(const std::string& key, const tensorflow_bundle::Entry& saved) {
    const std::optional<Shape> shape = ShapeOf(saved.shape());
    const DType dtype = DTypeOfNumber(saved.dtype());
    if (!shape || dtype == DType::kInvalid || dtype == DType::kString)
      return Damaged(StrCat("'", key, "' is in parts that cannot be put together"));
    DF_ASSIGN(const std::vector<Part> parts, PartsOf(key, saved, *shape));
    // The parts are there and have their sizes before memory is taken for the whole.
    for (const Part& part : parts) {
      DF_ASSIGN(const tensorflow_bundle::Entry entry, EntryOf(part.key));
      const std::optional<Shape> own = ShapeOf(entry.shape());
      if (!own || *own != Shape(std::span<const int64_t>(part.sizes)) || entry.dtype() != saved.dtype())
        return Damaged(StrCat("a part of '", key, "' has another shape or dtype"));
      DF_TRY(FileOf(part.key, entry).status());
      if (!IsSizeOf(dtype, *own, static_cast<uint64_t>(entry.size())))
        return Damaged(StrCat("a part of '", key, "' has another number of bytes"));
    }
    DF_ASSIGN(Tensor whole, Tensor::Allocate(SystemAllocator(), dtype, *shape));
    for (const Part& part : parts) {
      DF_ASSIGN(const tensorflow_bundle::Entry entry, EntryOf(part.key));
      DF_ASSIGN(const Tensor value, ReadWhole(part.key, entry));
      Place(value, part, whole);
    }
    return whole;
  }

  // Copies a part's rows of the last dimension to where they belong.
  static void Place(const Tensor& value, const Part& part, Tensor& whole) {
    const Shape& shape = whole.shape();
    const int rank = shape.rank();
    const size_t element = DTypeSize(value.dtype());
    if (value.num_elements() == 0) return;
    const size_t row = rank == 0 ? element : static_cast<size_t>(part.sizes.back()) * element;
    std::vector<int64_t> index(part.begin);
    const auto* from = static_cast<const char*>(value.raw());
    const char* const end = from + value.num_bytes();
    for (; from < end; from += row) {
      int64_t at = 0;
      for (int i = 0; i < rank; ++i) at = at * shape[i] + index[static_cast<size_t>(i)];
      std::copy(from, from + row, static_cast<char*>(whole.raw()) + static_cast<size_t>(at) * element);
      for (int i = rank - 2; i >= 0; --i) {
        const auto k = static_cast<size_t>(i);
        if (++index[k] < part.begin[k] + part.sizes[k]) break;
        index[k] = part.begin[k];
      }
    }
  }

  const std::string prefix_;
  std::map<std::string, std::string> table_;  // the index
  int32_t num_files_ = 0;
  std::map<int32_t, std::pair<FileDescriptor, uint64_t>> files_;  // by number, with their sizes
  std::vector<std::string> keys_;                                 // by entry
};

bool IsFile(const std::string& path) {
  struct stat info = {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

// The prefix that the file `checkpoint` of a directory names as the newest; empty where there is none.
std::string NewestIn(const std::string& directory) {
  constexpr size_t kMaxBytes = size_t{1} << 20;
  constexpr std::string_view kKey = "model_checkpoint_path: \"";
  const Result<std::string> text = ReadFile(directory + "/checkpoint", kMaxBytes);
  if (!text.ok() || !text->starts_with(kKey)) return "";
  const size_t end = text->find('"', kKey.size());
  if (end == std::string::npos) return "";
  const std::string path = text->substr(kKey.size(), end - kKey.size());
  return path.starts_with('/') ? path : StrCat(directory, "/", path);
}

// The prefix of what a path names: a prefix itself, an index, a directory of checkpoints or a SavedModel.
std::string PrefixOf(const std::string& path) {
  const auto has_index = [](const std::string& prefix) {
    return !prefix.empty() && IsFile(StrCat(prefix, kIndexEnding));
  };
  if (has_index(path)) return path;
  if (path.ends_with(kIndexEnding) && IsFile(path)) return path.substr(0, path.size() - kIndexEnding.size());
  for (const std::string& prefix : {NewestIn(path), path + "/variables/variables"}) {
    if (has_index(prefix)) return prefix;
  }
  return "";
}

bool IsBundle(const FileHead& file) {
  return !PrefixOf(file.path).empty();
}

Result<std::unique_ptr<WeightSource>> OpenBundle(const std::string& path) {
  auto source = std::make_unique<BundleSource>(PrefixOf(path));
  DF_TRY(source->List());
  return std::unique_ptr<WeightSource>(std::move(source));
}

WEIGHT_FORMAT("tensorflow",
              {.what = "a TensorFlow checkpoint by its prefix", .recognizes = &IsBundle, .open = &OpenBundle});

}  // namespace
}  // namespace dfrun
