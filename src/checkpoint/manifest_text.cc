#include "src/checkpoint/manifest_text.h"

#include <set>

#include "src/base/crc32c.h"
#include "src/base/hexadecimal.h"
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
constexpr size_t kMaxStateBytes = size_t{1} << 20;

// The last two lines, which give the crc32c of all bytes before them.
std::string ChecksumLines(std::string_view body) {
  return StrCat(" \"checksum\": \"crc32c:", Hexadecimal(Crc32c(body.data(), body.size()), 8), "\"\n}\n");
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
  std::string text = StrCat("{\"name\": ", JsonString(v.name), ", \"dtype\": \"", DTypeEnumName(v.dtype),
                            "\", \"shape\": [", shape, "]");
  if (v.crc32c) text += StrCat(", \"crc32c\": ", *v.crc32c);
  if (v.offset) text += StrCat(", \"offset\": ", Quoted(*v.offset));
  if (v.fingerprint) text += StrCat(", \"fingerprint\": \"", Hexadecimal(*v.fingerprint, kFingerprintDigits), "\"");
  return text + "}";
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

std::string PrintSavedFile(const SavedFile& file) {
  const std::string content = file.link ? StrCat("\"link\": ", JsonString(*file.link))
                                        : StrCat("\"bytes\": ", Quoted(file.bytes), ", \"crc32c\": ", file.crc32c);
  return StrCat("{\"name\": ", JsonString(file.name), ", ", content, "}");
}

uint32_t ReadCrc32c(JsonReader& reader) {
  return static_cast<uint32_t>(reader.Number(std::numeric_limits<uint32_t>::max()));
}

// Reads the members of a variable that the first programs of format 3 did not write.
Status ReadBytesOf(JsonReader& reader, SavedVariable& v) {
  if (reader.TryName("crc32c")) v.crc32c = ReadCrc32c(reader);
  if (reader.TryName("offset")) v.offset = reader.QuotedNumber();
  if (!reader.TryName("fingerprint")) return Status();
  const std::string digits = reader.String();
  v.fingerprint = ParseHexadecimal(digits, kFingerprintDigits);
  if (v.fingerprint || !reader.ok()) return Status();
  return Error(Code::kDataLoss, "variable '", v.name, "' has the fingerprint '", digits, "'");
}

Result<SavedVariable> ReadVariable(JsonReader& reader, uint32_t format) {
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
  if (format == kFormat) DF_TRY(ReadBytesOf(reader, v));
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

Result<ShardEntry> ReadShard(JsonReader& reader, uint32_t format) {
  ShardEntry shard;
  reader.BeginObject();
  reader.Name("file");
  shard.file = reader.String();
  reader.Name("bytes");
  shard.bytes = reader.QuotedNumber();
  reader.Name("crc32c");
  shard.crc32c = ReadCrc32c(reader);
  reader.Name("variables");
  reader.BeginArray();
  while (reader.NextElement()) {
    DF_ASSIGN(SavedVariable variable, ReadVariable(reader, format));
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

SavedFile ReadSavedFile(JsonReader& reader) {
  SavedFile file;
  reader.BeginObject();
  reader.Name("name");
  file.name = reader.String();
  if (reader.TryName("link")) {
    file.link = reader.String();
  } else {
    reader.Name("bytes");
    file.bytes = reader.QuotedNumber();
    reader.Name("crc32c");
    file.crc32c = ReadCrc32c(reader);
  }
  reader.EndObject();
  return file;
}

// Reads the members that format 3 has and earlier ones have not.
void ReadNewerContent(JsonReader& reader, Manifest& manifest) {
  reader.Name("settings");
  reader.BeginArray();
  while (reader.NextElement()) manifest.settings.push_back(ReadSetting(reader));
  if (reader.TryName("skipped_steps")) manifest.set_skipped_steps(static_cast<int64_t>(reader.QuotedNumber()));
  if (reader.TryName("state")) manifest.state = reader.Value(kMaxStateBytes);
  if (!reader.TryName("files")) return;
  reader.BeginArray();
  while (reader.NextElement()) manifest.files.push_back(ReadSavedFile(reader));
}

// Reads the members after `format`. The first programs of format 1 wrote no inputs.
Status ReadContent(JsonReader& reader, Manifest& manifest) {
  reader.Name("step");
  manifest.step = static_cast<int64_t>(reader.QuotedNumber());
  reader.Name("shards");
  reader.BeginArray();
  while (reader.NextElement()) {
    DF_ASSIGN(ShardEntry shard, ReadShard(reader, manifest.format));
    manifest.shards.push_back(std::move(shard));
  }
  const bool old = manifest.format == kFormatWithoutChecksum;
  if (old ? reader.TryName("inputs") : (reader.Name("inputs"), true)) {
    reader.BeginArray();
    while (reader.NextElement()) manifest.inputs.push_back(ReadInput(reader, manifest.format));
  }
  if (manifest.format == kFormat) ReadNewerContent(reader, manifest);
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
    if (v.offset && (!IsPlain(v.dtype) || *v.offset > shard.bytes || count * size > shard.bytes - *v.offset)) {
      return Error(Code::kDataLoss, "variable '", v.name, "' has its bytes at ", *v.offset, ", behind the end of ",
                   shard.file);
    }
  }
  return Status();
}

Status CheckShards(const Manifest& manifest) {
  std::set<std::string_view> files;
  std::set<std::string_view> variables;
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
  return Status();
}

Status CheckState(const Manifest& manifest) {
  const JsonValue& state = manifest.state;
  if (!state.is_object()) return Error(Code::kDataLoss, "its state is no object");
  for (size_t i = 0; i < state.names().size(); ++i) {
    if (state.values()[i].is_object()) continue;
    return Error(Code::kDataLoss, "the state '", state.names()[i], "' is no object");
  }
  if (const size_t bytes = state.Print().size(); bytes > kMaxStateBytes) {
    return Error(Code::kDataLoss, "its state has ", bytes, " bytes, more than ", kMaxStateBytes);
  }
  const JsonValue* const skipped = state.Find("skipped");
  if (skipped == nullptr) return Status();
  const Result<int64_t> steps = skipped->GetInt("steps");
  DF_TRY(steps.status().Annotate("the state 'skipped'"));
  if (*steps >= 0 && *steps <= manifest.step) return Status();
  return Error(Code::kDataLoss, *steps, " of its ", manifest.step, " steps made no updates");
}

Status CheckFiles(const Manifest& manifest) {
  std::set<std::string_view> names;
  for (const ShardEntry& shard : manifest.shards) names.insert(shard.file);
  std::set<std::string_view> targets = names;
  for (const SavedFile& file : manifest.files) {
    if (!IsPlainFileName(file.name) || !IsFurtherFileName(file.name)) {
      return Error(Code::kDataLoss, "a further file is named '", file.name, "'");
    }
    if (!names.insert(file.name).second) return Error(Code::kDataLoss, "two files are named '", file.name, "'");
    if (!file.link) targets.insert(file.name);
  }
  for (const SavedFile& file : manifest.files) {
    if (!file.link || targets.contains(*file.link)) continue;
    return Error(Code::kDataLoss, "the link '", file.name, "' leads to '", *file.link, "', which is no file of it");
  }
  return Status();
}

}  // namespace

std::string PrintManifest(const Manifest& manifest) {
  std::string text = StrCat("{\n \"format\": ", kFormat, ",\n \"step\": ", Quoted(static_cast<uint64_t>(manifest.step)),
                            ",\n \"shards\": [\n  ", Join(manifest.shards, ",\n  ", PrintShard),
                            "\n ],\n \"inputs\": [", Join(manifest.inputs, ",\n  ", PrintInput), "],\n \"settings\": [",
                            Join(manifest.settings, ",\n  ", PrintSetting), "],\n");
  if (!manifest.state.names().empty()) text += StrCat(" \"state\": ", manifest.state.Print(), ",\n");
  if (!manifest.files.empty()) {
    text += StrCat(" \"files\": [\n  ", Join(manifest.files, ",\n  ", PrintSavedFile), "\n ],\n");
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
  DF_TRY(CheckShards(manifest));
  DF_TRY(CheckState(manifest));
  DF_TRY(CheckFiles(manifest));
  std::set<std::string_view> inputs;
  std::set<std::string_view> settings;
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
