#include "jobs/json.h"

#include <charconv>
#include <cmath>

namespace dfrun::jobs {

std::string JsonNumber(double value) {
  if (!std::isfinite(value)) return "null";
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return std::string(text, end);
}

}  // namespace dfrun::jobs
