// The options of a subcommand, as the subcommand declares them.
//
// CLI11 reads them. Its headers take seconds to compile, so only options.cc and command.cc include them.
#ifndef DFRUN_JOBS_OPTIONS_H_
#define DFRUN_JOBS_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace dfrun::jobs {

// A declared option. Each method restricts it further and returns it.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
  Option Required() const;
  Option Between(int64_t least, int64_t most) const;
  Option AtLeast(int64_t least) const;
  Option Needs(Option other) const;
  Option Excludes(Option other) const;

 private:
  CLI::Option* option_;
};

// Declares the options of a subcommand. A name is "--name", or "name" for a word that stands by itself. A variable
// whose option is absent keeps its value.
// Lifetime: the variables must outlive the reading of the command line.
// Thread safety: one thread, before the command line is read.
class Options {
 public:
  explicit Options(CLI::App& app) : app_(app) {}

  Option Value(const std::string& name, std::string& value, const std::string& help);
  Option Value(const std::string& name, int& value, const std::string& help);
  Option Value(const std::string& name, int64_t& value, const std::string& help);
  // Declares an option that is a number of bytes, or of seconds, or a number with a unit (src/base/units.h). Seconds
  // are whole ones.
  Option Bytes(const std::string& name, int64_t& value, const std::string& help);
  Option Seconds(const std::string& name, int64_t& value, const std::string& help);
  // Declares an option that may be given any number of times, with one value each.
  Option Values(const std::string& name, std::vector<std::string>& values, const std::string& help);
  // Declares words that stand by themselves, any number of them; after all others of the command.
  Option Words(const std::string& name, std::vector<std::string>& words, const std::string& help);
  // Declares an option that sets the value to `alone` as "--name", and to the text as "--name=text".
  Option FlagOrValue(const std::string& name, const std::string& alone, std::string& value, const std::string& help);
  // Declares a flag that sets the value; "--name{false}" clears it. "--name=text" is an error.
  Option Flag(const std::string& name, bool& value, const std::string& help);

  CLI::App& app() { return app_; }

 private:
  CLI::App& app_;
};

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_OPTIONS_H_
