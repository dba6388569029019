#include "client/cli/core/api.h"

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "client/cli/core/dial.h"
#include "client/cli/core/errors.h"
#include "client/cli/core/retry.h"
#include "pinka/v1/admin.grpc.pb.h"
#include "pinka/v1/advice.grpc.pb.h"
#include "pinka/v1/files.grpc.pb.h"
#include "pinka/v1/invoice.grpc.pb.h"
#include "pinka/v1/job.grpc.pb.h"
#include "pinka/v1/ledger.grpc.pb.h"
#include "pinka/v1/month.grpc.pb.h"
#include "pinka/v1/node.grpc.pb.h"
#include "pinka/v1/package.grpc.pb.h"
#include "pinka/v1/rental.grpc.pb.h"
#include "pinka/v1/report.grpc.pb.h"
#include "pinka/v1/standing.grpc.pb.h"

namespace pinka::cli {
namespace {

constexpr Duration kPatience = Duration::Seconds(10);
constexpr int64_t kCallSeconds = 30;
constexpr int kLargestAnswer = 256 << 20;
// What the server reads of one request; more would come back as a bare RESOURCE_EXHAUSTED.
constexpr size_t kLargestRequest = (32 << 20) - 4'096;

std::shared_ptr<grpc::Channel> Connect(const Endpoint& endpoint) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kLargestAnswer);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 50);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 5'000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1'000);
  // A follower of a log must notice that the other end is gone.
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 30'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  return Dial(endpoint, arguments);
}

std::string Trailer(const grpc::ClientContext& context) {
  const auto& metadata = context.GetServerTrailingMetadata();
  const auto found = metadata.find("pinka-error-bin");
  if (found == metadata.end()) return "";
  return std::string(found->second.data(), found->second.length());
}

Status TooLarge(size_t bytes) {
  return Refusal("TooLarge",
                 "the request has " + std::to_string(bytes) + " bytes and at most " +
                     std::to_string(kLargestRequest) +
                     " can be sent; put large input into a file that the job reads",
                 kExitUsage);
}

}  // namespace

struct Api::Wire {
  explicit Wire(Endpoint where, std::function<void(const std::string&)> line)
      : endpoint(std::move(where)),
        progress(std::move(line)),
        channel(Connect(endpoint)),
        jobs(channel),
        files(channel),
        nodes(channel),
        ledger(channel),
        packages(channel),
        rentals(channel),
        months(channel),
        invoices(channel),
        reports(channel),
        standing(channel),
        advice(channel),
        admin(channel) {}

  void Prepare(grpc::ClientContext& context) const {
    if (!endpoint.token.empty()) {
      context.AddMetadata("authorization", "Bearer " + endpoint.token);
    }
  }

  template <class Stub, class Request, class Response>
  StatusOr<Response> Once(Stub& stub,
                          grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                       Response*),
                          const Request& request) {
    grpc::ClientContext context;
    Prepare(context);
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(kCallSeconds));
    Response response;
    const grpc::Status status = (stub.*method)(&context, request, &response);
    if (status.ok()) return response;
    if (Status why = WhyNotTrusted(endpoint, status); !why.ok()) return why;
    return FromRpc(status.error_code(), status.error_message(), Trailer(context), endpoint.server);
  }

  template <class Stub, class Request, class Response>
  StatusOr<Response> Call(Stub& stub,
                          grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                       Response*),
                          const Request& request) {
    if (const size_t bytes = request.ByteSizeLong(); bytes > kLargestRequest) {
      return TooLarge(bytes);
    }
    Duration first_failure;
    for (int tries = 1;; ++tries) {
      StatusOr<Response> answer = Once(stub, method, request);
      if (answer.ok() || !WaitToRepeat(answer.status(), tries, &first_failure)) {
        if (tries > 1) progress("");
        return answer;
      }
    }
  }

  // False: give up. Otherwise the time to wait is over.
  bool WaitToRepeat(const Status& status, int tries, Duration* first_failure) {
    const Duration now = clock.Monotonic();
    if (tries == 1) *first_failure = now;
    const v1::Error error = ErrorOf(status);
    const Duration elapsed = now - *first_failure;
    const auto wait = RetryPolicy{patience}.Next(error, tries, elapsed);
    if (!wait) return false;
    progress(
        (error.retry_after_ms() > 0 ? "the server is busy" : endpoint.server + " does not answer") +
        std::string("; trying again for ") + std::to_string((patience - elapsed).seconds()) + " s");
    std::this_thread::sleep_for(std::chrono::microseconds(wait->micros()));
    return true;
  }

  Endpoint endpoint;
  std::function<void(const std::string&)> progress;
  SystemClock clock;
  Duration patience = kPatience;
  std::shared_ptr<grpc::Channel> channel;
  v1::JobService::Stub jobs;
  v1::FilesService::Stub files;
  v1::NodeService::Stub nodes;
  v1::LedgerService::Stub ledger;
  v1::PackageService::Stub packages;
  v1::RentalService::Stub rentals;
  v1::MonthService::Stub months;
  v1::InvoiceService::Stub invoices;
  v1::ReportService::Stub reports;
  v1::StandingService::Stub standing;
  v1::AdviceService::Stub advice;
  v1::AdminService::Stub admin;
};

