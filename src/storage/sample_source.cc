#include "src/storage/sample_source.h"

#include <utility>

namespace dfrun {
namespace {

std::map<std::string, SampleFormat, std::less<>>& Formats() {
  static std::map<std::string, SampleFormat, std::less<>>& formats =
      *new std::map<std::string, SampleFormat, std::less<>>();
  return formats;
}

}  // namespace

namespace internal {
SampleFormatRegistration::SampleFormatRegistration(SampleFormat format) {
  std::string name = format.name;
  Formats().emplace(std::move(name), std::move(format));
}
}  // namespace internal

Status AsInputError(const Status& status) {
  switch (status.code()) {
    case Code::kNotFound:
    case Code::kIo:
    case Code::kDataLoss:
      return NoInput(status.message());
    default:
      return status;
  }
}

const SampleFormat* SampleFormats::Find(std::string_view name) {
  auto it = Formats().find(name);
  return it == Formats().end() ? nullptr : &it->second;
}

std::vector<const SampleFormat*> SampleFormats::List() {
  std::vector<const SampleFormat*> all;
  for (const auto& [name, format] : Formats()) all.push_back(&format);
  return all;
}

}  // namespace dfrun
