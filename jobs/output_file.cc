#include "jobs/output_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "src/base/file.h"
#include "src/base/path_hint.h"
#include "src/job/open_metrics.h"

namespace dfrun::jobs {
namespace {

constexpr char kHdf5Mark[] = "dfrun_output";
constexpr std::string_view kTextMark = " written by dfrun\n";
constexpr std::string_view kMarkupMark = "<!-- written by dfrun -->\n";
// Field 1000 of the message, of 16 bytes. Readers keep or skip a field that they do not know.
constexpr std::string_view kBinaryMark = "\xC2\x3E\x10written by dfrun";
// Beginning by which a trace of dfrun is recognised.
constexpr std::string_view kTraceBegin =
    "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n{\"name\":\"process_name\",\"ph\":\"M\",";
// Bytes searched: HDF5 puts the first attribute of the root group behind the group's header
constexpr uint64_t kLooked = 4096;

Status CannotWrite(const std::string& path, const std::string& why) {
  return IoError("cannot write '", path, "': ", why);
}

bool IsSame(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// Returns whether `info` is that of the file or directory `input`.
bool Is(const std::string& input, const struct stat& info) {
  struct stat other;
  return ::stat(input.c_str(), &other) == 0 && IsSame(info, other);
}

// Returns whether `path` lies in the directory `input`, at any depth.
bool LiesIn(const std::string& input, const std::string& path) {
  std::error_code error;
  const std::filesystem::path resolved = std::filesystem::canonical(path, error);
  if (error) return false;
  for (std::filesystem::path above = resolved.parent_path();; above = above.parent_path()) {
    struct stat info;
    if (::stat(above.c_str(), &info) == 0 && Is(input, info)) return true;
    if (above == above.parent_path()) return false;
  }
}

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Whether the text of a JSON object has kJsonMark, however it is spaced.
bool HasJsonMark(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n";
  const auto skip = [&](std::string_view word) {
    text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
    const bool is_next = text.starts_with(word);
    text.remove_prefix(is_next ? word.size() : 0);
    return is_next;
  };
  constexpr std::string_view kName = "\"written_by\"";
  for (size_t at = text.find(kName); at != std::string_view::npos; at = text.find(kName)) {
    text.remove_prefix(at + kName.size());
    if (skip(":") && skip("\"dfrun\"")) return true;
  }
  return false;
}

bool IsMarked(std::string_view head, std::string_view tail) {
  if (head.starts_with("\x89HDF\r\n")) return Contains(head, kHdf5Mark);
  if (head.starts_with(kTraceBegin)) return true;
  if (head.starts_with("{") || head.starts_with("[")) return HasJsonMark(head);
  if (head.starts_with(kMarkupMark)) return true;
  if (head.starts_with(OpenMetricsFile::kBegin)) return true;
  const std::string_view comment = head.substr(0, head.find(' '));
  if (comment == "#" || comment == "//") return head.substr(comment.size()).starts_with(kTextMark);
  return tail == kBinaryMark;
}

Result<bool> CarriesMark(const std::string& path) {
  DF_ASSIGN(const FileDescriptor file, FileDescriptor::OpenRegular(path));
  DF_ASSIGN(const uint64_t bytes, file.Size());
  std::string head(std::min(bytes, kLooked), '\0');
  std::string tail(std::min<uint64_t>(bytes, kBinaryMark.size()), '\0');
  DF_TRY(file.ReadAt(0, head.data(), head.size()));
  DF_TRY(file.ReadAt(bytes - tail.size(), tail.data(), tail.size()));
  return IsMarked(head, tail);
}

Status CheckParent(const std::string& path) {
  if (::access(ParentDirectory(path).c_str(), W_OK | X_OK) == 0) return Status();
  return CannotWrite(path, StrCat(std::strerror(errno), AboutPath(path)));
}

// Adds the texts of a graph's constants and attrs.
void AddTexts(const AttrValue& value, std::vector<std::string>& texts) {
  if (const auto* text = value.get<std::string>()) texts.push_back(*text);
  if (const auto* list = value.get<std::vector<std::string>>()) texts.insert(texts.end(), list->begin(), list->end());
  const auto* tensor = value.get<Tensor>();
  if (tensor == nullptr || tensor->dtype() != DType::kString) return;
  for (const std::string& text : tensor->values<std::string>()) texts.push_back(text);
}

}  // namespace

Status OutputFile::Check() const {
  if (path.empty()) return Status();
  struct stat info;
  if (::lstat(path.c_str(), &info) != 0) {
    return errno == ENOENT ? CheckParent(path) : CannotWrite(path, std::strerror(errno));
  }
  if (S_ISLNK(info.st_mode)) return CannotWrite(path, "a link stands there; name the file that is meant itself");
  if (!S_ISREG(info.st_mode)) return CannotWrite(path, StrCat("it is ", KindOfFile(info.st_mode)));
  for (const std::string& input : inputs) {
    if (Is(input, info)) return Error(Code::kUsage, flag, " ", path, ": this command reads it; give another name");
  }
  DF_TRY(CheckParent(path));
  if (::access(path.c_str(), W_OK) != 0) return CannotWrite(path, std::strerror(errno));
  DF_ASSIGN(const bool is_marked, CarriesMark(path));
  if (is_marked && !is_edited) return Status();
  for (const std::string& input : inputs) {
    if (LiesIn(input, path)) {
      return Error(Code::kUsage, flag, " ", path, ": it is a part of ", input, ", which this command reads");
    }
  }
  if (force) return Status();
  return Error(Code::kUsage, flag, " ", path, ": there is such a file, which ",
               is_marked ? "may have been edited" : "dfrun did not write",
               ": give another name, or --force to replace it");
}

Result<OutputDraft> OutputFile::Begin() const {
  DF_ASSIGN(const std::string beside, FreeName(path + ".", ""));
  // An existing file under the name itself is checked again when the new file is complete.
  DF_ASSIGN(TemporaryFile temporary, TemporaryFile::Create(Check().ok() ? path : beside));
  return OutputDraft(*this, std::move(temporary));
}

Status OutputDraft::Commit() {
  const Status allowed = target_.Check();
  if (allowed.ok()) return file_.CommitAs(target_.path);
  DF_ASSIGN(const std::string beside, FreeName(target_.path + ".", ""));
  DF_TRY(file_.CommitAs(beside));
  return Error(allowed.code(), allowed.message(), "; what was to be written is in ", beside);
}

Status OutputFile::Write(const std::function<Status(const std::string& path)>& write) const {
  DF_ASSIGN(OutputDraft draft, Begin());
  DF_TRY(write(draft.path()));
  return draft.Commit();
}

Status OutputFile::WriteText(std::string_view content) const {
  return Write([&](const std::string& name) -> Status {
    DF_ASSIGN(const FileDescriptor file, FileDescriptor::OpenForWriting(name));
    return file.WriteAt(0, content.data(), content.size());
  });
}

std::vector<std::string> FilesOf(const Model& model) {
  std::vector<std::string> files = model.graph.files();
  if (model.job) {
    for (const InputSpec& input : model.job->inputs) {
      files.insert(files.end(), input.config.files.begin(), input.config.files.end());
    }
  }
  for (const Node& node : model.graph.nodes()) {
    for (const auto& [name, value] : node.attrs) AddTexts(value, files);
  }
  struct stat info;
  std::erase_if(files, [&](const std::string& file) { return ::stat(file.c_str(), &info) != 0; });
  return files;
}

std::string MarkedMarkup(std::string_view text) {
  return StrCat(kMarkupMark, text);
}

std::string MarkedText(std::string_view comment, std::string_view text) {
  return StrCat(comment, kTextMark, text);
}

Status MarkHdf5(Hdf5Writer& file) {
  return file.SetAttribute(kHdf5Mark, "written by dfrun");
}

std::string MarkedGraphDef(const Graph& graph, const std::string& path) {
  const GraphDefFormat format = GraphDefFormatOf(path);
  const std::string content = ExportGraphDef(graph, format);
  return format == GraphDefFormat::kText ? MarkedText("#", content) : StrCat(content, kBinaryMark);
}

}  // namespace dfrun::jobs
