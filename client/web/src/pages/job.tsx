// One job: what it is, why it waits, what ran, what it cost, and what it prints.
import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import {
  type Attempt, AttemptState_Value, ChangeJobsRequest_Verb as Verb, type Job as JobMessage, type Task, TaskState_Value,
} from "../../gen/pinka/v1/job_pb";
import { jobs, readLog, requestId, sentence } from "../api";
import { duration, millis, money, time } from "../format";
import { pulse, useLive } from "../live";
import { useMe } from "../me";
import { Panel, Select, State, Table, Wait } from "../parts/basics";
import { TerminalText } from "../parts/terminal";
import { fill, useWords } from "../words";

const S = TaskState_Value;
const waits = (state: TaskState_Value) => state === S.PENDING || state === S.HELD;
export const terminal = (state: TaskState_Value) => state >= S.COMPLETED;

/** Only what was reported: no exit code is not "still running". */
export function exitOf(task: Task, words: { unknownExit: string; signal: string }): string {
  if (!terminal(task.state)) return "";
  if (task.signal) return `${words.signal} ${task.signal}`;
  return task.exitCode === undefined ? words.unknownExit : String(task.exitCode);
}

function Verbs(props: { job: JobMessage; done: () => void }) {
  const words = useWords();
  const [, go] = useLocation();
  const [problem, setProblem] = useState<string>();
  const { job } = props;
  const change = (verb: Verb) =>
    jobs.changeJobs({ requestId: requestId(), slices: [String(job.id)], verb }).then(
      (answer) => {
        setProblem(answer.results.map((r) => r.note || r.errorReason).join(" ") || undefined);
        pulse.touch();
        props.done();
      },
      (error: unknown) => setProblem(sentence(error)),
    );
  const resubmit = () =>
    jobs.resubmitJob({ requestId: requestId(), jobId: job.id }).then(
      (answer) => go(`/jobs/${answer.jobs[0]?.jobId ?? job.id}`),
      (error: unknown) => setProblem(sentence(error)),
    );
  const button = (text: string, act: () => unknown) => (
    <button type="button" class="plain" onClick={() => void act()}>
      {text}
    </button>
  );
  return (
    <>
      <p class="line">
        {job.state === S.PENDING && button(words.hold, () => change(Verb.HOLD))}
        {job.state === S.HELD && button(words.release, () => change(Verb.RELEASE))}
        {job.state === S.RUNNING && button(words.requeue, () => change(Verb.REQUEUE))}
        {!terminal(job.state) &&
          button(words.cancel, () => window.confirm(fill(words.cancelSure, String(job.id))) && change(Verb.CANCEL))}
        {terminal(job.state) && button(words.resubmit, resubmit)}
      </p>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}

function Why(props: { id: bigint }) {
  const words = useWords();
  const live = useLive(() => jobs.explainJob({ jobId: props.id }), [props.id]);
  return (
    <Panel title={words.why}>
      <Wait live={live}>
        {(why) => (
          <>
            <p class="lines">{why.text}</p>
            {why.aheadOfIt.length > 0 && (
              <ul>
                {why.aheadOfIt.map((line, n) => (
                  <li key={n}>{line}</li>
                ))}
              </ul>
            )}
            {why.expectedStartAt && (
              <p>
                {words.expected}: {time(why.expectedStartAt)} – {time(why.expectedStartBy)}
              </p>
            )}
            <p class="quiet lines">{[why.assumption, why.wouldChange].filter(Boolean).join("\n")}</p>
          </>
        )}
      </Wait>
    </Panel>
  );
}

function Attempts(props: { job: JobMessage }) {
  const words = useWords();
  const { currency } = useMe();
  const rows = props.job.tasks.flatMap((task) => task.attempts.map((attempt) => ({ task, attempt })));
  const ran = (a: Attempt) => {
    if (a.state === AttemptState_Value.RUNNING && a.startedAt)
      return fill(words.runningFor, duration(Date.now() - (millis(a.startedAt) ?? 0)));
    return duration(Number(a.meteredMs));
  };
  if (rows.length === 0) return null;
  return (
    <Panel title={words.attempts}>
      <Table
        caption={words.attempts}
        rows={rows}
        id={({ task, attempt }) => `${task.id}.${attempt.number}`}
        columns={[
          { head: words.task, cell: ({ task, attempt }) => `${task.id}.${attempt.number}` },
          { head: words.node, cell: ({ attempt }) => attempt.node, wide: true },
          {
            head: words.state,
            cell: ({ attempt }) => (
              <span title={attempt.message}>
                {AttemptState_Value[attempt.state]} {attempt.endReason}
              </span>
            ),
          },
          { head: words.exit, cell: ({ task, attempt }) => (attempt === task.attempts.at(-1) ? exitOf(task, words) : ""), number: true },
          { head: words.began, cell: ({ attempt }) => time(attempt.startedAt), wide: true },
          { head: words.endedAt, cell: ({ attempt }) => time(attempt.endedAt), wide: true },
          { head: words.metered, cell: ({ attempt }) => ran(attempt), number: true },
          { head: words.price, cell: ({ attempt }) => `${attempt.source} ${money(attempt.rate || "0", currency)}`, wide: true },
          { head: words.charged, cell: ({ attempt }) => money(attempt.charged || "0", currency), number: true },
          {
            head: words.payers,
            cell: ({ attempt }) => attempt.payers.map((p) => `${p.payer} ${money(p.amount, currency)}`).join(", "),
            wide: true,
          },
        ]}
      />
    </Panel>
  );
}

const KEEP = 400_000; // characters on the page; the whole log is a link

function Log(props: { tasks: Task[] }) {
  const words = useWords();
  const [task, setTask] = useState(props.tasks.at(-1)?.id ?? "");
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string>();
  const [follow, setFollow] = useState(true);
  const [cut, setCut] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const state = props.tasks.find((t) => t.id === task)?.state ?? S.PENDING;
  const ended = useRef(false);
  ended.current = terminal(state);

  useEffect(() => {
    if (!task) return;
    let wanted = true;
    let timer: number | undefined;
    let at = { attempt: 0, offset: 0 };
    let decoder = new TextDecoder();
    setText("");
    setCut(false);
    const step = async (first: boolean) => {
      let got = 0;
      const wasEnded = ended.current;
      try {
        const piece = await readLog(task, first ? { tail: 2000 } : { attempt: at.attempt, offset: at.offset });
        if (!wanted) return;
        if (first && piece.offset > piece.bytes.length) setCut(true);
        got = piece.bytes.length;
        at = { attempt: piece.attempt, offset: piece.offset };
        const more = decoder.decode(piece.bytes, { stream: true });
        if (more)
          setText((before) => {
            const now = before + more;
            if (now.length <= KEEP) return now;
            setCut(true);
            return now.slice(-KEEP);
          });
        setProblem(undefined);
      } catch (error) {
        if (!wanted) return;
        setProblem(sentence(error));
        decoder = new TextDecoder();
      }
      // What is over stays as it is, once the last piece has come.
      if (!(wasEnded && got === 0)) timer = window.setTimeout(() => void step(false), document.hidden ? 5000 : 1000);
    };
    void step(true);
    return () => {
      wanted = false;
      window.clearTimeout(timer);
    };
  }, [task]);
  useEffect(() => {
    if (follow && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [text, follow]);

  if (!task) return null;
  return (
    <Panel
      title={words.log}
      side={
        <span class="line">
          {props.tasks.length > 1 && (
            <Select label={words.task} value={task} options={props.tasks.map((t) => [t.id, t.id])} change={setTask} />
          )}
          <label class="check">
            <input type="checkbox" checked={follow} onChange={(e) => setFollow(e.currentTarget.checked)} /> {words.follow}
          </label>
          <a href={`/logs/${task}?download=1`}>{words.rawLog}</a>
        </span>
      }
    >
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {cut && <p class="quiet">{words.cutLog}</p>}
      <div class="log" ref={box} tabIndex={0} role="log" aria-label={words.log}>
        {text ? <TerminalText text={text} /> : <span class="quiet">{words.emptyLog}</span>}
      </div>
    </Panel>
  );
}

export function Job(props: { id: string }) {
  const words = useWords();
  const { currency } = useMe();
  const id = /^\d{1,18}$/.test(props.id) ? BigInt(props.id) : 0n;
  const live = useLive(() => jobs.getJob({ jobId: id }), [props.id]);
  const fact = (name: string, value: unknown) =>
    value ? (
      <>
        <dt>{name}</dt>
        <dd>{value as string}</dd>
      </>
    ) : null;
  return (
    <Wait live={live}>
      {({ job }) =>
        job && (
          <>
            <h1>
              {String(job.id)} <span class="clip">{job.name}</span> <State name={TaskState_Value[job.state]} />
            </h1>
            <Verbs job={job} done={live.again} />
            <Panel>
              <dl>
                {fact(words.user, job.user)}
                {fact(words.project, job.project)}
                {fact(words.tier, `${job.tier}${job.simulated ? ` (${words.simulated})` : ""}`)}
                {fact(words.tasks, job.taskCount > 1 && `${job.taskCount} (${job.array})`)}
                {fact(words.command, job.command && <code>{job.command}</code>)}
                {fact(words.limit, duration(Number(job.timeLimitMs)))}
                {fact(words.submitted, time(job.submittedAt))}
                {fact(words.endedAt, time(job.endedAt))}
                {fact(words.reason, job.reasonText || job.reason)}
                {fact(words.note, job.comment)}
                {fact(words.charged, money(job.charged || "0", currency))}
                {fact(words.committed, money(job.committed || "0", currency))}
              </dl>
            </Panel>
            {waits(job.state) && <Why id={job.id} />}
            <Attempts job={job} />
            <Log tasks={job.tasks} />
          </>
        )
      }
    </Wait>
  );
}
