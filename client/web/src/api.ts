// The scheduler's services, typed by the same .proto files as the command line's.
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { AdviceService } from "../gen/pinka/v1/advice_pb";
import { ErrorSchema } from "../gen/pinka/v1/error_pb";
import { JobService } from "../gen/pinka/v1/job_pb";
import { LedgerService } from "../gen/pinka/v1/ledger_pb";
import { MonthService } from "../gen/pinka/v1/month_pb";
import { NodeService } from "../gen/pinka/v1/node_pb";
import { PackageService } from "../gen/pinka/v1/package_pb";
import { ReportService } from "../gen/pinka/v1/report_pb";
import { StandingService } from "../gen/pinka/v1/standing_pb";

const transport = createConnectTransport({ baseUrl: window.location.origin });

export const jobs = createClient(JobService, transport);
export const ledger = createClient(LedgerService, transport);
export const months = createClient(MonthService, transport);
export const nodes = createClient(NodeService, transport);
export const packages = createClient(PackageService, transport);
export const reports = createClient(ReportService, transport);
export const standing = createClient(StandingService, transport);
export const advice = createClient(AdviceService, transport);

/** The one sentence that the scheduler answered with, or what kept it from answering. */
export function sentence(error: unknown): string {
  const e = ConnectError.from(error);
  const [said] = e.findDetails(ErrorSchema);
  return said?.message || e.rawMessage;
}

export const isLoggedOut = (error: unknown) => ConnectError.from(error).code === Code.Unauthenticated;

/** Said once to a mutation: sent again it changes nothing twice. */
export const requestId = () => crypto.randomUUID();

async function session(method: "POST" | "DELETE", body: unknown) {
  const answer = await fetch("/session", {
    method,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error((await answer.json()).message ?? answer.statusText);
}
export const logIn = (token: string) => session("POST", { token: token.trim() });
export const logOut = () => session("DELETE", {});

export interface LogPiece {
  attempt: number;
  offset: number; // of the byte after `bytes`
  bytes: Uint8Array;
}
/** What a task has printed: from `offset` of an attempt on, or the last `tail` lines. */
export async function readLog(task: string, asked: { attempt?: number; offset?: number; tail?: number }) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(asked)) if (value) query.set(name, String(value));
  const answer = await fetch(`/logs/${task}?${query}`);
  if (!answer.ok) throw new Error((await answer.json()).message ?? answer.statusText);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const from = Number(answer.headers.get("X-Pinka-Offset") ?? 0);
  return {
    attempt: Number(answer.headers.get("X-Pinka-Attempt") ?? 0),
    offset: from + bytes.length,
    bytes,
  } satisfies LogPiece;
}
