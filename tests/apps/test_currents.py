# SPDX-License-Identifier: MIT
"""kovariant spectrum: three-point functions and quark loops."""
import json
import unittest

from program_support import HAS_HDF5, TINY, ProgramTest

ORIGIN = ["--set", "source.origins=[[1, 0, 2, 6]]", "--set", "generate.configurations=1", "--set", "solver.tolerance=1e-11"]


def tables(*choices):
    """--set of [[three_point]] tables."""
    return [word for k, choice in enumerate(choices) for key, value in choice.items()
            for word in ("--set", "three_point.%d.%s=%s" % (k, key, json.dumps(value)))]


class Currents(ProgramTest):
    def correlators(self, name="spectrum.dat"):
        """[(labels, values)] of a text file; the label "" is kind and channel."""
        found = []
        for block in self.read(name).split("\n\n\n")[1:]:
            labels, values = {}, []
            for number, line in enumerate(block.strip().splitlines()):
                if number == 0:
                    labels[""] = line[2:]
                elif line.startswith("# "):
                    key, value = line[2:].split(" = ") if " = " in line else line[2:].split(" ", 1)
                    labels[key] = value
                else:
                    _, real, imaginary = map(float, line.split())
                    values.append(complex(real, imaginary))
            found.append((labels, values))
        return found

    def test_the_conserved_charge_counts_quarks_of_smeared_and_point_sinks(self):
        # Two quarks, a source near the end of the lattice, so that sinks lie beyond it.
        light, heavy = ["l", "h"]
        quarks = ["--set", "quark.0.name=l", "--set", "quark.0.kappa=0.13", "--set", "quark.1.name=h", "--set", "quark.1.kappa=0.12"]
        job = TINY[:TINY.index("action.kappa=0.13") - 1] + TINY[TINY.index("action.kappa=0.13") + 1:]
        charge = {"currents": ["conserved_t"], "times": [3]}
        self.call("spectrum", *job, *ORIGIN, *quarks, "--set", 'sink.smearings=["none", "wuppertal"]',
                  "--set", 'correlators.mesons=["pion", "rho_x-rho_x"]', "--set", 'correlators.baryons=["nucleon", "sigma_p"]',
                  "--set", 'correlators.flavours=["l", "l", "h"]', "--set", "correlators.max_momentum2=1",
                  *tables({**charge, "quarks": [light, heavy], "momenta": [[0, 0, 0], [0, 1, 0]], "currents": ["conserved_t", "pion"]},
                          {**charge, "hadron": "rho_x", "quarks": [heavy, light]},
                          {**charge, "hadron": "nucleon", "quarks": [light, heavy]},
                          {**charge, "hadron": "nucleon", "quarks": [light, heavy], "struck": "p"},
                          {**charge, "hadron": "sigma_p", "struck": "u"}, {**charge, "hadron": "sigma_p_up", "struck": "s"}))
        found = self.correlators()
        two_points = {tuple(labels[k] for k in ("", "quarks", "momentum", "sink_smearing")): values
                      for labels, values in found if not labels[""].startswith("three-point")}
        flavours = "u l, s h"
        n_checked = 0
        for labels, values in found:
            if labels[""] != "three-point conserved_t":
                continue
            hadron, sink = labels["hadron"], (labels["sink_momentum"], labels["sink_smearing"])
            names = {"pion": [("meson pion-pion", "l-h")], "rho_x": [("meson rho_x-rho_x", "l-h")],
                     "nucleon": [("baryon nucleon", "l-h")], "sigma_p_up": [("baryon sigma_p_up", flavours)],
                     "sigma_p": [("baryon sigma_p_up", flavours), ("baryon sigma_p_dn", flavours)]}[hadron]
            two = sum(two_points[name + sink][3] for name in names)
            if hadron == "rho_x":  # g5 hermiticity exchanges the quarks
                two = two.conjugate()
            want = {"quark": 1, "q": 2, "p": 1, "u": 2, "s": 1}[labels["quark"]]
            for t in range(3):
                self.assertLess(abs(values[t] - values[-1] - want * two), 1e-8 * abs(two), (labels, t))
            n_checked += 1
        self.assertEqual(n_checked, 2 * 7)

    def test_sequential_solves_are_planned_and_resumed(self):
        job = [*TINY, *ORIGIN, "--set", "correlators.mesons=pion", "--set", "correlators.baryons=[]",
               *tables({"times": [2, 3], "currents": ["a0_g4", "rho_z D_z D_t", "a0 path +x+y-x-y"], "transfers": [[0, 0, 0], [1, 0, 0]]})]
        plan = self.call("spectrum", *job, "--dry-run").stdout
        self.assertIn("36 solves", plan)
        self.assertIn("pion, current on quark, 2 sinks", plan)
        without = self.call("spectrum", *job[:job.index("three_point.0.times=[2, 3]") - 1], "--dry-run").stdout
        memory = [int(text.split("about ")[1].split()[0]) for text in (without, plan)]
        self.assertGreater(memory[1], memory[0])
        # The opposite twisted mass has an operator of its own; without one the quark's is shared.
        twisted = ["--set", "gauge.extent=[16, 16, 16, 16]", "--set", "quark.0.name=l", *tables({"times": [2]}), "--dry-run"]
        large = [int(self.call("spectrum", *twisted, "--set", f"quark.0.mu={mu}").stdout.split("about ")[1].split()[0])
                 for mu in (0.0, 0.1)]
        self.assertGreaterEqual(large[1] - large[0], 3 * 72 * 8 * 16 ** 4 // 2 ** 20 - 1)
        self.call("spectrum", *job)
        first = self.read("spectrum.dat")
        self.assertEqual(sum(labels[""].startswith("three-point") for labels, _ in self.correlators()), 2 * 3 * 2)
        self.assertIn(" 0 solves", self.call("spectrum", *job).stdout)
        self.assertEqual(self.read("spectrum.dat"), first)
        self.assertIn("loops.modes changes nothing", self.call("spectrum", *job, "--set", "loops.modes=3", "--dry-run").stderr)
        # Loops are an entry of their own: what there is stays.
        loops = ["--set", "loops.hits=2", "--set", "loops.dilution_spin=true"]
        self.assertIn(" 8 solves", self.call("spectrum", *job, *loops, "--dry-run").stdout)
        self.assertRegex(self.call("spectrum", *job, *loops).stdout, "8 solves and 36 in the journal")
        self.assertIn(first.split("\n\n\n", 1)[1].strip(), self.read("spectrum.dat"))
        self.assertIn(" 16 solves", self.call("spectrum", *job, *loops, "--set", "loops.hits=4", "--dry-run").stdout)
        if HAS_HDF5:
            self.assertIn("averages over", self.call("analyze", "spectrum.h5").stdout)

    def test_loops_of_all_parts_are_those_of_any_noise_and_different_hits_differ_without(self):
        small = ["--set", "gauge.extent=[2, 2, 2, 4]", "--set", "generate.configurations=1", "--set", "generate.thermalise=5",
                 "--set", "action.kappa=0.13", "--set", "correlators.mesons=[]",
                 "--set", "correlators.baryons=[]", "--set", "solver.tolerance=1e-11", "--set", "loops.hits=1",
                 "--set", "loops.momenta=[[0, 0, 0], [1, 0, 0]]", "--set", "output.journal=j"]
        parts = ["--set", "loops.dilution_time=4", "--set", "loops.dilution_space=2", "--set", "loops.dilution_spin=true",
                 "--set", "loops.dilution_color=true"]
        exact = []
        for noise in (["--set", "loops.noise=z2"], ["--set", "loops.noise=u1", "--set", "loops.seed=7", "--set", "loops.hopping=2", "--set", "loops.modes=3"]):
            plan = self.call("spectrum", *small, *parts, *noise).stdout
            self.assertIn("384 solves", plan)
            self.assertIn("none: quark loops alone", plan)
            exact.append(self.correlators())
        self.assertEqual(len(exact[0]), 16 * 2)
        for (labels, a), (_, b) in zip(*exact):
            self.assertNotIn("source", labels)
            for x, y in zip(a, b):
                self.assertLess(abs(x - y), 1e-8 * 96, labels)
        self.call("spectrum", *small, "--set", "loops.hits=2")
        noisy = {(labels[""], labels["hit"], labels["momentum"]): values for labels, values in self.correlators()}
        self.assertEqual(len(noisy), 16 * 2 * 2)
        a, b = (noisy["loop a0", hit, "0 0 0"] for hit in "01")
        want = exact[0][0][1]
        self.assertGreater(abs(a[0] - b[0]), 1e-3)
        for hit in (a, b):
            self.assertLess(abs(hit[0] - want[0]), 0.5 * abs(want[0]))


if __name__ == "__main__":
    unittest.main()
