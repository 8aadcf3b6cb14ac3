// The options of a subcommand, as it declares them.
//
// CLI11 reads them. Its headers take seconds to compile, so they are known to options.cc and command.cc alone.
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

// One that has been declared, to say more of it: each gives itself back.
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

// Thread safety: one thread, before the command line is read. The variables outlive its reading; one whose option is
// absent stays as it is. A name is "--name", or "name" of a word that stands by itself.
class Options {
 public:
  explicit Options(CLI::App& app) : app_(app) {}

  Option Value(const std::string& name, std::string& value, const std::string& help);
  Option Value(const std::string& name, int& value, const std::string& help);
  Option Value(const std::string& name, int64_t& value, const std::string& help);
  // Given any number of times, with one value each.
  Option Values(const std::string& name, std::vector<std::string>& values, const std::string& help);
  // "--name" sets the value to `alone`, "--name=text" to the text.
  Option FlagOrValue(const std::string& name, const std::string& alone, std::string& value, const std::string& help);
  // Sets it; "--name{false}" clears it. "--name=text" is an error.
  Option Flag(const std::string& name, bool& value, const std::string& help);

  CLI::App& app() { return app_; }

 private:
  CLI::App& app_;
};

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_OPTIONS_H_
