#include "tests/unit/autodiff/gradient_cases.h"

#include <algorithm>
#include <map>
#include <set>

namespace dfrun::testing {
namespace {

using Make = std::vector<GradientCase> (*)();

std::vector<Make>& Makers() {
  static auto& makers = *new std::vector<Make>;
  return makers;
}

struct Excuse {
  std::string reason;
  std::string output;  // empty: each output
  UncheckedGradient::Of of;
};

std::multimap<std::string, Excuse>& AllExcuses() {
  static auto& excuses = *new std::multimap<std::string, Excuse>;
  return excuses;
}

std::map<std::string, std::string>& OpsOfLinesAlone() {
  static auto& ops = *new std::map<std::string, std::string>;
  return ops;
}

std::set<std::string>& SelfAdjointOps() {
  static auto& ops = *new std::set<std::string>;
  return ops;
}

}  // namespace

GradientCases::GradientCases(Make make) {
  Makers().push_back(make);
}

std::vector<GradientCase> GradientCases::All() {
  std::vector<GradientCase> all;
  for (const Make make : Makers()) {
    const std::vector<GradientCase> cases = make();
    all.insert(all.end(), cases.begin(), cases.end());
  }
  return all;
}

UncheckedGradient::UncheckedGradient(const char* op, const char* reason, const char* output, Of of) {
  AllExcuses().insert({op, {reason, output, of}});
}

bool UncheckedGradient::Excuses(const std::string& op, const std::string& output, bool is_complex_input,
                                bool is_complex_output) {
  const auto [begin, end] = AllExcuses().equal_range(op);
  return std::any_of(begin, end, [&](const auto& entry) {
    const Excuse& excuse = entry.second;
    const bool is_of_kind = excuse.of == Of::kAll ||
                            (excuse.of == Of::kMixed && is_complex_input != is_complex_output) ||
                            (excuse.of == Of::kComplex && (is_complex_input || is_complex_output));
    return is_of_kind && (excuse.output.empty() || excuse.output == output);
  });
}

LinesAlone::LinesAlone(const char* op, const char* reason) {
  OpsOfLinesAlone()[op] = reason;
}

bool LinesAlone::IsSaidOf(const std::string& op) {
  return OpsOfLinesAlone().count(op) != 0;
}

SelfAdjointInput::SelfAdjointInput(const char* op) {
  SelfAdjointOps().insert(op);
}

bool SelfAdjointInput::IsOf(const std::string& op) {
  return SelfAdjointOps().count(op) != 0;
}

}  // namespace dfrun::testing
