#include "scheduler/api/methods.h"

#include <algorithm>

namespace pinka::api {
namespace {

constexpr MethodRule kRules[] = {
    {"pinka.v1.JobService.SubmitJobs", Who::kMember, Whose::kOwn},
    {"pinka.v1.JobService.Quote", Who::kMember, Whose::kOwn},
    {"pinka.v1.JobService.GetJob", Who::kMember, Whose::kOwnQueue},
    {"pinka.v1.JobService.ListJobs", Who::kMember, Whose::kOwnQueue},
    {"pinka.v1.JobService.ExplainJob", Who::kMember, Whose::kOwnQueue},
    {"pinka.v1.JobService.WaitJob", Who::kMember, Whose::kOwnQueue},
    {"pinka.v1.JobService.ChangeJobs", Who::kMember, Whose::kOwn},
    {"pinka.v1.JobService.EditJob", Who::kMember, Whose::kOwn},
    {"pinka.v1.JobService.ResubmitJob", Who::kMember, Whose::kOwn},
    {"pinka.v1.JobService.StreamLog", Who::kMember, Whose::kOwnQueue},
    {"pinka.v1.NodeService.ListNodes", Who::kMember, Whose::kNobodys},
    {"pinka.v1.NodeService.CreateJoinToken", Who::kAdmin, Whose::kLabs},
    {"pinka.v1.NodeService.ChangeNode", Who::kAdmin, Whose::kLabs},
    {"pinka.v1.NodeService.ListHardwareChecks", Who::kAdmin, Whose::kLabs},
    {"pinka.v1.LedgerService.GetBalance", Who::kMember, Whose::kOwn},
    {"pinka.v1.LedgerService.ListEntries", Who::kMember, Whose::kOwn},
    {"pinka.v1.LedgerService.ListLimits", Who::kMember, Whose::kOwn},
    {"pinka.v1.LedgerService.RaiseLimit", Who::kAdmin, Whose::kLabs},
    {"pinka.v1.LedgerService.Deposit", Who::kAdmin, Whose::kLabs},
    {"pinka.v1.LedgerService.Withdraw", Who::kAdmin, Whose::kLabs},
    {"pinka.v1.LedgerService.Refund", Who::kAdmin, Whose::kLabs},
    {"pinka.v1.LedgerService.Transfer", Who::kAdmin, Whose::kLabs},
    {"pinka.v1.LedgerService.Correct", Who::kAdmin, Whose::kLabs},
    {"pinka.v1.PackageService.BuyPackage", Who::kAdmin, Whose::kLabs},
    {"pinka.v1.PackageService.ClosePackage", Who::kAdmin, Whose::kLabs},
    {"pinka.v1.PackageService.ListPackages", Who::kAdmin, Whose::kLabs},
    {"pinka.v1.MonthService.CloseMonth", Who::kAdmin, Whose::kLabs},
    {"pinka.v1.MonthService.SettleMonth", Who::kAdmin, Whose::kLabs},
    {"pinka.v1.MonthService.ListPayments", Who::kAdmin, Whose::kLabs},
    {"pinka.v1.MonthService.MarkPaid", Who::kAdmin, Whose::kLabs},
    {"pinka.v1.RentalService.OpenRental", Who::kAdmin, Whose::kLabs},
    {"pinka.v1.RentalService.CloseRental", Who::kAdmin, Whose::kLabs},
    {"pinka.v1.RentalService.ListRentals", Who::kAdmin, Whose::kLabs},
    {"pinka.v1.InvoiceService.ImportInvoice", Who::kAdmin, Whose::kLabs},
    {"pinka.v1.InvoiceService.ListInvoices", Who::kAdmin, Whose::kLabs},
    {"pinka.v1.InvoiceService.GetInvoice", Who::kAdmin, Whose::kLabs},
    {"pinka.v1.InvoiceService.ExplainLine", Who::kAdmin, Whose::kLabs},
    {"pinka.v1.ReportService.GetUsage", Who::kMember, Whose::kOwn},
    {"pinka.v1.ReportService.GetStatement", Who::kMember, Whose::kOwn},
    {"pinka.v1.ReportService.GetPool", Who::kMember, Whose::kOwn},
    {"pinka.v1.ReportService.GetLostWork", Who::kMember, Whose::kOwn},
    {"pinka.v1.ReportService.GetStatus", Who::kMember, Whose::kNobodys},
    {"pinka.v1.ReportService.WhoAmI", Who::kMember, Whose::kOwn},
    {"pinka.v1.StandingService.ListShares", Who::kMember, Whose::kOwnQueue},
    {"pinka.v1.StandingService.ListPriorities", Who::kMember, Whose::kOwnQueue},
    {"pinka.v1.AdviceService.ListCards", Who::kMember, Whose::kNobodys},
    {"pinka.v1.AdviceService.AdviseMemory", Who::kMember, Whose::kNobodys},
    {"pinka.v1.AdviceService.AdviseCard", Who::kMember, Whose::kNobodys},
    {"pinka.v1.AdviceService.AdviseCost", Who::kMember, Whose::kNobodys},
    {"pinka.v1.AdviceService.AdviseCompat", Who::kMember, Whose::kNobodys},
    {"pinka.v1.AdviceService.ListProviders", Who::kMember, Whose::kNobodys},
    {"pinka.v1.AdviceService.AdvisePlan", Who::kMember, Whose::kOwn},
    {"pinka.v1.AdminService.ApplyLab", Who::kAdmin, Whose::kLabs},
    {"pinka.v1.AdminService.AddMember", Who::kAdmin, Whose::kLabs},
    {"pinka.v1.AdminService.RemoveMember", Who::kAdmin, Whose::kLabs},
    {"pinka.v1.AdminService.CreateMemberToken", Who::kMember, Whose::kOwn},
    {"pinka.v1.AdminService.ListMembers", Who::kAdmin, Whose::kLabs},
    {"pinka.v1.AgentService.Synchronize", Who::kAgent, Whose::kNodes},
    {"pinka.v1.AgentService.UploadLogs", Who::kAgent, Whose::kNodes},
    {"pinka.v1.AgentService.FetchPayload", Who::kAgent, Whose::kNodes},
    {"pinka.v1.AgentService.RotateKey", Who::kAgent, Whose::kNodes},
    // Who joins has no key yet: the join token is in the request.
    {"pinka.v1.AgentService.Join", Who::kAnybody, Whose::kNobodys},
    {"pinka.v1.FilesService.FindMissing", Who::kCarrier, Whose::kNobodys},
    {"pinka.v1.FilesService.PutBlob", Who::kCarrier, Whose::kNobodys},
    {"pinka.v1.FilesService.GetBlob", Who::kCarrier, Whose::kNobodys},
    {"pinka.v1.FilesService.ListFileSets", Who::kMember, Whose::kOwn},
    {"pinka.v1.FilesService.KeepFiles", Who::kAgent, Whose::kNodes},
    {"pinka.v1.FilesService.FindCheckpoint", Who::kAgent, Whose::kNodes},
    // gRPC's own: they tell what is in the .proto files and that the server lives.
    {"grpc.health.v1.Health.Check", Who::kAnybody, Whose::kNobodys},
    {"grpc.health.v1.Health.Watch", Who::kAnybody, Whose::kNobodys},
    {"grpc.reflection.v1alpha.ServerReflection.ServerReflectionInfo", Who::kAnybody,
     Whose::kNobodys},
};

}  // namespace

std::span<const MethodRule> MethodRules() { return kRules; }

const MethodRule* RuleOf(std::string_view method) {
  const auto* rule = std::ranges::find(kRules, method, &MethodRule::method);
  return rule == std::end(kRules) ? nullptr : rule;
}

}  // namespace pinka::api
