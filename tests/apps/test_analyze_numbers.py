# SPDX-License-Identifier: MIT
"""Every number that kovariant analyze writes and prints, and what it says of samples that do not count.

What is expected is computed here in another way: by sums over samples, bisection, and closed forms for two states or unknowns.
"""
import itertools
import math
import os
import random
import re
import subprocess
import unittest

from program_support import TINY
from ensembles import correlator, jackknife, mean_of, root, table  # in tests/support
from test_analyze import TIMES, SyntheticTest


class AnalyzeNumbers(SyntheticTest):
    def noisy(self, n=20):
        """data.h5 of a meson and a baryon with noise at every time, and their samples."""
        draw, datasets = random.Random(7), {}
        for kind, channel, form, energy in (("meson", "pion", "cosh", 0.4), ("baryon", "nucleon", "exp", 0.7)):
            exact = correlator(form, energy, TIMES)
            datasets["%s/%s/p0_0_0" % (kind, channel)] = [[c * (1 + draw.gauss(0, 0.004)) for c in exact] for _ in range(n)]
        self.write("data.h5", datasets)
        return datasets

    def fit(self, form, first, last, errors):
        """A function of a correlator: [E, A, chi^2] where chi^2 with these errors of its times is smallest."""
        times = range(first, last + 1)

        def shape(energy, t):
            wave = [math.exp(-energy * t), math.exp(-energy * (TIMES - t)) if form == "cosh" else 0]
            return wave[0] + wave[1], -t * wave[0] - (TIMES - t) * wave[1]

        def of_energy(c, energy):
            f = {t: shape(energy, t) for t in times}
            amplitude = sum(c[t] * f[t][0] / errors[t]**2 for t in times) / sum((f[t][0] / errors[t])**2 for t in times)
            rest = {t: (c[t] - amplitude * f[t][0]) / errors[t] for t in times}
            return amplitude, sum(x * x for x in rest.values()), sum(rest[t] * f[t][1] / errors[t] for t in times)

        def found(c):
            energy = root(lambda e: of_energy(c, e)[2], 0.1, 1.5)
            return [energy, *of_energy(c, energy)[:2]]
        return found

    def effective(self, form):
        def wave(m, t):
            return math.cosh(m * (TIMES / 2 - t)) if form == "cosh" else math.exp(-m * t)
        return lambda c: [root(lambda m: c[t] / c[t + 1] - wave(m, t) / wave(m, t + 1), 1e-3, 3) for t in range(len(c) - 1)]

    def test_symmetric_effective_masses_are_those_of_three_times(self):
        rows = [row[:1] + [(row[t] + row[TIMES - t]) / 2 for t in range(1, TIMES // 2 + 1)] for row in self.noisy()["meson/pion/p0_0_0"]]
        text = self.analyze("output.effective_mass=symmetric", "fit.covariance=diagonal", "output.prefix=symmetric").stdout
        self.assertIn("effective masses in lattice units at t\n", text)
        content = self.content("symmetric.h5")
        found = list(zip(*[content["correlator/effective_mass/" + which]["values"][1] for which in ("mean", "error")]))
        self.assertEqual(len(found), TIMES // 2 + 1)
        expected = jackknife(rows, lambda c: [math.acosh((c[t - 1] + c[t + 1]) / (2 * c[t])) for t in range(1, len(c) - 1)])
        self.assertTrue(all(math.isnan(x) for pair in (found[0], found[-1]) for x in pair))
        self.assert_estimates(found[1:-1], expected, 1e-9, "pion")

    def test_means_effective_masses_and_fits_are_those_of_the_samples(self):
        datasets = self.noisy()
        for width in (1, 2):
            self.analyze("fit.covariance=diagonal", "fit.ranges=1", "fit.first=3", "fit.last=10", "errors.bin=%d" % width,
                         "output.prefix=bin%d" % width)
            content = self.content("bin%d.h5" % width)
            for number, (kind, channel, form) in enumerate((("baryon", "nucleon", "exp"), ("meson", "pion", "cosh"))):
                def of(name):
                    return content[name]["values"][number]
                rows = datasets["%s/%s/p0_0_0" % (kind, channel)]
                if form == "cosh":
                    rows = [row[:1] + [(row[t] + row[TIMES - t]) / 2 for t in range(1, TIMES // 2 + 1)] for row in rows]
                else:
                    rows = [row[:TIMES // 2] for row in rows]
                rows = [mean_of(rows[k:k + width]) for k in range(0, len(rows), width)]
                head = ("kind", "channel", "labels", "momentum", "samples", "fold", "imaginary")
                self.assertEqual([of("correlator/" + name) for name in head],
                                 [kind, channel, "", [0, 0, 0], len(rows), 1 if form == "cosh" else 0, 0])
                means = jackknife(rows, list)
                for name, expected in (("value", means), ("effective_mass", jackknife(rows, self.effective(form)))):
                    found = list(zip(*[of("correlator/%s/%s" % (name, which)) for which in ("mean", "error")]))
                    self.assertTrue(all(math.isnan(x) for pair in found[len(expected):] for x in pair))
                    self.assert_estimates(found[:len(expected)], expected, 1e-6, (channel, name))
                    self.assertEqual(len(found), {"value": 13, "effective_mass": 12}[name])
                fitted = self.fit(form, 3, 10, [error for _, error in means])
                energy, amplitude, (chi2, _) = jackknife(rows, fitted)
                names = (("mean", "error"), ("amplitude", "amplitude_error"))
                found = [[of("energy/" + mean), of("energy/" + error)] for mean, error in names]
                self.assert_estimates(found, [energy, amplitude], 1e-4, channel)
                self.assertAlmostEqual(of("energy/chi2") / chi2, 1, delta=1e-6)
                # Of six degrees of freedom: p-values of whole numbers are sums over a Poisson and a binomial distribution.
                x, a = 1 / (1 + chi2 / (len(rows) - 1)), (len(rows) - 6) // 2
                p = math.exp(-chi2 / 2) * (1 + chi2 / 2 + chi2**2 / 8)
                finite_p = sum(math.comb(a + 2, j) * x**j * (1 - x)**(a + 2 - j) for j in range(a, a + 3))
                for name, expected in (("states", 1), ("first", 3), ("last", 10), ("dof", 6), ("weight", 1), ("systematic", 0),
                                       ("statistical", energy[1]), ("p_value", p), ("finite_p_value", finite_p)):
                    self.assertAlmostEqual(of("energy/" + name), expected, delta=1e-4 * abs(expected) + 1e-12, msg=name)
                self.assertEqual([of("energy/" + name) for name in ("form", "covariance", "problem")], [form, "diagonal", ""])
                self.assertLess(abs(energy[0] - {"cosh": 0.4, "exp": 0.7}[form]), 5 * energy[1])

    def test_energies_that_alternate_measure_no_autocorrelation(self):
        rows = [correlator("cosh", 0.4 + 0.002 * (-1)**n, TIMES) for n in range(8)]
        self.write("data.h5", {"meson/pion/p0_0_0": rows})
        for method in ("jackknife", "gamma"):
            done = self.analyze("errors.method=" + method, "fit.covariance=diagonal", "fit.ranges=1", "fit.first=3", "fit.last=10",
                                "output.prefix=" + method)
            self.assertRegex(done.stdout, r"(?m)^pion .* too few ")
            content = self.content(method + ".h5")
            for name in ("tau_int", "tau_int_error", "error_of_error", "window"):
                self.assertTrue(math.isnan(content["energy/" + name]["values"][0]), name)
            self.assertEqual(content["energy/long_enough"]["values"], [0])
            # 0.002 over the root of 8, without autocorrelation.
            self.assertAlmostEqual(content["energy/error"]["values"][0], 0.0007, delta=0.0002)

    def test_a_gevp_of_two_states_is_that_of_the_matrix(self):
        vectors, energies = [(1, 0.6), (-0.5, 0.9)], {"p0_0_0": (0.3, 0.8), "p1_0_0": (0.7, 1.1)}
        draw, names, datasets = random.Random(3), ("one", "two"), {}
        for p, states in energies.items():
            drawn = [[e * (1 + draw.gauss(0, 1e-3)) for e in states] for _ in range(6)]
            for i, k in itertools.product((0, 1), repeat=2):
                datasets["meson/%s-%s/%s" % (names[i], names[k], p)] = [
                    [sum(v[i] * v[k] * math.exp(-e * t) for v, e in zip(vectors, row)) for t in range(TIMES)] for row in drawn]
        self.write("data.h5", datasets)
        text = self.analyze('gevp.operators=["one", "two"]', "data.fold=none", "gevp.t0=2", "fit.last=8").stdout
        content = self.content()
        for number, (p, momentum) in enumerate(zip(energies, ([0, 0, 0], [1, 0, 0]))):
            group, attributes = "gevp/%d" % number, content["gevp/%d" % number]["attributes"]
            self.assertEqual({key: attributes[key] for key in ("operators", "momentum", "labels", "samples")},
                             {"operators": ["one", "two"], "momentum": momentum, "labels": "", "samples": 6})
            self.assertLess(abs(attributes["interlacing_violation"]), 1e-12)
            self.assertEqual(attributes["checks"].splitlines(), [
                "C(t) is positive at all times", "all eigenvalues are positive", "tracked eigenvalues keep their order",
                "eigenvalues interlace with those of fewer operators"])
            self.assertIn(attributes["checks"], text)
            matrix = [datasets["meson/%s-%s/%s" % (a, b, p)] for a in names for b in names]
            rows = [[row[k][t] for t in range(TIMES) for row in matrix] for k in range(6)]

            def eigenvalues(c, t):  # det(C(t) - x C(t0)) = 0
                (a, b, _, d), (e, f, _, g) = c[4 * t:4 * t + 4], c[8:12]
                half, norm = (a * g + d * e - 2 * b * f) / 2, e * g - f * f
                return [(half + sign * math.sqrt(half**2 - norm * (a * d - b * b))) / norm for sign in (1, -1)]

            def states(c):  # beyond t0 the larger eigenvalue is that of the ground state, before it the smaller one
                return sum(([1, 1] if t == 2 else eigenvalues(c, t)[::1 if t > 2 else -1] for t in range(TIMES)), [])
            functions = {
                "eigenvalue": states,
                "energy": lambda c: [math.log(x / y) for x, y in zip(states(c), states(c)[2:])],
                "diagonal": lambda c: [c[4 * t + k] / c[8 + k] for t in range(TIMES) for k in (0, 3)],
                "smallest_eigenvalue": lambda c: [1 - abs(c[4 * t + 1]) / math.sqrt(c[4 * t] * c[4 * t + 3]) for t in range(TIMES)]}
            for name, function in functions.items():
                found = [content["%s/%s%s" % (group, name, which)]["values"] for which in ("", "_error")]
                if name != "smallest_eigenvalue":
                    self.assertEqual([len(row) for row in found[0]], [2] * TIMES)
                    found = [sum(rows, []) for rows in found]
                pairs = list(zip(*found))
                early = slice(0, 24)  # states are far above the roundings
                self.assert_estimates(pairs[early], jackknife(rows, function)[early], 1e-4, name)
                self.assertEqual([math.isnan(x) for x, _ in pairs[-2:]], [name == "energy"] * 2)
            for n, energy in enumerate(energies[p]):
                self.assertAlmostEqual(content[group + "/energy"]["values"][5][n], energy, delta=0.005 * energy)
            self.assertEqual(content[group + "/t0"]["values"], [2] * TIMES)
            # States are told apart at all times; from t0 + 1 on, whose vectors are those of t0, they are tracked.
            overlap = content[group + "/overlap"]["values"][:12]
            self.assertEqual([t for t, x in enumerate(overlap) if math.isnan(x)], [2, 3])
            self.assertGreater(min(overlap[:2] + overlap[4:]), 0.99)

    def test_every_number_is_there_as_documented_and_printed(self):
        def options(*settings):
            return [word for setting in settings for word in ("--set", setting)]
        self.call("spectrum", *TINY, "-q", *options(
            "generate.configurations=4", "source.smearing=none", 'sink.smearings=["none"]', "correlators.max_momentum2=1",
            'correlators.mesons=["pion", "pion_A4", "pion-pion_A4", "pion_A4-pion"]', 'correlators.baryons=["nucleon"]',
            "three_point.0.hadron=pion", "three_point.0.times=[2, 3]", 'three_point.0.currents=["a0_g4"]'))
        done = self.call("analyze", "spectrum.h5", *options(
            "fit.points=3", "fit.noise=1", "output.rows=100", 'gevp.operators=["pion", "pion_A4"]'))
        content, text = self.content(), self.read("analysis.txt")
        self.check_layout(content)
        self.check_energies(content, table(text, "correlator +momentum "))
        self.assertEqual(table(text, "correlator +momentum "), table(done.stdout, "correlator +momentum "))
        self.check_effective_masses(content, table(done.stdout, "t", "effective masses"))
        self.check_gevps(content, text)
        self.check_ratio(content, table(text, "current"))
        self.assertEqual(table(text, "current"), table(done.stdout, "current"))

    def check_layout(self, content):
        """docs/analysis.md names every dataset and every attribute, and no other."""
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "analysis.md")) as file:
            rows = re.search(r"\| in `PREFIX.h5` \| has \|\n(.*?)\n\n", file.read(), re.S).group(1)
        datasets, attributes = set(), {}
        for line in rows.splitlines()[1:]:
            names, has = line.strip("| ").split(" | ")
            names = re.findall("`([^`]*)`", names)
            group = names[0].strip("/").rpartition("/")[0] or names[0].strip("/")
            if "[" in has:
                datasets |= {names[0].strip("/"), *(group + "/" + name for name in names[1:])}
            _, _, named = has.partition("attribute")
            attributes.setdefault("/".join(group.split("/")[:2]), set()).update(re.findall("`([^`]*)`", named))
        here = {name: item for name, item in content.items() if not re.match("(gevp|ratio)/[1-9]", name)}
        self.assertEqual({name for name, item in here.items() if "values" in item}, datasets)
        self.assertGreater(len(datasets), 45)
        for group, named in attributes.items():
            if group != "parameters":
                inside = [item for name, item in here.items() if name == group or group and name.startswith(group + "/")]
                self.assertEqual({key for item in inside for key in item["attributes"]}, named, group)
        printed, section = set(), ""
        for line in self.call("analyze", "--print").stdout.splitlines():
            section = line.strip("[]") if line.startswith("[") else section
            if " = " in line and not line.startswith("#"):
                printed.add(section + "." + line.split(" = ")[0])
        self.assertEqual(set(content["parameters"]["attributes"]), printed)

    def check_energies(self, content, printed):
        n = len(content["correlator/channel"]["values"])
        for name, item in content.items():
            if "values" in item and name.startswith(("correlator/", "energy/")):
                self.assertEqual(len(item["values"]), n, name)
        self.assertEqual(len(printed), n)
        self.assertGreater(sum(row["energy"] != "-" for row in printed), 15)
        for k, row in enumerate(printed):
            def of(name):
                return content[name]["values"][k]
            form = of("energy/form") + (", Im" if of("correlator/imaginary") else "")
            momentum = " ".join(map(str, of("correlator/momentum")))
            self.assertEqual([row[name] for name in ("correlator", "momentum", "labels", "form")],
                             [of("correlator/channel"), momentum, of("correlator/labels"), form])
            self.assert_shown(row["energy"], of("energy/mean"), of("energy/error"))
            if of("energy/problem"):
                self.assertEqual((row["energy"], row["covariance"]), ("-", of("energy/problem")))
                continue
            self.assert_short(row["(stat)"], of("energy/statistical"))
            self.assert_short(row["(range)"], of("energy/systematic"))
            self.assertAlmostEqual(of("energy/error"), math.hypot(of("energy/statistical"), of("energy/systematic")), delta=1e-12)
            if row["tau_int"] == "too few":
                self.assertTrue(math.isnan(of("energy/tau_int")) and math.isnan(of("energy/tau_int_error")))
                self.assertEqual(of("energy/long_enough"), 0)
            else:
                self.assertGreater(of("energy/tau_int"), 0)
                self.assert_shown(row["tau_int"], of("energy/tau_int"), of("energy/tau_int_error"))
            states = "2: " if of("energy/states") == 2 else ""
            self.assertEqual(row["best"], "%s%d-%d" % (states, of("energy/first"), of("energy/last")))
            self.assert_short(row["chi2/dof"], of("energy/chi2") / of("energy/dof"))
            self.assertEqual(row["covariance"], of("energy/covariance"))
            self.assert_short(row["p"], of("energy/finite_p_value" if row["covariance"] == "full" else "energy/p_value"))

    def check_effective_masses(self, content, printed):
        channels, momenta = (content["correlator/" + name]["values"] for name in ("channel", "momentum"))
        self.assertEqual([row["t"] for row in printed], ["0", "1", "2", "3"])
        self.assertEqual(len(printed[0]), 6)
        for title in set(printed[0]) - {"t"}:
            channel, momentum = re.match(r"(\S+) \((.*)\)", title).groups()
            k = [i for i, p in enumerate(momenta) if channels[i] == channel and p == list(map(int, momentum.split()))][0]
            for t, row in enumerate(printed):
                mean, error = (content["correlator/effective_mass/" + name]["values"][k][t] for name in ("mean", "error"))
                if row[title] or not math.isnan(mean):
                    self.assert_shown(row[title], mean, error)

    def check_gevps(self, content, text):
        groups = [name for name in content if re.fullmatch("gevp/[0-9]+", name)]
        self.assertEqual(len(groups), 7)
        for group in groups:
            momentum = " ".join(map(str, content[group]["attributes"]["momentum"]))
            about = "GEVP of {pion, pion_A4} at momentum %s;" % momentum
            self.assertIn(content[group]["attributes"]["checks"], text[text.index(about):])
            for t, row in enumerate(table(text, "t", about)):
                def of(name):
                    return content[group + "/" + name]["values"][t]
                self.assertEqual((row["t"], row["t0"]), (str(t), str(of("t0"))))
                for n in range(2):
                    self.assert_shown(row["E_%d" % n], of("energy")[n], of("energy_error")[n])
                    self.assert_shown(row["lambda_%d" % n], of("eigenvalue")[n], of("eigenvalue_error")[n])
                self.assert_short(row["overlap"], of("overlap"))
                self.assert_shown(row["least eigenvalue of C"], of("smallest_eigenvalue"), of("smallest_eigenvalue_error"))

    def check_ratio(self, content, printed):
        def of(name):
            return content["ratio/0/" + name]["values"]
        attributes = content["ratio/0"]["attributes"]
        self.assertEqual([attributes[name] for name in ("current", "transfer", "imaginary", "samples")], ["a0_g4", [0, 0, 0], 0, 4])
        self.assertEqual((of("sink_time"), of("problem")), ([2, 3], ["", ""]))
        self.assertEqual([row["sink"] for row in printed], ["2", "3", "sum"])
        for k, row in enumerate(printed[:2]):
            self.assertEqual([row[name] for name in ("current", "transfer", "labels", "part")],
                             ["a0_g4", "0 0 0", attributes["labels"], "Re"])
            self.assert_shown(row["matrix element"], of("plateau")[k], of("plateau_error")[k])
            self.assert_short(row["chi2/dof"], of("chi2")[k] / of("dof")[k] if of("dof")[k] else math.nan)
            mean, error = of("ratio/mean")[k], of("ratio/error")[k]
            self.assertEqual([math.isnan(x) for x in mean], [False] * (k + 3) + [True] * (1 - k))
            # The plateau leaves out the source and the sink: of two steps in time one number is left.
            if k == 0:
                self.assertAlmostEqual(of("plateau")[0], mean[1], delta=1e-12)
                self.assertAlmostEqual(of("plateau_error")[0], error[1], delta=1e-12)
            else:
                self.assertTrue(min(mean[1:3]) - max(error) <= of("plateau")[1] <= max(mean[1:3]) + max(error))
        self.assert_shown(printed[2]["matrix element"], attributes["sum"], attributes["sum_error"])
        sums = [sum(row[1:t]) for row, t in zip(of("ratio/mean"), of("sink_time"))]
        self.assertAlmostEqual(attributes["sum"], sums[1] - sums[0], delta=1e-9)
        self.assertEqual((attributes["sum_dof"], attributes["problem"], attributes["sum_problem"]), (0, "", ""))


LINKED = """
import h5py, sys
with h5py.File("linked.h5", "w") as file:
    file["meson/pion/p0_0_0"] = h5py.ExternalLink("data.h5", "/meson/pion/p0_0_0")
"""
# Ten bytes that promise to be 2.5 GiB of numbers.
PROMISE = """
import h5py
with h5py.File("promise.h5", "w") as file:
    shape = (20, 1 << 24)
    dataset = file.create_dataset("meson/pion/p0_0_0", shape, "f8", chunks=shape, compression="gzip")
    dataset.id.write_direct_chunk((0, 0), b"0123456789")
"""


class AnalyzeSamples(SyntheticTest):
    def setUp(self):
        super().setUp()
        draw = random.Random(3)
        self.rows = [[c * (1 + draw.gauss(0, 0.004)) for c in correlator("cosh", 0.4, TIMES)] for _ in range(20)]
        self.write("data.h5", {"meson/pion/p0_0_0": self.rows})

    def test_that_fill_no_bin_are_named(self):
        done = self.analyze("errors.bin=7")
        self.assertIn("of 20 samples of meson pion the last 6 fill no bin of 7", done.stderr)
        self.assertEqual(self.content()["correlator/samples"]["values"], [2])
        for size in (1, 5, 10, 20):
            self.assertNotIn("fill no bin", self.analyze("errors.bin=%d" % size, "output.prefix=bins%d" % size).stderr)

    def test_with_numbers_that_are_not_finite_are_named(self):
        self.assertNotIn("not finite", self.analyze().stderr)
        for bad in (math.nan, math.inf):
            self.rows[4][7] = bad
            self.write("bad.h5", {"meson/pion/p0_0_0": self.rows})
            error = self.analyze("output.prefix=of_bad", file="bad.h5").stderr
            self.assertRegex(error, r"meson pion at momentum 0 0 0 is not finite on \S+ at t = 7, and maybe others")
            os.remove(self.path("bad.h5"))

    def test_behind_links_to_other_files_are_read(self):
        subprocess.run([self.python, "-c", LINKED], cwd=self.folder, check=True)
        plain, linked = self.analyze(), self.analyze("output.prefix=of_link", file="linked.h5")
        self.assertEqual(table(linked.stdout, "correlator"), table(plain.stdout, "correlator"))

    def test_that_cannot_be_in_what_a_compressed_file_holds_are_refused(self):
        subprocess.run([self.python, "-c", PROMISE], cwd=self.folder, check=True)
        self.assertIn("promises", self.analyze(file="promise.h5", code=2).stderr)

    def test_ranges_of_fits_that_end_before_they_begin_are_refused(self):
        error = self.analyze("fit.first=9", "fit.last=4", code=1).stderr
        self.assertIn("fit.last is 4 - it must be later than fit.first, 9, or 0", error)


if __name__ == "__main__":
    unittest.main()
