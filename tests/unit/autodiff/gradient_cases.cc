#include "tests/unit/autodiff/gradient_cases.h"

#include <map>

namespace dfrun::testing {
namespace {

using Make = std::vector<GradientCase> (*)();

std::vector<Make>& Makers() {
  static auto& makers = *new std::vector<Make>;
  return makers;
}

std::map<std::string, std::string>& Reasons() {
  static auto& reasons = *new std::map<std::string, std::string>;
  return reasons;
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

UncheckedGradient::UncheckedGradient(const char* op, const char* reason) {
  Reasons()[op] = reason;
}

bool UncheckedGradient::Excuses(const std::string& op) {
  return Reasons().count(op) != 0;
}

}  // namespace dfrun::testing
