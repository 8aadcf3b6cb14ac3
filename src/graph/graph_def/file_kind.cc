#include "src/graph/graph_def/file_kind.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>

#include "src/base/crc32c.h"

namespace dfrun {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLooked = 4096;               // bytes looked at in a text
constexpr size_t kSearched = size_t{1} << 20;  // for the names inside an archive

constexpr char kUnpack[] = "unpack it first";
constexpr char kConvert[] = "export the model from its framework as a TensorFlow SavedModel or GraphDef";
constexpr char kNoGraph[] = "it holds no graph";
constexpr char kSaveModel[] =
    "save the model as a SavedModel (tf.saved_model.save, or model.export) and give that directory";
constexpr char kGiveMeta[] =
    "it holds values of variables and no graph; give the graph, which stands beside it as a .meta file or in "
    "saved_model.pb";

struct Magic {
  size_t offset;
  std::string_view bytes;
  const char* what;
  const char* advice;
};

using namespace std::string_view_literals;

constexpr std::array kMagics = {
    Magic{0, "version https://git-lfs"sv, "a Git LFS pointer, not the file that it stands for", "run `git lfs pull`"},
    Magic{4, "TFL3"sv, "a TensorFlow Lite model", kConvert},
    Magic{0, "\x1f\x8b"sv, "a gzip archive", kUnpack},
    Magic{0, "\x28\xb5\x2f\xfd"sv, "a zstd archive", kUnpack},
    Magic{0,
          "\xfd"
          "7zXZ"sv,
          "an xz archive", kUnpack},
    Magic{0, "7z\xbc\xaf\x27\x1c"sv, "a 7z archive", kUnpack},
    Magic{0, "BZh"sv, "a bzip2 archive", kUnpack},
    Magic{257, "ustar"sv, "a tar archive", kUnpack},
    Magic{0, "\x89PNG\r\n"sv, "a PNG image", kNoGraph},
    Magic{0, "\xff\xd8\xff"sv, "a JPEG image", kNoGraph},
    Magic{0, "GIF8"sv, "a GIF image", kNoGraph},
    Magic{0, "%PDF"sv, "a PDF document", kNoGraph},
    Magic{0,
          "\x7f"
          "ELF"sv,
          "a program or library", kNoGraph},
    Magic{0, "\x93NUMPY"sv, "a NumPy array", "an array is fed, from HDF5: --feed NAME=FILE.h5:/path"},
    Magic{0, "\x80\x02"sv, "a Python pickle", kConvert},
    Magic{0, "\x80\x03"sv, "a Python pickle", kConvert},
    Magic{0, "\x80\x04"sv, "a Python pickle", kConvert},
    Magic{0, "\x80\x05"sv, "a Python pickle", kConvert},
    Magic{0, "<!DOCTYPE"sv, "an HTML page", "a download may have been answered by a page: look at it in a browser"},
    Magic{0, "<html"sv, "an HTML page", "a download may have been answered by a page: look at it in a browser"},
    Magic{0, "<?xml"sv, "an XML document", kNoGraph},
    Magic{0, "#!"sv, "a script", "run it to make the graph, and give what it makes"},
};

bool Holds(std::string_view data, std::string_view text) {
  return data.substr(0, kSearched).find(text) != std::string_view::npos;
}

FileIdentity Other(std::string what, std::string advice, bool is_text = false) {
  return {FileKind::kOther, std::move(what), std::move(advice), is_text};
}

FileIdentity IdentifyZip(std::string_view data) {
  if (Holds(data, "model.weights.h5")) return Other("a Keras model file", kSaveModel);
  if (Holds(data, "/data.pkl") || Holds(data, "/data/0")) return Other("a PyTorch model", kConvert);
  if (Holds(data, ".npy"))
    return Other("a NumPy archive of arrays", "arrays are fed, from HDF5: --feed NAME=FILE.h5:/path");
  if (Holds(data, "saved_model.pb")) return Other("a zip archive of a SavedModel", kUnpack);
  return Other("a zip archive", kUnpack);
}

FileIdentity IdentifyHdf5(std::string_view data) {
  if (Holds(data, "model_config") || Holds(data, "keras_version") || Holds(data, "layer_names")) {
    return Other("a Keras model file", kSaveModel);
  }
  return Other("an HDF5 file", "datasets are fed: --feed NAME=FILE.h5:/path");
}

// A record's length is followed by its masked checksum.
bool IsTfRecord(std::string_view data) {
  constexpr size_t kHeader = 12;
  if (data.size() < kHeader) return false;
  uint32_t stored = 0;
  std::memcpy(&stored, data.data() + 8, sizeof stored);
  return stored == MaskCrc32c(Crc32c(data.data(), 8));
}

// The footer of a table, which a checkpoint's index is, ends with its magic number.
bool IsTable(std::string_view data) {
  constexpr std::string_view kEnd = "\x57\xfb\x80\x8b\x24\x75\x47\xdb"sv;
  return data.ends_with(kEnd);
}

// An ONNX model begins with ir_version (field 1) and then names its producer or holds its graph (fields 2 to 8), where
// a SavedModel's field 2 is a message.
bool IsOnnx(std::string_view data) {
  if (data.size() < 4 || data[0] != 0x08 || static_cast<unsigned char>(data[1]) > 0x7f) return false;
  const char tag = data[2];
  if (tag == 0x3a || tag == 0x42) return true;
  const auto length = static_cast<unsigned char>(data[3]);
  if (tag != 0x12 || length == 0 || length > 0x40 || data.size() < 5U + length) return false;
  const std::string_view name = data.substr(4, length);
  return std::all_of(name.begin(), name.end(), [](unsigned char c) { return c >= 0x20 && c < 0x7f; });
}

// Whether the file is in the safetensors format: 8 bytes for the length of a text, and the text.
bool IsSafetensors(std::string_view data) {
  return data.size() > 10 && data[8] == '{' && data[9] == '"' && data.substr(4, 4) == "\0\0\0\0"sv;
}

bool IsText(std::string_view data) {
  const std::string_view head = data.substr(0, kLooked);
  return std::none_of(head.begin(), head.end(), [](unsigned char c) {
    return (c < 0x20 && c != '\n' && c != '\t' && c != '\r' && c != '\f') || c == 0x7f;
  });
}

// The text without blanks and comments before it.
std::string_view SkipComments(std::string_view text) {
  for (;;) {
    const size_t begin = text.find_first_not_of(" \t\r\n\f");
    if (begin == std::string_view::npos) return {};
    text.remove_prefix(begin);
    if (!text.starts_with('#')) return text;
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end);
  }
}

