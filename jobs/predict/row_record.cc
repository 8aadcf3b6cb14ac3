#include "jobs/predict/row_record.h"

#include <algorithm>

#include "jobs/output_file.h"
#include "src/base/file.h"
#include "src/base/json/json.h"
#include "src/base/json/json_reader.h"
#include "src/base/text.h"

namespace dfrun::jobs {
namespace {

constexpr size_t kMaxBytes = size_t{16} << 20;
constexpr uint64_t kMaxNumber = uint64_t{1} << 62;

int64_t ReadNumber(JsonReader& reader, const char* name) {
  reader.Name(name);
  return static_cast<int64_t>(reader.Number(kMaxNumber));
}

Result<RowRecord> Parse(const std::string& text) {
  RowRecord record;
  JsonReader reader(text);
  reader.BeginObject();
  reader.Name("written_by");
  const bool is_own = reader.String() == "dfrun";
  reader.Name("settings");
  reader.BeginArray();
  while (reader.NextElement()) {
    reader.BeginObject();
    reader.Name("name");
    std::string name = reader.String();
    reader.Name("value");
    record.settings.emplace_back(std::move(name), reader.String());
    reader.EndObject();
  }
  record.rows = ReadNumber(reader, "rows");
  reader.Name("finished");
  reader.BeginArray();
  while (reader.NextElement()) {
    reader.BeginArray();
    bool is_whole = reader.NextElement() && reader.Number(kMaxNumber) == 0;
    is_whole = reader.NextElement() && is_whole;
    record.done = static_cast<int64_t>(reader.Number(kMaxNumber));
    if (reader.NextElement() || !is_whole)
      return Error(Code::kDataLoss, "it holds no ranges of rows that begin at row 0");
  }
  record.bytes = ReadNumber(reader, "bytes");
  reader.Name("offsets");
  reader.BeginArray();
  while (reader.NextElement()) record.offsets.push_back(static_cast<int64_t>(reader.Number(kMaxNumber)));
  reader.EndObject();
  DF_TRY(reader.Finish());
  if (!is_own) return Error(Code::kDataLoss, "dfrun did not write it");
  if (record.done > record.rows) return Error(Code::kDataLoss, "it counts more rows than there are");
  return record;
}

}  // namespace

std::string RowRecord::ToJson() const {
  const auto setting = [](const std::pair<std::string, std::string>& s) {
    return StrCat("{\"name\": ", JsonString(s.first), ", \"value\": ", JsonString(s.second), "}");
  };
  return StrCat("{", kJsonMark, ",\n \"settings\": [\n  ", Join(settings, ",\n  ", setting), "\n ],\n \"rows\": ", rows,
                ",\n \"finished\": [[0, ", done, "]],\n \"bytes\": ", bytes, ",\n \"offsets\": [", Join(offsets),
                "]\n}\n");
}

Result<std::optional<RowRecord>> ReadRowRecord(const std::string& path) {
  const Result<FileDescriptor> file = FileDescriptor::OpenRegular(path);
  if (file.status().code() == Code::kNotFound) return std::optional<RowRecord>();
  DF_TRY(file.status());
  DF_ASSIGN(const std::string text, ReadAll(*file, kMaxBytes));
  Result<RowRecord> record = Parse(text);
  if (!record.ok()) {
    return Error(Code::kDataLoss, path, ": this is no record of rows that are finished: ", record.status().message(),
                 "; --force begins anew");
  }
  return std::optional<RowRecord>(*std::move(record));
}

Status WriteRowRecord(const std::string& path, const RowRecord& record) {
  return WriteFileAtomically(path, record.ToJson());
}

Status CheckSameSettings(const std::string& file, const RowRecord& begun, const RowRecord& now) {
  const auto value_of = [](const RowRecord& record, const std::string& name) -> const std::string* {
    const auto found = std::find_if(record.settings.begin(), record.settings.end(),
                                    [&](const auto& setting) { return setting.first == name; });
    return found == record.settings.end() ? nullptr : &found->second;
  };
  const auto differ = [&](const std::string& name, const std::string& before, const std::string& after) {
    return Error(Code::kUsage, "--resume: ", file, " was begun with another ", name, ": ", before, ", now ", after,
                 "; --force begins anew");
  };
  for (const auto& [name, value] : now.settings) {
    const std::string* const before = value_of(begun, name);
    if (before == nullptr || *before != value) return differ(name, before == nullptr ? "none" : *before, value);
  }
  if (begun.settings.size() != now.settings.size()) return differ("number of settings", "more", "fewer");
  if (begun.rows != now.rows) return differ("number of samples", StrCat(begun.rows), StrCat(now.rows));
  return Status();
}

}  // namespace dfrun::jobs
