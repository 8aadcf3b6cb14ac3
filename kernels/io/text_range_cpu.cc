// ReadTextRange: parts of texts at bounds of tokens.
#include <algorithm>

#include "kernels/device/cpu_kernel.h"
#include "kernels/io/text_files.h"
#include "kernels/strings/letters_attr.h"
#include "src/storage/sample_source.h"

namespace dfrun {
namespace {

// value * numerator / denominator, which is at most `value`.
uint64_t Scaled(uint64_t value, uint64_t numerator, uint64_t denominator) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<uint64_t>(static_cast<Wide>(value) * numerator / denominator);
}

class ReadTextRangeKernel final : public Kernel {
 public:
  explicit ReadTextRangeKernel(KernelSetup& setup)
      : part_(static_cast<uint64_t>(setup.attr<int64_t>("part"))),
        parts_(static_cast<uint64_t>(setup.attr<int64_t>("parts"))),
        letters_(LettersOf(setup)) {
    if (part_ >= parts_) setup.Fail(InvalidArgument("attr 'part' is ", part_, " of ", parts_, ", counted from 0"));
    for (int byte = 0; byte < 128 && letters_.First(separator_).is_letter; ++byte) {
      separator_ = static_cast<char>(byte);
    }
  }

  Status Compute(OpContext& ctx) {
    const auto names = ctx.input(0).values<std::string>();
    Tensor* text = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape(), &text));
    const RefPtr<FileAccess> access = FileAccess::Of(ctx.device());
    return AsInputError(Read({names.begin(), names.end()}, *access, *text->data<std::string>()));
  }
  bool IsExpensive() const override { return true; }

 private:
  // The parts divide the bytes that all files have on the disk.
  Status Read(const std::vector<std::string>& names, const FileAccess& access, std::string& text) const {
    DF_ASSIGN(const std::vector<std::string> paths, NamedTextFiles(names, access));
    std::vector<uint64_t> ends;
    for (const std::string& path : paths) {
      DF_ASSIGN(const FileDescriptor file, access.OpenForReading(path));
      DF_ASSIGN(const uint64_t size, file.Size());
      ends.push_back((ends.empty() ? 0 : ends.back()) + size);
    }
    for (size_t i = 0; i < paths.size(); ++i) {
      const uint64_t first = i == 0 ? 0 : ends[i - 1];
      const uint64_t begin = std::clamp(Boundary(ends.back(), part_), first, ends[i]) - first;
      const uint64_t end = std::clamp(Boundary(ends.back(), part_ + 1), first, ends[i]) - first;
      if (begin == end) continue;
      DF_ASSIGN(const ByteFile file, OpenText(paths[i], access));
      DF_TRY(Append(file, begin, end, ends[i] - first, text));
    }
    return Status();
  }

  // Adds bytes [begin, end) of the `stored` ones of a file, or the corresponding text if it is compressed.
  Status Append(const ByteFile& file, uint64_t begin, uint64_t end, uint64_t stored, std::string& text) const {
    FileCursor cursor(file);
    DF_ASSIGN(begin, NextToken(cursor, Scaled(file.size(), begin, stored), letters_));
    DF_ASSIGN(end, NextToken(cursor, Scaled(file.size(), end, stored), letters_));
    if (!text.empty()) text += separator_;
    if (file.in_memory()) {
      text += file.bytes().substr(begin, end - begin);
      return Status();
    }
    const size_t before = text.size();
    text.resize(before + end - begin);
    return file.ReadAt(begin, text.data() + before, end - begin);
  }

  uint64_t Boundary(uint64_t size, uint64_t part) const { return size / parts_ * part + std::min(part, size % parts_); }

  const uint64_t part_;
  const uint64_t parts_;
  const Letters letters_;
  std::string separator_ = "\n";  // put between the texts of two files; contains no letter
};

CPU_KERNEL_ANY("ReadTextRange", ReadTextRangeKernel);

}  // namespace
}  // namespace dfrun
