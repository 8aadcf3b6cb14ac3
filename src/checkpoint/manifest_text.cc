#include "src/checkpoint/manifest_text.h"

#include <cstdio>
#include <set>

#include "src/base/crc32c.h"
#include "src/base/json/json.h"
#include "src/base/json/json_reader.h"
#include "src/base/text.h"
#include "src/base/utf8.h"

namespace dfrun {
namespace {

constexpr uint32_t kFormat = 3;
constexpr uint32_t kFormatWithoutSettings = 2;
constexpr uint32_t kFormatWithoutChecksum = 1;
constexpr size_t kLongestFileName = 255;

// The last two lines, which give the crc32c of all bytes before them.
std::string ChecksumLines(std::string_view body) {
  char digits[9];
  std::snprintf(digits, sizeof digits, "%08x", Crc32c(body.data(), body.size()));
  return StrCat(" \"checksum\": \"crc32c:", digits, "\"\n}\n");
}

bool ChecksumFits(std::string_view text) {
  const size_t bytes = ChecksumLines("").size();
  if (text.size() < bytes) return false;
  const std::string_view body = text.substr(0, text.size() - bytes);
  return text.substr(body.size()) == ChecksumLines(body);
}

std::string Quoted(uint64_t number) {
  return StrCat("\"", number, "\"");
}

std::string PrintVariable(const SavedVariable& v) {
  const std::string shape = Join(v.shape.dims(), ", ", [](int64_t d) { return Quoted(static_cast<uint64_t>(d)); });
  return StrCat("{\"name\": ", JsonString(v.name), ", \"dtype\": \"", DTypeEnumName(v.dtype), "\", \"shape\": [", shape,
                "]}");
}

std::string PrintShard(const ShardEntry& shard) {
  return StrCat("{\"file\": ", JsonString(shard.file), ", \"bytes\": ", Quoted(shard.bytes),
                ", \"crc32c\": ", shard.crc32c, ", \"variables\": [\n    ",
                Join(shard.variables, ",\n    ", PrintVariable), "\n  ]}");
}

std::string PrintFile(const SavedInput::File& file) {
  return StrCat("{\"path\": ", JsonString(file.path), ", \"samples\": ", Quoted(static_cast<uint64_t>(file.samples)),
                "}");
}

std::string PrintInput(const SavedInput& input) {
  const std::string classes =
      input.classes.empty() ? "" : StrCat(", \"classes\": [", Join(input.classes, ", ", JsonString), "]");
  return StrCat("{\"name\": ", JsonString(input.name), ", \"samples\": ", Quoted(static_cast<uint64_t>(input.samples)),
                ", \"files\": [", Join(input.files, ", ", PrintFile), "]", classes, "}");
}

std::string PrintSetting(const SavedSetting& setting) {
  return StrCat("{\"name\": ", JsonString(setting.name), ", \"value\": ", JsonString(setting.value), "}");
}

Result<SavedVariable> ReadVariable(JsonReader& reader) {
  SavedVariable v;
  reader.BeginObject();
  reader.Name("name");
  v.name = reader.String();
  reader.Name("dtype");
  const std::string dtype = reader.String();
  reader.Name("shape");
  std::vector<int64_t> dims;
  reader.BeginArray();
  while (reader.NextElement()) dims.push_back(static_cast<int64_t>(reader.QuotedNumber()));
  reader.EndObject();
  if (!reader.ok()) return v;
  const std::optional<DType> known = ParseDType(dtype);
  if (!known || DTypeEnumName(*known) != dtype || IsHandle(*known)) {
    return Error(Code::kDataLoss, "variable '", v.name, "' has the unknown dtype '", dtype, "'");
  }
  v.dtype = *known;
  Result<Shape> shape = Shape::Create(dims);
  if (!shape.ok()) return Error(Code::kDataLoss, "variable '", v.name, "': ", shape.status().message());
  v.shape = *std::move(shape);
  return v;
}

Result<ShardEntry> ReadShard(JsonReader& reader) {
  ShardEntry shard;
  reader.BeginObject();
  reader.Name("file");
  shard.file = reader.String();
  reader.Name("bytes");
  shard.bytes = reader.QuotedNumber();
  reader.Name("crc32c");
  shard.crc32c = static_cast<uint32_t>(reader.Number(std::numeric_limits<uint32_t>::max()));
  reader.Name("variables");
  reader.BeginArray();
  while (reader.NextElement()) {
    DF_ASSIGN(SavedVariable variable, ReadVariable(reader));
    shard.variables.push_back(std::move(variable));
  }
  reader.EndObject();
  return shard;
}

// Reads an input. Formats before the third have no classes.
SavedInput ReadInput(JsonReader& reader, uint32_t format) {
  SavedInput input;
  reader.BeginObject();
  reader.Name("name");
  input.name = reader.String();
  reader.Name("samples");
  input.samples = static_cast<int64_t>(reader.QuotedNumber());
  reader.Name("files");
  reader.BeginArray();
  while (reader.NextElement()) {
    SavedInput::File& file = input.files.emplace_back();
    reader.BeginObject();
    reader.Name("path");
    file.path = reader.String();
    reader.Name("samples");
    file.samples = static_cast<int64_t>(reader.QuotedNumber());
    reader.EndObject();
  }
  if (format == kFormat && reader.TryName("classes")) {
    reader.BeginArray();
    while (reader.NextElement()) input.classes.push_back(reader.String());
  }
  reader.EndObject();
  return input;
}

SavedSetting ReadSetting(JsonReader& reader) {
  SavedSetting setting;
  reader.BeginObject();
  reader.Name("name");
  setting.name = reader.String();
  reader.Name("value");
  setting.value = reader.String();
  reader.EndObject();
  return setting;
}

// Reads the members after `format`. The first programs of format 1 wrote no inputs.
Status ReadContent(JsonReader& reader, Manifest& manifest) {
  reader.Name("step");
  manifest.step = static_cast<int64_t>(reader.QuotedNumber());
  reader.Name("shards");
  reader.BeginArray();
  while (reader.NextElement()) {
    DF_ASSIGN(ShardEntry shard, ReadShard(reader));
    manifest.shards.push_back(std::move(shard));
  }
  const bool old = manifest.format == kFormatWithoutChecksum;
  if (old ? reader.TryName("inputs") : (reader.Name("inputs"), true)) {
    reader.BeginArray();
    while (reader.NextElement()) manifest.inputs.push_back(ReadInput(reader, manifest.format));
  }
  if (manifest.format == kFormat) {
    reader.Name("settings");
    reader.BeginArray();
    while (reader.NextElement()) manifest.settings.push_back(ReadSetting(reader));
    if (reader.TryName("skipped_steps")) manifest.skipped_steps = static_cast<int64_t>(reader.QuotedNumber());
  }
  if (!old) {
    reader.Name("checksum");
    reader.String();
  }
  reader.EndObject();
  return reader.Finish();
}

bool IsPlainFileName(const std::string& name) {
  return !name.empty() && name.size() <= kLongestFileName && name[0] != '.' && name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos && name != "manifest.json" && name != "index.h5";
}

// A file of datasets without filters is at least as large as its variables together; a string counts as one byte.
Status CheckBytes(const ShardEntry& shard) {
  uint64_t left = shard.bytes;
  for (const SavedVariable& v : shard.variables) {
    const auto count = static_cast<uint64_t>(v.shape.num_elements());
    const uint64_t size = IsPlain(v.dtype) ? DTypeSize(v.dtype) : 1;
    if (count > left / size) {
      return Error(Code::kDataLoss, "variable '", v.name, "', ", v.dtype, v.shape, ", is too large for the ",
                   shard.bytes, " bytes of ", shard.file);
    }
    left -= count * size;
  }
  return Status();
}

}  // namespace

std::string PrintManifest(const Manifest& manifest) {
  std::string text = StrCat("{\n \"format\": ", kFormat, ",\n \"step\": ", Quoted(static_cast<uint64_t>(manifest.step)),
                            ",\n \"shards\": [\n  ", Join(manifest.shards, ",\n  ", PrintShard),
                            "\n ],\n \"inputs\": [", Join(manifest.inputs, ",\n  ", PrintInput), "],\n \"settings\": [",
                            Join(manifest.settings, ",\n  ", PrintSetting), "],\n");
  if (manifest.skipped_steps > 0) {
    text += StrCat(" \"skipped_steps\": ", Quoted(static_cast<uint64_t>(manifest.skipped_steps)), ",\n");
  }
  return text + ChecksumLines(text);
}

Result<Manifest> ParseManifest(std::string_view text) {
  if (!IsWellFormedUtf8(text)) return Error(Code::kDataLoss, "it is not UTF-8");
  JsonReader reader(text);
  Manifest manifest;
  reader.BeginObject();
  reader.Name("format");
  manifest.format = static_cast<uint32_t>(reader.Number(std::numeric_limits<uint32_t>::max()));
  if (!reader.ok()) return reader.Finish();
  if (manifest.format != kFormatWithoutChecksum) {
    if (!ChecksumFits(text)) {
      return Error(Code::kDataLoss, "its checksum is not that of its content (format ", manifest.format, ")");
    }
    if (manifest.format != kFormat && manifest.format != kFormatWithoutSettings) {
      return Error(Code::kBadSpec, "it has format ", manifest.format, ", and this program reads ",
                   kFormatWithoutChecksum, " to ", kFormat, ": use the version of dfrun that wrote it");
    }
  }
  DF_TRY(ReadContent(reader, manifest));
  DF_TRY(CheckManifest(manifest));
  return manifest;
}

Status CheckManifest(const Manifest& manifest) {
  if (manifest.step < 0) return Error(Code::kDataLoss, "its step is ", manifest.step);
  if (manifest.skipped_steps < 0 || manifest.skipped_steps > manifest.step) {
    return Error(Code::kDataLoss, manifest.skipped_steps, " of its ", manifest.step, " steps made no updates");
  }
  std::set<std::string_view> files;
  std::set<std::string_view> variables;
  std::set<std::string_view> inputs;
  std::set<std::string_view> settings;
  for (const ShardEntry& shard : manifest.shards) {
    if (!IsPlainFileName(shard.file)) return Error(Code::kDataLoss, "a shard is named '", shard.file, "'");
    if (!files.insert(shard.file).second) return Error(Code::kDataLoss, "two shards are named '", shard.file, "'");
    for (const SavedVariable& v : shard.variables) {
      if (v.name.empty() || v.name.find('\0') != std::string::npos || !IsWellFormedUtf8(v.name)) {
        return Error(Code::kDataLoss, "a variable is named '", v.name, "'");
      }
      if (!variables.insert(v.name).second) return Error(Code::kDataLoss, "there are two variables '", v.name, "'");
    }
    DF_TRY(CheckBytes(shard));
  }
  for (const SavedInput& input : manifest.inputs) {
    if (!inputs.insert(input.name).second) return Error(Code::kDataLoss, "there are two inputs '", input.name, "'");
  }
  for (const SavedSetting& setting : manifest.settings) {
    if (settings.insert(setting.name).second) continue;
    return Error(Code::kDataLoss, "there are two settings '", setting.name, "'");
  }
  return Status();
}

}  // namespace dfrun