std::string_view FirstWord(std::string_view text) {
  const auto* end =
      std::find_if(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; });
  return text.substr(0, static_cast<size_t>(end - text.begin()));
}

bool IsSpecText(std::string_view text) {
  return text.starts_with("dfrun:") || text.find("\ndfrun:") != std::string_view::npos;
}

FileIdentity IdentifyText(std::string_view data) {
  const std::string_view text = SkipComments(data);
  const std::string_view word = FirstWord(text);
  if (word == "meta_info_def" || word == "graph_def" || word == "saver_def" || word == "collection_def") {
    return {FileKind::kMetaGraphText, "a MetaGraph", ""};
  }
  if (word == "saved_model_schema_version" || word == "meta_graphs")
    return {FileKind::kSavedModelText, "a SavedModel", ""};
  if (word == "model_checkpoint_path" || word == "all_model_checkpoint_paths") {
    return Other("the file in which TensorFlow notes its newest checkpoint", kGiveMeta);
  }
  if (IsSpecText(text)) return Other("a spec of dfrun", "a spec's name ends in .yaml or .yml: rename it", true);
  if (text.starts_with('{') || text.starts_with('[')) return Other("a JSON document", kConvert, true);
  const bool is_graph = word == "node" || word == "library" || word == "versions";
  return {FileKind::kGraphText, is_graph ? "a graph" : "text", "", !is_graph};
}

