// Money, hours and times as they are shown. Money comes as a decimal text and stays exact: it is
// rounded as text, never as a floating number.
import { timestampMs, type Timestamp } from "@bufbuild/protobuf/wkt";

const SIGNS: Record<string, string> = { CNY: "¥", USD: "$", EUR: "€", GBP: "£", JPY: "¥" };

/** Micro-units of "-12.345678". */
export function micros(text: string): bigint {
  const m = /^(-?)(\d+)(?:\.(\d{1,6}))?$/.exec(text);
  if (!m) return 0n;
  const value = BigInt(m[2]) * 1_000_000n + BigInt((m[3] ?? "").padEnd(6, "0"));
  return m[1] ? -value : value;
}

/** "¥1,234.50", half away from zero, as the command line rounds. */
export function money(text: string, currency: string): string {
  const value = micros(text);
  const cents = ((value < 0n ? -value : value) + 5_000n) / 10_000n;
  const whole = (cents / 100n).toString().replace(/\B(?=(\d{3})+$)/g, ",");
  const sign = value < 0n && cents > 0n ? "-" : "";
  return `${sign}${SIGNS[currency] ?? currency + " "}${whole}.${(cents % 100n).toString().padStart(2, "0")}`;
}

/** For lengths of bars and lines only. */
export const approximate = (text: string) => Number(text) || 0;

export const hours = (text: string) => (Number(text) || 0).toFixed(2);

export function duration(ms: number): string {
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 60) return `${s}s`;
  const m = Math.floor(s / 60);
  if (m < 60) return `${m}m${s % 60 ? ` ${s % 60}s` : ""}`;
  const h = Math.floor(m / 60);
  if (h < 48) return `${h}h${m % 60 ? ` ${m % 60}m` : ""}`;
  return `${Math.floor(h / 24)}d${h % 24 ? ` ${h % 24}h` : ""}`;
}

let zone: string | undefined;
/** The lab's zone: what "today" and "this month" mean is the lab's, not the browser's. */
export function useZone(name: string) {
  zone = name || undefined;
}
export function time(at: Timestamp | undefined): string {
  if (!at) return "";
  const parts = new Intl.DateTimeFormat("sv-SE", {
    timeZone: zone,
    dateStyle: "short",
    timeStyle: "medium",
  });
  return parts.format(new Date(timestampMs(at)));
}
export const millis = (at: Timestamp | undefined) => (at ? timestampMs(at) : undefined);

/** "2026-11" of the lab's clock, `back` months ago. */
export function monthOf(now: Date, back = 0): string {
  const [year, month] = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, year: "numeric", month: "2-digit" })
    .format(now)
    .split("-")
    .map(Number);
  const n = year * 12 + month - 1 - back;
  return `${Math.floor(n / 12)}-${String((n % 12) + 1).padStart(2, "0")}`;
}
export function dayOf(now: Date): string {
  return new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" }).format(now);
}
