// The lab at a glance: free and busy by tier, the month's budget and when it runs out.
import { useMemo } from "preact/hooks";
import type { Limit } from "../../gen/pinka/v1/ledger_pb";
import type { TierStatus, UsageRow } from "../../gen/pinka/v1/report_pb";
import { ledger, reports, standing } from "../api";
import { approximate, dayOf, micros, money, monthOf } from "../format";
import { useLive, usePulse } from "../live";
import { useMe } from "../me";
import { Bar, Panel, Table, Wait } from "../parts/basics";
import { Chart, type Series } from "../parts/chart";
import { fill, useWords } from "../words";

function Tiers() {
  const words = useWords();
  const { currency } = useMe();
  const tiers = usePulse().status?.tiers ?? [];
  return (
    <Panel title={words.tiers}>
      <Table<TierStatus>
        caption={words.tiers}
        rows={tiers}
        id={(t) => t.tier}
        columns={[
          {
            head: words.tier,
            cell: (t) => (
              <>
                <b>{t.tier}</b> {t.simulated && <span class="tag">{words.simulated}</span>}
              </>
            ),
          },
          { head: words.purpose, cell: (t) => t.purpose, wide: true },
          {
            head: words.free,
            cell: (t) => (
              <span class="with-bar">
                {t.free}/{t.units}
                <Bar value={t.units - t.free} of={t.units} label={`${t.units - t.free} / ${t.units}`} />
              </span>
            ),
            number: true,
          },
          { head: words.running, cell: (t) => t.running, number: true },
          { head: words.waiting, cell: (t) => t.pending, number: true },
          {
            head: words.price,
            cell: (t) => t.rates.map((r) => `${r.source} ${money(r.rate, currency)}`).join(" · "),
            wide: true,
          },
        ]}
      />
    </Panel>
  );
}

const DAY = 86_400_000;

/** The lab's own limit of money a month: the one for all, else what each member may spend. */
export function monthlyLimit(limits: Limit[]): Limit | undefined {
  const money = limits.filter((l) => l.resource === "money" && l.period === "month" && l.amount !== "unlimited");
  return money.find((l) => l.of === "all" && l.scope === "lab") ?? money[0];
}

export interface BurnDown {
  days: number[]; // seconds, of each day's start
  spent: (number | null)[]; // up to its end; nothing yet: null
  soFar: number;
  pace: number; // a day, of the last seven
}
export function burnDown(rows: UsageRow[], month: string, today: string): BurnDown {
  const [year, mon] = month.split("-").map(Number);
  const length = new Date(Date.UTC(year, mon, 0)).getUTCDate();
  const of = new Map(rows.map((row) => [row.key, approximate(row.amount)]));
  const days: number[] = [];
  const spent: (number | null)[] = [];
  let sum = 0;
  let recent = 0;
  const now = Date.parse(`${today}T00:00:00Z`);
  for (let day = 1; day <= length; day++) {
    const key = `${month}-${String(day).padStart(2, "0")}`;
    const at = Date.parse(`${key}T00:00:00Z`);
    const one = of.get(key) ?? 0;
    sum += one;
    if (at > now - 7 * DAY && at <= now) recent += one;
    days.push(at / 1000);
    spent.push(at <= now ? sum : null);
  }
  const elapsed = Math.min(7, Math.max(1, Math.round((now - days[0] * 1000) / DAY) + 1));
  return { days, spent, soFar: sum, pace: recent / elapsed };
}

function Outlook(props: { burn: BurnDown; month: string; today: string; limit: Limit | undefined }) {
  const words = useWords();
  const { currency } = useMe();
  const { burn, limit } = props;
  if (burn.pace <= 0) return <p class="quiet">{words.paceless}</p>;
  const rest = burn.days.length - Number(props.today.slice(8));
  const end = burn.soFar + burn.pace * rest;
  const most = limit ? approximate(limit.amount) : Infinity;
  const left = (most - burn.soFar) / burn.pace;
  const out = new Date(Date.parse(`${props.today}T00:00:00Z`) + Math.max(0, Math.ceil(left)) * DAY);
  return (
    <p>
      {fill(words.forecast, money(end.toFixed(6), currency))}{" "}
      {limit && (end > most ? fill(words.runsOut, out.toISOString().slice(0, 10)) : words.lasts)}
    </p>
  );
}

