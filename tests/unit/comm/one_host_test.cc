#include "comm/bootstrap/one_host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "comm/mpi/mpi_settings.h"
#include "tests/unit/testing/bare_environment.h"

namespace dfrun::comm {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Case {
  const char* name;
  std::vector<std::pair<const char*, const char*>> variables;
  const char* proof;
};

// Variables that launchers put into the environment of one rank.
const Case kCases[] = {
    {"a shell", {}, ""},
    {"mpirun on a host",
     {{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}},
     "OMPI_COMM_WORLD_LOCAL_SIZE=4 of OMPI_COMM_WORLD_SIZE"},
    {"mpirun on two hosts", {{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}}, ""},
    {"mpirun of one rank", {{"OMPI_COMM_WORLD_SIZE", "1"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "1"}}, ""},
    {"mpirun that tells no local size", {{"OMPI_COMM_WORLD_SIZE", "4"}}, ""},
    {"mpirun on a host of an allocation of two",
     {{"OMPI_COMM_WORLD_SIZE", "4"},
      {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
      {"SLURM_JOB_NUM_NODES", "2"},
      {"SLURM_STEP_NUM_NODES", "2"}},
     "OMPI_COMM_WORLD_LOCAL_SIZE=4 of OMPI_COMM_WORLD_SIZE"},
    {"mpirun on two hosts, whose orted is a step of one",
     {{"OMPI_COMM_WORLD_SIZE", "2"},
      {"OMPI_COMM_WORLD_LOCAL_SIZE", "1"},
      {"PMIX_RANK", "0"},
      {"SLURM_PROCID", "0"},
      {"SLURM_STEP_NUM_TASKS", "2"},
      {"SLURM_STEP_NUM_NODES", "1"}},
     ""},
    {"Hydra on a host",
     {{"PMI_RANK", "1"}, {"PMI_SIZE", "3"}, {"MPI_LOCALNRANKS", "3"}},
     "MPI_LOCALNRANKS=3 of PMI_SIZE"},
    {"Hydra on two hosts", {{"PMI_RANK", "1"}, {"PMI_SIZE", "3"}, {"MPI_LOCALNRANKS", "2"}}, ""},
    {"Hydra on two hosts within an mpirun's rank",
     {{"OMPI_COMM_WORLD_SIZE", "2"},
      {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
      {"PMI_RANK", "1"},
      {"PMI_SIZE", "4"},
      {"MPI_LOCALNRANKS", "2"}},
     ""},
    {"PALS by PMI", {{"PMI_RANK", "0"}, {"PMI_SIZE", "8"}, {"PMI_LOCAL_SIZE", "8"}}, "PMI_LOCAL_SIZE=8 of PMI_SIZE"},
    {"srun --mpi=pmix on a host",
     {{"PMIX_RANK", "2"}, {"SLURM_PROCID", "2"}, {"SLURM_STEP_NUM_TASKS", "4"}, {"SLURM_STEP_NUM_NODES", "1"}},
     "SLURM_STEP_NUM_NODES=1"},
    {"srun --mpi=pmi2 on two hosts",
     {{"PMI_RANK", "2"},
      {"PMI_SIZE", "4"},
      {"SLURM_PROCID", "2"},
      {"SLURM_STEP_NUM_TASKS", "4"},
      {"SLURM_STEP_NUM_NODES", "2"}},
     ""},
    {"an allocation of one host alone", {{"PMIX_RANK", "0"}, {"SLURM_PROCID", "0"}, {"SLURM_JOB_NUM_NODES", "1"}}, ""},
    {"another launcher's rank below a Slurm step",
     {{"PMIX_RANK", "3"}, {"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "4"}, {"SLURM_STEP_NUM_NODES", "1"}},
     ""},
    {"another launcher's size below a Slurm step",
     {{"PMI_RANK", "0"},
      {"PMI_SIZE", "8"},
      {"SLURM_PROCID", "0"},
      {"SLURM_STEP_NUM_TASKS", "4"},
      {"SLURM_STEP_NUM_NODES", "1"}},
     ""},
    {"flux run on a host",
     {{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"FLUX_TASK_RANK", "1"}, {"FLUX_JOB_SIZE", "2"}, {"FLUX_JOB_NNODES", "1"}},
     "FLUX_JOB_NNODES=1"},
    {"flux run on two hosts",
     {{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"FLUX_TASK_RANK", "1"}, {"FLUX_JOB_SIZE", "2"}, {"FLUX_JOB_NNODES", "2"}},
     ""},
    {"jsrun on a host",
     {{"PMIX_RANK", "0"}, {"JSM_NAMESPACE_SIZE", "6"}, {"JSM_NAMESPACE_LOCAL_SIZE", "6"}},
     "JSM_NAMESPACE_LOCAL_SIZE=6 of JSM_NAMESPACE_SIZE"},
    {"mpirun_rsh on a host",
     {{"PMI_RANK", "0"}, {"MV2_COMM_WORLD_SIZE", "2"}, {"MV2_COMM_WORLD_LOCAL_SIZE", "2"}},
     "MV2_COMM_WORLD_LOCAL_SIZE=2 of MV2_COMM_WORLD_SIZE"},
    {"junk", {{"OMPI_COMM_WORLD_SIZE", "four"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "four"}}, ""},
    {"smpirun", {{"SMPI_GLOBAL_SIZE", "4"}, {"PMI_SIZE", "4"}, {"MPI_LOCALNRANKS", "4"}}, ""},
};

TEST(OneHostTest, IsProvedByLaunchersAlone) {
  for (const Case& each : kCases) {
    BareEnvironment environment;
    for (const auto& [name, value] : each.variables) environment.Set(name, value);
    EXPECT_EQ(OneHostProof(), each.proof) << each.name;
  }
}

class MpiSettingsTest : public ::testing::Test {
 protected:
  static constexpr const char* kLibrary = "/nowhere/lib/libmpi.so.40";
  void OnOneHost() {
    environment_.Set("OMPI_COMM_WORLD_SIZE", "2");
    environment_.Set("OMPI_COMM_WORLD_LOCAL_SIZE", "2");
  }
  static std::string Asked(const std::string& version, const std::string& library = kLibrary) {
    std::string text;
    for (const auto& [name, value] : ChooseMpiSettings(version, library).variables) text += name + "=" + value + " ";
    return text;
  }
  // The folder of an installation whose parameter file holds this.
  std::string Installed(const std::string& parameters) {
    environment_.Write("prefix/etc/openmpi-mca-params.conf", parameters);
    return environment_.folder() + "/prefix/lib/libmpi.so.40";
  }
  BareEnvironment environment_;
};

constexpr const char* kVader = "OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader ";
constexpr const char* kOpenMpi4 = "Open MPI v4.1.4, package: Debian OpenMPI";

TEST_F(MpiSettingsTest, EachLibraryIsAskedInItsOwnWords) {
  OnOneHost();
  EXPECT_EQ(Asked(kOpenMpi4), kVader);
  EXPECT_EQ(Asked("Open MPI v5.0.8, package: Open MPI"), "OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,sm ");
  EXPECT_EQ(Asked("MPICH Version:      4.0.2\nMPICH Device:  ch4:ucx\n"), "UCX_TLS=sm,self ");
  EXPECT_EQ(Asked("MPICH Version:      5.0.0\nMPICH Device:  ch4:ofi\n"), "FI_TCP_IFACE=lo FI_SOCKETS_IFACE=lo ");
  EXPECT_EQ(Asked("Intel(R) MPI Library 2021.11 for Linux* OS"), "I_MPI_FABRICS=shm ");
  EXPECT_EQ(Asked("An MPI that nobody knows"), "");
  const MpiSettings settings = ChooseMpiSettings(kOpenMpi4, kLibrary);
  EXPECT_THAT(settings.text, HasSubstr("OMPI_MCA_btl=self,vader), since all ranks are on this host"));
  EXPECT_THAT(settings.remedy, HasSubstr("OMPI_MCA_btl=self,vader,tcp"));
}

TEST_F(MpiSettingsTest, NothingIsClosedWhereTheHostsAreNotKnown) {
  EXPECT_EQ(Asked(kOpenMpi4), "OMPI_MCA_opal_event_include=epoll ");
  EXPECT_THAT(ChooseMpiSettings(kOpenMpi4, kLibrary).remedy, IsEmpty());
  EXPECT_EQ(Asked("Open MPI v5.0.8"), "");
  EXPECT_EQ(Asked("MPICH Device:  ch4:ucx"), "");
  environment_.Set("OMPI_MCA_opal_event_include", "poll");
  EXPECT_EQ(Asked(kOpenMpi4), "");
}

TEST_F(MpiSettingsTest, WhatTheEnvironmentSaysWins) {
  OnOneHost();
  for (const char* variable : {"OMPI_MCA_btl", "OMPI_MCA_pml", "OMPI_MCA_mtl"}) {
    BareEnvironment environment;
    OnOneHost();
    environment.Set(variable, "^openib");
    EXPECT_EQ(Asked(kOpenMpi4), "") << variable;
    EXPECT_THAT(ChooseMpiSettings(kOpenMpi4, kLibrary).text, HasSubstr(std::string(variable) + "=^openib"));
  }
  environment_.Set("UCX_NET_DEVICES", "eth0");
  EXPECT_EQ(Asked("MPICH Device:  ch4:ucx"), "");
  environment_.Set("FI_PROVIDER", "tcp");
  EXPECT_EQ(Asked("MPICH Device:  ch4:ofi"), "");
  environment_.Set("I_MPI_FABRICS", "ofi");
  EXPECT_EQ(Asked("Intel(R) MPI Library 2021.11"), "");
}

TEST_F(MpiSettingsTest, WhatTheUsersFilesSayWins) {
  OnOneHost();
  environment_.Write(".openmpi/mca-params.conf", "# btl = tcp\nbtl_tcp_if_include = eth0\n");
  EXPECT_EQ(Asked(kOpenMpi4), kVader);
  environment_.Write(".openmpi/mca-params.conf", "btl_base_verbose=1\n  btl = ^openib\n");
  EXPECT_EQ(Asked(kOpenMpi4), "");
  environment_.Set("OMPI_MCA_mca_base_param_files", "/nowhere/a.conf");
  EXPECT_EQ(Asked(kOpenMpi4), kVader);
  environment_.Write("tune.conf", "-mca btl self,tcp");
  environment_.Set("OMPI_MCA_mca_base_envar_file_prefix", environment_.folder() + "/tune.conf");
  EXPECT_EQ(Asked(kOpenMpi4), "");
}

TEST_F(MpiSettingsTest, TheInstallationsExclusionsAreNoChoice) {
  OnOneHost();
  EXPECT_EQ(Asked(kOpenMpi4, Installed("btl = ^uct,openib,ofi\npml = ^ucx\n")), kVader);
  EXPECT_EQ(Asked(kOpenMpi4, Installed("btl = self,tcp\n")), "");
  EXPECT_EQ(Asked(kOpenMpi4, Installed("pml = ucx\n")), "");
}

TEST_F(MpiSettingsTest, VariablesAreSetForAWhile) {
  environment_.Set("DFRUN_TEST_SET", "before");
  {
    const VariablesSet set({{"DFRUN_TEST_SET", "now"}, {"DFRUN_TEST_NEW", "now"}});
    EXPECT_STREQ(std::getenv("DFRUN_TEST_SET"), "before");
    EXPECT_STREQ(std::getenv("DFRUN_TEST_NEW"), "now");
  }
  EXPECT_STREQ(std::getenv("DFRUN_TEST_SET"), "before");
  EXPECT_EQ(std::getenv("DFRUN_TEST_NEW"), nullptr);
}

}  // namespace
}  // namespace dfrun::comm
