#include <algorithm>

#include "kernels/device/cpu_kernel.h"
#include "kernels/parsing/csv_record.h"
#include "kernels/strings/parse_number.h"

namespace dfrun {
namespace {

class DecodeCsvKernel final : public Kernel {
 public:
  explicit DecodeCsvKernel(KernelSetup& setup)
      : na_value_(setup.attr<std::string>("na_value")), columns_(setup.attr<std::vector<int64_t>>("select_cols")) {
    const auto delimiter = setup.attr<std::string>("field_delim");
    if (delimiter.size() != 1) setup.Fail(InvalidArgument("field_delim must be one byte, not '", delimiter, "'"));
    format_ = {delimiter.empty() ? ',' : delimiter[0], setup.attr<bool>("use_quote_delim")};
    if (!columns_.empty() && columns_.size() != setup.node().outputs.size()) {
      setup.Fail(InvalidArgument("select_cols names ", columns_.size(), " columns for ", setup.node().outputs.size(),
                                 " outputs"));
    }
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i] < 0 || (i > 0 && columns_[i] <= columns_[i - 1])) {
        setup.Fail(InvalidArgument("select_cols must rise from 0 or more"));
      }
    }
  }

  Status Compute(OpContext& ctx) {
    const Tensor& records = ctx.input(0);
    std::vector<Tensor*> outputs(static_cast<size_t>(ctx.num_outputs()));
    for (int i = 0; i < ctx.num_outputs(); ++i) {
      if (ctx.input(i + 1).num_elements() > 1) {
        return InvalidArgument("the default of column ", i, " has ", ctx.input(i + 1).num_elements(), " elements");
      }
      DF_TRY(ctx.AllocateOutput(i, records.shape(), &outputs[static_cast<size_t>(i)]));
    }
    for (int64_t r = 0; r < records.num_elements(); ++r) {
      Status status = Record(ctx, records.data<std::string>()[r], r, outputs);
      if (!status.ok()) return status.Annotate(StrCat("record ", r));
    }
    return Status();
  }
  bool IsExpensive() const override { return true; }

 private:
  Status Record(const OpContext& ctx, const std::string& record, int64_t r, const std::vector<Tensor*>& outputs) const {
    std::vector<std::string> fields;
    if (columns_.empty()) {
      DF_ASSIGN(fields, CsvFields(record, format_));
    } else {
      DF_ASSIGN(fields, CsvFields(record, format_, static_cast<size_t>(columns_.back()) + 1));
      for (size_t i = 0; i < columns_.size() && static_cast<size_t>(columns_[i]) < fields.size(); ++i) {
        if (static_cast<size_t>(columns_[i]) != i) fields[i] = std::move(fields[static_cast<size_t>(columns_[i])]);
      }
      const auto there = std::count_if(columns_.begin(), columns_.end(),
                                       [&](int64_t column) { return static_cast<size_t>(column) < fields.size(); });
      fields.resize(static_cast<size_t>(there));
    }
    if (fields.size() != outputs.size()) {
      return InvalidArgument(outputs.size(), " fields are expected, but there are ", fields.size());
    }
    for (size_t f = 0; f < fields.size(); ++f) {
      Status status = Field(ctx.input(static_cast<int>(f) + 1), std::move(fields[f]), r, *outputs[f]);
      if (!status.ok()) return status.Annotate(StrCat("field ", f));
    }
    return Status();
  }

  Status Field(const Tensor& fallback, std::string field, int64_t r, Tensor& output) const {
    const bool missing = field.empty() || field == na_value_;
    if (missing && fallback.num_elements() == 0) return InvalidArgument("it is required, but missing");
    bool ok = true;
    VisitDType<float, double, int32_t, int64_t, std::string>(output.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      T& to = output.data<T>()[r];
      if (missing) {
        to = fallback.scalar<T>();
      } else if constexpr (std::is_same_v<T, std::string>) {
        to = std::move(field);
      } else {
        ok = ParseNumber(field, to);
      }
    });
    return ok ? Status() : InvalidArgument("'", field, "' is no ", output.dtype());
  }

  CsvFormat format_;
  const std::string na_value_;
  const std::vector<int64_t> columns_;
};

CPU_KERNEL_ANY("DecodeCSV", DecodeCsvKernel);

}  // namespace
}  // namespace dfrun