bool HasPart(const std::string& path, std::string_view part) {
  return fs::path(path).filename().string().find(part) != std::string::npos;
}

bool Exists(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

// Returns true if the directory holds a file whose name ends with `end`.
bool HoldsFileLike(const fs::path& directory, std::string_view end) {
  std::error_code error;
  for (fs::directory_iterator it(directory, error), last; !error && it != last; it.increment(error)) {
    if (it->path().filename().string().ends_with(end)) return true;
  }
  return false;
}

FileIdentity IdentifyDirectory(const fs::path& path) {
  if (!SavedModelFileIn(path.string()).empty()) return {FileKind::kSavedModel, "a SavedModel", ""};
  if (Exists(path / "manifest.json")) return {FileKind::kCheckpoint, "a checkpoint of dfrun", "give it to --restore"};
  if (Exists(path / "checkpoints")) {
    return {FileKind::kRunDirectory, "the run directory of a job of dfrun", "give it to --restore"};
  }
  if (Exists(path / "checkpoint") || HoldsFileLike(path, ".index")) {
    return Other("a directory of TensorFlow checkpoints", kGiveMeta);
  }
  if (Exists(path / "keras_metadata.pb") || Exists(path / "model.weights.h5"))
    return Other("a Keras model directory", kSaveModel);
  return Other("a directory without saved_model.pb", "a model is a file, or the directory of a SavedModel");
}

std::optional<std::string> ReadAround(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string head(kSearched, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  if (in.bad() || (!in && !in.eof())) return {};
  head.resize(static_cast<size_t>(in.gcount()));
  if (in.eof()) return head;
  std::array<char, 64> tail{};
  in.clear();
  if (in.seekg(-static_cast<int>(tail.size()), std::ios::end) && in.read(tail.data(), tail.size())) {
    head.append(tail.data(), tail.size());
  }
  return head;
}

}  // namespace

std::string SavedModelFileIn(const std::string& directory) {
  for (const char* name : {"saved_model.pb", "saved_model.pbtxt"}) {
    if (Exists(fs::path(directory) / name)) return directory + (directory.ends_with('/') ? "" : "/") + name;
  }
  return "";
}

FileIdentity IdentifyContent(const std::string& path, std::string_view data) {
  if (data.empty()) return Other("empty", "a download or a copy of it may have been cut short");
  for (const Magic& magic : kMagics) {
    if (data.size() > magic.offset && data.substr(magic.offset).starts_with(magic.bytes))
      return Other(magic.what, magic.advice);
  }
  if (data.starts_with("PK\x03\x04")) return IdentifyZip(data);
  if (data.starts_with("\x89HDF\r\n\x1a\n")) return IdentifyHdf5(data);
  if (IsTable(data)) return Other("the index of a TensorFlow checkpoint", kGiveMeta);
  if (HasPart(path, ".data-0") && HasPart(path, "-of-"))
    return Other("the values of a TensorFlow checkpoint", kGiveMeta);
  if (IsTfRecord(data)) return Other("a TFRecord file", "records are an input of a spec (format: tfrecord)");
  if (IsOnnx(data)) return Other("an ONNX model", kConvert);
  if (IsSafetensors(data)) return Other("a safetensors file", kNoGraph);
  return IsText(data) ? IdentifyText(data) : FileIdentity{FileKind::kProtobuf, "a protobuf", ""};
}

Result<FileIdentity> IdentifyFile(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    if (Exists(path + ".index")) return Other("the name of a TensorFlow checkpoint", kGiveMeta);
    return NotFound("cannot read '", path, "': ", std::strerror(ENOENT));
  }
  if (error) return IoError("cannot read '", path, "': ", error.message());
  if (fs::is_directory(status)) return IdentifyDirectory(path);
  if (!fs::is_regular_file(status)) return Other("not a regular file", "");
  const std::optional<std::string> data = ReadAround(path);
  if (!data) return IoError("cannot read '", path, "': ", std::strerror(errno));
  return IdentifyContent(path, *data);
}

}  // namespace dfrun
