#include "src/framework/device/device_name.h"

#include <algorithm>
#include <cctype>

#include "src/base/text.h"
#include "src/framework/device/device_types.h"

namespace dfrun {
namespace {

std::string Lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

bool ParseIndex(std::string_view text, std::optional<int>& index) {
  if (text == "*") {
    index.reset();
    return true;
  }
  index = ParseAs<int>(text);
  return index && *index >= 0;
}

// "cpu:0", "gpu:*", "gpu".
bool ParseTypeAndIndex(std::string_view text, DeviceName& name) {
  const size_t colon = text.find(':');
  name.type = Lower(text.substr(0, colon));
  return IsIdentifier(*name.type) &&
         (colon == std::string_view::npos || ParseIndex(text.substr(colon + 1), name.index));
}

bool ParsePart(std::string_view part, DeviceName& name) {
  const size_t colon = part.find(':');
  const std::string key = Lower(part.substr(0, colon));
  const std::string_view value = colon == std::string_view::npos ? std::string_view() : part.substr(colon + 1);
  std::optional<int> ignored;
  if (key == "job") {
    name.job = value == "*" ? std::nullopt : std::optional<std::string>(value);
    return !name.job || IsIdentifier(value);
  }
  if (key == "task") return ParseIndex(value, name.task);
  if (key == "replica") return ParseIndex(value, ignored);
  if (key == "device") return ParseTypeAndIndex(value, name);
  if (IsDeviceType(key)) return ParseTypeAndIndex(part, name);
  return false;
}

template <class T>
Status MergePart(std::optional<T>& into, const std::optional<T>& from, const DeviceName& a, const DeviceName& b) {
  if (into && from && *into != *from) {
    return InvalidArgument("device constraints '", a.ToString(), "' and '", b.ToString(), "' contradict each other");
  }
  if (from) into = from;
  return Status();
}

}  // namespace

Result<DeviceName> DeviceName::Parse(std::string_view text) {
  DeviceName name;
  std::string_view rest = text;
  if (!rest.empty() && rest[0] == '/') rest.remove_prefix(1);  // "cpu:0" is the local form
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('/'), rest.size());
    if (!ParsePart(rest.substr(0, end), name)) {
      return InvalidArgument("cannot read '", rest.substr(0, end), "' of the device name '", text,
                             "'; a device name is like /job:worker/task:0/device:cpu:0");
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return name;
}

std::string DeviceName::ToString() const {
  std::string out;
  if (job) out += "/job:" + *job;
  if (task) out += "/task:" + std::to_string(*task);
  if (type) out += "/device:" + *type + ":" + (index ? std::to_string(*index) : "*");
  return out;
}

bool DeviceName::Matches(const DeviceName& device) const {
  return (!job || job == device.job) && (!task || task == device.task) && (!type || type == device.type) &&
         (!index || index == device.index);
}

Result<DeviceName> DeviceName::Merge(const DeviceName& other) const {
  DeviceName merged = *this;
  DF_TRY(MergePart(merged.job, other.job, *this, other));
  DF_TRY(MergePart(merged.task, other.task, *this, other));
  DF_TRY(MergePart(merged.type, other.type, *this, other));
  DF_TRY(MergePart(merged.index, other.index, *this, other));
  return merged;
}

}  // namespace dfrun
