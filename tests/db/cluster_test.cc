#include "db/cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>

#include "base/file.h"
#include "db/connection.h"

namespace pinka::db {
namespace {

class ClusterTest : public ::testing::Test {
 protected:
  ClusterTest() {
    char path[] = "/tmp/pinka-cluster-XXXXXX";
    top_ = mkdtemp(path);
    chmod(path, 0755);
  }
  ~ClusterTest() override {
    if (cluster_) {
      EXPECT_TRUE(cluster_->Stop().ok());
    }
    EXPECT_TRUE(RemoveTree(top_).ok());
  }
  void Start(const std::string& name) {
    StatusOr<Cluster> started = Cluster::Start({.directory = top_ + "/" + name});
    ASSERT_TRUE(started.ok()) << started.status();
    cluster_.emplace(*std::move(started));
  }
  Status Ask() { return Connection(cluster_->Url(), "session_store").Exec("ping").status(); }

  std::string top_;
  std::optional<Cluster> cluster_;
};

TEST_F(ClusterTest, StartsAnswersAndIsAdoptedByTheNext) {
  Start("data");
  EXPECT_FALSE(cluster_->adopted());
  EXPECT_TRUE(Ask().ok());
  pid_t first = cluster_->Postmaster();
  EXPECT_GT(first, 0);
  Start("data");
  EXPECT_TRUE(cluster_->adopted());
  EXPECT_EQ(cluster_->Postmaster(), first);
}

TEST_F(ClusterTest, StopsAndStartsAgainWithWhatItHeld) {
  Start("data");
  ASSERT_TRUE(Connection(cluster_->Url(), "").Script("CREATE TABLE kept (x int)").ok());
  ASSERT_TRUE(cluster_->Stop().ok());
  EXPECT_EQ(cluster_->Postmaster(), 0);
  EXPECT_TRUE(cluster_->Stop().ok());
  EXPECT_TRUE(absl::IsUnavailable(Ask()));
  Start("data");
  EXPECT_FALSE(cluster_->adopted());
  EXPECT_TRUE(Connection(cluster_->Url(), "").Script("SELECT x FROM kept").ok());
}

TEST_F(ClusterTest, ComesBackAfterThePostmasterWasKilled) {
  Start("data");
  Connection busy(cluster_->Url(), "session_store");
  ASSERT_TRUE(busy.Exec("ping").ok());
  ASSERT_EQ(kill(cluster_->Postmaster(), SIGKILL), 0);
  Status restarted = cluster_->Restart();
  ASSERT_TRUE(restarted.ok()) << restarted;
  EXPECT_TRUE(Ask().ok());
}

TEST_F(ClusterTest, PutsTheSocketElsewhereWhereThePathIsLong) {
  Start(std::string(80, 'd'));
  EXPECT_TRUE(Ask().ok());
  EXPECT_THAT(cluster_->Url(), ::testing::HasSubstr("host='/tmp/pinka-"));
}

TEST_F(ClusterTest, ListensOnNoNetworkAndKeepsItsDurability) {
  Start("data");
  Connection db(cluster_->Url(), "session_store");
  Status checked = db.Script(
      "DO $$ BEGIN IF current_setting('listen_addresses') <> '' OR current_setting('fsync') <> "
      "'on' OR current_setting('synchronous_commit') <> 'on' OR "
      "current_setting('full_page_writes') <> 'on' THEN RAISE 'wrong'; END IF; END $$");
  EXPECT_TRUE(checked.ok()) << checked;
  struct stat run;
  ASSERT_EQ(stat((top_ + "/data/run").c_str(), &run), 0);
  EXPECT_EQ(run.st_mode & 0777, 0700u);
}

TEST_F(ClusterTest, LeavesNoHalfMadeClusterBehindAnInterruption) {
  ASSERT_TRUE(MakeDirectories(top_ + "/data/pg.new/base", 0755).ok());
  if (geteuid() == 0) {
    SystemUser user = UnprivilegedUser().value();
    ASSERT_EQ(chown((top_ + "/data").c_str(), user.uid, user.gid), 0);
  }
  Start("data");
  EXPECT_TRUE(Ask().ok());
  EXPECT_FALSE(PathExists(top_ + "/data/pg.new"));
}

}  // namespace
}  // namespace pinka::db
