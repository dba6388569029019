#include "scheduler/api/gate_proof.h"

#include <gtest/gtest.h>

namespace pinka::api {
namespace {

v1::JobSpec Spec() {
  v1::JobSpec spec;
  spec.add_argv("python");
  spec.add_argv("train.py");
  return spec;
}

TEST(CodeOnCommandLine, RunsTheSameCode) {
  EXPECT_EQ(CodeOnCommandLine(Spec()), "-- python train.py");
  v1::JobSpec spec = Spec();
  v1::EnvVar* var = spec.add_env();
  var->set_name("NOTE");
  var->set_value("a b");
  spec.set_chdir("/srv/exp");
  spec.add_sweep("lr=0.1,0.2");
  EXPECT_EQ(CodeOnCommandLine(spec),
            "--env 'NOTE=a b' --chdir /srv/exp --sweep lr=0.1,0.2 -- python train.py");
  spec = Spec();
  spec.set_argv(0, "train.sh");
  spec.set_script("#!/bin/sh\n");
  EXPECT_EQ(CodeOnCommandLine(spec), "train.sh train.py");
}

TEST(CodeOnCommandLine, SpeaksOfALongEnvironmentAndStaysText) {
  v1::JobSpec spec = Spec();
  v1::EnvVar* var = spec.add_env();
  var->set_name("LONG");
  var->set_value(std::string(1'000, 'x'));
  EXPECT_EQ(CodeOnCommandLine(spec), "(with the same --env) -- python train.py");
}

TEST(AnyGate, LooksAtTheTiersOfTheJobs) {
  Board board;
  for (int64_t id : {1, 2}) {
    Board::Tier tier;
    tier.row.id = TierId(id);
    board.tiers.push_back(tier);
  }
  board.tiers[1].row.gate = TierId(1);
  JobRequest small;
  small.tier = TierId(1);
  JobRequest big;
  big.tier = TierId(2);
  EXPECT_FALSE(AnyGate({small}, board));
  EXPECT_TRUE(AnyGate({small, big}, board));
}

}  // namespace
}  // namespace pinka::api
