#include "src/events/projector.h"

#include <algorithm>
#include <fstream>

#include "src/base/file.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

constexpr const char* kFolder = "plugins/org_tensorflow_tensorboard_projector";

// A name as a text of protobuf's text form, and as a file's name.
std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

std::string FileName(const std::string& name) {
  std::string file = name;
  const auto is_plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; };
  std::replace_if(
      file.begin(), file.end(), [&](char c) { return !is_plain(c); }, '_');
  return file;
}

std::string AsFloat32(const Tensor& rows) {
  std::vector<float> values(static_cast<size_t>(rows.num_elements()));
  VisitDType<bool, DF_REAL>(rows.dtype(), [&](auto tag) {
    const auto from = rows.values<typename decltype(tag)::type>();
    std::transform(from.begin(), from.end(), values.begin(), [](auto value) { return static_cast<float>(value); });
  });
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

// The labels of the first rows. A table begins with a line that names its columns.
Result<std::string> LabelsOf(const std::string& path, int64_t count) {
  std::ifstream file(path);
  std::string text;
  int64_t lines = 0;
  for (std::string line; lines < count && std::getline(file, line);) {
    const bool has_columns = text.empty() && line.find('\t') != std::string::npos;
    if (!has_columns) ++lines;
    text += line + "\n";
  }
  if (lines == count) return text;
  return NoInput(
      "the labels ", path,
      file.is_open() ? StrCat(" have ", lines, " lines for ", count, " rows") : std::string(" cannot be read"));
}

}  // namespace

Status WriteProjector(const std::string& run, const std::vector<ShownEmbedding>& embeddings) {
  const std::string folder = StrCat(run, "/", kFolder);
  DF_TRY(MakeDirectories(folder));
  std::string config;
  for (size_t i = 0; i < embeddings.size(); ++i) {
    const ShownEmbedding& shown = embeddings[i];
    const std::string file = StrCat(i, "-", FileName(shown.name));
    DF_TRY(WriteFileAtomically(StrCat(folder, "/", file, ".bytes"), AsFloat32(shown.rows)));
    config +=
        StrCat("embeddings {\n  tensor_name: ", Quoted(shown.name), "\n  tensor_shape: ", shown.rows.shape().dim(0),
               "\n  tensor_shape: ", shown.rows.shape().dim(1), "\n  tensor_path: ", Quoted(file + ".bytes"), "\n");
    if (!shown.labels.empty()) {
      DF_ASSIGN(const std::string labels, LabelsOf(shown.labels, shown.rows.shape().dim(0)));
      DF_TRY(WriteFileAtomically(StrCat(folder, "/", file, ".tsv"), labels));
      config += StrCat("  metadata_path: ", Quoted(file + ".tsv"), "\n");
    }
    config += "}\n";
  }
  return WriteFileAtomically(folder + "/projector_config.pbtxt", config);
}

}  // namespace dfrun
