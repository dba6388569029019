// What stands around every view: where one can go, who one is, and whether the lab answers.
import type { ComponentChildren } from "preact";
import { Link, useLocation } from "wouter-preact";
import { time } from "./format";
import { usePulse } from "./live";
import { useMe } from "./me";
import { fill, useWords } from "./words";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";

const THEME = "pinka-theme";
document.documentElement.dataset.theme = localStorage.getItem(THEME) ?? "";

function flipTheme() {
  const dark =
    document.documentElement.dataset.theme === "dark" ||
    (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem(THEME, document.documentElement.dataset.theme);
}

export function Frame(props: { flip: () => void; leave: () => void; children: ComponentChildren }) {
  const words = useWords();
  const me = useMe();
  const beat = usePulse();
  const [path] = useLocation();
  const places: [string, string][] = [
    ["/", words.overview],
    ["/spending", words.spending],
    ["/jobs", words.jobs],
    ["/nodes", words.nodes],
    ["/submit", words.submit],
  ];
  if (me.admin) places.splice(2, 0, ["/packages", words.packages], ["/settle", words.settle]);
  const here = (to: string) => (to === "/" ? path === "/" : path.startsWith(to));
  const alarms = me.admin ? (beat.status?.alarms ?? []) : [];
  return (
    <>
      <a class="skip" href="#content">
        {words.skip}
      </a>
      <header class="top">
        <strong class="lab">
          <img src="/icon.svg" alt="" width="22" height="22" /> {me.lab}
        </strong>
        <nav>
          {places.map(([to, text]) => (
            <Link key={to} href={to} aria-current={here(to) ? "page" : undefined}>
              {text}
            </Link>
          ))}
        </nav>
        <span class="who">
          <span>{me.name}</span>
          <button type="button" class="plain" onClick={props.flip}>
            {words.language}
          </button>
          <button type="button" class="plain" onClick={flipTheme} aria-label={words.theme} title={words.theme}>
            ◐
          </button>
          <button type="button" class="plain" onClick={props.leave}>
            {words.logOut}
          </button>
        </span>
      </header>
      <main id="content" tabIndex={-1}>
        {beat.lost && (
          <p class="problem" role="alert">
            {fill(words.noConnection, time(timestampFromMs(beat.answeredAt)))}
          </p>
        )}
        {alarms.length > 0 && (
          <details class="alarms">
            <summary>
              {words.alarms} ({alarms.length})
            </summary>
            <ul>
              {alarms.map((alarm, n) => (
                <li key={n}>{alarm}</li>
              ))}
            </ul>
          </details>
        )}
        {props.children}
      </main>
    </>
  );
}
