// Settings that this program gives to an MPI by that library's own variables: the MPI is to have no port on the network
// if all ranks are on one host, and not to be held up by connections of strangers if they are not.
#ifndef DFRUN_COMM_MPI_MPI_SETTINGS_H_
#define DFRUN_COMM_MPI_MPI_SETTINGS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dfrun::comm {

struct MpiSettings {
  std::vector<std::pair<std::string, std::string>> variables;  // to be set while MPI starts
  std::string text;    // for `dfrun info`: "shared memory alone (OMPI_MCA_btl=self,vader), since ..."
  std::string remedy;  // for errors of the start: "OMPI_MCA_btl=... restores TCP"; empty where no way was closed
  std::string notice;  // why none was closed, where the reader can mend that: a small /dev/shm
};

// By what the library says of itself (MPI_Get_library_version), the file that it lies in, and the environment. What the
// user has set, in the environment, in a file or by `mpirun --mca`, is left as it is; so is an MPI that is not known.
MpiSettings ChooseMpiSettings(std::string_view version, const std::string& library);

// Sets variables as long as it lives, so that no other library and no helper process gets them. Thread safety: nothing
// else changes the environment meanwhile.
class VariablesSet {
 public:
  explicit VariablesSet(const std::vector<std::pair<std::string, std::string>>& variables);
  ~VariablesSet();
  VariablesSet(const VariablesSet&) = delete;
  VariablesSet& operator=(const VariablesSet&) = delete;

 private:
  std::vector<std::string> names_;
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_MPI_MPI_SETTINGS_H_
