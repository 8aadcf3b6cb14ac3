// A registry of definitions that register themselves by name before main(): each is in a file of its own and in no
// list.
#ifndef DFRUN_SRC_BASE_REGISTRY_H_
#define DFRUN_SRC_BASE_REGISTRY_H_

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace dfrun {

// All definitions of one kind, in the order of their names.
// Thread safety: Add() before main() or while a library is loaded; afterwards all methods from any thread.
template <class Definition>
class Registry {
 public:
  // A second definition of a name is a programmer's error, which ends the program.
  void Add(std::string name, Definition definition) {
    const auto [it, added] = all_.emplace(std::move(name), std::move(definition));
    if (added) return;
    std::fprintf(stderr, "dfrun: '%s' is registered twice\n", it->first.c_str());
    std::abort();
  }

  // Returns null if no definition has this name.
  const Definition* Find(std::string_view name) const {
    const auto it = all_.find(name);
    return it == all_.end() ? nullptr : &it->second;
  }
  const std::map<std::string, Definition, std::less<>>& all() const { return all_; }

 private:
  std::map<std::string, Definition, std::less<>> all_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_REGISTRY_H_
