// Who spent what: the same rows as `pinka usage`, as a table and drawn.
import { useEffect, useMemo, useState } from "preact/hooks";
import type { GetUsageResponse, UsageRow } from "../../gen/pinka/v1/report_pb";
import { reports } from "../api";
import { approximate, hours, micros, money, monthOf } from "../format";
import { useLive } from "../live";
import { useMe } from "../me";
import { Bar, MonthSelect, Panel, Select, Stack, Table, Wait } from "../parts/basics";
import { Chart, type Series } from "../parts/chart";
import { Link } from "wouter-preact";
import { useWords } from "../words";
import type { Words } from "../words/en";

const DIMENSIONS = ["member", "project", "tier", "source", "node", "day", "month", "job"] as const;
const COLORS = ["--c1", "--c2", "--c3", "--c4", "--c5", "--c6", "--c7"];
const DRAWN = 6; // members with a colour of their own; the rest are one

/** A cell of a spreadsheet: never a formula, whatever somebody called a job. */
export function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
export function usageCsv(usage: GetUsageResponse): string {
  const head = [usage.by, "gpu_hours", "amount", "jobs", "attempts", "wasted", "currency"];
  const line = (key: string, row: UsageRow) =>
    [key, row.gpuHours, row.amount, String(row.jobs), String(row.attempts), row.wasted, usage.currency];
  const rows = usage.rows.map((row) => line(row.key, row));
  if (usage.total) rows.push(line("total", usage.total));
  return "\ufeff" + [head, ...rows].map((cells) => cells.map(csvCell).join(",") + "\r\n").join("");
}
function save(name: string, text: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

export function Spending() {
  const words = useWords();
  const [by, setBy] = useState<string>("member");
  const [month, setMonth] = useState(() => monthOf(new Date()));
  const live = useLive(() => reports.getUsage({ by, month }), [by, month]);
  const names: Record<string, string> = { ...words } as never;
  return (
    <>
      <h1>{words.spending}</h1>
      <form class="line" onSubmit={(e) => e.preventDefault()}>
        <MonthSelect value={month} change={setMonth} />
        <Select label={words.by} value={by} options={DIMENSIONS.map((d) => [d, names[d]])} change={setBy} />
      </form>
      <Panel
        title={`${words.spending} · ${month}`}
        side={
          <button
            type="button"
            class="plain"
            disabled={!live.value}
            onClick={() => live.value && save(`pinka-${month}-${by}.csv`, usageCsv(live.value))}
          >
            {words.csv}
          </button>
        }
      >
        <Wait live={live}>{(usage) => <Rows usage={usage} by={by} words={words} />}</Wait>
        <p class="quiet">{words.wastedHint}</p>
      </Panel>
      <PerDay month={month} />
      <Pool month={month} />
    </>
  );
}

function Rows(props: { usage: GetUsageResponse; by: string; words: Words }) {
  const { usage, words } = props;
  const most = Math.max(...usage.rows.map((row) => approximate(row.amount)), 0);
  const rows = [...usage.rows];
  if (props.by !== "day" && props.by !== "month")
    rows.sort((a, b) => (micros(b.amount) > micros(a.amount) ? 1 : micros(b.amount) < micros(a.amount) ? -1 : 0));
  const total = usage.total;
  return (
    <Table<UsageRow>
      caption={words.spending}
      rows={rows}
      id={(row) => row.key}
      empty={words.nothingSpent}
      columns={[
        {
          head: (words as unknown as Record<string, string>)[props.by],
          cell: (row) =>
            props.by === "job" && /^\d+$/.test(row.key) ? <Link href={`/jobs/${row.key}`}>{row.key}</Link> : row.key === "lab" && props.by === "member" ? words.labsRow : row.key,
        },
        {
          head: words.amount,
          cell: (row) => (
            <span class="with-bar">
              <span data-amount={row.amount}>{money(row.amount, usage.currency)}</span>
              <Bar value={approximate(row.amount)} of={most} label={row.share} />
            </span>
          ),
          number: true,
        },
        { head: words.gpuHours, cell: (row) => hours(row.gpuHours), number: true },
        { head: words.jobCount, cell: (row) => row.jobs, number: true },
        { head: words.attempts, cell: (row) => row.attempts, number: true, wide: true },
        { head: words.wasted, cell: (row) => money(row.wasted, usage.currency), number: true },
      ]}
      foot={
        total && [
          words.total,
          <span data-total={total.amount} data-by={usage.by}>{money(total.amount, usage.currency)}</span>,
          hours(total.gpuHours),
          total.jobs,
          total.attempts,
          money(total.wasted, usage.currency),
        ]
      }
    />
  );
}

/** Every member's days, stacked: each line is drawn on top of those before it. */
function PerDay(props: { month: string }) {
  const words = useWords();
  const { currency } = useMe();
  const members = useLive(() => reports.getUsage({ by: "member", month: props.month }), [props.month]);
  const [parts, setParts] = useState<{ name: string; rows: UsageRow[] }[]>();
  useEffect(() => {
    if (!members.value) return;
    let wanted = true;
    const names = [...members.value.rows]
      .filter((row) => row.key !== "lab" && micros(row.amount) > 0n)
      .sort((a, b) => approximate(b.amount) - approximate(a.amount))
      .slice(0, DRAWN)
      .map((row) => row.key);
    const asked = names.map((name) => reports.getUsage({ by: "day", month: props.month, user: name }));
    void Promise.all([reports.getUsage({ by: "day", month: props.month }), ...asked]).then(
      ([all, ...each]) => {
        if (wanted)
          setParts([...each.map((answer, n) => ({ name: names[n], rows: answer.rows })), { name: "", rows: all.rows }]);
      },
      () => setParts(undefined),
    );
    return () => {
      wanted = false;
    };
  }, [members.value, props.month]);
  const drawn = useMemo(() => parts && stacked(parts, props.month, words.other), [parts, props.month, words]);
  if (!drawn || drawn.series.length === 0) return null;
  return (
    <Panel title={words.perDay}>
      <Chart days={drawn.days} series={drawn.series} unit={money("0", currency).slice(0, 1)} label={words.perDay} />
    </Panel>
  );
}

/** The last part is of all: what the named ones do not make up is `rest`. Drawn highest first. */
export function stacked(parts: { name: string; rows: UsageRow[] }[], month: string, rest: string) {
  const [year, mon] = month.split("-").map(Number);
  const length = new Date(Date.UTC(year, mon, 0)).getUTCDate();
  const keys = Array.from({ length }, (_, d) => `${month}-${String(d + 1).padStart(2, "0")}`);
  const days = keys.map((key) => Date.parse(`${key}T00:00:00Z`) / 1000);
  const values = parts.map((part) => {
    const of = new Map(part.rows.map((row) => [row.key, approximate(row.amount)]));
    return keys.map((key) => of.get(key) ?? 0);
  });
  const heights: number[][] = [];
  for (let n = 0; n + 1 < parts.length; n++)
    heights.push(values[n].map((v, d) => v + (heights[n - 1]?.[d] ?? 0)));
  const all = values[values.length - 1];
  const series: Series[] = heights.map((height, n) => ({
    label: parts[n].name,
    values: height,
    kind: "bars",
    color: COLORS[n],
  }));
  if (all.some((v, d) => v - (heights.at(-1)?.[d] ?? 0) > 0.005))
    series.push({ label: rest, values: all, kind: "bars", color: COLORS[6] });
  series.reverse();
  return { days, series: series.filter((s) => s.values.some((v) => (v ?? 0) > 0)) };
}

function Pool(props: { month: string }) {
  const words = useWords();
  const live = useLive(() => reports.getPool({ month: props.month }), [props.month]);
  return (
    <Panel title={words.pool}>
      <Wait live={live}>
        {(pool) => (
          <Table
            caption={words.pool}
            rows={pool.rows}
            id={(row) => row.tier}
            empty={words.nothingSpent}
            columns={[
              { head: words.tier, cell: (row) => row.tier || "–" },
              { head: words.paid, cell: (row) => money(row.paid, pool.currency), number: true },
              { head: words.used, cell: (row) => money(row.used, pool.currency), number: true },
              { head: words.wasted, cell: (row) => money(row.wasted, pool.currency), number: true, wide: true },
              { head: words.idle, cell: (row) => money(row.idle, pool.currency), number: true, wide: true },
              { head: words.other, cell: (row) => money(row.other, pool.currency), number: true, wide: true },
              {
                head: `${words.used} · ${words.wasted} · ${words.idle} · ${words.other}`,
                cell: (row) => (
                  <Stack
                    label={`${row.usedPercent} ${row.wastedPercent} ${row.idlePercent} ${row.otherPercent}`}
                    parts={[
                      { kind: "used", value: approximate(row.used) },
                      { kind: "wasted", value: approximate(row.wasted) },
                      { kind: "idle", value: approximate(row.idle) },
                      { kind: "other", value: approximate(row.other) },
                    ]}
                  />
                ),
              },
            ]}
          />
        )}
      </Wait>
    </Panel>
  );
}
