#include <algorithm>
#include <array>

#include "kernels/strings/token_counter.h"
#include "src/base/file.h"
#include "src/framework/file_access.h"
#include "src/framework/kernel.h"

namespace dfrun {
namespace {

ByteSet LettersOf(KernelSetup& setup) {
  Result<ByteSet> letters = ByteSet::Parse(setup.attr<std::string>("letters"));
  if (letters.ok()) return *letters;
  setup.Fail(letters.status().Annotate("attr 'letters'"));
  return ByteSet();
}

// The first byte from `offset` on that begins a token within the file: a letter after another byte; else the file's
// end.
Result<uint64_t> NextToken(const FileDescriptor& file, uint64_t offset, uint64_t size, const ByteSet& letters) {
  if (offset == 0 || offset >= size) return std::min(offset, size);
  std::array<char, 1 << 14> block;
  bool after_letter = true;
  for (uint64_t at = offset - 1; at < size;) {
    const size_t bytes = std::min<uint64_t>(block.size(), size - at);
    DF_TRY(file.ReadAt(at, block.data(), bytes));
    for (size_t i = 0; i < bytes; ++i) {
      const bool is_letter = letters.Holds(block[i]);
      if (is_letter && !after_letter && at + i >= offset) return at + i;
      after_letter = is_letter;
    }
    at += bytes;
  }
  return size;
}

class ReadTextRangeKernel final : public Kernel {
 public:
  explicit ReadTextRangeKernel(KernelSetup& setup)
      : part_(static_cast<uint64_t>(setup.attr<int64_t>("part"))),
        parts_(static_cast<uint64_t>(setup.attr<int64_t>("parts"))),
        letters_(LettersOf(setup)) {
    if (part_ >= parts_) setup.Fail(InvalidArgument("attr 'part' is ", part_, " of ", parts_, ", counted from 0"));
  }

  Status Compute(OpContext& ctx) {
    if (ctx.input(0).shape().rank() != 0) {
      return InvalidArgument("the name of a file must be a scalar, but has shape ", ctx.input(0).shape());
    }
    const Result<FileDescriptor> opened =
        FileAccess::Of(ctx.device())->OpenForReading(ctx.input(0).scalar<std::string>());
    if (opened.status().code() == Code::kNotFound) return IoError(opened.status().message());
    DF_TRY(opened.status());
    const FileDescriptor& file = *opened;
    DF_ASSIGN(const uint64_t size, file.Size());
    DF_ASSIGN(const uint64_t begin, NextToken(file, Boundary(size, part_), size, letters_));
    DF_ASSIGN(const uint64_t end, NextToken(file, Boundary(size, part_ + 1), size, letters_));
    Tensor* text = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape(), &text));
    auto& bytes = *text->data<std::string>();
    bytes.resize(end - begin);
    return file.ReadAt(begin, bytes.data(), bytes.size());
  }
  bool IsExpensive() const override { return true; }

 private:
  uint64_t Boundary(uint64_t size, uint64_t part) const { return size / parts_ * part + std::min(part, size % parts_); }

  const uint64_t part_;
  const uint64_t parts_;
  const ByteSet letters_;
};

class TokenCountsKernel final : public Kernel {
 public:
  explicit TokenCountsKernel(KernelSetup& setup) : letters_(LettersOf(setup)) {}

  Status Compute(OpContext& ctx) {
    TokenCounter counter(letters_);
    for (const std::string& text : ctx.input(0).values<std::string>()) counter.Add(text);
    const std::vector<TokenCounter::Token>& found = counter.tokens();
    const Shape shape({static_cast<int64_t>(found.size())});
    Tensor* tokens = nullptr;
    Tensor* counts = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &tokens));
    DF_TRY(ctx.AllocateOutput(1, shape, &counts));
    for (size_t i = 0; i < found.size(); ++i) {
      tokens->data<std::string>()[i] = found[i].text;
      counts->data<int64_t>()[i] = found[i].count;
    }
    return Status();
  }
  bool IsExpensive() const override { return true; }

 private:
  const ByteSet letters_;
};

CPU_KERNEL_ANY("ReadTextRange", ReadTextRangeKernel);
CPU_KERNEL_ANY("TokenCounts", TokenCountsKernel);

}  // namespace
}  // namespace dfrun
