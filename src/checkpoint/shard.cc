#include "src/checkpoint/shard.h"

#include "src/base/crc32c.h"
#include "src/base/file.h"
#include "src/base/hexadecimal.h"
#include "src/checkpoint/fingerprint.h"
#include "src/checkpoint/manifest.pb.h"
#include "src/checkpoint/tensor_bytes.h"
#include "src/storage/hdf5_file.h"

namespace dfrun {
namespace {

struct Region {
  const Tensor* value;
  uint64_t offset;
};

// Makes the structure; WriteBytes() writes plain elements at the offsets that HDF5 has given them.
Result<std::vector<Region>> WriteStructure(const std::string& path, std::span<const NamedTensor> variables,
                                           std::vector<SavedVariable>& saved) {
  std::vector<Region> regions;
  DF_ASSIGN(const Hdf5Library* const library, LoadHdf5());
  DF_ASSIGN(const std::unique_ptr<Hdf5Writer> file, library->CreateNew(path));
  for (const NamedTensor& v : variables) {
    DF_ASSIGN(const DatasetInfo info, file->Write(DatasetOfVariable(v.name), v.value, /*write_bytes=*/false));
    SavedVariable& entry = saved.emplace_back(SavedVariable{v.name, v.value.dtype(), v.value.shape()});
    entry.crc32c = ChecksumOf(v.value);
    entry.fingerprint = FingerprintOf(v.value);
    if (!info.contiguous) continue;
    entry.offset = info.offset;
    regions.push_back({&v.value, info.offset});
  }
  DF_TRY(file->Close());
  return regions;
}

Status WriteBytes(const std::string& path, const std::vector<Region>& regions) {
  DF_ASSIGN(FileDescriptor file, FileDescriptor::OpenForWriting(path));
  for (const Region& p : regions) DF_TRY(file.WriteAt(p.offset, p.value->raw(), p.value->num_bytes()));
  return file.Sync();
}

void ToProto(const ShardEntry& entry, checkpoint::Shard* shard) {
  shard->set_file(entry.file);
  shard->set_bytes(entry.bytes);
  shard->set_crc32c(entry.crc32c);
  for (const SavedVariable& v : entry.variables) {
    checkpoint::Variable* out = shard->add_variables();
    out->set_name(v.name);
    out->set_dtype(DTypeEnumName(v.dtype));
    for (int64_t d : v.shape.dims()) out->add_shape(d);
    if (v.crc32c) out->set_crc32c(*v.crc32c);
    if (v.offset) out->set_offset(*v.offset);
    if (v.fingerprint) out->set_fingerprint(*v.fingerprint);
  }
  if (!entry.texts) return;
  checkpoint::Texts* const texts = shard->mutable_texts();
  texts->set_file(entry.texts->file);
  texts->set_bytes(entry.texts->bytes);
  texts->set_crc32c(entry.texts->crc32c);
  texts->mutable_sizes()->Add(entry.texts->sizes.begin(), entry.texts->sizes.end());
}

Result<ShardEntry> FromProto(const checkpoint::Shard& shard) {
  ShardEntry entry{.file = shard.file(), .bytes = shard.bytes(), .crc32c = shard.crc32c()};
  for (const checkpoint::Variable& v : shard.variables()) {
    const auto dtype = ParseDType(v.dtype());
    if (!dtype) return Error(Code::kDataLoss, "variable '", v.name(), "' has the unknown dtype '", v.dtype(), "'");
    const std::vector<int64_t> dims(v.shape().begin(), v.shape().end());
    DF_ASSIGN(Shape shape, Shape::Create(dims));
    SavedVariable& variable = entry.variables.emplace_back(SavedVariable{v.name(), *dtype, std::move(shape)});
    if (v.has_crc32c()) variable.crc32c = v.crc32c();
    if (v.has_offset()) variable.offset = v.offset();
    if (v.has_fingerprint()) variable.fingerprint = v.fingerprint();
  }
  if (shard.has_texts()) {
    const checkpoint::Texts& texts = shard.texts();
    entry.texts = {texts.file(), texts.bytes(), texts.crc32c(), {texts.sizes().begin(), texts.sizes().end()}};
  }
  return entry;
}

Result<TextsFile> WriteTexts(const std::string& directory, const std::string& file,
                             std::span<const NamedTensor> variables) {
  TextsFile texts{.file = file};
  DF_ASSIGN(const FileDescriptor to, FileDescriptor::CreateNew(directory + "/" + file));
  for (const NamedTensor& v : variables) {
    if (v.value.dtype() != DType::kString) continue;
    const std::string bytes = EncodeTexts(v.value);
    DF_TRY(to.WriteAt(texts.bytes, bytes.data(), bytes.size()));
    texts.crc32c = ExtendCrc32c(texts.crc32c, bytes.data(), bytes.size());
    texts.bytes += bytes.size();
    texts.sizes.push_back(bytes.size());
  }
  DF_TRY(to.Sync());
  return texts;
}

}  // namespace

std::string DatasetOfVariable(const std::string& name) {
  return "/" + name + ":0";
}

std::string ShardEntry::Serialize() const {
  checkpoint::Shard shard;
  ToProto(*this, &shard);
  return shard.SerializeAsString();
}

Result<ShardEntry> ShardEntry::Parse(const std::string& bytes) {
  checkpoint::Shard shard;
  if (!shard.ParseFromString(bytes)) return Internal("a task sent an unreadable report of its checkpoint shard");
  return FromProto(shard);
}

Result<ShardEntry> WriteShard(const std::string& directory, const std::string& file,
                              std::span<const NamedTensor> variables, const std::string& texts) {
  const std::string path = directory + "/" + file;
  std::vector<NamedTensor> stored;
  for (const NamedTensor& v : variables) stored.push_back({v.name, WithTrueBools(v.value)});
  ShardEntry entry{.file = file};
  DF_ASSIGN(const std::vector<Region> regions, WriteStructure(path, stored, entry.variables));
  DF_TRY(WriteBytes(path, regions));
  DF_ASSIGN(const FileDigest digest, DigestFile(path));
  entry.bytes = digest.bytes;
  entry.crc32c = digest.crc32c;
  if (!texts.empty()) {
    DF_ASSIGN(entry.texts, WriteTexts(directory, texts, stored));
  }
  return entry;
}

namespace {

// Returns DataLoss where the file lacks the variable, or has another of its name.
Status CheckVariable(Hdf5File& file, const SavedVariable& wanted) {
  const Result<DatasetInfo> info = file.Inspect(DatasetOfVariable(wanted.name));
  if (info.status().code() == Code::kNotFound) return Error(Code::kDataLoss, info.status().message());
  DF_TRY(info.status());
  if (info->dtype != wanted.dtype || !(info->shape == wanted.shape)) {
    return Error(Code::kDataLoss, "variable '", wanted.name, "' is ", info->dtype, info->shape, " in ", file.path(),
                 ", but ", wanted.dtype, wanted.shape, " was expected");
  }
  if (!wanted.offset || (info->contiguous && info->offset == *wanted.offset)) return Status();
  return Error(Code::kDataLoss, "variable '", wanted.name, "' does not lie at byte ", *wanted.offset, " of ",
               file.path(), ", where it was written");
}

Status CheckBytes(const std::string& path, const SavedVariable& wanted, const Tensor& value) {
  const uint32_t crc32c = wanted.crc32c ? ChecksumOf(value) : 0;
  if (wanted.crc32c && crc32c != *wanted.crc32c)
    return Error(Code::kDataLoss, "variable '", wanted.name, "' of ", path, " has crc32c ", crc32c, ", but ",
                 *wanted.crc32c, " was written: the file is damaged");
  const uint64_t fingerprint = wanted.fingerprint ? FingerprintOf(value) : 0;
  if (!wanted.fingerprint || fingerprint == *wanted.fingerprint) return Status();
  const auto print = [](uint64_t number) { return Hexadecimal(number, kFingerprintDigits); };
  return Error(Code::kDataLoss, "variable '", wanted.name, "' of ", path, " has the fingerprint ", print(fingerprint),
               ", but ", print(*wanted.fingerprint), " was saved: the file is damaged");
}

}  // namespace

Status CheckShard(const std::string& path, std::span<const SavedVariable> variables,
                  const std::shared_ptr<Hdf5Helpers>& helpers) {
  DF_ASSIGN(const std::unique_ptr<Hdf5File> file, Hdf5File::Open(path, {.is_shard = true}, helpers));
  for (const SavedVariable& variable : variables) DF_TRY(CheckVariable(*file, variable));
  return Status();
}

Result<std::vector<Tensor>> ReadShard(const std::string& path, std::span<const SavedVariable> wanted,
                                      Allocator& allocator, const std::shared_ptr<Hdf5Helpers>& helpers) {
  DF_ASSIGN(const std::unique_ptr<Hdf5File> file, Hdf5File::Open(path, {.is_shard = true}, helpers));
  std::vector<Tensor> values;
  for (const SavedVariable& w : wanted) {
    DF_TRY(CheckVariable(*file, w));
    DF_ASSIGN(Tensor value, file->Read(DatasetOfVariable(w.name), allocator));
    DF_TRY(CheckBytes(path, w, value));
    values.push_back(std::move(value));
  }
  return values;
}

}  // namespace dfrun
