#include "tests/fuzz/random_case.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "kernels/control/tensor_list.h"
#include "src/framework/kernel/kernel_registry.h"
#include "tests/unit/testing/plain_device.h"

namespace dfrun::fuzz {
namespace {

constexpr int64_t kMaxElements = 400;
constexpr size_t kMaxInputs = 1000;  // values of more would take all memory that a case may have

class Maker {
 public:
  Maker(const OpDef& op, uint64_t seed) : op_(op), random_(seed) {
    for (const KernelDef* kernel : KernelRegistry::Builtin().List(op.name)) {
      if (!kernel->attr.empty()) kernel_types_.emplace_back(kernel->attr, kernel->dtype);
    }
    base_ = RandomDims();
  }

  RandomCase MakeIn(const Setting& setting) {
    base_ = setting.dims;
    scalar_percent_ = 60;
    return Make(setting.attrs);
  }

  RandomCase Make(const AttrMap& given = {}) {
    RandomCase c;
    c.op = &op_;
    for (const AttrDef& attr : op_.attrs) {
      const AttrValue* const value = given.Find(attr.name);
      if (value != nullptr) {
        c.attrs.Set(attr.name, *value);
      } else {
        AddAttr(attr, c.attrs);
      }
    }
    for (const char* name : {"T", "dtype", "element_dtype"}) {
      const Result<DType> dtype = c.attrs.Get<DType>(name);
      if (dtype.ok() && !IsHandle(*dtype)) value_dtype_ = *dtype;
    }
    const Result<std::vector<TypedArg>> types = ExpandArgs(op_.inputs, c.attrs);
    if (!types.ok() || types->size() > kMaxInputs) return c;
    for (const TypedArg& type : *types) c.inputs.push_back(MakeInput(type));
    return c;
  }

  // The example with about one thing in it changed.
  RandomCase Change(const testing::GoldenCase& example) {
    RandomCase c;
    c.op = &op_;
    c.attrs = example.attrs;
    for (const AttrDef& attr : op_.attrs) {
      if (Chance(c.attrs.Has(attr.name) ? 8 : 2)) c.attrs.Set(attr.name, MakeAttr(attr));
    }
    for (size_t i = 0; i < example.inputs.size(); ++i) c.inputs.push_back(ChangeInput(example, i));
    return c;
  }

  bool Chance(int percent) { return Below(100) < percent; }
  template <class T>
  const T& Pick(const std::vector<T>& values) {
    return values[static_cast<size_t>(Below(static_cast<int64_t>(values.size())))];
  }

 private:
  int64_t Below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  template <class T>
  T Pick(std::initializer_list<T> values) {
    return values.begin()[Below(static_cast<int64_t>(values.size()))];
  }

  // attrs

  void AddAttr(const AttrDef& attr, AttrMap& attrs) {
    if (!attr.default_value.empty() && Chance(50) && !IsKernelAttr(attr.name))
      return attrs.Set(attr.name, attr.default_value);
    attrs.Set(attr.name, MakeAttr(attr));
  }

  bool IsKernelAttr(const std::string& name) const {
    return std::any_of(kernel_types_.begin(), kernel_types_.end(), [&](const auto& k) { return k.first == name; });
  }

  AttrValue MakeAttr(const AttrDef& attr) {
    const bool is_list = attr.type.compare(0, 5, "list(") == 0;
    if (!is_list) return MakeElement(attr);
    const std::string element = attr.type.substr(5, attr.type.size() - 6);
    if (element == "int") return MakeInts();
    const auto n = static_cast<size_t>(Below(4));
    if (element == "type") return MakeList<DType>(n, [&] { return MakeType(attr); });
    if (element == "float") return MakeList<float>(n, [&] { return MakeFloat(); });
    if (element == "bool") return MakeList<bool>(n, [&] { return Chance(50); });
    if (element == "string") return MakeList<std::string>(n, [&] { return MakeText(attr); });
    if (element == "shape") return MakeList<PartialShape>(n, [&] { return MakeShape(); });
    if (element == "tensor") return MakeList<Tensor>(n, [&] { return MakeTensor(MakeType(attr)); });
    return std::vector<FunctionName>(n);
  }

  AttrValue MakeElement(const AttrDef& attr) {
    if (attr.type == "int") return MakeInt(attr);
    if (attr.type == "float") return MakeFloat();
    if (attr.type == "bool") return Chance(50);
    if (attr.type == "type") return MakeType(attr);
    if (attr.type == "string") return MakeText(attr);
    if (attr.type == "shape") return MakeShape();
    if (attr.type == "tensor") return MakeTensor(MakeType(attr));
    return FunctionName{"f", {}};
  }

