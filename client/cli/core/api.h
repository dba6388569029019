// Every call to the scheduler, as plain functions: the one place that knows gRPC. A call that the
// server did not answer, or asked to repeat later, is sent again with the same bytes, and so with
// the same request id, within `patience`. Errors carry a pinka.v1.Error (errors.h).
//
// Thread-safe, but for `set_patience`.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/status.h"
#include "base/time.h"
#include "client/cli/core/endpoint.h"
#include "pinka/v1/admin.pb.h"
#include "pinka/v1/advice.pb.h"
#include "pinka/v1/files.pb.h"
#include "pinka/v1/invoice.pb.h"
#include "pinka/v1/job.pb.h"
#include "pinka/v1/ledger.pb.h"
#include "pinka/v1/month.pb.h"
#include "pinka/v1/node.pb.h"
#include "pinka/v1/package.pb.h"
#include "pinka/v1/rental.pb.h"
#include "pinka/v1/report.pb.h"
#include "pinka/v1/standing.pb.h"

namespace pinka::cli {

class Api {
 public:
  // `progress` gets a line while a call is repeated, and "" when that is over.
  Api(Endpoint endpoint, std::function<void(const std::string&)> progress);
  ~Api();

  // How long a call is repeated; 10 s unless set.
  void set_patience(Duration patience);

  StatusOr<v1::SubmitJobsResponse> SubmitJobs(const v1::SubmitJobsRequest& request);
  StatusOr<v1::QuoteResponse> Quote(const v1::QuoteRequest& request);
  StatusOr<v1::GetJobResponse> GetJob(const v1::GetJobRequest& request);
  StatusOr<v1::ListJobsResponse> ListJobs(const v1::ListJobsRequest& request);
  StatusOr<v1::ExplainJobResponse> ExplainJob(const v1::ExplainJobRequest& request);
  StatusOr<v1::WaitJobResponse> WaitJob(const v1::WaitJobRequest& request);
  StatusOr<v1::ChangeJobsResponse> ChangeJobs(const v1::ChangeJobsRequest& request);
  StatusOr<v1::EditJobResponse> EditJob(const v1::EditJobRequest& request);
  StatusOr<v1::SubmitJobsResponse> ResubmitJob(const v1::ResubmitJobRequest& request);
  // Hands over chunks until the server ends the stream; not repeated (log_follow.h resumes it).
  Status StreamLog(const v1::StreamLogRequest& request,
                   const std::function<void(const v1::LogChunk&)>& each);

  StatusOr<v1::FindMissingResponse> FindMissing(const v1::FindMissingRequest& request);
  StatusOr<v1::PutBlobResponse> PutBlob(const v1::PutBlobRequest& request);
  StatusOr<v1::GetBlobResponse> GetBlob(const v1::GetBlobRequest& request);
  StatusOr<v1::ListFileSetsResponse> ListFileSets(const v1::ListFileSetsRequest& request);

  StatusOr<v1::ListNodesResponse> ListNodes(const v1::ListNodesRequest& request);
  StatusOr<v1::CreateJoinTokenResponse> CreateJoinToken(const v1::CreateJoinTokenRequest& request);
  StatusOr<v1::ChangeNodeResponse> ChangeNode(const v1::ChangeNodeRequest& request);
  StatusOr<v1::ListHardwareChecksResponse> ListHardwareChecks(
      const v1::ListHardwareChecksRequest& request);

  StatusOr<v1::GetBalanceResponse> GetBalance(const v1::GetBalanceRequest& request);
  StatusOr<v1::ListEntriesResponse> ListEntries(const v1::ListEntriesRequest& request);
  StatusOr<v1::ListLimitsResponse> ListLimits(const v1::ListLimitsRequest& request);
  StatusOr<v1::RaiseLimitResponse> RaiseLimit(const v1::RaiseLimitRequest& request);
  StatusOr<v1::DepositResponse> Deposit(const v1::DepositRequest& request);
  StatusOr<v1::WithdrawResponse> Withdraw(const v1::WithdrawRequest& request);
  StatusOr<v1::TransferResponse> Transfer(const v1::TransferRequest& request);
  StatusOr<v1::RefundResponse> Refund(const v1::RefundRequest& request);
  StatusOr<v1::CorrectResponse> Correct(const v1::CorrectRequest& request);

  StatusOr<v1::BuyPackageResponse> BuyPackage(const v1::BuyPackageRequest& request);
  StatusOr<v1::ClosePackageResponse> ClosePackage(const v1::ClosePackageRequest& request);
  StatusOr<v1::ListPackagesResponse> ListPackages(const v1::ListPackagesRequest& request);

  StatusOr<v1::OpenRentalResponse> OpenRental(const v1::OpenRentalRequest& request);
  StatusOr<v1::CloseRentalResponse> CloseRental(const v1::CloseRentalRequest& request);
  StatusOr<v1::ListRentalsResponse> ListRentals(const v1::ListRentalsRequest& request);

  StatusOr<v1::CloseMonthResponse> CloseMonth(const v1::CloseMonthRequest& request);
  StatusOr<v1::SettleMonthResponse> SettleMonth(const v1::SettleMonthRequest& request);
  StatusOr<v1::ListPaymentsResponse> ListPayments(const v1::ListPaymentsRequest& request);
  StatusOr<v1::MarkPaidResponse> MarkPaid(const v1::MarkPaidRequest& request);

  StatusOr<v1::ImportInvoiceResponse> ImportInvoice(const v1::ImportInvoiceRequest& request);
  StatusOr<v1::ListInvoicesResponse> ListInvoices(const v1::ListInvoicesRequest& request);
  StatusOr<v1::GetInvoiceResponse> GetInvoice(const v1::GetInvoiceRequest& request);
  StatusOr<v1::ExplainLineResponse> ExplainLine(const v1::ExplainLineRequest& request);

  StatusOr<v1::GetUsageResponse> GetUsage(const v1::GetUsageRequest& request);
  StatusOr<v1::GetStatementResponse> GetStatement(const v1::GetStatementRequest& request);
  StatusOr<v1::GetPoolResponse> GetPool(const v1::GetPoolRequest& request);
  StatusOr<v1::GetLostWorkResponse> GetLostWork(const v1::GetLostWorkRequest& request);
  StatusOr<v1::GetStatusResponse> GetStatus(const v1::GetStatusRequest& request);
  StatusOr<v1::WhoAmIResponse> WhoAmI(const v1::WhoAmIRequest& request);

  StatusOr<v1::ListSharesResponse> ListShares(const v1::ListSharesRequest& request);
  StatusOr<v1::ListPrioritiesResponse> ListPriorities(const v1::ListPrioritiesRequest& request);

  // Advice that needs what the lab knows: its own cards and prices, its history.
  StatusOr<v1::ListCardsResponse> ListCards(const v1::ListCardsRequest& request);
  StatusOr<v1::AdvisePlanResponse> AdvisePlan(const v1::AdvisePlanRequest& request);

  StatusOr<v1::ApplyLabResponse> ApplyLab(const v1::ApplyLabRequest& request);
  StatusOr<v1::AddMemberResponse> AddMember(const v1::AddMemberRequest& request);
  StatusOr<v1::RemoveMemberResponse> RemoveMember(const v1::RemoveMemberRequest& request);
  StatusOr<v1::CreateMemberTokenResponse> CreateMemberToken(
      const v1::CreateMemberTokenRequest& request);
  StatusOr<v1::ListMembersResponse> ListMembers(const v1::ListMembersRequest& request);

 private:
  struct Wire;  // channel and stubs
  std::unique_ptr<Wire> wire_;
};

}  // namespace pinka::cli
