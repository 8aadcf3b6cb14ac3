// Limits of control groups, v1 and v2, as a tree of files below a folder shows them.
#include "src/base/host/host_limits.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace dfrun {
namespace {

class Tree {
 public:
  Tree() {
    std::string name = ::testing::TempDir() + "limits.XXXXXX";
    root_ = ::mkdtemp(name.data());
  }
  ~Tree() { std::filesystem::remove_all(root_); }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  Tree& Write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
    return *this;
  }
  HostLimits Read() const { return ReadHostLimits(root_); }
  std::string At(const std::string& path) const { return root_ + path; }

 private:
  std::string root_;
};

constexpr char kV2Mount[] = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n";

TEST(HostLimitsTest, AreTheHostsWithoutGroups) {
  const HostLimits limits = Tree().Read();
  EXPECT_GT(limits.host_bytes, 0);
  EXPECT_EQ(limits.memory_bytes, limits.host_bytes);
  EXPECT_FALSE(limits.limits_memory());
  EXPECT_EQ(limits.quota_cores, 0);
  EXPECT_GE(limits.cores, 1);
}

TEST(HostLimitsTest, TakeTheSmallestOfTheGroupsAbove) {
  Tree tree;
  tree.Write("/proc/self/mountinfo", kV2Mount).Write("/proc/self/cgroup", "0::/slurm/job_7/step_0\n");
  tree.Write("/sys/fs/cgroup/slurm/job_7/step_0/memory.max", "max\n");
  tree.Write("/sys/fs/cgroup/slurm/job_7/memory.max", "134217728\n");
  tree.Write("/sys/fs/cgroup/slurm/memory.max", "268435456\n");
  tree.Write("/sys/fs/cgroup/slurm/job_7/step_0/cpu.max", "50000 100000\n");
  tree.Write("/sys/fs/cgroup/slurm/cpu.max", "max 100000\n");
  const HostLimits limits = tree.Read();
  EXPECT_EQ(limits.memory_bytes, 128 << 20);
  EXPECT_EQ(limits.memory_group, tree.At("/sys/fs/cgroup/slurm/job_7/memory.max"));
  EXPECT_EQ(limits.quota_cores, 0.5);
  EXPECT_EQ(limits.cores, 1);  // a started core is one
}

// A container of cgroup v1: /proc/self/cgroup has the host's path, the mount shows the container's group as its root.
TEST(HostLimitsTest, FindTheGroupOfAContainer) {
  Tree tree;
  tree.Write("/proc/self/mountinfo",
             "40 30 0:30 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
             "41 30 0:31 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n");
  tree.Write("/proc/self/cgroup", "5:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n");
  tree.Write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "67108864\n");
  tree.Write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "100000\n");
  tree.Write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  const HostLimits limits = tree.Read();
  EXPECT_EQ(limits.memory_bytes, 64 << 20);
  EXPECT_EQ(limits.cores, 1);
  EXPECT_EQ(limits.quota_cores, 1);
}

TEST(HostLimitsTest, NoLimitIsNone) {
  Tree tree;
  tree.Write("/proc/self/mountinfo",
             "40 30 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
             "41 30 0:31 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n");
  tree.Write("/proc/self/cgroup", "5:memory:/\n4:cpu:/\n");
  tree.Write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  tree.Write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n").Write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  const HostLimits limits = tree.Read();
  EXPECT_FALSE(limits.limits_memory());
  EXPECT_EQ(limits.memory_bytes, limits.host_bytes);
  EXPECT_EQ(limits.quota_cores, 0);
}

TEST(HostLimitsTest, DamagedFilesLimitNothing) {
  Tree tree;
  tree.Write("/proc/self/mountinfo", std::string("x\n\n- cgroup2\n") + kV2Mount);
  tree.Write("/proc/self/cgroup", "junk\n0::\n0::/../..\n").Write("/sys/fs/cgroup/memory.max", "many\n");
  tree.Write("/sys/fs/cgroup/cpu.max", "100000 0\n");
  const HostLimits limits = tree.Read();
  EXPECT_FALSE(limits.limits_memory());
  EXPECT_EQ(limits.quota_cores, 0);
}

}  // namespace
}  // namespace dfrun
