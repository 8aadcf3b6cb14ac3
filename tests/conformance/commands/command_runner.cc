#include "tests/conformance/commands/command_runner.h"

#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "src/hdf5/tensor_hdf5.h"

namespace dfrun {

std::string ReadText(const std::string& path) {
  std::ifstream in(path);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

std::vector<std::string> ReadLines(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  }
  return lines;
}

Tensor ReadDataset(const std::string& path, const std::string& name) {
  const Result<h5::Handle> file = h5::OpenFile(path);
  EXPECT_TRUE(file.ok()) << file.status().ToString();
  if (!file.ok()) return Tensor();
  const Result<Tensor> value = ReadTensor(*file, path, name, SystemAllocator());
  EXPECT_TRUE(value.ok()) << value.status().ToString();
  return value.ok() ? *value : Tensor();
}

CommandTest::CommandTest() {
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  setenv("OMPI_MCA_btl", "self,vader", 1);  // ranks of one host do not listen on the network
}

int CommandTest::Dfrun(const std::string& args, const std::string& launcher) {
  const std::string log = Path("log");
  const std::string command =
      "timeout 100 " + launcher + " '" + DFRUN_PROGRAM + "' " + args + " > " + log + " 2>&1 < /dev/null";
  const int status = std::system(command.c_str());
  output_ = ReadText(log);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

Tensor CommandTest::Evaluate(const std::string& args, const std::string& fetch) {
  const std::string out = Path("out.h5");
  const int code = Dfrun("eval " + args + " --fetch " + fetch + " --out " + out);
  EXPECT_EQ(code, 0) << output_;
  return code == 0 ? ReadDataset(out, "/" + fetch) : Tensor();
}

}  // namespace dfrun
