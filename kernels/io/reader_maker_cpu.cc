// The readers themselves, and how each names its records.
#include <optional>

#include "kernels/device/cpu_kernel.h"
#include "kernels/io/queue_reader.h"
#include "kernels/io/record_format.h"
#include "kernels/state/device_resource.h"
#include "src/storage/file_access.h"

namespace dfrun {
namespace {

// A record's name after "file:"; kFile: that of the file, which is one record.
enum class Naming { kNumberFromOne, kNumberFromZero, kOffset, kFile };

class FileReader final : public WorkReader {
 public:
  FileReader(RefPtr<FileAccess> access, std::unique_ptr<RecordFormat> format, Compression compression, Naming naming,
             int64_t first = 0)
      : access_(std::move(access)),
        format_(std::move(format)),
        compression_(compression),
        naming_(naming),
        first_(first) {}

  Status Start(const std::string& work) override {
    cursor_.reset();
    DF_ASSIGN(FileDescriptor opened, access_->OpenForReading(work));
    DF_ASSIGN(file_, ByteFile::Open(std::move(opened), compression_, 0));
    cursor_.emplace(file_);
    at_ = format_->Begin();
    number_ = first_;
    return Status();
  }

  Result<bool> Next(std::string& key, std::string& value) override {
    if (!cursor_) return false;  // after a state was restored
    const uint64_t begin = at_;
    RecordSpan span;
    DF_ASSIGN(const bool found, format_->Find(*cursor_, at_, span));
    if (!found) return false;
    DF_ASSIGN(const std::string_view bytes, format_->Read(*cursor_, span));
    value = bytes;
    key = file_.path();
    if (naming_ == Naming::kOffset) key += StrCat(":", begin);
    if (naming_ == Naming::kNumberFromOne) key += StrCat(":", number_ + 1);
    if (naming_ == Naming::kNumberFromZero) key += StrCat(":", number_);
    ++number_;
    return true;
  }

  bool GivesOne() const override { return naming_ == Naming::kFile; }

  Place place() const override { return {cursor_.has_value(), at_, number_}; }
  Status Resume(const std::string& work, const Place& place) override {
    cursor_.reset();
    if (place.is_open) DF_TRY(Start(work));
    if (place.is_open && place.at > file_.size()) {
      return Error(Code::kDataLoss, work, " has ", file_.size(), " bytes, and was read up to byte ", place.at,
                   " when the checkpoint was written: bring the old file back");
    }
    at_ = place.at;
    number_ = place.number;
    return Status();
  }

 private:
  const RefPtr<FileAccess> access_;
  const std::unique_ptr<RecordFormat> format_;
  const Compression compression_;
  const Naming naming_;
  const int64_t first_;  // records before the first one given
  ByteFile file_;
  std::optional<FileCursor> cursor_;
  uint64_t at_ = 0;
  int64_t number_ = 0;
};

class IdentityReader final : public WorkReader {
 public:
  Status Start(const std::string& work) override {
    work_ = work;
    return Status();
  }
  Result<bool> Next(std::string& key, std::string& value) override {
    key = value = work_;
    return true;
  }
  bool GivesOne() const override { return true; }
  bool HasPlainState() const override { return true; }
  Status Resume(const std::string& work, const Place& /*place*/) override { return Start(work); }

 private:
  std::string work_;
};

using Made = Result<std::unique_ptr<WorkReader>>;

Made MakeText(KernelSetup& setup, RefPtr<FileAccess> access) {
  const auto skip = setup.attr<int64_t>("skip_header_lines");
  if (skip < 0) return InvalidArgument("skip_header_lines must be >= 0 not ", skip);
  return Made(std::make_unique<FileReader>(std::move(access), TextLines(skip), Compression::kNone,
                                           Naming::kNumberFromOne, skip));
}

Made MakeWhole(KernelSetup&, RefPtr<FileAccess> access) {
  return Made(std::make_unique<FileReader>(std::move(access), WholeFiles(), Compression::kNone, Naming::kFile));
}

Made MakeFixed(KernelSetup& setup, RefPtr<FileAccess> access) {
  FixedLength sizes;
  for (const auto& [name, size] : {std::pair{"header_bytes", &sizes.header}, std::pair{"record_bytes", &sizes.record},
                                   std::pair{"footer_bytes", &sizes.footer}, std::pair{"hop_bytes", &sizes.hop}}) {
    const auto bytes = setup.attr<int64_t>(name);
    const int64_t least = size == &sizes.record ? 1 : 0;
    if (bytes < least) return InvalidArgument(name, " must be >= ", least, " not ", bytes);
    *size = static_cast<uint64_t>(bytes);
  }
  sizes.ends_before_part = true;
  const bool has_encoding = setup.attrs().Find("encoding") != nullptr;
  DF_ASSIGN(const Compression compression, ParseCompression(has_encoding ? setup.attr<std::string>("encoding") : ""));
  return Made(
      std::make_unique<FileReader>(std::move(access), FixedLengthRecords(sizes), compression, Naming::kNumberFromZero));
}

Made MakeTfRecord(KernelSetup& setup, RefPtr<FileAccess> access) {
  DF_ASSIGN(const Compression compression, ParseCompression(setup.attr<std::string>("compression_type")));
  return Made(std::make_unique<FileReader>(std::move(access), TfRecords(), compression, Naming::kOffset));
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): it has the signature of the others
Made MakeIdentity(KernelSetup&, RefPtr<FileAccess>) {
  return Made(std::make_unique<IdentityReader>());
}

template <Made (*kMake)(KernelSetup&, RefPtr<FileAccess>)>
struct MakeReader {
  using Object = QueueReader;
  static Result<RefPtr<QueueReader>> FindOrMake(KernelSetup& setup, DeviceResourceHandle& handle) {
    std::string kind = setup.node().op->name;
    if (kind.ends_with("V2")) kind.resize(kind.size() - 2);
    const RefPtr<FileAccess> access = FileAccess::Of(setup.device());  // not within Find(), which holds the containers
    return handle.Find<QueueReader>(setup, [&](const std::string& name) -> Result<QueueReader*> {
      DF_ASSIGN(std::unique_ptr<WorkReader> reader, kMake(setup, access));
      return new QueueReader(kind, name, std::move(reader));
    });
  }
};

#define READER(op, make)                                       \
  CPU_KERNEL_ANY(op, DeviceResourceKernel<MakeReader<&make>>); \
  CPU_KERNEL_ANY(op "V2", DeviceResourceKernel<MakeReader<&make>>)

READER("TextLineReader", MakeText);
READER("WholeFileReader", MakeWhole);
READER("FixedLengthRecordReader", MakeFixed);
READER("TFRecordReader", MakeTfRecord);
READER("IdentityReader", MakeIdentity);

}  // namespace
}  // namespace dfrun