Api::Api(Endpoint endpoint, std::function<void(const std::string&)> progress)
    : wire_(std::make_unique<Wire>(std::move(endpoint), std::move(progress))) {}
Api::~Api() = default;

void Api::set_patience(Duration patience) { wire_->patience = patience; }

Status Api::StreamLog(const v1::StreamLogRequest& request,
                      const std::function<void(const v1::LogChunk&)>& each) {
  grpc::ClientContext context;
  wire_->Prepare(context);
  const auto reader = wire_->jobs.StreamLog(&context, request);
  v1::LogChunk chunk;
  while (reader->Read(&chunk)) each(chunk);
  const grpc::Status status = reader->Finish();
  if (status.ok()) return OkStatus();
  return FromRpc(status.error_code(), status.error_message(), Trailer(context),
                 wire_->endpoint.server);
}

// One line a call.
#define PINKA_RPC(service, stub, Method, Request, Response)               \
  StatusOr<v1::Response> Api::Method(const v1::Request& request) {        \
    return wire_->Call(wire_->stub, &v1::service::Stub::Method, request); \
  }
PINKA_RPC(JobService, jobs, SubmitJobs, SubmitJobsRequest, SubmitJobsResponse)
PINKA_RPC(JobService, jobs, Quote, QuoteRequest, QuoteResponse)
PINKA_RPC(JobService, jobs, GetJob, GetJobRequest, GetJobResponse)
PINKA_RPC(JobService, jobs, ListJobs, ListJobsRequest, ListJobsResponse)
PINKA_RPC(JobService, jobs, ExplainJob, ExplainJobRequest, ExplainJobResponse)
PINKA_RPC(JobService, jobs, WaitJob, WaitJobRequest, WaitJobResponse)
PINKA_RPC(JobService, jobs, ChangeJobs, ChangeJobsRequest, ChangeJobsResponse)
PINKA_RPC(JobService, jobs, EditJob, EditJobRequest, EditJobResponse)
PINKA_RPC(JobService, jobs, ResubmitJob, ResubmitJobRequest, SubmitJobsResponse)
PINKA_RPC(FilesService, files, FindMissing, FindMissingRequest, FindMissingResponse)
PINKA_RPC(FilesService, files, PutBlob, PutBlobRequest, PutBlobResponse)
PINKA_RPC(FilesService, files, GetBlob, GetBlobRequest, GetBlobResponse)
PINKA_RPC(FilesService, files, ListFileSets, ListFileSetsRequest, ListFileSetsResponse)
PINKA_RPC(NodeService, nodes, ListNodes, ListNodesRequest, ListNodesResponse)
PINKA_RPC(NodeService, nodes, CreateJoinToken, CreateJoinTokenRequest, CreateJoinTokenResponse)
PINKA_RPC(NodeService, nodes, ChangeNode, ChangeNodeRequest, ChangeNodeResponse)
PINKA_RPC(NodeService, nodes, ListHardwareChecks, ListHardwareChecksRequest,
          ListHardwareChecksResponse)
