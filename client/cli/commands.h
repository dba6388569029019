// Every command, one maker each; each is implemented in the file of its name.
#pragma once

#include <memory>

#include "client/cli/core/command.h"

namespace pinka::cli {

// Run
std::unique_ptr<Command> MakeSubmit();
std::unique_ptr<Command> MakeRun();
std::unique_ptr<Command> MakeQuote();
std::unique_ptr<Command> MakeResubmit();
// Follow
std::unique_ptr<Command> MakeLs();
std::unique_ptr<Command> MakeShow();
std::unique_ptr<Command> MakeWhy();
std::unique_ptr<Command> MakeLogs();
std::unique_ptr<Command> MakeFiles();
std::unique_ptr<Command> MakeCp();
std::unique_ptr<Command> MakeWait();
std::unique_ptr<Command> MakeTop();
// Change
std::unique_ptr<Command> MakeCancel();
std::unique_ptr<Command> MakeHold();
std::unique_ptr<Command> MakeRelease();
std::unique_ptr<Command> MakeRequeue();
std::unique_ptr<Command> MakeEdit();
// Money
std::unique_ptr<Command> MakeBalance();
std::unique_ptr<Command> MakeUsage();
std::unique_ptr<Command> MakeStatement();
std::unique_ptr<Command> MakeLedger();
std::unique_ptr<Command> MakeLimits();
std::unique_ptr<Command> MakeLost();
std::unique_ptr<Command> MakePool();
std::unique_ptr<Command> MakeShares();
// Advice
std::unique_ptr<Command> MakeAdviseVram();
std::unique_ptr<Command> MakeAdviseGpu();
std::unique_ptr<Command> MakeAdvisePlan();
std::unique_ptr<Command> MakeAdviseCost();
std::unique_ptr<Command> MakeAdviseCompat();
std::unique_ptr<Command> MakeAdviseProviders();
std::unique_ptr<Command> MakeGpus();
// The lab
std::unique_ptr<Command> MakeStatus();
std::unique_ptr<Command> MakeNodes();
std::unique_ptr<Command> MakePrio();
std::unique_ptr<Command> MakeWhoami();
std::unique_ptr<Command> MakeSimulate();
// Set up
std::unique_ptr<Command> MakeLogin();
std::unique_ptr<Command> MakeConfig();
std::unique_ptr<Command> MakeConfigUse();
std::unique_ptr<Command> MakeCompletion();
std::unique_ptr<Command> MakeVersion();
// Admins
std::unique_ptr<Command> MakeAdminApply();
std::unique_ptr<Command> MakeAdminDeposit();
std::unique_ptr<Command> MakeAdminWithdraw();
std::unique_ptr<Command> MakeAdminTransfer();
std::unique_ptr<Command> MakeAdminRefund();
std::unique_ptr<Command> MakeAdminCorrect();
std::unique_ptr<Command> MakeAdminLimitLs();
std::unique_ptr<Command> MakeAdminLimitRaise();
std::unique_ptr<Command> MakeAdminPackageBuy();
std::unique_ptr<Command> MakeAdminPackageLs();
std::unique_ptr<Command> MakeAdminPackageShow();
std::unique_ptr<Command> MakeAdminPackageClose();
std::unique_ptr<Command> MakeAdminRentalOpen();
std::unique_ptr<Command> MakeAdminRentalClose();
std::unique_ptr<Command> MakeAdminRentalLs();
std::unique_ptr<Command> MakeAdminReconcile();
std::unique_ptr<Command> MakeAdminInvoiceLs();
std::unique_ptr<Command> MakeAdminInvoiceShow();
std::unique_ptr<Command> MakeAdminInvoiceExplain();
std::unique_ptr<Command> MakeAdminClose();
std::unique_ptr<Command> MakeAdminSettle();
std::unique_ptr<Command> MakeAdminPaymentLs();
std::unique_ptr<Command> MakeAdminPaymentDone();
std::unique_ptr<Command> MakeAdminMemberAdd();
std::unique_ptr<Command> MakeAdminMemberRm();
std::unique_ptr<Command> MakeAdminMemberToken();
std::unique_ptr<Command> MakeAdminMemberLs();
std::unique_ptr<Command> MakeAdminNodeJoinToken();
std::unique_ptr<Command> MakeAdminNodeDrain();
std::unique_ptr<Command> MakeAdminNodeResume();
std::unique_ptr<Command> MakeAdminNodeReclaim();
std::unique_ptr<Command> MakeAdminNodeVerify();
std::unique_ptr<Command> MakeAdminNodeRm();

}  // namespace pinka::cli
