// A job by form: the price before, and what would refuse it, exactly as `pinka quote` says.
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { JobSpecSchema, type QuoteResponse } from "../../gen/pinka/v1/job_pb";
import { jobs, requestId, sentence } from "../api";
import { money } from "../format";
import { pulse, usePulse } from "../live";
import { Panel, Select, Table } from "../parts/basics";
import { fill, useWords } from "../words";

/** Words as a shell would see them: quotes and backslashes, nothing else has a meaning. */
export function splitCommand(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (let n = 0; n < line.length; n++) {
    const c = line[n];
    if (c === "'" || c === '"') {
      word ??= "";
      for (n++; n < line.length && line[n] !== c; n++) {
        if (c === '"' && line[n] === "\\" && '"\\$`'.includes(line[n + 1] ?? "-")) n++;
        word += line[n];
      }
    } else if (c === "\\" && n + 1 < line.length) word = (word ?? "") + line[++n];
    else if (/\s/.test(c)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + c;
  }
  if (word !== undefined) words.push(word);
  return words;
}

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };
/** "90m", "1h30m", "2d" in milliseconds; 0 for what is no duration. */
export function parseDuration(text: string): number {
  if (!/^(\d+[smhd])+$/.test(text)) return 0;
  let seconds = 0;
  for (const [, n, unit] of text.matchAll(/(\d+)([smhd])/g)) seconds += Number(n) * UNITS[unit];
  return seconds * 1000;
}

interface Form {
  tier: string;
  command: string;
  name: string;
  time: string;
  gpus: string;
  array: string;
  source: string;
  chdir: string;
  maxCost: string;
}
function specOf(form: Form): MessageInitShape<typeof JobSpecSchema> {
  const bytes = new TextEncoder();
  return {
    argv: splitCommand(form.command).map((word) => bytes.encode(word)),
    tiers: form.tier ? [form.tier] : [],
    name: form.name,
    timeLimitMs: BigInt(parseDuration(form.time)),
    gpus: Number(form.gpus) || 0,
    array: form.array,
    source: form.source,
    chdir: form.chdir,
    maxCost: form.maxCost,
  };
}

export function Submit() {
  const words = useWords();
  const tiers = usePulse().status?.tiers ?? [];
  const [form, setForm] = useState<Form>({
    tier: "", command: "", name: "", time: "1h", gpus: "", array: "", source: "", chdir: "", maxCost: "",
  });
  const [quote, setQuote] = useState<QuoteResponse>();
  const [problem, setProblem] = useState<string>();
  const [job, setJob] = useState<bigint>();
  // One form filled in once is one job, however often the button is pressed.
  const [request, setRequest] = useState(requestId);

  const set = (name: keyof Form) => (value: string) => {
    setForm({ ...form, [name]: value });
    setQuote(undefined);
    setJob(undefined);
    setRequest(requestId());
  };
  const fail = (error: unknown) => setProblem(sentence(error));
  const priced = (answer: QuoteResponse) => {
    setQuote(answer);
    setProblem(undefined);
  };
  const price = () => void jobs.quote({ spec: create(JobSpecSchema, specOf(form)) }).then(priced, fail);
  const submit = (event: Event) => {
    event.preventDefault();
    void jobs.submitJobs({ requestId: request, specs: [create(JobSpecSchema, specOf(form))] }).then((answer) => {
      setJob(answer.jobs[0]?.jobId);
      setProblem(answer.jobs[0]?.warnings.join(" ") || undefined);
      pulse.touch();
    }, fail);
  };
  const input = (name: keyof Form, label: string, hint?: string, more?: Record<string, unknown>) => (
    <label class="field">
      <span>{label}</span>
      <input
        name={name}
        value={form[name]}
        placeholder={hint}
        onInput={(e) => set(name)(e.currentTarget.value)}
        {...more}
      />
    </label>
  );
  return (
    <>
      <h1>{words.submit}</h1>
      <Panel>
        <form class="grid" onSubmit={submit}>
          <Select
            label={words.tier}
            value={form.tier}
            options={[["", words.default], ...tiers.map((t): [string, string] => [t.tier, `${t.tier} · ${t.purpose}`])]}
            change={set("tier")}
          />
          {input("time", words.time, "1h30m", { required: true, pattern: "([0-9]+[smhd])+" })}
          <div class="whole">{input("command", words.command, words.commandHint, { required: true })}</div>
          {input("name", words.name)}
          {input("chdir", words.directory, words.directoryHint)}
          {input("gpus", words.gpus, words.gpusHint, { inputMode: "numeric", pattern: "[0-9]*" })}
          {input("array", words.array, words.arrayHint)}
          <Select
            label={words.source}
            value={form.source}
            options={[["", words.any], ...["owned", "package", "spot", "on_demand", "trial"].map((s): [string, string] => [s, s])]}
            change={set("source")}
          />
          {input("maxCost", words.maxCost, words.maxCostHint, { inputMode: "decimal" })}
          <p class="whole line">
            <button type="button" class="plain" onClick={price} disabled={!form.command}>
              {words.quote}
            </button>
            <button type="submit">{words.submitIt}</button>
          </p>
        </form>
        {problem && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        {job !== undefined && (
          <p class="good" role="status">
            <Link href={`/jobs/${job}`}>{fill(words.submittedAs, String(job))}</Link>
          </p>
        )}
        {quote?.refusal && <p class="problem">{fill(words.wouldRefuse, quote.refusal)}</p>}
        {quote && (
          <Table
            caption={words.quote}
            rows={quote.quotes}
            id={(q) => `${q.tier}/${q.source}`}
            columns={[
              { head: words.tier, cell: (q) => q.tier },
              { head: words.source, cell: (q) => q.source },
              { head: words.units, cell: (q) => q.units, number: true },
              { head: words.price, cell: (q) => money(q.rate || "0", q.currency), number: true },
              { head: words.atMost, cell: (q) => <b>{money(q.atMost || "0", q.currency)}</b>, number: true },
              { head: words.likely, cell: (q) => <span title={q.likelyFrom}>{money(q.likely || "0", q.currency)}</span>, number: true },
              { head: words.minBlock, cell: (q) => money(q.minBlock || "0", q.currency), number: true, wide: true },
            ]}
          />
        )}
      </Panel>
    </>
  );
}