function Budget() {
  const words = useWords();
  const { currency, admin } = useMe();
  const now = new Date();
  const [month, today] = [monthOf(now), dayOf(now)];
  const live = useLive(
    () =>
      Promise.all([
        reports.getUsage({ by: "day", month }),
        ledger.listLimits({ everybody: admin }),
        ledger.getBalance({}),
      ]),
    [month, admin],
  );
  return (
    <Panel title={words.budget}>
      <Wait live={live}>
        {([usage, limits, balance]) => {
          const limit = monthlyLimit(limits.limits);
          return (
            <>
              <p class="big">
                {money(usage.total?.amount ?? "0", currency)}{" "}
                {limit && (
                  <span class="quiet">
                    {fill(words.ofBudget, money(limit.amount, currency))} ({limit.scope}, {limit.of})
                  </span>
                )}
              </p>
              {limit && (
                <Bar
                  value={Number(micros(limit.used))}
                  of={Number(micros(limit.amount))}
                  label={`${limit.percent} %`}
                />
              )}
              <BurnChart rows={usage.rows} month={month} today={today} limit={limit} />
              {!limit && <p class="quiet">{words.noBudget}</p>}
              {balance.reach && (
                <p class="quiet">
                  {fill(words.balance, money(balance.reach.available, currency), balance.reach.tightest)}
                </p>
              )}
            </>
          );
        }}
      </Wait>
    </Panel>
  );
}

function BurnChart(props: { rows: UsageRow[]; month: string; today: string; limit: Limit | undefined }) {
  const words = useWords();
  const { currency } = useMe();
  const burn = useMemo(() => burnDown(props.rows, props.month, props.today), [props.rows, props.month, props.today]);
  const series = useMemo<Series[]>(() => {
    const lines: Series[] = [{ label: words.spentAxis, values: burn.spent, kind: "line", color: "--accent" }];
    if (props.limit) {
      const most = approximate(props.limit.amount);
      const n = burn.days.length;
      lines.push({ label: words.evenPace, values: burn.days.map((_, d) => (most * (d + 1)) / n), kind: "dashes", color: "--quiet" });
      lines.push({ label: words.budgetAxis, values: burn.days.map(() => most), kind: "dashes", color: "--bad" });
    }
    return lines;
  }, [burn, props.limit?.amount, words]);
  return (
    <>
      <Chart days={burn.days} series={series} unit={money("0", currency).slice(0, 1)} label={words.budget} />
      <Outlook burn={burn} month={props.month} today={props.today} limit={props.limit} />
    </>
  );
}

function Shares() {
  const words = useWords();
  const live = useLive(() => standing.listShares({}), []);
  return (
    <Panel title={words.shares}>
      <Wait live={live}>
        {(answer) => (
          <Table
            caption={words.shares}
            rows={answer.lines}
            id={(l) => `${l.project}/${l.user}`}
            columns={[
              { head: words.member, cell: (l) => (l.user ? l.user : <b>{l.project}</b>) },
              { head: words.share, cell: (l) => percent(l.normalizedShare), number: true },
              {
                head: words.use,
                cell: (l) => (
                  <span class="with-bar">
                    {percent(l.normalizedUse)}
                    <Bar value={approximate(l.normalizedUse)} of={1} label={percent(l.normalizedUse)} />
                  </span>
                ),
                number: true,
              },
              { head: words.gpuHours, cell: (l) => approximate(l.gpuHours).toFixed(2), number: true },
            ]}
          />
        )}
      </Wait>
    </Panel>
  );
}
const percent = (part: string) => `${(approximate(part) * 100).toFixed(1)} %`;

export function Overview() {
  const words = useWords();
  return (
    <>
      <h1>{words.overview}</h1>
      <Tiers />
      <div class="columns">
        <Budget />
        <Shares />
      </div>
    </>
  );
}
