# SPDX-License-Identifier: MIT
"""README, CONTRIBUTING and docs say what is so: their code is compiled, their commands are run, their files are read.

ctest sets KOVARIANT (the program), KOVARIANT_README and KOVARIANT_LIBRARY (the programs of README and docs/library.md) and
KOVARIANT_HDF5.
"""
import ast
import functools
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

from blocks import blocks, commands_in_sentences, options_in_sentences

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.environ["KOVARIANT"]
README = os.environ["KOVARIANT_README"]
LIBRARY = os.environ["KOVARIANT_LIBRARY"]
HAS_HDF5 = os.environ.get("KOVARIANT_HDF5", "1") == "1"
DOCS = sorted(set(glob.glob(os.path.join(ROOT, "*.md")) + glob.glob(os.path.join(ROOT, "docs", "*.md")))
              - {os.path.join(ROOT, "CHANGELOG.md")})  # which may name what is no more
ALL = [block for markdown in DOCS for block in blocks(markdown)]

sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(ROOT, "cmake"), os.path.join(ROOT, "tests", "support")]
from bootstrap.main import parser  # noqa: E402
from ensembles import write_hdf5  # noqa: E402
from python_with import python_with  # noqa: E402


def of(language):
    return [block for block in ALL if block.language == language]


def commands(*programs):
    """(block, line) for every line of a console block that calls one of these."""
    return [(block, line) for block in of("console") for line in block.commands() if line.split()[0] in programs]


