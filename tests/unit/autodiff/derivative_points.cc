#include "tests/unit/autodiff/derivative_points.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "src/framework/device/device_factory.h"
#include "src/framework/kernel/kernel_registry.h"
#include "src/framework/op/op.h"
#include "tests/conformance/kernels/golden_file.h"
#include "tests/unit/autodiff/parts.h"

namespace dfrun::testing {
namespace {

DType Wider(DType dtype) {
  if (IsFloating(dtype)) return DType::kDouble;
  return dtype == DType::kComplex64 ? DType::kComplex128 : dtype;
}
DType Single(DType dtype) {
  return dtype == DType::kHalf || dtype == DType::kBfloat16 ? DType::kFloat : dtype;
}
DType AsComplex(DType dtype) {
  return dtype == DType::kDouble ? DType::kComplex128 : dtype == DType::kFloat ? DType::kComplex64 : dtype;
}

bool Allows(const AttrDef& attr, DType dtype) {
  const std::vector<DType>& types = attr.allowed_types;
  return types.empty() || std::find(types.begin(), types.end(), dtype) != types.end();
}

// The attrs with each dtype changed so where the op's definition allows it.
AttrMap WithTypes(const OpDef& op, const AttrMap& attrs, DType (*change)(DType)) {
  AttrMap changed = attrs;
  for (const AttrDef& attr : op.attrs) {
    const AttrValue* const value = attrs.Find(attr.name);
    if (value == nullptr) continue;
    if (const auto* const dtype = value->get<DType>(); dtype != nullptr && Allows(attr, change(*dtype))) {
      changed.Set(attr.name, change(*dtype));
    }
    if (const auto* const list = value->get<std::vector<DType>>(); list != nullptr) {
      std::vector<DType> types = *list;
      for (DType& dtype : types) dtype = Allows(attr, change(dtype)) ? change(dtype) : dtype;
      changed.Set(attr.name, types);
    }
  }
  return changed;
}

Tensor AsType(const Tensor& from, DType dtype) {
  if (!HasParts(from.dtype())) return from;
  const std::vector<double> parts = PartsOf(from);
  const bool adds_imaginary = IsComplex(dtype) && !IsComplex(from.dtype());
  Tensor to(dtype, from.shape());
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto k = static_cast<double>(i);
    if (adds_imaginary) {
      SetPart(to, 2 * i, parts[i]);
      SetPart(to, 2 * i + 1, 0.4 * std::sin(1 + 2.3 * k));
      continue;
    }
    // Neither infinite nor so large that a step is lost.
    const bool is_usual = std::isfinite(parts[i]) && std::abs(parts[i]) < 1e4;
    SetPart(to, i, is_usual ? parts[i] : 0.6 + 0.1 * std::fmod(k, 5));
  }
  return to;
}

// Returns the case with these attrs if there is a kernel and the inputs fit.
std::optional<GradientCase> WithAttrs(const OpDef& op, const std::vector<Tensor>& inputs, const AttrMap& attrs) {
  if (!KernelRegistry::Builtin().Find(op.name, HostDeviceType(), attrs).ok()) return std::nullopt;
  const Result<std::vector<TypedArg>> types = ExpandArgs(op.inputs, attrs);
  if (!types.ok() || types->size() != inputs.size()) return std::nullopt;
  GradientCase made{op.name, {}, attrs};
  for (size_t i = 0; i < inputs.size(); ++i) {
    const DType dtype = (*types)[i].dtype;
    if (HasParts(dtype) != HasParts(inputs[i].dtype())) return std::nullopt;
    if (dtype == DType::kHalf || dtype == DType::kBfloat16) return std::nullopt;
    made.inputs.push_back(AsType(inputs[i], dtype));
    if (!HasParts(dtype) && inputs[i].dtype() != dtype) return std::nullopt;
  }
  return made;
}

std::optional<GradientCase> PointOf(const OpDef& op, const GoldenCase& c) {
  if (!c.error.empty() || !c.variables.empty() || !c.tables.empty()) return std::nullopt;
  std::vector<TypedArg> given;
  for (const Tensor& input : c.inputs) given.push_back({input.dtype(), false});
  AttrMap attrs = c.attrs;
  if (!ResolveAttrs(op, given, attrs).ok()) return std::nullopt;
  for (DType (*change)(DType) : {&Wider, &Single}) {
    if (auto point = WithAttrs(op, c.inputs, WithTypes(op, attrs, change))) return point;
  }
  return WithAttrs(op, c.inputs, attrs);
}

bool IsComplexCase(const GradientCase& point) {
  return std::any_of(point.inputs.begin(), point.inputs.end(), [](const Tensor& t) { return IsComplex(t.dtype()); });
}

// Adds points for an op of complex numbers that has none.
void AddComplexPoints(const OpDef& op, std::vector<GradientCase>& points) {
  if (std::any_of(points.begin(), points.end(), IsComplexCase)) return;
  const size_t count = points.size();
  for (size_t i = 0; i < count; ++i) {
    auto made = WithAttrs(op, points[i].inputs, WithTypes(op, points[i].attrs, &AsComplex));
    if (made && IsComplexCase(*made)) points.push_back(*std::move(made));
  }
}

}  // namespace

Result<std::map<std::string, std::vector<GradientCase>>> GoldenPoints() {
  std::map<std::string, std::vector<GradientCase>> points;
  for (const std::string& path : GoldenFiles(GoldenDir())) {
    DF_ASSIGN(const std::vector<GoldenCase> cases, ReadGoldenFile(path));
    for (const GoldenCase& c : cases) {
      const OpDef* const op = OpRegistry::Builtin().Find(c.op);
      if (op == nullptr || op->is_stateful) continue;
      if (auto point = PointOf(*op, c)) points[c.op].push_back(*std::move(point));
    }
  }
  for (auto& [name, list] : points) AddComplexPoints(*OpRegistry::Builtin().Find(name), list);
  return points;
}

}  // namespace dfrun::testing