PINKA_RPC(LedgerService, ledger, GetBalance, GetBalanceRequest, GetBalanceResponse)
PINKA_RPC(LedgerService, ledger, ListEntries, ListEntriesRequest, ListEntriesResponse)
PINKA_RPC(LedgerService, ledger, ListLimits, ListLimitsRequest, ListLimitsResponse)
PINKA_RPC(LedgerService, ledger, RaiseLimit, RaiseLimitRequest, RaiseLimitResponse)
PINKA_RPC(LedgerService, ledger, Deposit, DepositRequest, DepositResponse)
PINKA_RPC(LedgerService, ledger, Withdraw, WithdrawRequest, WithdrawResponse)
PINKA_RPC(LedgerService, ledger, Transfer, TransferRequest, TransferResponse)
PINKA_RPC(LedgerService, ledger, Refund, RefundRequest, RefundResponse)
PINKA_RPC(LedgerService, ledger, Correct, CorrectRequest, CorrectResponse)
PINKA_RPC(PackageService, packages, BuyPackage, BuyPackageRequest, BuyPackageResponse)
PINKA_RPC(PackageService, packages, ClosePackage, ClosePackageRequest, ClosePackageResponse)
PINKA_RPC(PackageService, packages, ListPackages, ListPackagesRequest, ListPackagesResponse)
PINKA_RPC(RentalService, rentals, OpenRental, OpenRentalRequest, OpenRentalResponse)
PINKA_RPC(RentalService, rentals, CloseRental, CloseRentalRequest, CloseRentalResponse)
PINKA_RPC(RentalService, rentals, ListRentals, ListRentalsRequest, ListRentalsResponse)
PINKA_RPC(MonthService, months, CloseMonth, CloseMonthRequest, CloseMonthResponse)
PINKA_RPC(MonthService, months, SettleMonth, SettleMonthRequest, SettleMonthResponse)
PINKA_RPC(MonthService, months, ListPayments, ListPaymentsRequest, ListPaymentsResponse)
PINKA_RPC(MonthService, months, MarkPaid, MarkPaidRequest, MarkPaidResponse)
PINKA_RPC(InvoiceService, invoices, ImportInvoice, ImportInvoiceRequest, ImportInvoiceResponse)
PINKA_RPC(InvoiceService, invoices, ListInvoices, ListInvoicesRequest, ListInvoicesResponse)
PINKA_RPC(InvoiceService, invoices, GetInvoice, GetInvoiceRequest, GetInvoiceResponse)
PINKA_RPC(InvoiceService, invoices, ExplainLine, ExplainLineRequest, ExplainLineResponse)
PINKA_RPC(AdviceService, advice, ListCards, ListCardsRequest, ListCardsResponse)
PINKA_RPC(AdviceService, advice, AdvisePlan, AdvisePlanRequest, AdvisePlanResponse)
PINKA_RPC(ReportService, reports, GetUsage, GetUsageRequest, GetUsageResponse)
PINKA_RPC(ReportService, reports, GetStatement, GetStatementRequest, GetStatementResponse)
PINKA_RPC(ReportService, reports, GetPool, GetPoolRequest, GetPoolResponse)
PINKA_RPC(ReportService, reports, GetLostWork, GetLostWorkRequest, GetLostWorkResponse)
PINKA_RPC(ReportService, reports, GetStatus, GetStatusRequest, GetStatusResponse)
PINKA_RPC(ReportService, reports, WhoAmI, WhoAmIRequest, WhoAmIResponse)
PINKA_RPC(StandingService, standing, ListShares, ListSharesRequest, ListSharesResponse)
PINKA_RPC(StandingService, standing, ListPriorities, ListPrioritiesRequest, ListPrioritiesResponse)
PINKA_RPC(AdminService, admin, ApplyLab, ApplyLabRequest, ApplyLabResponse)
PINKA_RPC(AdminService, admin, AddMember, AddMemberRequest, AddMemberResponse)
PINKA_RPC(AdminService, admin, RemoveMember, RemoveMemberRequest, RemoveMemberResponse)
PINKA_RPC(AdminService, admin, CreateMemberToken, CreateMemberTokenRequest,
          CreateMemberTokenResponse)
PINKA_RPC(AdminService, admin, ListMembers, ListMembersRequest, ListMembersResponse)
#undef PINKA_RPC

}  // namespace pinka::cli
