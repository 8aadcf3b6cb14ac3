#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <system_error>
#include <tuple>
#include <type_traits>

#include "kernels/device/cpu_kernel.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

struct TextFormat {
  int precision = -1;
  bool scientific = false;
  bool shortest = false;
  int width = -1;
  std::string fill;

  static TextFormat Read(KernelSetup& setup) {
    TextFormat format;
    const int64_t precision = setup.attr<int64_t>("precision");
    const int64_t width = setup.attr<int64_t>("width");
    format.scientific = setup.attr<bool>("scientific");
    format.shortest = setup.attr<bool>("shortest");
    format.fill = setup.attr<std::string>("fill");
    if (format.scientific && format.shortest) setup.Fail(InvalidArgument("scientific and shortest exclude each other"));
    if (format.fill.size() > 1 ||
        (!format.fill.empty() && std::string(" +-0#").find(format.fill) == std::string::npos)) {
      setup.Fail(InvalidArgument("fill is one of ' ', '+', '-', '0', '#', not '", format.fill, "'"));
    }
    if (width > kMax || precision > kMax) {
      setup.Fail(InvalidArgument("width ", width, " or precision ", precision, " is above ", kMax));
      return format;
    }
    format.precision = static_cast<int>(precision);
    format.width = static_cast<int>(width);
    return format;
  }

  bool IsForReals() const { return scientific || shortest || precision > -1; }
  // "%-8.3f" for the conversion "f".
  std::string Pattern(const std::string& conversion) const {
    std::string pattern = "%" + fill;
    if (width > -1) pattern += std::to_string(width);
    if (precision > -1) pattern += "." + std::to_string(precision);
    return pattern + conversion;
  }
  // True if std::to_chars() writes the same as printf, in a fraction of the time: no padding, and no signs or forms of
  // `fill`.
  bool IsPlain() const { return width <= 0 && fill.empty(); }
  std::chars_format RealFormat() const {
    return scientific ? std::chars_format::scientific
           : shortest ? std::chars_format::general
                      : std::chars_format::fixed;
  }
  std::string RealPattern() const { return Pattern(scientific ? "e" : shortest ? "g" : "f"); }

  static constexpr int64_t kMax = 4096;
};

// The text that one printf of a checked pattern writes.
template <class... Args>
std::string Printed(const std::string& pattern, Args... args) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
  const int size = std::snprintf(nullptr, 0, pattern.c_str(), args...);
  if (size <= 0) return std::string();
  std::string text(static_cast<size_t>(size) + 1, '\0');
  std::snprintf(text.data(), text.size(), pattern.c_str(), args...);
#pragma GCC diagnostic pop
  text.pop_back();
  return text;
}

// The text that std::to_chars() writes of the arguments, or a printf's where that takes more than a few characters.
template <class... Args>
std::string Written(const std::string& pattern, Args... args) {
  char text[64];
  const std::to_chars_result result = std::to_chars(text, text + sizeof(text), args...);
  if (result.ec == std::errc()) return std::string(text, result.ptr);
  return std::apply([&](auto value, auto...) { return Printed(pattern, value); }, std::tuple(args...));
}

class AsStringKernel final : public Kernel {
 public:
  explicit AsStringKernel(KernelSetup& setup) : format_(TextFormat::Read(setup)), dtype_(setup.attr<DType>("T")) {
    if (IsHandle(dtype_)) setup.Fail(Unimplemented("AsString of ", dtype_));
    const bool is_real = IsFloating(dtype_) || IsComplex(dtype_);
    if (!is_real && dtype_ != DType::kString && format_.IsForReals()) {
      setup.Fail(InvalidArgument("precision, scientific and shortest are for floating point, not for ", dtype_));
    }
    pattern_ = is_real ? format_.RealPattern() : format_.Pattern(Conversion());
  }

  Status Compute(OpContext& ctx) {
    const Tensor& input = ctx.input(0);
    Tensor* output = nullptr;
    DF_TRY(ctx.AllocateOutput(0, input.shape(), &output));
    auto* text = output->data<std::string>();
    VisitDType<bool, DF_NUMBERS, std::string>(dtype_, [&](auto tag) {
      using T = typename decltype(tag)::type;
      for (const T& value : input.values<T>()) *text++ = Text(value);
    });
    return Status();
  }

 private:
  const char* Conversion() const {
    if (!IsInteger(dtype_)) return "s";
    const bool is_signed = DTypeName(dtype_)[0] == 'i';
    return is_signed ? "lld" : "llu";
  }

  // Pads without printf, for the NULs that a string may hold. If there is no width the string is whole, whatever the
  // precision.
  std::string Padded(const std::string& value) const {
    if (format_.width <= 0) return value;
    const auto width = static_cast<size_t>(format_.width);
    const std::string part = format_.precision < 0 ? value : value.substr(0, static_cast<size_t>(format_.precision));
    const std::string padding(width - std::min(width, part.size()), ' ');
    return format_.fill == "-" ? part + padding : padding + part;
  }

  template <class T>
  std::string Text(const T& value) const {
    if constexpr (std::is_same_v<T, bool>) {
      return value ? "true" : "false";
    } else if constexpr (std::is_same_v<T, std::string>) {
      return Padded(value);
    } else if constexpr (std::is_integral_v<T>) {
      const auto wide = static_cast<std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>>(value);
      return format_.IsPlain() ? Written(pattern_, wide) : Printed(pattern_, wide);
    } else if constexpr (requires { value.real(); }) {
      return "(" + Text(value.real()) + "," + Text(value.imag()) + ")";
    } else {
      const auto wide = static_cast<double>(value);
      if (!format_.IsPlain() || !std::isfinite(wide)) return Printed(pattern_, wide);
      return Written(pattern_, wide, format_.RealFormat(),
                     format_.precision > -1 ? format_.precision : kUsualPrecision);
    }
  }

  static constexpr int kUsualPrecision = 6;  // default of printf

  const TextFormat format_;
  const DType dtype_;
  std::string pattern_;
};

CPU_KERNEL_ANY("AsString", AsStringKernel);

}  // namespace
}  // namespace dfrun
