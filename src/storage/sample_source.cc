#include "src/storage/sample_source.h"

#include <utility>

#include "src/base/registry.h"

namespace dfrun {
namespace {

Registry<SampleFormat>& Formats() {
  static Registry<SampleFormat>& formats = *new Registry<SampleFormat>();
  return formats;
}

}  // namespace

namespace internal {
SampleFormatRegistration::SampleFormatRegistration(SampleFormat format) {
  std::string name = format.name;
  Formats().Add(std::move(name), std::move(format));
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
  return Formats().Find(name);
}

std::vector<const SampleFormat*> SampleFormats::List() {
  std::vector<const SampleFormat*> all;
  for (const auto& [name, format] : Formats().all()) all.push_back(&format);
  return all;
}

}  // namespace dfrun
