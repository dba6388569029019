// The queue, and with `ended too` all that ran. Pages by a cursor of ids: rows that come meanwhile
// neither double nor hide others.
import { useEffect, useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { type Job, TaskState_Value } from "../../gen/pinka/v1/job_pb";
import { jobs, sentence } from "../api";
import { money, time } from "../format";
import { useLive, usePulse } from "../live";
import { useMe } from "../me";
import { Panel, Select, State, Table } from "../parts/basics";
import { useWords } from "../words";

const PAGE = 200;

export function Jobs() {
  const words = useWords();
  const { currency } = useMe();
  const tiers = usePulse().status?.tiers ?? [];
  const [mine, setMine] = useState(false);
  const [all, setAll] = useState(false);
  const [tier, setTier] = useState("");
  const [search, setSearch] = useState("");
  const [extra, setExtra] = useState<Job[]>([]);
  const [next, setNext] = useState(0n);
  const [problem, setProblem] = useState<string>();
  const live = useLive(() => jobs.listJobs({ all, mine, tier, pageSize: PAGE }), [all, mine, tier]);
  useEffect(() => {
    setExtra([]);
    setNext(0n);
  }, [all, mine, tier]);

  const cursor = extra.length > 0 ? next : (live.value?.nextAfterJobId ?? 0n);
  const more = () =>
    jobs.listJobs({ all, mine, tier, pageSize: PAGE, afterJobId: cursor }).then(
      (answer) => {
        setExtra([...extra, ...answer.jobs]);
        setNext(answer.nextAfterJobId);
      },
      (error: unknown) => setProblem(sentence(error)),
    );
  const wanted = search.trim().toLowerCase();
  const rows = [...(live.value?.jobs ?? []), ...extra].filter(
    (job) => !wanted || `${job.id} ${job.name} ${job.user}`.toLowerCase().includes(wanted),
  );
  return (
    <>
      <h1>{words.jobs}</h1>
      <form class="line" onSubmit={(e) => e.preventDefault()}>
        <label class="field">
          <span>{words.search}</span>
          <input type="search" value={search} onInput={(e) => setSearch(e.currentTarget.value)} />
        </label>
        <Select
          label={words.tier}
          value={tier}
          options={[["", words.allTiers], ...tiers.map((t): [string, string] => [t.tier, t.tier])]}
          change={setTier}
        />
        <label class="check">
          <input type="checkbox" checked={mine} onChange={(e) => setMine(e.currentTarget.checked)} /> {words.mine}
        </label>
        <label class="check">
          <input type="checkbox" checked={all} onChange={(e) => setAll(e.currentTarget.checked)} /> {words.ended}
        </label>
      </form>
      {(problem ?? live.problem) && (
        <p class="problem" role="alert">
          {problem ?? live.problem}
        </p>
      )}
      <Panel>
        {!live.value && !live.problem && <p class="quiet">{words.loading}</p>}
        {live.value && (
          <Table<Job>
            caption={words.jobs}
            rows={rows}
            id={(job) => String(job.id)}
            empty={words.noJobs}
            columns={[
              { head: "ID", cell: (job) => <Link href={`/jobs/${job.id}`}>{String(job.id)}</Link>, number: true },
              { head: words.name, cell: (job) => <span class="clip">{job.name}</span> },
              { head: words.user, cell: (job) => job.user },
              { head: words.tier, cell: (job) => job.tier, wide: true },
              { head: words.state, cell: (job) => <State name={TaskState_Value[job.state]} /> },
              { head: words.tasks, cell: (job) => (job.taskCount > 1 ? job.taskCount : ""), number: true, wide: true },
              { head: words.position, cell: (job) => job.position || "", number: true },
              { head: words.reason, cell: (job) => <span title={job.reasonText}>{job.reason}</span>, wide: true },
              { head: words.expected, cell: (job) => time(job.expectedStartAt), wide: true },
              { head: words.charged, cell: (job) => money(job.charged || "0", currency), number: true, wide: true },
            ]}
          />
        )}
        {cursor > 0n && (
          <button type="button" class="plain" onClick={() => void more()}>
            {words.more}
          </button>
        )}
      </Panel>
    </>
  );
}
