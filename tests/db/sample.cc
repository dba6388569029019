#include "tests/db/sample.h"

#include "tests/db/sample_invoices.h"
#include "tests/db/sample_packages.h"

namespace pinka::testing {

constexpr MemberId kAlice{1};
constexpr ProjectId kVision{2};
constexpr TierId kA100{3};
constexpr NodeId kBox{4};
constexpr LotId kLot{20};
constexpr AssetId kCurrency{1};
constexpr PackageId kPackage{40};
constexpr AssetId kUnitTime{40};
constexpr LotId kPortion{41};
constexpr MemberId kBob{9};

MemberRow SampleMember() {
  return {.id = kAlice, .name = "爱丽丝", .share = 3, .admin = true, .removed = true};
}

ProjectRow SampleProject() {
  return {.id = kVision, .name = "vision", .members = {1, 5}, .share = 4};
}

TierRow SampleTier() {
  return {.id = kA100,
          .name = "a100",
          .purpose = "final runs",
          .unit_gpus = 1,
          .unit_cpus = 16,
          .unit_memory = int64_t{128} << 30,
          .default_time = Duration::Hours(2),
          .max_time = Duration::Days(3),
          .staging_limit = Duration::Minutes(10),
          .fence = Duration::Minutes(15),
          .absent = true,
          .simulated_units = 8,
          .gate = kA100,
          .gate_within = Duration::Days(3),
          .gate_refuses = true,
          .min_run = Duration::Minutes(7),
          .advice_refuses = true,
          .on_demand_after = 2};
}

NodeRow SampleNode() {
  return {.id = kBox,
          .name = "box-1",
          .tier = kA100,
          .state = NodeState::kDraining,
          .reason = "kernel \"upgrade\"",
          .drain_wanted = true,
          .simulated = true,
          .units = 2,
          .cpus = 32,
          .memory = int64_t{256} << 30,
          .gpus = {{.index = 1,
                    .uuid = "GPU-1",
                    .name = "A100 \\ \"80\"",
                    .memory_mib = 81920,
                    .fault = "GPU is lost"},
                   {.index = 0, .uuid = "GPU-0", .name = "A100\t", .memory_mib = 40960}},
          .instance = "i-1",
          .incarnation = 7,
          .boot_id = "boot",
          .version = 12,
          .removed = false,
          .source = Source::kSpot,
          .unfit = "the disk \"/work\" is full",
          .key_hash = std::string(64, 'd'),
          .join_hash = std::string(64, 'e'),
          .join_until = At(3'600),
          .join_used = true,
          .cuda = 12'080};
}

PayloadRow SamplePayload() {
  return {.hash = std::string(64, 'a'), .bytes = std::string("\0\xff\x01 argv", 8)};
}

JobRow SampleJob(int64_t id) {
  JobRow job;
  job.id = JobId(id);
  job.member = kAlice;
  job.project = kVision;
  job.tier = kA100;
  job.units = 2;
  job.gpus = 2;
  job.cpus = 8;
  job.memory = 1 << 20;
  job.time_limit = Duration::Hours(1);
  job.grace = Duration::Seconds(30);
  job.source = Wish::kOnDemand;
  job.klass = JobClass::kDebug;
  job.nice = -5;
  job.retries = 2;
  job.no_requeue = true;
  job.requeue_exit = {85, 99};
  job.payload = SamplePayload().hash;
  job.array = "1-9%3";
  job.task_count = 9;
  job.max_running = 3;
  job.submitted_at = At(1);
  job.eligible_at = At(2);
  job.pending.InsertRange(1, 4);
  job.pending.Insert(6);
  job.held.InsertRange(7, 9);
  job.cancelled.Insert(5);
  job.expired.Insert(4);
  job.hold_reason = Reason::kHeldByAdmin;
  job.state = TaskState::kRunning;
  job.counts = {4, 2, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0};
  job.dependency = "afterok:3,after:4+30m";
  job.waits_on = "afterok:3";
  job.keep_invalid = true;
  job.name_hash = -5;
  job.begin_at = At(3);
  job.night = true;
  job.deadline = At(7'000);
  job.max_cost = Money::Whole(50);
  job.max_rate = Rate::MicrosPerUnitHour(9'000'001);
  job.need_cuda = 12'040;
  job.charged = Money::Micros(70);
  job.gate_skipped = true;
  job.freed_at = At(6'500);
  job.code = std::string(64, 'd');
  return job;
}

TaskRow SampleTask(int64_t job) {
  return {.id = {JobId(job), 1},
          .state = TaskState::kFailed,
          .hold_reason = Reason::kInfraHoldMaxRequeue,
          .attempts = 2,
          .retries_used = 1,
          .infra_restarts = 1,
          .run_agains = 2,
          .exited = true,
          .exit_code = 3,
          .signal = 9,
          .end_reason = EndReason::kExited,
          .ended_at = At(60)};
}

AttemptRow SampleAttempt(int64_t job, int32_t number) {
  AttemptRow a;
  a.id = {JobId(job), 1, number};
  a.node = kBox;
  a.member = kAlice;
  a.project = kVision;
  a.tier = kA100;
  a.units = 2;
  a.gpus = {0, 1};
  a.state = AttemptState::kEnded;
  a.want = Want::kForget;
  a.stop_reason = StopReason::kNodeDrain;
  a.source = Source::kSpot;
  a.rate = Rate::MicrosPerUnitHour(2'490'001);
  a.weight = 65'537;
  a.time_limit = Duration::Hours(1);
  a.grace = Duration::Seconds(30);
  a.ordered_at = At(10);
  a.started_at = At(11);
  a.ended_at = At(60);
  a.metered_ms = 49'000;
  a.metered_at = At(59);
  a.overrun_ms = 7;
  a.log_bytes = 1'234;
  a.end_reason = EndReason::kExited;
  a.exited = true;
  a.exit_code = 3;
  a.signal = 9;
  a.message = "说明";
  a.forgotten = true;
  a.checkpoint_ms = 30'000;
  a.peak_memory = int64_t{3} << 30;
  a.peak_gpu_memory = int64_t{5} << 30;
  a.uploaded_at = At(61);
  a.start_within = Duration::Minutes(31);
  a.fence = Duration::Minutes(15);
  return a;
}

std::vector<AccountRow> SampleAccounts() {
  return {{AccountId(10), AccountKind::kLot, OwnedBy(kVision), kCurrency},
          {AccountId(11), AccountKind::kSpent, OwnedBy(kAlice), kCurrency},
          {AccountId(12), AccountKind::kExternal, OwnedByLab(), kCurrency},
          {AccountId(13), AccountKind::kOverheadNode, OwnedByLab(), kCurrency},
          {AccountId(14), AccountKind::kInventory, OwnedByLab(), kCurrency},
          {AccountId(15), AccountKind::kLot, OwnedBy(kAlice), kUnitTime}};
}

LotRow SampleLot() {
  return {.id = kLot,
          .account = AccountId(10),
          .asset = kCurrency,
          .owner = OwnedBy(kVision),
          .tier = kA100,
          .starts_at = At(0),
          .ends_at = At(3600),
          .credited = {},
          .posted = {},
          .held = {},
          .credit_limit = Money::Whole(5),
          .lapsed = false,
          .payer = kAlice};
}

TransferRow SampleTransfer(int64_t id) {
  return {.id = TransferId(id),
          .at = At(50),
          .asset = kCurrency,
          .debit = AccountId(10),
          .credit = AccountId(11),
          .amount = Money::Micros(70),
          .kind = TransferKind::kCharge,
          .reason = "metered",
          .person = kAlice,
          .request_id = "r-1",
          .member = kAlice,
          .project = kVision,
          .attempt = {JobId(7), 1, 1},
          .tier = kA100,
          .source = Source::kSpot,
          .node = kBox,
          .payer = OwnedBy(kAlice),
          .unit_ms = 98'000,
          .linked = {},
          .rental = {},
          .invoice = {}};
}

static BillingRule SampleRule() {
  return {.rate = Rate::MicrosPerUnitHour(11'500'000),
          .stopped_rate = Rate::MicrosPerUnitHour(100'000),
          .minimum = Duration::Minutes(60),
          .block = Duration::Minutes(30),
          .rounding = Rounding::kUp,
          .round_at = RoundAt::kSegment,
          .round_to = Money::Micros(10'000),
          .cut = Duration::Hours(1),
          .cut_offset = Duration::Hours(8),
          .disk = Rate::MicrosPerUnitHour(139),
          .egress = Money::Micros(800'000),
          .notice = Duration::Minutes(5)};
}

static RentalRow SampleRental() {
  return {.id = RentalId(70),
          .node = kBox,
          .tier = kA100,
          .source = Source::kSpot,
          .provider = "算力云",
          .instance = "i-0a1b",
          .units = 2,
          .rule = SampleRule(),
          .disk_gb = 50,
          .opened_at = At(-9'000),
          .closed_at = At(60),
          .by_hand = true,
          .posted_at = At(60),
          .billed = Money::Micros(100),
          .members = Money::Micros(40),
          .lab = Money::Micros(5),
          .idle = Money::Micros(50),
          .rounding = Money::Micros(7),
          .disk = Money::Micros(11),
          .variance = Money::Micros(-2),
          .used_ms = 98'000,
          .since_members = Money::Micros(1),
          .since_lab = Money::Micros(2),
          .since_used_ms = 3,
          .stopped = true,
          .egress_bytes = 12'345,
          .egress = Money::Micros(6)};
}

static void AddLab(Snapshot* s) {
  s->now = At(100);
  s->lab = {.run = std::string(32, '7'),
            .name = "图灵实验室",
            .currency = "USD",
            .timezone = "Europe/Berlin",
            .openness = Openness::kOpen,
            .confirm_above = Money::Whole(9),
            .half_life_h = 24,
            .weight_fair = 1,
            .weight_age = 2,
            .weight_class = 3,
            .weight_size = 4,
            .max_array = 5,
            .next_id = 6,
            .next_job = 8,
            .next_transfer = 8,
            .usage_hour = At(-3600),
            .night_from_min = 1'300,
            .night_to_min = 400};
  s->members = {SampleMember(), {.id = kBob, .name = "鲍勃"}};
  s->projects = {SampleProject()};
  s->tiers = {SampleTier()};
  s->rates = {{kA100, Source::kOwned, At(-5), Rate::MicrosPerUnitHour(0)},
              {kA100, Source::kSpot, At(-5), Rate::MicrosPerUnitHour(12'000'000)}};
  s->periods = {{Period::kDay, At(-90'000), At(-3'600)},
                {Period::kDay, At(-3'600), At(82'800)},
                {Period::kMonth, At(-90'000), At(82'800)}};
  s->nodes = {SampleNode()};
  s->hardware = {{kBox, "7.2", HardwareVerdict::kMismatch, "wrong", true, "假卡", 3, 2}};
  s->billing = {{kA100, Source::kSpot, At(-9'000), "算力云", SampleRule()}};
  s->rentals = {SampleRental()};
}

static void AddLedger(Snapshot* s) {
  AttemptId open{JobId(7), 2, 1};
  s->accounts = SampleAccounts();
  LotRow lot = SampleLot();
  lot.credited = Money::Whole(100);
  lot.posted = Money::Micros(70);
  lot.held = Money::Micros(930);
  s->lots = {lot, SamplePortionLot()};
  s->packages = {SamplePackage()};
  s->portions = {SamplePortion()};
  s->holds = {{.attempt = open,
               .asset = kCurrency,
               .amount = Money::Micros(1'000),
               .posted = Money::Micros(70),
               .state = HoldState::kOpen,
               .at = At(10),
               .closed_at = {},
               .reason = EndReason::kSpotReclaim}};
  s->hold_lines = {{open, 1, kLot, Money::Micros(600), Money::Micros(70)},
                   {open, 2, kLot, Money::Micros(400), {}}};
  s->limits = {{.id = LimitId(30),
                .resource = LimitResource::kUnitHours,
                .of = LimitOf::kAll,
                .scope = OwnedBy(kVision),
                .member = kAlice,
                .tier = kA100,
                .period = Period::kMonth,
                .unlimited = true,
                .amount = 77,
                .until = At(9'999),
                .absent = false,
                .starts_at = {},
                .notify_at = {50, 90},
                .block_at = 95}};
  s->thresholds = {{LimitId(30), kAlice, 50, At(-3'600), At(12)}};
  s->payers = {{EndReason::kNodeLost, Payer::kCheckpoint}};
  s->cards = {{"rtx4090", Rate::MicrosPerUnitHour(3'500'000), Rate::MicrosPerUnitHour(4'200'000),
               "2026-11-20", "中等规模", "15 % faster than a 3090", "2026-11-21", 1, 2, 3, 4, 5,
               true, false}};
  s->spend = {{kAlice, kVision, kA100, Period::kDay, At(-3'600), Money::Micros(70), 5},
              {kAlice, {}, kA100, Period::kNone, {}, Money::Micros(70), 6}};
  s->usage = {{kAlice, (Int128{1} << 100) + 12345, kVision}};
}

static MonthRow SampleMonth() {
  return {.start_at = At(-2'000'000),
          .end_at = At(-90'000),
          .closed_at = At(-5),
          .forced = true,
          .by = kAlice,
          .settled_at = At(90),
          .spread = Spread::kContribution,
          .settled_by = kBob};
}

static PositionRow SamplePosition() {
  return {.month = At(-2'000'000),
          .member = kAlice,
          .paid = Money::Micros(20),
          .settled = Money::Micros(-5),
          .spent = Money::Micros(4),
          .overhead = Money::Micros(3),
          .lapsed = Money::Micros(2),
          .carried = Money::Micros(1),
          .position = Money::Micros(5)};
}

static PaymentRow SamplePayment() {
  return {.id = PaymentId(50),
          .month = At(-2'000'000),
          .from = kBob,
          .to = kAlice,
          .amount = Money::Micros(70'000),
          .state = PaymentState::kPaid,
          .proposed_at = At(90),
          .paid_at = At(95),
          .ref = "银行 4711",
          .transfer = TransferId(1)};
}

Snapshot SampleSnapshot() {
  Snapshot s;
  AddLab(&s);
  s.jobs = {SampleJob(7)};
  TaskRow running = SampleTask(7);
  running.id.index = 2;
  running.state = TaskState::kRunning;
  running.ended_at = {};
  s.tasks = {SampleTask(7), running};
  AttemptRow live = SampleAttempt(7, 1);
  live.id.index = 2;
  live.state = AttemptState::kRunning;
  live.ended_at = {};
  live.end_reason = EndReason::kNone;
  live.forgotten = false;
  live.uploaded_at = {};
  s.attempts = {SampleAttempt(7, 1), live};
  AddLedger(&s);
  s.months = {SampleMonth()};
  s.payments = {SamplePayment()};
  s.invoices = {SampleInvoice()};
  s.invoice_lines = {SampleInvoiceLines()[0]};
  s.covered = {SampleCovered()};
  s.requests = {{kAlice, "key", "body", At(5), true, 7, 1}};
  s.settlements = {
      {{JobId(7), 1, 1}, At(60), Money{}, Money::Micros(8), 49'000, "hash", Payer::kCheckpoint}};
  return s;
}

FileSetRow SampleFileSet() {
  return {{JobId(7), 1, 1}, FileKind::kCheckpoint, 12, std::string(64, 'e'), 3, 4'096, At(50)};
}

Changes SampleChanges() {
  Snapshot s = SampleSnapshot();
  Changes c;
  c.lab = {s.lab};
  c.members = s.members;
  c.projects = s.projects;
  c.tiers = s.tiers;
  c.nodes = s.nodes;
  c.hardware = s.hardware;
  c.hardware_checks = {
      {kBox, "7.2", At(1), HardwareVerdict::kMismatch, "wrong", "join", 0, "$ nvidia-smi\n王芳"}};
  c.jobs = s.jobs;
  c.job_texts = {{JobId(7), "名字", "comment", "/work", "out-%j"}};
  c.tasks = s.tasks;
  c.attempts = s.attempts;
  c.file_sets = {SampleFileSet()};
  c.holds = s.holds;
  c.hold_lines = s.hold_lines;
  c.limits = s.limits;
  c.thresholds = s.thresholds;
  c.payers = s.payers;
  c.cards = s.cards;
  c.spend = s.spend;
  c.usage = s.usage;
  c.tokens = {{std::string(64, 'b'), kAlice, At(1), false},
              {std::string(64, 'c'), kAlice, At(2), true}};
  c.accounts = s.accounts;
  c.new_lots = {SampleLot(), SamplePortionLot()};
  c.packages = s.packages;
  c.portions = s.portions;
  c.lot_moves = {{kLot, Money::Whole(100), {}, {}, false},
                 {kLot, {}, Money::Micros(70), Money::Micros(930), true}};
  c.rates = s.rates;
  c.billing = s.billing;
  c.rentals = s.rentals;
  c.periods = s.periods;
  c.payloads = {SamplePayload()};
  c.settlements = s.settlements;
  c.transfers = {SampleTransfer(1)};
  c.months = s.months;
  c.positions = {SamplePosition(), SamplePosition()};
  c.positions[1].member = kBob;
  c.positions[1].paid = Money::Micros(10);
  c.positions[1].position = Money::Micros(-5);
  c.payments = s.payments;
  c.invoices = s.invoices;
  c.invoice_lines = SampleInvoiceLines();
  c.requests = s.requests;
  c.events = {{At(1), "job", "7", "submitted", "detail", kAlice},
              {At(2), "node", "box-1", "x", "", {}}};
  return c;
}

}  // namespace pinka::testing
