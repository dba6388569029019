// What is on the screen follows the lab: one small question every two seconds while the page is
// looked at; where the lab's batch has moved, every view asks anew. Without an answer the age of what
// is shown is told, and then that there is no connection.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type GetStatusResponse } from "../gen/pinka/v1/report_pb";
import { isLoggedOut, reports, sentence } from "./api";

const EVERY_MS = 2000;
const REFRESH_MS = 30_000; // meters run without a batch
const LOST_MS = 10_000;

type Listener = () => void;

class Pulse {
  status: GetStatusResponse | undefined;
  answeredAt = Date.now();
  refreshedAt = Date.now();
  loggedOut = false;
  private batch = -1n;
  private timer: number | undefined;
  private readonly changed = new Set<Listener>(); // the lab has moved
  private readonly beaten = new Set<Listener>(); // an answer, or none

  start() {
    if (this.timer === undefined) void this.beat();
    document.addEventListener("visibilitychange", this.seen);
  }
  stop() {
    window.clearTimeout(this.timer);
    this.timer = undefined;
    document.removeEventListener("visibilitychange", this.seen);
  }
  onChange(listener: Listener) {
    this.changed.add(listener);
    return () => void this.changed.delete(listener);
  }
  onBeat(listener: Listener) {
    this.beaten.add(listener);
    return () => void this.beaten.delete(listener);
  }
  get lost() {
    return Date.now() - this.answeredAt > LOST_MS;
  }
  touch() {
    this.batch = -1n;
    window.clearTimeout(this.timer);
    void this.beat();
  }

  private readonly seen = () => {
    if (!document.hidden) this.touch();
  };
  private async beat() {
    this.timer = window.setTimeout(() => void this.beat(), EVERY_MS);
    if (document.hidden) return;
    try {
      const status = await reports.getStatus({});
      this.answeredAt = Date.now();
      this.status = status;
      if (status.batch !== this.batch || Date.now() - this.refreshedAt > REFRESH_MS) {
        this.batch = status.batch;
        this.refreshedAt = Date.now();
        this.changed.forEach((listener) => listener());
      }
    } catch (error) {
      if (isLoggedOut(error)) this.loggedOut = true;
    }
    this.beaten.forEach((listener) => listener());
  }
}
export const pulse = new Pulse();

export function usePulse() {
  const [, redraw] = useState(0);
  useEffect(() => pulse.onBeat(() => redraw((n) => n + 1)), []);
  return pulse;
}

export interface Live<T> {
  value: T | undefined;
  problem: string | undefined;
  again: () => void;
}

/** What `ask` answers, asked anew when the lab moves or `keys` change. Late answers are dropped. */
export function useLive<T>(ask: () => Promise<T>, keys: unknown[]): Live<T> {
  const [value, setValue] = useState<T>();
  const [problem, setProblem] = useState<string>();
  const turn = useRef(0);
  const again = useCallback(() => {
    const mine = ++turn.current;
    ask().then(
      (answer) => {
        if (mine !== turn.current) return;
        setValue(answer);
        setProblem(undefined);
      },
      (error: unknown) => {
        if (mine === turn.current) setProblem(sentence(error));
      },
    );
  }, keys);
  useEffect(() => {
    setValue(undefined);
    again();
    const off = pulse.onChange(again);
    return () => {
      off();
      turn.current++;
    };
  }, [again]);
  return { value, problem, again };
}
