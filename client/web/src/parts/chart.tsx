// One chart over days. uPlot draws it; the table beside a chart always says the same in numbers.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useWords } from "../words";

export interface Series {
  label: string;
  values: (number | null)[];
  kind: "line" | "bars" | "dashes";
  color: string; // a variable of style.css
}

const color = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function options(series: Series[], width: number, unit: string, dayWord: string): uPlot.Options {
  const ink = color("--quiet");
  const line = { stroke: color("--line"), width: 1 };
  return {
    width,
    height: 220,
    cursor: { drag: { x: false, y: false } },
    scales: { x: { time: true }, y: { range: (_u, _min, max) => [0, max > 0.01 ? max * 1.08 : 1] } },
    axes: [
      { stroke: ink, grid: { show: false }, ticks: line, values: [[86400, "{D}.{M}.", null, null, null, null, null, null, 1]] },
      { stroke: ink, grid: line, ticks: line, size: 64, values: (_u, ticks) => ticks.map((v) => `${unit}${v}`) },
    ],
    series: [
      { label: dayWord, value: "{YYYY}-{MM}-{DD}" },
      ...series.map((s) => ({
        label: s.label,
        stroke: color(s.color),
        width: 2,
        fill: s.kind === "bars" ? color(s.color) : undefined,
        dash: s.kind === "dashes" ? [6, 4] : undefined,
        points: { show: false },
        paths: s.kind === "bars" ? uPlot.paths.bars!({ size: [0.7, 40] }) : undefined,
        value: (_u: uPlot, v: number | null) => (v === null ? "" : `${unit}${v.toFixed(2)}`),
      })),
    ],
  };
}

export function Chart(props: { days: number[]; series: Series[]; unit: string; label: string }) {
  const words = useWords();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const data = [props.days, ...props.series.map((s) => s.values)] as uPlot.AlignedData;
    const plot = new uPlot(options(props.series, element.clientWidth || 300, props.unit, words.day), data, element);
    const watch = new ResizeObserver(() => plot.setSize({ width: element.clientWidth || 300, height: 220 }));
    watch.observe(element);
    return () => {
      watch.disconnect();
      plot.destroy();
    };
  }, [props.days, props.series, props.unit, words]);
  return <div class="chart" ref={box} role="img" aria-label={props.label} />;
}