  template <class T, class F>
  static AttrValue MakeList(size_t n, F&& make) {
    std::vector<T> list;
    for (size_t i = 0; i < n; ++i) list.push_back(make());
    return AttrValue(std::move(list));
  }

  int64_t WildInt() {
    return Pick<int64_t>({-1, -2, 100, 65536, std::numeric_limits<int32_t>::max(), std::numeric_limits<int32_t>::min(),
                          int64_t{1} << 31, int64_t{1} << 32, int64_t{1} << 40, std::numeric_limits<int64_t>::max(),
                          std::numeric_limits<int64_t>::min()});
  }

  int64_t MakeInt(const AttrDef& attr) {
    if (Chance(20)) return WildInt();
    return attr.minimum.value_or(0) + Below(4);
  }

  float MakeFloat() {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    return Pick({0.0F, 0.5F, 1.0F, 2.0F, -1.0F, 1e-5F, 1e38F, -1e-38F, kInfinity, -kInfinity, std::nanf("")});
  }

  DType MakeType(const AttrDef& attr) {
    std::vector<DType> with_kernel;
    for (const auto& [name, dtype] : kernel_types_) {
      if (name == attr.name) with_kernel.push_back(dtype);
    }
    if (!with_kernel.empty() && Chance(90)) return Pick(with_kernel);
    if (!attr.allowed_types.empty() && Chance(90)) return Pick(attr.allowed_types);
    return Pick({DType::kFloat, DType::kDouble, DType::kInt32, DType::kInt64, DType::kBool, DType::kString,
                 DType::kComplex64, DType::kHalf, DType::kUint8, DType::kQint8, DType::kResource, DType::kVariant});
  }

  std::string MakeText(const AttrDef& attr) {
    if (!attr.allowed_strings.empty() && Chance(90)) return Pick(attr.allowed_strings);
    return Pick<const char*>({"",   "a",         "SAME",       "VALID", "NHWC",  "NCHW", "0",
                              "-1", "ij,jk->ik", "...a->a...", "ii->i", "ab,ab", "->",   "[",
                              "(",  "\\",        "\xff\xfe",   "%s",    "loc:@", "a/b",  "mean"});
  }

  // Windows and strides, permutations, axes: mostly small.
  std::vector<int64_t> MakeInts() {
    std::vector<int64_t> ints(static_cast<size_t>(Chance(60) ? 4 + Below(2) : Below(9)));
    for (int64_t& v : ints) v = Chance(4) ? WildInt() : 1 + Below(3);
    if (!ints.empty() && Chance(60)) {
      ints.front() = 1;
      (Chance(70) ? ints.back() : ints[ints.size() / 4]) = 1;
    }
    return ints;
  }

  PartialShape MakeShape() {
    if (Chance(10)) return PartialShape();
    std::vector<int64_t> dims = Chance(60) ? base_ : RandomDims();
    for (int64_t& d : dims) {
      if (Chance(10)) d = Chance(50) ? -1 : Pick<int64_t>({1 << 20, int64_t{1} << 31, int64_t{1} << 40});
    }
    return PartialShape(std::move(dims));
  }

  // inputs

  std::vector<int64_t> RandomDims() {
    std::vector<int64_t> dims(static_cast<size_t>(Chance(35) ? 4 : Below(6)));
    int64_t elements = 1;
    for (int64_t& d : dims) {
      d = Chance(6) ? 0 : 1 + Below(Chance(15) ? 8 : 4);
      if (elements * d > kMaxElements) d = 1;
      elements *= std::max<int64_t>(d, 1);
    }
    return dims;
  }

  std::vector<int64_t> InputDims() {
    std::vector<int64_t> dims = base_;
    switch (Below(8)) {
      case 0:
        return {};
      case 1:
        return {Below(6)};
      case 2:
        return RandomDims();
      case 3:
        if (!dims.empty()) dims.pop_back();
        return dims;
      case 4:
        if (!dims.empty()) dims[static_cast<size_t>(Below(static_cast<int64_t>(dims.size())))] = Below(4);
        return dims;
      case 5:
        return dims.empty() ? dims : std::vector<int64_t>{Chance(50) ? dims.back() : dims.front()};
      default:
        return dims;
    }
  }

