// What a program prints, as a terminal would show it and never as markup: colours and weight of ANSI
// sequences from a fixed set, a carriage return writes over its line, the rest of the escapes are
// dropped.
import { useMemo } from "preact/hooks";

interface Run {
  text: string;
  style: string;
}

const ESCAPE = /\u001b(?:\[([0-?]*)[ -/]*([@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

function styleAfter(style: Set<string>, codes: string) {
  for (const code of codes === "" ? [0] : codes.split(";").map(Number)) {
    if (code === 0) style.clear();
    else if (code === 1) style.add("bold");
    else if (code === 22) style.delete("bold");
    else if (code === 39 || (code >= 30 && code <= 37) || (code >= 90 && code <= 97)) {
      for (const name of style) if (name.startsWith("ansi")) style.delete(name);
      if (code !== 39) style.add(`ansi${code % 10}`);
    }
  }
}

/** Only the last writing of each line: progress bars come as one line, not as thousands. */
export function overwritten(line: string): string {
  const parts = line.replace(/\r+$/, "").split("\r");
  return parts.reduce((shown, part) => part + shown.slice(part.length));
}

export function runsOf(text: string): Run[] {
  const runs: Run[] = [];
  const style = new Set<string>();
  let at = 0;
  const push = (piece: string) => {
    if (piece) runs.push({ text: piece, style: [...style].join(" ") });
  };
  for (const match of text.matchAll(ESCAPE)) {
    push(text.slice(at, match.index));
    at = match.index + match[0].length;
    if (match[2] === "m") styleAfter(style, match[1] ?? "");
  }
  push(text.slice(at));
  return runs;
}

export function TerminalText(props: { text: string }) {
  const runs = useMemo(() => {
    const lines = props.text.split("\n").map((line) => (line.includes("\r") ? overwritten(line) : line));
    return runsOf(lines.join("\n"));
  }, [props.text]);
  return (
    <pre>
      {runs.map((run, n) => (run.style ? <span key={n} class={run.style}>{run.text}</span> : run.text))}
    </pre>
  );
}
