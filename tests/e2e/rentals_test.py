"""What machines cost through the whole system: a billing rule, a rental, and who bears its bill."""

import json
import os
from decimal import Decimal

from lab import LabTest, main

RULES = """
[[tier]]
name = "a100-80"
billing = {on_demand = {preset = "hourly", provider = "算力云", rate = "15.00", disk = "0.36", stopped_rate = "0.50", egress = "0.80"}}
"""


class Rentals(LabTest):
    shape = {"cpu": 2, "t4": 1, "a100": 2}

    def rentals(self, *args):
        return self.json(None, "admin", "rental", "ls", *args)["rentals"]

    def test_a_machine_is_billed_by_its_providers_rule(self):
        path = os.path.join(self.lab.root, "rules.toml")
        with open(path, "w") as f:
            f.write(RULES)
        told = self.ok(None, "admin", "apply", path, "-y")
        self.assertIn("on_demand billed at nothing -> 15.000000 per unit-hour of 算力云", told)
        # The node serves already: its rental opens with the rule.
        node = next(n for n in self.json("alice", "nodes")["nodes"] if n["tier"] == "a100-80")
        self.assertEqual((node["source"], node["provider"]), ("on_demand", "算力云"))
        self.assertIn(int(node["paidMinutesLeft"]), (58, 59, 60))
        self.assertIn("paid minutes left", self.ok("alice", "nodes"))
        quote = json.loads(self.ok("alice", "quote", "--json", "--tier", "a100-80", "--time", "10m", "--", "true"))
        self.assertEqual(quote["quotes"][0]["minBlock"], "30.000000", "an hour of the whole machine")
        first = self.rentals()[0]
        self.assertEqual((first["node"], first["units"]), (node["name"], 2))

        job = self.submit("alice", "--tier", "a100-80", "--time", "10m", "--", "sleep", "2")
        self.assertEqual(self.wait("alice", job), 0)
        charged = Decimal(self.show("alice", job)["charged"])
        self.assertGreater(charged, 0)
        code, _, err = self.pinka(None, "admin", "rental", "open", node["name"])
        self.assertEqual(code, 7, err)
        self.assertEqual(self.pinka("alice", "admin", "rental", "ls")[0], 5)
        closed = self.json(None, "admin", "rental", "close", first["id"], "--reason", "关机", "-y")["rental"]
        self.assertEqual(closed["billed"], "30.000000", "two units, an hour begun")
        self.assertEqual(Decimal(closed["members"]), charged)
        parts = sum(Decimal(closed[k]) for k in ("members", "lab", "idle", "rounding", "variance"))
        self.assertEqual(parts, 30)
        self.assertIn("closed already", self.json(None, "admin", "rental", "close", first["id"], "--reason", "x", "-y")["note"])

        # By hand: the same machine, ten minutes ago at most where the first one ended.
        self.assertEqual(self.pinka(None, "admin", "rental", "open", node["name"], "--at", "now-1h")[0], 7)
        again = self.json(None, "admin", "rental", "open", node["name"], "--instance", "i-07", "--disk-gb", "200")
        self.assertTrue(again["rental"]["byHand"])
        shut = self.json(None, "admin", "rental", "close", again["rental"]["id"], "--reason", "关机", "-y")["rental"]
        self.assertGreaterEqual(Decimal(shut["disk"]), 0)
        self.assertEqual(self.rentals(), [])
        self.assertEqual(len(self.rentals("--all")), 2)
        self.keep_it_stopped(node["name"])
        self.assertIn("算力云", self.ok(None, "admin", "rental", "ls", "--all"))

    def keep_it_stopped(self, node):
        on = self.json(None, "admin", "rental", "open", node)["rental"]
        stop = ("admin", "rental", "close", on["id"], "--reason", "over night", "-y")
        self.assertEqual(self.pinka(None, *stop, "--egress-gb", "0")[0], 2)
        off = self.json(None, *stop, "--egress-gb", "2.5", "--stopped")
        self.assertEqual(off["rental"]["egress"], "2.000000")
        self.assertIn("goes on for the stopped machine", off["note"])
        kept = self.rentals()[0]
        self.assertTrue(kept["stopped"])
        self.assertEqual((kept["rate"], kept["members"]), ("0.500000", "0.000000"))
        self.assertIn("stopped", self.ok(None, "admin", "rental", "ls"))
        self.assertEqual(self.pinka(None, *stop, "--egress-gb", "1")[0], 7)
        gone = self.json(None, "admin", "rental", "close", kept["id"], "--reason", "gone", "-y")["rental"]
        self.assertEqual(gone["idle"], format(Decimal(gone["billed"]) - Decimal(gone["rounding"]), ".6f"))
        pool = next(r for r in self.json(None, "pool")["rows"] if r["tier"] == "a100-80")
        self.assertGreaterEqual(Decimal(pool["other"]), 2, "the egress")

    def test_a_nodes_source_is_its_tokens(self):
        code, _, err = self.pinka(None, "admin", "node", "join-token", "n9", "--tier", "t4", "--source", "rented")
        self.assertEqual(code, 2, err)
        self.ok(None, "admin", "node", "join-token", "n9", "--tier", "t4", "--source", "spot", "-q")
        node = next(n for n in self.json("alice", "nodes")["nodes"] if n["name"] == "n9")
        self.assertEqual(node["source"], "spot")
        code, _, err = self.pinka(None, "admin", "node", "join-token", "n9", "--tier", "t4")
        self.assertEqual(code, 7, err)
        self.assertIn("paid for as spot", err)


if __name__ == "__main__":
    main()
