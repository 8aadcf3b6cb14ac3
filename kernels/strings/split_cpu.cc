#include <algorithm>
#include <string_view>

#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

using Parts = std::vector<std::string_view>;

constexpr std::string_view kSpace = " \t\n\v\f\r";

// Splits at every byte of `delimiters`; into single bytes where there are none.
Parts SplitAtAny(std::string_view text, std::string_view delimiters, bool skip_empty) {
  Parts parts;
  if (delimiters.empty()) {
    for (size_t i = 0; i < text.size(); ++i) parts.push_back(text.substr(i, 1));
    return parts;
  }
  for (size_t at = 0; !text.empty() && at <= text.size();) {
    const size_t end = std::min(text.find_first_of(delimiters, at), text.size());
    if (end > at || !skip_empty) parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

// Splits at runs of white space, at most `limit` times (negative: always). The rest after the last time is a part too,
// be it empty.
Parts SplitAtSpace(std::string_view text, int64_t limit) {
  Parts parts;
  size_t at = std::min(text.find_first_not_of(kSpace), text.size());
  while (at < text.size()) {
    const size_t end = std::min(text.find_first_of(kSpace, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = std::min(text.find_first_not_of(kSpace, end), text.size());
    if (static_cast<int64_t>(parts.size()) == limit) {
      parts.push_back(text.substr(at));
      break;
    }
  }
  return parts;
}

// Splits at a text, at most `limit` times.
Parts SplitAtText(std::string_view text, std::string_view separator, int64_t limit) {
  Parts parts;
  while (limit < 0 || static_cast<int64_t>(parts.size()) < limit) {
    const size_t end = text.find(separator);
    if (end == std::string_view::npos) break;
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + separator.size());
  }
  parts.push_back(text);
  return parts;
}

class SplitKernel : public Kernel {
 public:
  Status Compute(OpContext& ctx) {
    const Tensor& input = ctx.input(0);
    if (input.shape().rank() != 1 || ctx.input(1).shape().rank() != 0) {
      return InvalidArgument("a vector is split at a scalar, but the inputs have shapes ", input.shape(), " and ",
                             ctx.input(1).shape());
    }
    std::vector<Parts> rows;
    int64_t count = 0;
    int64_t widest = 0;
    for (const std::string& text : input.values<std::string>()) {
      rows.push_back(Split(text, ctx.input(1).scalar<std::string>()));
      count += static_cast<int64_t>(rows.back().size());
      widest = std::max(widest, static_cast<int64_t>(rows.back().size()));
    }
    Tensor* shape = nullptr;
    DF_TRY(ctx.AllocateOutput(2, Shape({2}), &shape));
    shape->data<int64_t>()[0] = input.num_elements();
    shape->data<int64_t>()[1] = widest;
    return Write(ctx, rows, count);
  }

 protected:
  virtual Parts Split(std::string_view text, std::string_view separator) const = 0;

 private:
  static Status Write(OpContext& ctx, const std::vector<Parts>& rows, int64_t count) {
    Tensor* indices = nullptr;
    Tensor* values = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape({count, 2}), &indices));
    DF_TRY(ctx.AllocateOutput(1, Shape({count}), &values));
    auto* index = indices->data<int64_t>();
    auto* value = values->data<std::string>();
    for (size_t row = 0; row < rows.size(); ++row) {
      for (size_t i = 0; i < rows[row].size(); ++i) {
        *index++ = static_cast<int64_t>(row);
        *index++ = static_cast<int64_t>(i);
        *value++ = rows[row][i];
      }
    }
    return Status();
  }
};

class StringSplitKernel final : public SplitKernel {
 public:
  explicit StringSplitKernel(KernelSetup& setup) : skip_empty_(setup.attr<bool>("skip_empty")) {}

 protected:
  Parts Split(std::string_view text, std::string_view separator) const override {
    return SplitAtAny(text, separator, skip_empty_);
  }

 private:
  const bool skip_empty_;
};

class StringSplitV2Kernel final : public SplitKernel {
 public:
  explicit StringSplitV2Kernel(KernelSetup& setup) : max_split_(setup.attr<int64_t>("maxsplit")) {}

 protected:
  Parts Split(std::string_view text, std::string_view separator) const override {
    if (max_split_ == 0) return {text};
    return separator.empty() ? SplitAtSpace(text, max_split_) : SplitAtText(text, separator, max_split_);
  }

 private:
  const int64_t max_split_;
};

CPU_KERNEL_ANY("StringSplit", StringSplitKernel);
CPU_KERNEL_ANY("StringSplitV2", StringSplitV2Kernel);

}  // namespace
}  // namespace dfrun
