import { type Node, NodeState_Value } from "../../gen/pinka/v1/node_pb";
import { nodes } from "../api";
import { duration, millis } from "../format";
import { useLive, usePulse } from "../live";
import { Bar, Panel, State, Table, Wait } from "../parts/basics";
import { fill, useWords } from "../words";

export function Nodes() {
  const words = useWords();
  usePulse();
  const live = useLive(() => nodes.listNodes({}), []);
  const ago = (node: Node) => {
    const seen = millis(node.lastSeenAt);
    return seen === undefined ? "" : duration(Date.now() - seen);
  };
  const note = (node: Node) =>
    [node.simulated && words.simulated, node.reason, node.paidMinutesLeft > 0n && fill(words.paidLeft, String(node.paidMinutesLeft))]
      .filter(Boolean)
      .join(" · ");
  return (
    <>
      <h1>{words.nodes}</h1>
      <Panel>
        <Wait live={live}>
          {(answer) => (
            <Table<Node>
              caption={words.nodes}
              rows={answer.nodes}
              id={(node) => node.name}
              empty={words.noNodes}
              columns={[
                { head: words.node, cell: (node) => <b>{node.name}</b> },
                { head: words.tier, cell: (node) => node.tier },
                { head: words.source, cell: (node) => [node.source, node.provider].filter(Boolean).join(" · "), wide: true },
                { head: words.state, cell: (node) => <State name={NodeState_Value[node.state]} /> },
                {
                  head: words.free,
                  cell: (node) => (
                    <span class="with-bar">
                      {node.unitsFree}/{node.units}
                      <Bar value={node.units - node.unitsFree} of={node.units} label={`${node.units - node.unitsFree} / ${node.units}`} />
                    </span>
                  ),
                  number: true,
                },
                { head: words.running, cell: (node) => node.running, number: true, wide: true },
                { head: words.seen, cell: ago, number: true, wide: true },
                { head: words.note, cell: (node) => <span class={node.state === NodeState_Value.QUARANTINED ? "bad" : ""}>{note(node)}</span> },
              ]}
            />
          )}
        </Wait>
      </Panel>
    </>
  );
}
