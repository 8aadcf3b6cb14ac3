#include "jobs/predict/csv_rows.h"

#include <charconv>
#include <cmath>
#include <complex>
#include <type_traits>

#include "src/framework/values/element_types.h"

namespace dfrun::jobs {
namespace {

constexpr int64_t kMaxColumns = 1'000'000;

// A text as a field, in quotes where it holds what separates fields.
void AppendText(std::string_view text, std::string& out) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

template <class T>
void AppendNumber(T value, std::string& out) {
  char text[64];
  out.append(text, std::to_chars(text, text + sizeof text, value).ptr);
}

template <class T>
void AppendElement(const T& value, std::string& out) {
  if constexpr (std::is_same_v<T, std::string>) {
    AppendText(value, out);
  } else if constexpr (std::is_same_v<T, bool>) {
    out += value ? '1' : '0';
  } else if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
    AppendNumber(value.real(), out);
    if (!std::signbit(value.imag())) out += '+';
    AppendNumber(value.imag(), out);
    out += 'j';
  } else if constexpr (std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>) {
    AppendNumber(static_cast<float>(value), out);
  } else if constexpr (std::is_arithmetic_v<T>) {
    AppendNumber(value, out);
  }
}

void AppendRow(const Tensor& value, int64_t row, std::string& out) {
  const int64_t columns = value.num_elements() / value.shape()[0];
  const bool is_known =
      VisitDType<DF_REAL, bool, std::string, std::complex<float>, std::complex<double>>(value.dtype(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        for (int64_t i = 0; i < columns; ++i) {
          out += ',';
          AppendElement(value.data<T>()[row * columns + i], out);
        }
      });
  DF_CHECK(is_known);
}

void AppendNames(const ArrayInfo& array, std::string& out) {
  const auto dims = array.shape.dims().subspan(1);
  int64_t columns = 1;
  for (const int64_t size : dims) columns *= size;
  for (int64_t i = 0; i < columns; ++i) {
    std::string name;
    int64_t rest = i;
    for (auto size = dims.rbegin(); size != dims.rend(); ++size) {
      name = StrCat("_", rest % *size, name);
      rest /= *size;
    }
    out += ',';
    AppendText(array.name + name, out);
  }
}

}  // namespace

Result<std::string> CsvHeader(const std::vector<ArrayInfo>& arrays, bool has_paths) {
  std::string header = has_paths ? "row,path" : "row";
  int64_t columns = 0;
  for (const ArrayInfo& array : arrays) {
    if (!VisitDType<DF_REAL, bool, std::string, std::complex<float>, std::complex<double>>(array.dtype, [](auto) {})) {
      return InvalidArgument("'", array.name, "' is ", array.dtype, ", which has no form in CSV; write an HDF5 file");
    }
    columns += array.shape[0] == 0 ? 0 : array.shape.num_elements() / array.shape[0];
    if (columns > kMaxColumns) {
      return InvalidArgument("a row of '", array.name, "' and those before it has ", columns,
                             " numbers, more than the ", kMaxColumns,
                             " columns that a CSV file may have here; write an HDF5 file");
    }
    AppendNames(array, header);
  }
  return header + "\n";
}

std::string CsvLines(int64_t first, std::span<const Tensor> values, const PathOfSample& path) {
  std::string out;
  for (int64_t row = 0; row < values[0].shape()[0]; ++row) {
    AppendNumber(first + row, out);
    if (path) {
      out += ',';
      AppendText(path(first + row), out);
    }
    for (const Tensor& value : values) AppendRow(value, row, out);
    out += '\n';
  }
  return out;
}

}  // namespace dfrun::jobs
