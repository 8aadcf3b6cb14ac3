#include "jobs/options.h"

#include <CLI/CLI.hpp>

#include <cmath>
#include <string>

#include "src/base/status.h"
#include "src/base/units.h"

namespace dfrun::jobs {
namespace {

Result<int64_t> WholeSeconds(std::string_view text) {
  DF_ASSIGN(const double seconds, ParseSeconds(text));
  if (seconds == std::floor(seconds) && seconds < 0x1p63) return static_cast<int64_t>(seconds);
  return InvalidArgument("must be a whole number of seconds, not '", text, "'");
}

// Makes of a text with a unit the number that the option's own checks read.
CLI::Validator ReadsUnits(Result<int64_t> (*parse)(std::string_view), const char* form) {
  const auto read = [parse](std::string& text) {
    const Result<int64_t> number = parse(text);
    if (!number.ok()) return number.status().message();
    text = std::to_string(*number);
    return std::string();
  };
  return {read, form};
}

}  // namespace

Option Option::Required() const {
  option_->required();
  return *this;
}

Option Option::Between(int64_t least, int64_t most) const {
  option_->check(CLI::Range(least, most));
  return *this;
}

Option Option::AtLeast(int64_t least) const {
  const std::string wanted = StrCat("a whole number from ", least, " on");
  const auto check = [least, wanted](const std::string& text) {
    int64_t value = 0;
    const bool fits = CLI::detail::lexical_cast(text, value) && value >= least;
    return fits ? std::string() : StrCat("'", text, "' is not ", wanted);
  };
  option_->check(check, wanted);
  return *this;
}

Option Option::Needs(Option other) const {
  option_->needs(other.option_);
  return *this;
}

Option Option::Excludes(Option other) const {
  option_->excludes(other.option_);
  return *this;
}

Option Options::Value(const std::string& name, std::string& value, const std::string& help) {
  return Option(app_.add_option(name, value, help));
}

Option Options::Value(const std::string& name, int& value, const std::string& help) {
  return Option(app_.add_option(name, value, help));
}

Option Options::Value(const std::string& name, int64_t& value, const std::string& help) {
  return Option(app_.add_option(name, value, help));
}

Option Options::Bytes(const std::string& name, int64_t& value, const std::string& help) {
  CLI::Option* const option = app_.add_option(name, value, help);
  return Option(option->type_name("")->transform(ReadsUnits(&ParseBytes, "BYTES")));
}

Option Options::Seconds(const std::string& name, int64_t& value, const std::string& help) {
  CLI::Option* const option = app_.add_option(name, value, help);
  return Option(option->type_name("")->transform(ReadsUnits(&WholeSeconds, "SECONDS")));
}

Option Options::Values(const std::string& name, std::vector<std::string>& values, const std::string& help) {
  return Option(app_.add_option(name, values, help)->allow_extra_args(false));
}

Option Options::Words(const std::string& name, std::vector<std::string>& words, const std::string& help) {
  return Option(app_.add_option(name, words, help));
}

Option Options::FlagOrValue(const std::string& name, const std::string& alone, std::string& value,
                            const std::string& help) {
  return Option(app_.add_flag(StrCat(name, "{", alone, "}"), value, help));
}

Option Options::Flag(const std::string& name, bool& value, const std::string& help) {
  return Option(app_.add_flag(name, value, help)->disable_flag_override());
}

}  // namespace dfrun::jobs
