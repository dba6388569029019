// The month's end: positions that sum to nothing, the fewest payments, and closing for good.
import { useState } from "preact/hooks";
import type { Payment, Position } from "../../gen/pinka/v1/month_pb";
import { months, requestId, sentence } from "../api";
import { money, monthOf, time } from "../format";
import { pulse, useLive } from "../live";
import { useMe } from "../me";
import { MonthSelect, Panel, Table, Wait } from "../parts/basics";
import { fill, useWords } from "../words";

export function Settle() {
  const words = useWords();
  const { currency, admin } = useMe();
  const [month, setMonth] = useState(() => monthOf(new Date()));
  const [said, setSaid] = useState<string>();
  const live = useLive(
    () => Promise.all([months.settleMonth({ month, dryRun: true }), months.listPayments({ month, all: true })]),
    [month],
  );
  if (!admin) return <p class="quiet">{words.adminsOnly}</p>;
  const act = (doing: Promise<{ note?: string }>) =>
    void doing.then(
      (answer) => {
        setSaid(answer.note || undefined);
        pulse.touch();
        live.again();
      },
      (error: unknown) => setSaid(sentence(error)),
    );
  const close = () =>
    window.confirm(fill(words.closeSure, month)) && act(months.closeMonth({ requestId: requestId(), month }));
  const pay = (payment: Payment) => {
    const ref = window.prompt(words.reference, "");
    if (ref !== null) act(months.markPaid({ requestId: requestId(), paymentId: payment.id, ref }));
  };
  return (
    <>
      <h1>{words.settle}</h1>
      <form class="line" onSubmit={(e) => e.preventDefault()}>
        <MonthSelect value={month} change={setMonth} />
      </form>
      {said && (
        <p class="problem" role="alert">
          {said}
        </p>
      )}
      <Wait live={live}>
        {([settled, kept]) => {
          const payments = kept.payments.length > 0 ? kept.payments : settled.payments;
          return (
            <>
              <p>{words.monthIs[settled.state as keyof typeof words.monthIs] ?? settled.state}</p>
              <Panel
                title={words.positions}
                side={
                  settled.state === "open" && (
                    <button type="button" class="plain" onClick={close}>
                      {words.close}
                    </button>
                  )
                }
              >
                <Table<Position>
                  caption={words.positions}
                  rows={settled.positions}
                  id={(p) => p.member}
                  columns={[
                    { head: words.member, cell: (p) => p.member },
                    { head: words.paid, cell: (p) => money(p.paid, currency), number: true },
                    { head: words.settledCol, cell: (p) => money(p.settled, currency), number: true, wide: true },
                    { head: words.spending, cell: (p) => money(p.spent, currency), number: true },
                    { head: words.overheadCol, cell: (p) => money(p.overhead, currency), number: true, wide: true },
                    { head: words.lapsed, cell: (p) => money(p.lapsed, currency), number: true, wide: true },
                    { head: words.carried, cell: (p) => money(p.carried, currency), number: true, wide: true },
                    { head: words.positionCol, cell: (p) => <b data-position={p.position}>{money(p.position, currency)}</b>, number: true },
                  ]}
                />
                <p class="quiet">{words.positionHint}</p>
              </Panel>
              <Panel
                title={words.payments}
                side={
                  settled.state === "closed" &&
                  kept.payments.length === 0 && (
                    <button
                      type="button"
                      class="plain"
                      onClick={() => act(months.settleMonth({ requestId: requestId(), month }))}
                    >
                      {words.settleIt}
                    </button>
                  )
                }
              >
                <Table<Payment>
                  caption={words.payments}
                  rows={payments}
                  id={(p) => `${p.id}/${p.from}/${p.to}`}
                  empty={words.nothingOwed}
                  columns={[
                    { head: words.from, cell: (p) => p.from },
                    { head: words.to, cell: (p) => p.to },
                    { head: words.amount, cell: (p) => money(p.amount, currency), number: true },
                    { head: words.state, cell: (p) => (p.state === "paid" ? words.paidState : p.id > 0n ? words.proposed : "") },
                    { head: words.reference, cell: (p) => [p.ref, time(p.paidAt)].filter(Boolean).join(" · "), wide: true },
                    {
                      head: "",
                      cell: (p) =>
                        p.id > 0n && p.state !== "paid" ? (
                          <button type="button" class="plain" onClick={() => pay(p)}>
                            {words.markPaid}
                          </button>
                        ) : (
                          ""
                        ),
                    },
                  ]}
                />
              </Panel>
            </>
          );
        }}
      </Wait>
    </>
  );
}
