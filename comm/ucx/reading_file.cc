#include "comm/ucx/reading_file.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

#include "comm/transport.h"
#include "src/base/crc32c.h"
#include "src/base/file.h"
#include "src/base/text.h"
#include "src/base/user_cache.h"

namespace dfrun::comm {
namespace {

constexpr std::string_view kMark = "dfrun UCX reading ";
constexpr std::string_view kVersion = "1 ";
constexpr size_t kMostBytes = size_t{256} << 10;
constexpr size_t kMostReadings = 200;
constexpr std::string_view kNever = "never";
constexpr size_t kFields = 7;

std::string Checksum(std::string_view lines) {
  char text[16];
  std::snprintf(text, sizeof text, "%08x", Crc32c(lines.data(), lines.size()));
  return text;
}

std::array<std::string ReadingKey::*, kFields - 1> KeyFields() {
  return {&ReadingKey::version, &ReadingKey::pair, &ReadingKey::lanes,
          &ReadingKey::cpu,     &ReadingKey::load, &ReadingKey::settings};
}

// Removes the text before the next `end`, and `end` itself, from `text` and returns it; nullopt if there is no `end`.
std::optional<std::string_view> TakeUntil(char end, std::string_view& text) {
  const size_t at = text.find(end);
  if (at == std::string_view::npos) return {};
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at + 1);
  return taken;
}

std::optional<KeptReading> ParseLine(std::string_view line) {
  KeptReading reading;
  for (std::string ReadingKey::*const field : KeyFields()) {
    const std::optional<std::string_view> text = TakeUntil('\t', line);
    if (!text) return {};
    reading.key.*field = *text;
  }
  const std::optional<size_t> from = line == kNever ? Capabilities::kNever : ParseAs<size_t>(line);
  if (!from) return {};
  reading.from = *from;
  return reading;
}

// Returns whether the text is what a full disk or a crash of the host leaves of a file.
bool IsUnwritten(std::string_view text) {
  return kMark.starts_with(text) || text.find_first_not_of('\0') == std::string_view::npos;
}

// Replaces characters that would end a field: names come from outside.
std::string OneField(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\t' || c == '\n'; }, ' ');
  return text;
}

}  // namespace

std::string PrintReadings(const std::vector<KeptReading>& readings) {
  std::string lines;
  for (const KeptReading& reading : readings) {
    for (std::string ReadingKey::*const field : KeyFields()) lines += OneField(reading.key.*field) + "\t";
    lines += reading.from == Capabilities::kNever ? kNever : std::to_string(reading.from);
    lines += "\n";
  }
  return StrCat(kMark, kVersion, Checksum(lines), "\n", lines);
}

Result<std::vector<KeptReading>> ParseReadings(std::string_view text) {
  if (IsUnwritten(text)) return Error(Code::kDataLoss, "it ends before its first line does: it was not written out");
  if (!text.starts_with(kMark)) return FailedPrecondition("dfrun has not written this file");
  const std::optional<std::string_view> first = TakeUntil('\n', text);
  if (!first) return Error(Code::kDataLoss, "its first line has no end");
  if (!first->substr(kMark.size()).starts_with(kVersion)) {
    return FailedPrecondition("another version of dfrun has written this file");
  }
  if (first->substr(kMark.size() + kVersion.size()) != Checksum(text)) {
    return Error(Code::kDataLoss, "it is not as it was written: its checksum differs");
  }
  std::vector<KeptReading> readings;
  while (!text.empty()) {
    const std::optional<std::string_view> line = TakeUntil('\n', text);
    std::optional<KeptReading> reading = line ? ParseLine(*line) : std::nullopt;
    if (!reading)
      return Error(Code::kDataLoss, "line ", readings.size() + 2, " does not have its ", kFields, " fields");
    readings.push_back(*std::move(reading));
  }
  return readings;
}

std::string DescribeReadingFrom(size_t from) {
  return from == Capabilities::kNever ? "never read" : StrCat("read from ", from, " bytes on");
}

ReadingFile ReadingFile::OfUser() {
  const std::string folder = UserCacheFolder();
  return ReadingFile(folder.empty() ? "" : folder + "/ucx-reading");
}

Result<std::vector<KeptReading>> ReadingFile::Read() const {
  Result<std::string> text = ReadFile(path_, kMostBytes);
  if (!text.ok() && text.status().code() == Code::kNotFound) return std::vector<KeptReading>();
  DF_TRY(text.status());
  if (text->empty()) return std::vector<KeptReading>();  // a full disk has left an empty file
  Result<std::vector<KeptReading>> readings = ParseReadings(*text);
  if (!readings.ok()) return readings.status().Annotate(path_);
  return readings;
}

Status ReadingFile::Keep(const std::vector<KeptReading>& readings) const {
  Result<std::vector<KeptReading>> earlier = Read();
  if (!earlier.ok() && earlier.status().code() != Code::kDataLoss) return earlier.status();
  std::vector<KeptReading> all = earlier.ok() ? *std::move(earlier) : std::vector<KeptReading>();
  for (const KeptReading& reading : readings) {
    std::erase_if(all, [&](const KeptReading& old) { return old.key == reading.key; });
    all.push_back(reading);
  }
  if (all.size() > kMostReadings) all.erase(all.begin(), all.end() - kMostReadings);
  DF_TRY(MakeDirectories(ParentDirectory(path_)));
  return WriteFileAtomically(path_, PrintReadings(all));
}

}  // namespace dfrun::comm
