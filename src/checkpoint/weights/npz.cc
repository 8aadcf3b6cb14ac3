// NumPy's archives of arrays.
#include "src/base/text.h"
#include "src/checkpoint/weights/npy.h"
#include "src/checkpoint/weights/weight_source.h"
#include "src/checkpoint/weights/zip_archive.h"

namespace dfrun {
namespace {

constexpr std::string_view kEnding = ".npy";

class NpzSource final : public WeightSource {
 public:
  explicit NpzSource(ZipArchive archive)
      : WeightSource("the NumPy archive " + archive.path()), archive_(std::move(archive)) {}

  Status List() {
    for (size_t i = 0; i < archive_.members().size(); ++i) {
      const ZipArchive::Member& member = archive_.members()[i];
      if (!member.name.ends_with(kEnding)) continue;
      DF_TRY(Add(i).Annotate(StrCat("'", member.name, "' of ", archive_.path())));
    }
    if (!entries_.empty()) return Status();
    return Error(Code::kBadSpec, archive_.path(), " is a ZIP archive without arrays of NumPy",
                 IsPyTorch() ? "; it is PyTorch's: save its tensors by safetensors" : "");
  }

  Result<Tensor> Read(size_t entry) override {
    const ZipArchive::Member& member = archive_.members()[members_[entry]];
    DF_ASSIGN(const std::string content, archive_.Read(member));
    const NpyHeader& header = headers_[entry];
    if (content.size() < header.bytes) return Error(Code::kDataLoss, "'", member.name, "' is cut short");
    Result<Tensor> value = TensorOfNpy(header, std::string_view(content).substr(header.bytes));
    return value.ok() ? std::move(value) : value.status().Annotate(StrCat("'", member.name, "' of ", archive_.path()));
  }

 private:
  Status Add(size_t index) {
    constexpr size_t kUsual = 4096;
    const ZipArchive::Member& member = archive_.members()[index];
    DF_ASSIGN(std::string begin, archive_.ReadBegin(member, kUsual));
    DF_ASSIGN(const size_t bytes, NpyHeaderBytes(begin));
    if (bytes > begin.size()) {
      DF_ASSIGN(begin, archive_.ReadBegin(member, bytes));
    }
    DF_ASSIGN(NpyHeader header, ParseNpyHeader(begin));
    Entry entry{.name = member.name.substr(0, member.name.size() - kEnding.size()),
                .dtype = header.dtype,
                .type = header.type,
                .shape = header.shape};
    const uint64_t values = member.bytes - header.bytes;
    if (header.dtype != DType::kInvalid && !IsSizeOf(header.dtype, header.shape, values))
      return Error(Code::kDataLoss, "its shape ", header.shape, " is not that of its ", values, " bytes");
    entries_.push_back(std::move(entry));
    members_.push_back(index);
    headers_.push_back(std::move(header));
    return Status();
  }

  bool IsPyTorch() const {
    for (const ZipArchive::Member& member : archive_.members()) {
      if (member.name.ends_with("data.pkl")) return true;
    }
    return false;
  }

  const ZipArchive archive_;
  std::vector<size_t> members_;  // by entry
  std::vector<NpyHeader> headers_;
};

bool IsZip(const FileHead& file) {
  return file.bytes.starts_with("PK\x03\x04") || file.bytes.starts_with("PK\x05\x06");
}

Result<std::unique_ptr<WeightSource>> OpenNpz(const std::string& path) {
  DF_ASSIGN(ZipArchive archive, ZipArchive::Open(path));
  auto source = std::make_unique<NpzSource>(std::move(archive));
  DF_TRY(source->List());
  return std::unique_ptr<WeightSource>(std::move(source));
}

WEIGHT_FORMAT("npz", {.what = "a NumPy archive (.npz)", .recognizes = &IsZip, .open = &OpenNpz});

}  // namespace
}  // namespace dfrun