  template <class T>
  void FillIntegers(Tensor& t) {
    const int64_t mode = Below(6);
    for (int64_t i = 0; i < t.num_elements(); ++i) {
      int64_t v = i;
      if (mode == 1) v = Below(4);
      if (mode == 2) v = Below(8) - 4;
      if (mode == 3) v = 1 + Below(2);
      if (mode >= 4) v = Chance(mode == 4 ? 10 : 60) ? WildInt() : Below(3);
      t.data<T>()[i] = static_cast<T>(v);
    }
  }

  template <class T>
  void FillFloats(Tensor& t) {
    const bool wild = Chance(25);
    for (int64_t i = 0; i < t.num_elements(); ++i) {
      const float v = wild && Chance(30) ? MakeFloat() : static_cast<float>(Below(64) - 32) / 8;
      t.data<T>()[i] = static_cast<T>(v);
    }
  }

  void FillTexts(Tensor& t) {
    for (std::string& s : std::span<std::string>(t.data<std::string>(), static_cast<size_t>(t.num_elements()))) {
      s = Pick<const char*>({"", "a", "1", "-2.5", "1e400", "a,b,,c", "\"q", "\xc3\xa9", "\xff", "x y  z", "[a-z]*",
                             "(", "nan", "\x89PNG\r\n\x1a\n", "0123456789abcdef"});
      if (Chance(3)) s.assign(1000, 'x');
    }
  }

  Tensor MakeTensor(DType dtype) {
    std::vector<int64_t> dims = InputDims();
    return MakeTensorOfShape(dtype, Shape(std::span<const int64_t>(dims)));
  }

  Tensor MakeTensorOfShape(DType dtype, const Shape& shape) {
    Tensor t(dtype, shape);
    const bool integer = VisitDType<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t>(
        dtype, [&](auto tag) { FillIntegers<typename decltype(tag)::type>(t); });
    if (integer) return t;
    const bool floating = VisitDType<float, double, float16, bfloat16, std::complex<float>, std::complex<double>>(
        dtype, [&](auto tag) { FillFloats<typename decltype(tag)::type>(t); });
    if (floating) return t;
    if (dtype == DType::kString) {
      FillTexts(t);
    } else if (dtype == DType::kResource) {
      FillResources(t);
    } else if (dtype == DType::kVariant) {
      FillLists(t);
    } else if (IsPlain(dtype)) {  // bool and quantised
      auto* bytes = static_cast<uint8_t*>(t.raw());
      for (size_t i = 0; i < t.num_bytes(); ++i)
        bytes[i] = static_cast<uint8_t>(Below(dtype == DType::kBool ? 2 : 256));
    }
    return t;
  }

  // TensorLists of elements that mostly fit each other, some without a value; or nothing.
  void FillLists(Tensor& t) {
    for (int64_t i = 0; i < t.num_elements(); ++i) {
      if (Chance(10)) continue;
      auto list = std::make_shared<TensorList>();
      list->dtype = value_dtype_;
      list->elements.resize(static_cast<size_t>(Below(5)));
      const Tensor like = MakeTensor(value_dtype_);
      if (Chance(50)) list->element_shape = like.shape();
      for (Tensor& element : list->elements) {
        if (Chance(30)) continue;
        element = MakeTensorOfShape(value_dtype_, like.shape());
        if (!list->element_shape.known_rank() && Chance(15)) element = MakeTensor(value_dtype_);
      }
      if (Chance(10)) list->max_elements = Below(5);
      t.data<Variant>()[i] = Variant(std::move(list));
    }
  }

  // Handles to variables, or to nothing.
  void FillResources(Tensor& t) {
    for (int64_t i = 0; i < t.num_elements(); ++i) {
      if (Chance(20)) continue;
      t.data<ResourceHandle>()[i] = HandleOf(value_dtype_, Chance(85) ? MakeTensor(value_dtype_) : Tensor());
    }
  }

  // Returns a handle to a new variable with this value, or without one.
  static ResourceHandle HandleOf(DType dtype, const Tensor& value) {
    RefPtr<Variable> variable(new Variable("v", dtype, PartialShape()));
    if (value.initialized()) {
      MutexLock lock(variable->mu());
      DF_CHECK(variable->Assign(value, testing::HostDevice()).ok());
    }
    return {"v", RefPtr<Resource>(variable.get())};
  }

