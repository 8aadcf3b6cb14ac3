#include "src/job/state_log.h"

#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <optional>

#include "src/base/crc32c.h"
#include "src/base/number_bytes.h"

namespace dfrun {
namespace {

constexpr std::string_view kMagic = "DFSTATE1";
constexpr size_t kMaxNameBytes = size_t{1} << 20;

void AppendChecksum(std::string& bytes) {
  AppendNumber(Crc32c(bytes.data(), bytes.size()), bytes);
}

std::string HeaderOf(const std::vector<std::string>& variables) {
  std::string header(kMagic);
  AppendNumber(static_cast<uint32_t>(variables.size()), header);
  for (const std::string& name : variables) {
    AppendNumber(static_cast<uint32_t>(name.size()), header);
    header += name;
  }
  AppendChecksum(header);
  return header;
}

constexpr size_t RecordBytes(size_t variables) {
  return sizeof(int64_t) + variables * sizeof(uint64_t) + sizeof(uint32_t);
}

// Reads a file from its beginning.
class StateFile {
 public:
  // Reads what stands before the records. DataLoss where the file is no such one.
  static Result<StateFile> Open(const std::string& path) {
    DF_ASSIGN(FileDescriptor file, FileDescriptor::OpenForReading(path));
    StateFile state(std::move(file));
    DF_ASSIGN(state.size_, state.file_.Size());
    Status read = state.ReadHeader();
    if (!read.ok() && read.code() == Code::kDataLoss)
      return Error(Code::kDataLoss, path, " is no state.bin of a run, or damaged: ", read.message());
    DF_TRY(read);
    return state;
  }

  const std::vector<std::string>& variables() const { return variables_; }
  // Where the next record begins.
  uint64_t at() const { return at_; }
  uint64_t size() const { return size_; }

  // The next record; nothing at the end, and where it is cut short or does not fit its checksum.
  Result<std::optional<StateRecord>> Next() {
    const size_t bytes = RecordBytes(variables_.size());
    if (size_ - at_ < bytes) return std::optional<StateRecord>();
    std::string record(bytes, '\0');
    DF_TRY(file_.ReadAt(at_, record.data(), bytes));
    const size_t checked = bytes - sizeof(uint32_t);
    if (NumberAt<uint32_t>(record, checked) != Crc32c(record.data(), checked)) return std::optional<StateRecord>();
    at_ += bytes;
    StateRecord read{NumberAt<int64_t>(record, 0), std::vector<uint64_t>(variables_.size())};
    if (!variables_.empty())
      std::memcpy(read.of_variables.data(), record.data() + sizeof(int64_t), checked - sizeof(int64_t));
    return std::optional(std::move(read));
  }

 private:
  explicit StateFile(FileDescriptor file) : file_(std::move(file)) {}

  Status Take(size_t bytes, std::string& out) {
    out.resize(bytes);
    DF_TRY(file_.ReadAt(at_, out.data(), bytes));
    at_ += bytes;
    crc_ = ExtendCrc32c(crc_, out.data(), bytes);
    return Status();
  }

  Status ReadHeader() {
    std::string bytes;
    DF_TRY(Take(kMagic.size(), bytes));
    if (bytes != kMagic) return Error(Code::kDataLoss, "it does not begin with ", kMagic);
    DF_TRY(Take(sizeof(uint32_t), bytes));
    const auto count = NumberAt<uint32_t>(bytes, 0);
    for (uint32_t i = 0; i < count; ++i) {
      DF_TRY(Take(sizeof(uint32_t), bytes));
      const auto length = NumberAt<uint32_t>(bytes, 0);
      if (length > kMaxNameBytes) return Error(Code::kDataLoss, "a name has ", length, " bytes");
      DF_TRY(Take(length, variables_.emplace_back()));
    }
    const uint32_t crc = crc_;
    DF_TRY(Take(sizeof crc, bytes));
    if (NumberAt<uint32_t>(bytes, 0) == crc) return Status();
    return Error(Code::kDataLoss, "the checksum of the names does not fit");
  }

  FileDescriptor file_;
  uint64_t size_ = 0;
  uint64_t at_ = 0;
  uint32_t crc_ = 0;
  std::vector<std::string> variables_;
};

// Cuts the file behind the records through `keep_through`.
Status Cut(const std::string& path, StateFile& state, int64_t keep_through) {
  uint64_t end = state.at();
  for (;;) {
    DF_ASSIGN(const std::optional<StateRecord> record, state.Next());
    if (!record || record->step > keep_through) break;
    end = state.at();
  }
  if (end == state.size()) return Status();
  if (::truncate(path.c_str(), static_cast<off_t>(end)) != 0) return ErrnoError("cannot cut", path);
  return Status();
}

// Takes a file of other variables, or of another content, out of the way where it holds anything.
Status KeepOther(const std::string& path) {
  const Result<StateFile> there = StateFile::Open(path);
  if (there.status().code() == Code::kNotFound) return Status();
  if (there.ok() && there->size() == there->at()) return Status();  // no records
  if (!there.ok() && there.status().code() != Code::kDataLoss) return there.status();
  constexpr std::string_view kEnding = ".bin";
  DF_ASSIGN(const std::string kept, FreeName(path.substr(0, path.size() - kEnding.size()) + "-", std::string(kEnding)));
  if (std::rename(path.c_str(), kept.c_str()) != 0) return ErrnoError("cannot rename", path);
  return Status();
}

}  // namespace

Result<StateContents> ReadStateLog(const std::string& path) {
  DF_ASSIGN(StateFile state, StateFile::Open(path));
  StateContents contents{.variables = state.variables(), .records = {}};
  for (;;) {
    DF_ASSIGN(std::optional<StateRecord> record, state.Next());
    if (!record) break;
    contents.records.push_back(*std::move(record));
  }
  if (state.size() - state.at() <= RecordBytes(contents.variables.size())) return contents;
  return Error(Code::kDataLoss, path, " is damaged: record ", contents.records.size() + 1,
               ", which is not the last one, does not fit its checksum");
}

Status CutStateLog(const std::string& path, int64_t keep_through) {
  Result<StateFile> state = StateFile::Open(path);
  if (state.ok()) return Cut(path, *state, keep_through);
  const Code code = state.status().code();
  return code == Code::kNotFound || code == Code::kDataLoss ? Status() : state.status();
}

Result<StateLog> StateLog::Open(const std::string& path, const std::vector<std::string>& variables,
                                int64_t keep_through) {
  DF_TRY(CheckReplaceable(path));
  Result<StateFile> there = StateFile::Open(path);
  if (there.ok() && there->variables() == variables) {
    DF_TRY(Cut(path, *there, keep_through));
  } else {
    DF_TRY(KeepOther(path));
    DF_TRY(WriteFileAtomically(path, HeaderOf(variables)));
  }
  DF_ASSIGN(FileDescriptor file, FileDescriptor::OpenForAppending(path));
  return StateLog(std::move(file), variables.size());
}

Status StateLog::Append(int64_t step, std::span<const uint64_t> of_variables) {
  if (of_variables.size() != variables_)
    return Internal("step ", step, " has ", of_variables.size(), " fingerprints of ", variables_, " variables");
  std::string record;
  record.reserve(RecordBytes(variables_));
  AppendNumber(step, record);
  for (const uint64_t fingerprint : of_variables) AppendNumber(fingerprint, record);
  AppendChecksum(record);
  return file_.Append(record);
}

Status StateLog::OnStep(const JobResults& results) {
  return results.state ? Append(results.step, results.fingerprints) : Status();
}

}  // namespace dfrun
