// The small pieces every page is made of.
import type { ComponentChildren } from "preact";
import { monthOf } from "../format";
import type { Live } from "../live";
import { useWords } from "../words";

export function Panel(props: { title?: string; side?: ComponentChildren; children: ComponentChildren }) {
  return (
    <section class="panel">
      {(props.title || props.side) && (
        <header>
          {props.title && <h2>{props.title}</h2>}
          {props.side}
        </header>
      )}
      {props.children}
    </section>
  );
}

/** What is asked for, or that it is being asked for, or why it is not there. */
export function Wait<T>(props: { live: Live<T>; children: (value: T) => ComponentChildren }) {
  const words = useWords();
  const { value, problem } = props.live;
  return (
    <>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {value !== undefined ? props.children(value) : !problem && <p class="quiet">{words.loading}</p>}
    </>
  );
}

const MOOD: Record<string, string> = {
  RUNNING: "good", COMPLETED: "good", READY: "good", STARTING: "good",
  FAILED: "bad", OUT_OF_MEMORY: "bad", NODE_FAIL: "bad", TIMEOUT: "bad", BUDGET: "bad", DEADLINE: "bad",
  QUARANTINED: "bad", LOST: "bad", UNKNOWN: "warn", UNREACHABLE: "warn", STOPPING: "warn", HELD: "warn",
  DRAINING: "warn", DRAINED: "warn",
};
export const State = (props: { name: string }) => (
  <span class={`state ${MOOD[props.name] ?? ""}`}>{props.name}</span>
);

export function Bar(props: { value: number; of: number; label: string }) {
  const part = props.of > 0 ? Math.min(1, Math.max(0, props.value / props.of)) : 0;
  return (
    <svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label={props.label}>
      <rect class="bar-rest" width="100" height="8" rx="2" />
      <rect class="bar-part" width={part * 100} height="8" rx="2" />
    </svg>
  );
}

/** Several parts of one whole, side by side. */
export function Stack(props: { parts: { value: number; kind: string }[]; label: string }) {
  const total = props.parts.reduce((sum, part) => sum + Math.max(0, part.value), 0);
  let at = 0;
  return (
    <svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label={props.label}>
      <rect class="bar-rest" width="100" height="8" rx="2" />
      {total > 0 &&
        props.parts.map((part) => {
          const width = (Math.max(0, part.value) / total) * 100;
          const x = at;
          at += width;
          return <rect key={part.kind} class={`part-${part.kind}`} x={x} width={width} height="8" />;
        })}
    </svg>
  );
}

export interface Column<Row> {
  head: string;
  cell: (row: Row) => ComponentChildren;
  number?: boolean;
  wide?: boolean; // hidden on a phone
}
export function Table<Row>(props: {
  caption: string;
  columns: Column<Row>[];
  rows: Row[];
  id: (row: Row) => string;
  foot?: ComponentChildren[];
  empty?: string;
}) {
  if (props.rows.length === 0 && props.empty) return <p class="quiet">{props.empty}</p>;
  const style = (column: Column<Row>) => `${column.number ? "number" : ""} ${column.wide ? "wide" : ""}`;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={props.caption}>
      <table>
        <caption class="unseen">{props.caption}</caption>
        <thead>
          <tr>
            {props.columns.map((column) => (
              <th key={column.head} scope="col" class={style(column)}>
                {column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row) => (
            <tr key={props.id(row)}>
              {props.columns.map((column) => (
                <td key={column.head} class={style(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        {props.foot && (
          <tfoot>
            <tr>
              {props.foot.map((cell, n) => (
                <td key={n} class={props.columns[n] ? style(props.columns[n]) : ""}>
                  {cell}
                </td>
              ))}
            </tr>
          </tfoot>
        )}
      </table>
    </div>
  );
}

/** One of the last thirteen months of the lab's clock. */
export function MonthSelect(props: { value: string; change: (value: string) => void }) {
  const words = useWords();
  const now = new Date();
  const months = Array.from({ length: 13 }, (_, back) => monthOf(now, back));
  return <Select label={words.month} value={props.value} options={months.map((m) => [m, m])} change={props.change} />;
}

export function Select(props: {
  label: string;
  value: string;
  options: [value: string, text: string][];
  change: (value: string) => void;
}) {
  return (
    <label class="field">
      <span>{props.label}</span>
      <select value={props.value} onChange={(e) => props.change(e.currentTarget.value)}>
        {props.options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
