// Settings of the user for the libraries by which ranks talk, in those libraries' own words: in the environment or in
// their files. dfrun leaves what is set there as it is.
#ifndef DFRUN_COMM_BOOTSTRAP_USER_SETTINGS_H_
#define DFRUN_COMM_BOOTSTRAP_USER_SETTINGS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dfrun::comm {

// The value of `key` in a file of lines "key = value", the last that is there; nothing where the file cannot be read.
std::optional<std::string> SettingInFile(const std::string& path, std::string_view key);

// Where the user says what UCX may use (UCX_TLS, UCX_NET_DEVICES): "UCX_TLS=tcp", "UCX_TLS in ./ucx.conf"; empty:
// nowhere.
std::string WhereUcxIsSet();

// Where the user sets one of these parameters of Open MPI (by mpirun --mca too), likewise. `library` is the file of
// libmpi, from which the installation's own parameter file is found; that file's exclusions ("^openib") are no choice.
std::string WhereMcaIsSet(const std::string& library, const std::vector<std::string>& parameters);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_BOOTSTRAP_USER_SETTINGS_H_
