#include "src/checkpoint/manifest.h"

#include <google/protobuf/util/json_util.h>

#include "src/base/file.h"
#include "src/base/hdf5.h"
#include "src/base/utf8.h"

namespace dfrun {
namespace {

constexpr uint32_t kFormat = 1;
constexpr size_t kMaxManifestBytes = size_t{256} << 20;

bool IsPlainFileName(const std::string& name) {
  return !name.empty() && name[0] != '.' && name.find('/') == std::string::npos && name.find('\0') == std::string::npos;
}

Status Damaged(const std::string& directory, const std::string& why) {
  return Error(Code::kDataLoss, "the checkpoint ", directory, " is damaged: ", why);
}

}  // namespace

void ToProto(const ShardEntry& entry, checkpoint::Shard* shard) {
  shard->set_file(entry.file);
  shard->set_bytes(entry.bytes);
  shard->set_crc32c(entry.crc32c);
  for (const SavedVariable& v : entry.variables) {
    checkpoint::Variable* out = shard->add_variables();
    out->set_name(v.name);
    out->set_dtype(DTypeEnumName(v.dtype));
    for (int64_t d : v.shape.dims()) out->add_shape(d);
  }
}

Result<ShardEntry> FromProto(const checkpoint::Shard& shard) {
  if (!IsPlainFileName(shard.file())) return Error(Code::kDataLoss, "a shard is named '", shard.file(), "'");
  ShardEntry entry{shard.file(), shard.bytes(), shard.crc32c(), {}};
  for (const checkpoint::Variable& v : shard.variables()) {
    const auto dtype = ParseDType(v.dtype());
    if (!dtype) return Error(Code::kDataLoss, "variable '", v.name(), "' has the unknown dtype '", v.dtype(), "'");
    const std::vector<int64_t> dims(v.shape().begin(), v.shape().end());
    DF_ASSIGN(Shape shape, Shape::Create(dims));
    entry.variables.push_back({v.name(), *dtype, std::move(shape)});
  }
  return entry;
}

namespace {

void ToProto(const SavedInput& input, checkpoint::Input* out) {
  out->set_name(input.name);
  out->set_samples(input.samples);
  for (const SavedInput::File& file : input.files) {
    checkpoint::InputFile* added = out->add_files();
    added->set_path(WellFormedUtf8(file.path));
    added->set_samples(file.samples);
  }
}

SavedInput FromProto(const checkpoint::Input& input) {
  SavedInput out{input.name(), input.samples(), {}};
  for (const checkpoint::InputFile& file : input.files()) out.files.push_back({file.path(), file.samples()});
  return out;
}

}  // namespace

const SavedVariable* Manifest::Find(const std::string& variable, size_t* shard) const {
  for (size_t s = 0; s < shards.size(); ++s) {
    for (const SavedVariable& v : shards[s].variables) {
      if (v.name == variable) {
        *shard = s;
        return &v;
      }
    }
  }
  return nullptr;
}

Result<Manifest> ReadManifest(const std::string& directory) {
  Result<std::string> text = ReadFile(directory + "/manifest.json", kMaxManifestBytes);
  if (!text.ok()) return text.status();
  checkpoint::Manifest message;
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;  // another format's: its number is what to report
  const auto parsed = google::protobuf::util::JsonStringToMessage(*text, &message, options);
  if (!parsed.ok()) return Damaged(directory, "its manifest.json cannot be read: " + parsed.ToString());
  if (message.format() == 0) return Damaged(directory, "its manifest.json names no format");
  if (message.format() != kFormat) {
    return Error(Code::kBadSpec, "the checkpoint ", directory, " has format ", message.format(),
                 ", and this program reads ", kFormat, ": use the version of dfrun that wrote it");
  }
  Manifest manifest;
  manifest.step = static_cast<int64_t>(message.step());
  for (const checkpoint::Shard& shard : message.shards()) {
    Result<ShardEntry> entry = FromProto(shard);
    if (!entry.ok()) return Damaged(directory, entry.status().message());
    manifest.shards.push_back(*std::move(entry));
  }
  for (const checkpoint::Input& input : message.inputs()) manifest.inputs.push_back(FromProto(input));
  return manifest;
}

Status WriteManifest(const std::string& directory, const Manifest& manifest) {
  checkpoint::Manifest message;
  message.set_format(kFormat);
  message.set_step(static_cast<uint64_t>(manifest.step));
  for (const ShardEntry& entry : manifest.shards) ToProto(entry, message.add_shards());
  for (const SavedInput& input : manifest.inputs) ToProto(input, message.add_inputs());
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.always_print_primitive_fields = true;
  std::string text;
  const auto printed = google::protobuf::util::MessageToJsonString(message, &text, options);
  if (!printed.ok()) return Internal("cannot print the manifest of ", directory, ": ", printed.ToString());
  return WriteFileAtomically(directory + "/manifest.json", text);
}

Status WriteIndex(const std::string& directory, const Manifest& manifest) {
  const std::string path = directory + "/index.h5";
  {
    DF_ASSIGN(h5::Handle file, h5::CreateFile(path));
    h5::Handle links(H5Pcreate(H5P_LINK_CREATE));
    H5Pset_create_intermediate_group(links.id(), 1);
    for (const ShardEntry& shard : manifest.shards) {
      for (const SavedVariable& v : shard.variables) {
        const std::string name = DatasetOfVariable(v.name);
        if (H5Lcreate_external(shard.file.c_str(), name.c_str(), file.id(), name.c_str(), links.id(), H5P_DEFAULT) <
            0) {
          return h5::LastError(Code::kIo, StrCat("linking '", name, "' in ", path));
        }
      }
    }
    DF_TRY(h5::CloseFile(std::move(file), path));
  }
  DF_ASSIGN(FileDescriptor written, FileDescriptor::OpenForWriting(path));
  return written.Sync();
}

Status VerifyShards(const std::string& directory, const Manifest& manifest) {
  for (const ShardEntry& shard : manifest.shards) {
    const std::string path = directory + "/" + shard.file;
    Result<FileDigest> digest = DigestFile(path);
    if (digest.status().code() == Code::kIo) return digest.status();
    if (!digest.ok()) return Damaged(directory, digest.status().message());
    if (digest->bytes != shard.bytes || digest->crc32c != shard.crc32c) {
      return Damaged(directory, StrCat(shard.file, " has ", digest->bytes, " bytes and crc32c ", digest->crc32c,
                                       ", but ", shard.bytes, " bytes and crc32c ", shard.crc32c, " were written"));
    }
  }
  return Status();
}

}  // namespace dfrun