@functools.lru_cache(None)
def help_of(*subcommand):
    return subprocess.run([PROGRAM, *subcommand, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout


def options_of(text):
    return set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", text))


def subcommands():
    return set(re.findall(r"^  ([a-z]+)  ", help_of(), re.M))


def text_of(path):
    """A file of the repository."""
    with open(os.path.join(ROOT, path)) as file:
        return file.read()


class Blocks(unittest.TestCase):
    def test_there_are_some_of_every_kind(self):
        self.assertEqual({block.language for block in ALL}, {"console", "cpp", "cmake", "python", "text", "toml"})

    def test_what_has_to_be_compiled_is_included_by_a_source(self):
        for block in of("cpp") + of("cmake"):
            with self.subTest(str(block)):
                self.assertTrue(block.name, "a comment before the block must say which source compiles it: tests/docs/blocks.py")
                self.assertTrue(re.search(r'["/]%s"' % re.escape(block.name), text_of(block.source)),
                                "%s does not include %s" % (block.source, block.name))

    def test_python_parses(self):
        for block in of("python"):
            with self.subTest(str(block)):
                ast.parse(block.text)


class Headers(unittest.TestCase):
    def test_every_installed_header_has_its_line_and_none_that_is_gone(self):
        named, layer = [], ""
        for line in text_of("docs/library.md").splitlines():
            heading = re.match(r"### (?:(kov/\w+):)?", line)
            if heading:
                layer = heading.group(1) + "/" if heading.group(1) else ""
            row = re.match(r"\| `([\w/]+\.hpp)` \| \S.* \|$", line)
            if row:
                named.append(layer + row.group(1))
        there = []
        for layer in ("core", "stencil", "algebra", "contractions"):  # what cmake/KovInstall.cmake installs
            for folder, _, names in os.walk(os.path.join(ROOT, layer)):
                there += ["kov/" + os.path.relpath(os.path.join(folder, name), ROOT) for name in names if name.endswith(".hpp")]
        self.assertEqual(sorted(named), sorted(there))


class Commands(unittest.TestCase):
    """Commands and options exist."""

    def check(self, command):
        words = shlex.split(command)
        if words[0] == "mpiexec":
            words = words[words.index("kovariant"):]
        if words[0] == "./bootstrap":
            words = words[:words.index("--")] if "--" in words else words
            parser().parse_args([word for word in words[1:] if word != "..."])
            return
        if words[0] == "python3":  # a script of the repository
            for word in words[2:]:
                if word.startswith("--"):
                    self.assertIn(word, text_of(words[1]))
            return
        text = help_of()
        if len(words) > 1 and not words[1].startswith("-") and words[1] != "SUBCOMMAND":
            self.assertIn(words[1], subcommands())
            text = help_of(words[1])
        for word in words[1:]:
            if re.fullmatch(r"--?[a-zA-Z][\w-]*", word):
                self.assertIn(word, options_of(text) | {"--help"})

    def test_of_console_blocks(self):
        for block, line in commands("kovariant", "./bootstrap", "mpiexec", "python3"):
            with self.subTest("%s: %s" % (block, line)):
                self.check(line)

    def test_between_backquotes(self):
        for markdown in DOCS:
            for number, command in commands_in_sentences(markdown):
                with self.subTest("%s:%d: %s" % (os.path.basename(markdown), number, command)):
                    self.check(command)

    def test_options_between_backquotes(self):
        known = {"--parallel"} | options_of(parser().format_help())  # of ctest
        for action in parser()._subparsers._group_actions[0].choices.values():
            known |= options_of(action.format_help())
        for name in subcommands():
            known |= options_of(help_of(name))
        for markdown in DOCS:
            scripts = set(re.findall(r"(?:python3 |`)(tests/\S+\.py)\b", text_of(markdown)))
            here = known.union(*(options_of(text_of(script)) for script in scripts))
            for number, option in options_in_sentences(markdown):
                with self.subTest("%s:%d" % (os.path.basename(markdown), number)):
                    self.assertIn(option, here)

    def test_every_subcommand_is_documented(self):
        for name in subcommands():
            self.assertIn("| `kovariant " + name, text_of("docs/program.md"))

    def test_other_programs_are_known(self):
        presets = {preset["name"] for preset in json.loads(text_of("CMakePresets.json"))["configurePresets"]}
        for block in of("console"):
            for line in block.commands():
                with self.subTest("%s: %s" % (block, line)):
                    words = [word for word in shlex.split(line) if not re.fullmatch(r"[A-Z_]+=\S+", word)]
                    if words[0] == "cmake" and "--preset" in words:
                        self.assertIn(words[words.index("--preset") + 1], presets)
                    self.assertIn(words[0], ("kovariant", "./bootstrap", "mpiexec", "cmake", "ctest", "export", "python3", "h5dump"))


class Runs(unittest.TestCase):
    """Everything in one folder and in the order of the text.  Its files are configurations that a line of docs/program.md
    makes."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="kovariant-docs-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.ran = set()
        for block, line in commands("kovariant"):
            if line.startswith("kovariant generate") and "--output beta6" in line:
                cls.run_line(line)
        for number, names in ((1, ("lattice.ildg", "lattice.milc", "a.ildg", "conf.1000")), (2, ("b.ildg", "conf.1010"))):
            for name in names:
                shutil.copy(os.path.join(cls.folder, "beta6.%04d.lime" % number), os.path.join(cls.folder, name))
        for block, line in commands("kovariant"):
            cls.run_line(line)

    @classmethod
    def run_line(cls, line):
        """Runs it as it stands.  The bench would take minutes, and a second job of two configurations shows nothing new."""
        words = shlex.split(line)
        if words[1] == "bench" or not HAS_HDF5 and (".h5" in line or words[1] == "distill") or line in cls.ran:
            return
        cls.ran.add(line)
        output = subprocess.DEVNULL
        if ">" in words:
            output = open(os.path.join(cls.folder, words[-1]), "w")
            words = words[:words.index(">")]
        if words[1] in ("spectrum", "propagator") and words[2:3] == ["run.toml"] or words[1] == "distill" and "--print" not in words:
            words.append("--dry-run")
        done = subprocess.run([PROGRAM, *words[1:]], cwd=cls.folder, stdin=subprocess.DEVNULL, stdout=output,
                              stderr=subprocess.PIPE, text=True)
        if output is not subprocess.DEVNULL:
            output.close()
        if done.returncode:
            raise AssertionError("`%s` ended with code %d:\n%s" % (line, done.returncode, done.stderr))

    def run_here(self, *command):
        done = subprocess.run(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env={**os.environ, "MPLBACKEND": "Agg"})  # pictures without a screen
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_commands(self):
        """They ran in setUpClass; each kind of file that they promise is there."""
        self.assertGreater(len(self.ran), 15)
        for name in ("spectrum.svg", "smear.svg", "flow.svg", "loops.svg", "flowed.lime", "coulomb.lime"):
            self.assertTrue(os.path.exists(os.path.join(self.folder, name)), name)

    def test_the_program_of_the_readme(self):
        self.run_here(README)

    @unittest.skipUnless(HAS_HDF5, "NOT TESTED: this build has no HDF5")
    def test_the_program_of_the_library_measures_what_kovariant_spectrum_does(self):
        self.run_here(LIBRARY)
        self.run_here(PROGRAM, "spectrum", "--set", "gauge.files=lattice.ildg", "--set", "action.kappa=0.15", "--set",
                      "correlators.max_momentum2=1", "--set", "output.prefix=same")
        python = python_with("h5py")
        if python is None:
            self.skipTest("NOT TESTED: no Python here has h5py")
        self.run_here(python, "-c", "import h5py\n"
                      "a, b = h5py.File('library.h5'), h5py.File('same.h5')\n"
                      "for name in ('meson/pion-pion', 'meson/rho_x-rho_x', 'baryon/nucleon'):\n"
                      "    x, y = a[name][()], b[name][()]\n"
                      "    assert x.shape == y.shape == (1, 2, 7, 16), (x.shape, y.shape)\n"
                      "    assert (abs(x - y) < 1e-6 * abs(y).max()).all() and abs(y).max() > 0, name\n")

    def test_what_the_readme_says_of_its_errors(self):
        with tempfile.TemporaryDirectory() as empty:
            done = subprocess.run([README], cwd=empty, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertEqual(done.stdout.count("lattice.ildg"), 1, done.stdout)

    @unittest.skipUnless(HAS_HDF5, "NOT TESTED: this build has no HDF5")
    def test_python(self):
        for block in of("python"):
            modules = sorted({word.split(".")[0] for word in re.findall(r"^\s*(?:import|from) (\S+)", block.text, re.M)})
            python = python_with(*modules)
            with self.subTest(str(block)):
                if python is None:
                    self.skipTest("NOT TESTED: no Python here has all of %s, which %s imports" % (", ".join(modules), block))
                following = ALL[ALL.index(block) + 1:][:1]
                self.assertEqual([(b.language, b.markdown) for b in following], [("text", block.markdown)],
                                 "a block of text after it must show what it prints")
                self.assertEqual(self.run_here(python, "-c", block.text), following[0].text)

    def test_parameter_files(self):
        for block in of("toml"):
            with self.subTest(str(block)):
                with open(os.path.join(self.folder, "block.toml"), "w") as file:
                    file.write(block.text)
                if "[[correlator]]" in block.text:
                    if not self.write_mapped("mapped.h5", block.text):
                        continue
                    command = ["analyze", "mapped.h5", "--mapping", "block.toml"]
                elif "[fit]" in block.text:
                    if not HAS_HDF5:
                        continue
                    command = ["analyze", "hadrons.h5", "--settings", "block.toml"]
                else:
                    name = "propagator" if "[[quark]]" in block.text else "distill" if "[eigenvectors]" in block.text else "spectrum"
                    if name == "distill" and not HAS_HDF5:
                        continue
                    command = [name, "block.toml"]
                self.run_here(PROGRAM, *command, "--dry-run")

    def write_mapped(self, name, mapping):
        """A file that a mapping is about, its names 1 and its numbers 0; false where nobody can write it."""
        python = python_with("h5py") if HAS_HDF5 else None
        if python is None:
            return False
        numbers = 0.0
        for _ in json.loads(re.search(r"^axes = (.*)$", mapping, re.M).group(1)):
            numbers = [numbers, numbers]
        paths = re.findall(r'^(?:dataset|imaginary) = "(.*)"$', mapping, re.M)
        write_hdf5(python, os.path.join(self.folder, name), {re.sub("{.*?}", "1", path): numbers for path in paths})
        return True

    def test_the_keys_are_what_the_program_prints(self):
        for command in ("spectrum", "analyze"):
            printed = self.run_here(PROGRAM, command, "--print").strip()
            self.assertIn(printed, [block.text.strip() for block in of("toml")])


if __name__ == "__main__":
    unittest.main()
