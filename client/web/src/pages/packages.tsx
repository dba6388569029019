// Hours bought together: what is left, who used, lent and borrowed, and what runs out when.
import type { Package, Portion } from "../../gen/pinka/v1/package_pb";
import { packages } from "../api";
import { approximate, hours, money, time } from "../format";
import { useLive } from "../live";
import { useMe } from "../me";
import { Panel, Stack, Table, Wait } from "../parts/basics";
import { useWords } from "../words";

function One(props: { held: Package }) {
  const words = useWords();
  const { currency } = useMe();
  const { held } = props;
  const left = approximate(held.hours) - approximate(held.used);
  return (
    <Panel
      title={`${held.tier} · ${hours(held.hours)} h · ${held.provider || words.provider}`}
      side={
        <span class="quiet">
          {words.until} {time(held.endsAt)}
        </span>
      }
    >
      <Stack
        label={`${words.used} ${hours(held.used)}, ${words.left} ${left.toFixed(2)}`}
        parts={[
          { kind: "used", value: approximate(held.used) },
          { kind: "other", value: Math.max(0, left) },
        ]}
      />
      <p class="quiet">
        {words.payer}: {held.payer || "–"} · {words.cost}: {money(held.price, currency)} · {words.price}:{" "}
        {money(held.rate, currency)} · {words.used}: {hours(held.used)} h
      </p>
      <Table<Portion>
        caption={`${words.packages} ${held.id}`}
        rows={held.portions}
        id={(portion) => portion.owner}
        columns={[
          { head: words.owner, cell: (p) => p.owner },
          { head: words.hours, cell: (p) => hours(p.total), number: true },
          { head: words.used, cell: (p) => hours(p.used), number: true },
          { head: words.borrowed, cell: (p) => hours(p.borrowed), number: true, wide: true },
          { head: words.lent, cell: (p) => hours(p.lent), number: true, wide: true },
          { head: words.left, cell: (p) => hours(p.left), number: true },
          { head: words.lapsed, cell: (p) => hours(p.lapsed), number: true, wide: true },
          { head: words.cost, cell: (p) => money(p.cost, currency), number: true },
        ]}
      />
    </Panel>
  );
}

export function Packages() {
  const words = useWords();
  const { admin } = useMe();
  const live = useLive(() => packages.listPackages({}), []);
  if (!admin) return <p class="quiet">{words.adminsOnly}</p>;
  return (
    <>
      <h1>{words.packages}</h1>
      <Wait live={live}>
        {(answer) =>
          answer.packages.length === 0 ? (
            <p class="quiet">{words.noPackages}</p>
          ) : (
            answer.packages.map((held) => <One key={String(held.id)} held={held} />)
          )
        }
      </Wait>
    </>
  );
}
