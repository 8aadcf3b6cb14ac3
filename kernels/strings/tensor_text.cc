#include "kernels/strings/tensor_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// The number with `digits`, or with `more` where they do not read back to the same number.
template <class T>
std::string NumberText(T value, int digits, int more) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, static_cast<double>(value));
  if (std::isfinite(value) && static_cast<T>(std::strtod(text, nullptr)) != value) {
    std::snprintf(text, sizeof text, "%.*g", more, static_cast<double>(value));
  }
  return text;
}

// The text as in a C string, but with bytes beyond ASCII unchanged: they may be UTF-8.
std::string Escaped(const std::string& value) {
  std::string text;
  for (char c : value) {
    constexpr std::string_view kSpecial = "\n\r\t\"'\\";
    const size_t at = kSpecial.find(c);
    const auto byte = static_cast<unsigned char>(c);
    if (at != std::string_view::npos) {
      text += {'\\', "nrt\"'\\"[at]};
    } else if (byte < 32 || byte == 127) {
      char octal[8];
      std::snprintf(octal, sizeof octal, "\\%03o", byte);
      text += octal;
    } else {
      text += c;
    }
  }
  return text;
}

// The text of element i.
std::string ElementText(const Tensor& tensor, int64_t i, bool quote) {
  std::string text = "?";
  if (tensor.dtype() == DType::kString) {
    text = Escaped(tensor.data<std::string>()[i]);
    return quote ? "\"" + text + "\"" : text;
  }
  VisitDType<bool, DF_INTEGERS>(
      tensor.dtype(), [&](auto tag) { text = std::to_string(tensor.data<typename decltype(tag)::type>()[i]); });
  VisitDType<bfloat16, float16, float>(tensor.dtype(), [&](auto tag) {
    text = NumberText(static_cast<float>(tensor.data<typename decltype(tag)::type>()[i]), 6, 9);
  });
  VisitDType<double>(tensor.dtype(), [&](auto) { text = NumberText(tensor.data<double>()[i], 15, 17); });
  return text;
}

// Writes dimension after dimension until `limit` elements are out.
class FirstElementsText {
 public:
  FirstElementsText(const Tensor& tensor, int64_t limit) : tensor_(tensor), limit_(limit) {}

  void Dimension(int d) {
    if (next_ >= limit_) return;
    const Shape& shape = tensor_.shape();
    if (d == shape.rank() - 1) return Row(d);
    for (int64_t i = 0; i < shape[d] && next_ < limit_; ++i) {
      text += "[";
      Dimension(d + 1);
      text += "]";
    }
  }

  std::string text;

 private:
  void Row(int d) {
    for (int64_t i = 0; i < tensor_.shape()[d]; ++i) {
      if (next_ >= limit_) {
        if (d != 0) text += "...";
        return;
      }
      if (i > 0) text += " ";
      text += ElementText(tensor_, next_++, false);
    }
  }

  const Tensor& tensor_;
  const int64_t limit_;
  int64_t next_ = 0;
};

// The text between two entries of dimension d: a space in a row, else new lines and an indent.
std::string Spacing(int d, int rank) {
  if (d == rank - 1) return " ";
  return std::string(static_cast<size_t>(rank - 1 - d), '\n') + std::string(static_cast<size_t>(d) + 1, ' ');
}

void AppendDimension(const Tensor& tensor, int d, int64_t at_ends, int64_t first, std::string& text) {
  const Shape& shape = tensor.shape();
  if (d == shape.rank()) {
    text += ElementText(tensor, first, true);
    return;
  }
  int64_t stride = 1;
  for (int inner = d + 1; inner < shape.rank(); ++inner) stride *= shape[inner];
  text += "[";
  for (int64_t i = 0; i < shape[d]; ++i) {
    if (i > 0) text += Spacing(d, shape.rank());
    if (i == at_ends && shape[d] - at_ends > at_ends) {
      text += (i == 0 ? Spacing(d, shape.rank()) : "") + "...";
      i = shape[d] - at_ends;
      if (i == shape[d]) break;
      text += Spacing(d, shape.rank());
    }
    AppendDimension(tensor, d + 1, at_ends, first + i * stride, text);
  }
  text += "]";
}

// Elements of a dtype that has no text: `count` question marks, whatever the shape.
std::string Unreadable(int64_t count) {
  std::string text;
  for (int64_t i = 0; i < count; ++i) text += i > 0 ? " ?" : "?";
  return text;
}

// True if the text is empty: without any element TensorFlow writes no brackets either for this dtype.
bool HasNoText(const Tensor& tensor, int64_t limit) {
  return tensor.dtype() == DType::kBool && limit == 0;
}

int64_t Bounded(int64_t entries, const Tensor& tensor) {
  return entries < 0 ? tensor.num_elements() : std::min(entries, tensor.num_elements());
}

}  // namespace

std::string FirstElements(const Tensor& tensor, int64_t max_entries) {
  const int64_t limit = Bounded(max_entries, tensor);
  if (HasNoText(tensor, limit)) return "";
  FirstElementsText out(tensor, limit);
  if (IsComplex(tensor.dtype())) {
    out.text = Unreadable(limit);
  } else if (tensor.shape().rank() > 0) {
    out.Dimension(0);
  } else if (limit > 0) {
    out.text = ElementText(tensor, 0, false);
  }
  return tensor.num_elements() > limit ? out.text + "..." : out.text;
}

std::string ElementsAtEnds(const Tensor& tensor, int64_t at_ends) {
  const int64_t limit = Bounded(at_ends, tensor);
  if (HasNoText(tensor, limit)) return "";
  std::string text;
  if (IsComplex(tensor.dtype()) && tensor.shape().rank() > 0) {
    text = "[" + Unreadable(limit) + (limit < tensor.num_elements() ? "...]" : "]");
  } else if (tensor.shape().rank() > 0) {
    AppendDimension(tensor, 0, limit, 0, text);
  } else {
    text = limit > 0 ? ElementText(tensor, 0, true) : "...";
  }
  return text;
}

}  // namespace dfrun