  // A tensor of a random shape whose elements are those of `from` in turn.
  Tensor WithOtherShape(const Tensor& from) {
    std::vector<int64_t> dims(from.shape().dims().begin(), from.shape().dims().end());
    const auto any = dims.begin() + (dims.empty() ? 0 : Below(static_cast<int64_t>(dims.size())));
    switch (Below(4)) {
      case 0:
        if (!dims.empty()) dims.erase(any);
        break;
      case 1:
        dims.insert(any, Below(3));
        break;
      case 2:
        if (!dims.empty()) *any = Below(5);
        break;
      default:
        dims = InputDims();
    }
    const Shape shape{std::span<const int64_t>(dims)};
    if (shape.num_elements() > kMaxElements || !IsPlain(from.dtype())) return from;
    Tensor to(from.dtype(), shape);
    const size_t size = DTypeSize(from.dtype());
    for (int64_t i = 0; i < to.num_elements(); ++i) {
      char* at = static_cast<char*>(to.raw()) + static_cast<size_t>(i) * size;
      const int64_t source = from.num_elements() == 0 ? -1 : i % from.num_elements();
      if (source < 0) {
        std::fill(at, at + size, 0);
      } else {
        std::copy_n(static_cast<const char*>(from.raw()) + static_cast<size_t>(source) * size, size, at);
      }
    }
    return to;
  }

  Tensor WithOtherNumbers(const Tensor& from) {
    Tensor to = *from.Copy(SystemAllocator());
    const Tensor other = MakeTensorOfShape(from.dtype(), from.shape());
    if (!IsPlain(from.dtype())) return other;
    const size_t size = DTypeSize(from.dtype());
    for (size_t i = 0; i < static_cast<size_t>(to.num_elements()); ++i) {
      if (Chance(40))
        std::copy_n(static_cast<const char*>(other.raw()) + i * size, size, static_cast<char*>(to.raw()) + i * size);
    }
    return to;
  }

  Tensor ChangeTensor(const Tensor& value) {
    switch (Below(5)) {
      case 0:
        return MakeTensor(value.dtype());
      case 1:
      case 2:
        return WithOtherNumbers(value);
      default:
        return WithOtherShape(value);
    }
  }

  RandomInput ChangeInput(const testing::GoldenCase& example, size_t i) {
    const bool is_variable = std::count(example.variables.begin(), example.variables.end(), i) > 0;
    RandomInput input;
    input.value = example.inputs[i];
    if (input.value.initialized() && Chance(15)) input.value = ChangeTensor(input.value);
    input.is_ref = is_variable && op_.inputs[std::min(i, op_.inputs.size() - 1)].is_ref;
    if (is_variable && !input.is_ref) {
      input.value = Tensor::Scalar<ResourceHandle>(HandleOf(input.value.dtype(), input.value));
    }
    input.is_known = !is_variable && Chance(35);
    input.has_shape = Chance(70);
    return input;
  }

  RandomInput MakeInput(const TypedArg& type) {
    RandomInput input;
    const bool is_number = type.dtype == DType::kInt32 || type.dtype == DType::kInt64;
    input.value =
        is_number && Chance(scalar_percent_) ? MakeTensorOfShape(type.dtype, Shape()) : MakeTensor(type.dtype);
    input.is_ref = type.is_ref;
    input.is_known = !type.is_ref && !IsHandle(type.dtype) && Chance(35);
    input.has_shape = Chance(70);
    return input;
  }

  const OpDef& op_;
  std::mt19937_64 random_;
  std::vector<std::pair<std::string, DType>> kernel_types_;
  std::vector<int64_t> base_;  // shape from which inputs are made
  // Percentage of integer inputs that are scalars, and of other inputs that have the shape base_
  int scalar_percent_ = 0;
  DType value_dtype_ = DType::kFloat;  // dtype of variables behind handles
};

}  // namespace

std::string RandomCase::Describe() const {
  std::string out = op->name;
  for (const auto& [name, value] : attrs) out += StrCat(" ", name, "=", value.ToString());
  for (const RandomInput& input : inputs) {
    out += StrCat("\n    ", input.is_ref ? "ref " : "",
                  input.is_known    ? "const "
                  : input.has_shape ? "shaped "
                                    : "",
                  IsPlain(input.value.dtype()) || input.value.dtype() == DType::kString
                      ? input.value.ToString(32)
                      : StrCat(input.value.dtype(), input.value.shape()));
  }
  return out;
}

RandomCase MakeCaseIn(const Setting& setting, const OpDef& op, uint64_t seed) {
  return Maker(op, seed).MakeIn(setting);
}

RandomCase MakeRandomCase(const OpDef& op, const std::vector<testing::GoldenCase>& examples, uint64_t seed) {
  Maker maker(op, seed);
  return !examples.empty() && maker.Chance(70) ? maker.Change(maker.Pick(examples)) : maker.Make();
}

}  // namespace dfrun::fuzz
