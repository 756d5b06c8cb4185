# SPDX-License-Identifier: MIT
"""Files that are not configurations, or damaged ones."""
import os
import struct
import unittest

from program_support import ProgramTest


class BadFiles(ProgramTest):
    """Whatever a file holds: exit code 1 or 2 and a message that names it, within a second of work, and nothing written."""

    def refuse(self, path, code=2, says=""):
        done = self.call_within(10, "info", path, code=code)
        self.assertLess(done.work, 1)
        self.assertEqual(done.stdout, "")
        self.assertIn(os.path.basename(str(path)), done.stderr)
        self.assertIn(says, done.stderr)
        self.assertEqual(done.stderr.strip().count("\n"), 0, done.stderr)
        before = sorted(os.listdir(self.folder))
        self.call("convert", path, "out.lime", code=code)
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def make(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)
        return name

    def configuration(self, format="nersc"):
        self.call("generate", "--extent", 4, 4, 4, 4, "--thermalise", 2, "--format", format, "--output", "good", "-q")
        return self.read("good.0001." + {"nersc": "nersc", "ildg": "lime"}[format], "rb")

    def test_a_file_that_is_absent_is_an_input_error(self):
        self.refuse("absent.lime", code=1)

    def test_an_empty_file_is_refused(self):
        self.refuse(self.make("empty.lime", b""), says="empty")

    def test_a_folder_is_refused(self):
        os.mkdir(self.path("folder.lime"))
        self.refuse("folder.lime", says="folder")

    def test_a_text_file_is_refused(self):
        self.refuse(self.make("poem.lime", b"The quality of mercy is not strained,\n" * 100), says="is not a gauge configuration")

    def test_a_flipped_bit_is_noticed(self):
        for format in ("nersc", "ildg"):
            content = bytearray(self.configuration(format))
            content[len(content) // 2] ^= 4
            self.refuse(self.make("flipped." + format, bytes(content)), says="records")

    def test_links_without_a_finite_plaquette_are_of_no_use_whatever_is_ignored(self):
        content = self.configuration()
        self.make("huge.nersc", content[:-8 * 500] + struct.pack(">d", 1e300) * 500)
        ignored = [word for check in ("checksums", "plaquette", "link-trace", "unitarity") for word in ("--ignore", check)]
        self.assertIn("damaged beyond use", self.call("info", "huge.nersc", *ignored, code=2).stderr)

    def test_a_truncated_file_is_refused(self):
        for format in ("nersc", "ildg"):
            content = self.configuration(format)
            self.refuse(self.make("short." + format, content[:-1000]))
            self.refuse(self.make("stub." + format, content[:100]))

    def test_a_header_that_promises_more_links_than_there_are_is_refused(self):
        content = self.configuration()
        self.refuse(self.make("more.nersc", content.replace(b"DIMENSION_4 = 4", b"DIMENSION_4 = 8")), says="bytes")

    def test_impossible_extents_are_refused(self):
        content = self.configuration()
        for extent in (b"0", b"1099511627776", b"-4", b"4.5"):
            self.refuse(self.make("extent.nersc", content.replace(b"DIMENSION_4 = 4", b"DIMENSION_4 = " + extent)))

    def test_a_link_that_is_nan_is_refused(self):
        content = bytearray(self.configuration())
        content[-8:] = struct.pack(">d", float("nan"))
        path = self.make("nan.nersc", bytes(content))
        self.refuse(path)
        self.assertIn("finite", self.call("info", path, "--ignore", "checksums", code=2).stderr)

    def test_damaged_published_files_are_refused(self):
        for name in ("bad_checksum.lime", "bad_checksum.milc", "truncated.nersc"):
            self.refuse(self.published("derived/" + name))

    def test_a_check_that_is_ignored_on_request_is_recorded(self):
        content = bytearray(self.configuration())
        content[-1] ^= 1  # the lowest bit of the last link
        path = self.make("flipped.nersc", bytes(content))
        self.assertIn("--ignore checksums", self.call("info", path, code=2).stderr)
        done = self.call("info", path, "--ignore", "checksums")
        self.assertIn("warning", done.stderr)
        self.assertIn("ignored on request", done.stdout)
        self.call("convert", path, "copy.lime", "--ignore", "checksums")
        self.assertIn("checks_overridden", self.call("info", "copy.lime", "--metadata").stdout)
        # Every output made from it says so.
        for command in (["flow", path, "--time", 0.1], ["loops", path], ["smear", path, "--width", 1],
                        ["gaugefix", path, "fixed.lime"],
                        ["spectrum", "--set", 'gauge.files=["%s"]' % path, "--set", 'gauge.ignore=["checksums"]',
                         "--set", "action.kappa=0.11", "--set", "analysis.pion=[0, 1]", "--set", "analysis.rho=[0, 1]",
                         "--set", "analysis.nucleon=[0, 0]"]):
            name = command[0]
            self.call(*command, *(["--ignore", "checksums"] if name != "spectrum" else []))
            self.assertIn("IGNORED CHECKS", self.read(name + ".svg"))
            if name != "spectrum":
                self.assertRegex(self.read(name + ".txt"), "# check that failed and was ignored: .*checksum")
                self.call(name, "good.0001.nersc", *command[2:])
                self.assertNotIn("ignored", self.read(name + ".txt"))
                self.assertNotIn("IGNORED", self.read(name + ".svg"))


if __name__ == "__main__":
    unittest.main()
