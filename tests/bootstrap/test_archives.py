# SPDX-License-Identifier: MIT
"""Archives are verified before use, and nothing is left behind by a fetch that fails."""
import io
import os
import tarfile
import unittest
from unittest import mock

import fakes
from bootstrap import archives
from bootstrap.steps import EXIT_DOWNLOAD, Failure


class Mirror(fakes.Case):
    def setUp(self):
        super().setUp()
        self.mirror = self.path("mirror")
        self.file = fakes.write(os.path.join(self.mirror, "kokkos-9.9.tar.gz"), "not the real thing")
        self.archive = archives.Archive("kokkos-9.9.tar.gz", archives.sha256(self.file), url="https://nowhere.invalid/")

    def test_release_comes_from_a_local_folder(self):
        path = archives.fetch(self.archive, self.cache, self.mirror)
        self.assertEqual(archives.sha256(path), self.archive.sha256)

    def test_release_comes_from_a_url(self):
        path = archives.fetch(self.archive, self.cache, "file://" + self.mirror)
        self.assertEqual(archives.sha256(path), self.archive.sha256)

    def test_what_is_cached_is_not_fetched_again(self):
        path = archives.fetch(self.archive, self.cache, self.mirror)
        os.remove(self.file)
        self.assertEqual(archives.fetch(self.archive, self.cache, self.mirror), path)

    def test_damaged_cache_is_fetched_again(self):
        path = archives.fetch(self.archive, self.cache, self.mirror)
        fakes.write(path, "bit rot")
        self.assertEqual(archives.sha256(archives.fetch(self.archive, self.cache, self.mirror)), self.archive.sha256)

    def test_wrong_checksum_is_refused_and_leaves_nothing(self):
        fakes.write(self.file, "something else")
        with self.assertRaises(Failure) as caught:
            archives.fetch(self.archive, self.cache, self.mirror)
        self.assertEqual(caught.exception.code, EXIT_DOWNLOAD)
        self.assertIn(self.archive.sha256, caught.exception.text())
        self.assertIn(archives.sha256(self.file), caught.exception.text())
        self.assertEqual(self.left_in_cache(), [])

    def test_no_network_names_the_file_and_the_way_around(self):
        nowhere = archives.Archive("kokkos-9.9.tar.gz", "0" * 64, url="http://127.0.0.1:9/")
        with self.assertRaises(Failure) as caught:
            archives.fetch(nowhere, self.cache)
        self.assertEqual(caught.exception.code, EXIT_DOWNLOAD)
        self.assertIn("http://127.0.0.1:9/kokkos-9.9.tar.gz", caught.exception.problem)
        self.assertIn("--kokkos=kokkos-9.9.tar.gz", caught.exception.remedy)
        self.assertEqual(self.left_in_cache(), [])

    def test_mirror_without_the_file(self):
        os.remove(self.file)
        with self.assertRaisesRegex(Failure, "has no kokkos-9.9.tar.gz"):
            archives.fetch(self.archive, self.cache, self.mirror)


class Pip(fakes.Case):
    def setUp(self):
        super().setUp()
        self.environment(PIP_CONFIG_FILE=os.devnull, PIP_RETRIES="0", PIP_TIMEOUT="3", PIP_FIND_LINKS="",
                         PIP_NO_INDEX="", PIP_INDEX_URL="http://127.0.0.1:9/simple", PIP_EXTRA_INDEX_URL="")

    def fail(self):
        with self.assertRaises(Failure) as caught:
            archives.fetch(archives.PINNED, self.cache)
        self.assertEqual(caught.exception.code, EXIT_DOWNLOAD)
        self.assertEqual(self.left_in_cache(), [])
        return caught.exception

    @unittest.skipUnless(archives.pip_command(), "NOT TESTED: there is no pip here")
    def test_wrong_checksum(self):
        source = fakes.write(self.path("pygenten-0.1.5", "PKG-INFO"), "Metadata-Version: 2.1\nName: pygenten\nVersion: 0.1.5\n")
        fakes.pack(os.path.dirname(source), self.path("index", archives.PINNED.file), "pygenten-0.1.5")
        self.environment(PIP_NO_INDEX="1", PIP_FIND_LINKS=self.path("index"))
        failure = self.fail()
        self.assertIn("wrong checksum", failure.problem)
        self.assertIn(archives.PINNED.sha256, failure.problem)

    @unittest.skipUnless(archives.pip_command(), "NOT TESTED: there is no pip here")
    def test_no_network(self):
        failure = self.fail()
        self.assertIn("no network", failure.problem)
        self.assertIn("pip download", failure.remedy)
        self.assertIn("--kokkos=pygenten-0.1.5.tar.gz", failure.remedy)

    def test_no_pip(self):
        with mock.patch.object(archives, "pip_command", return_value=None):
            failure = self.fail()
        self.assertIn("no pip", failure.problem)
        self.assertIn("python3-pip", failure.remedy)

    def test_a_pip_that_does_not_run_counts_as_none(self):
        with mock.patch.object(archives.subprocess, "run", side_effect=FileNotFoundError):
            self.assertIsNone(archives.pip_command())


class Unpack(fakes.Case):
    def test_truncated_archive(self):
        source = fakes.kokkos_source(self.path("kokkos"))
        archive = fakes.pack(source, self.path("a", "kokkos.tar.gz"), "kokkos")
        with open(archive, "r+b") as file:
            file.truncate(os.path.getsize(archive) // 2)
        with self.assertRaisesRegex(Failure, "cannot be unpacked"):
            archives.unpack(archive, self.path("out"))

    def test_text_file(self):
        with self.assertRaisesRegex(Failure, "cannot be unpacked"):
            archives.unpack(fakes.write(self.path("a", "page.html"), "<html>"), self.path("out"))

    def test_member_that_points_outside(self):
        archive = self.path("bad.tar")
        with tarfile.open(archive, "w") as file:
            member = tarfile.TarInfo("../outside")
            member.size = 4
            file.addfile(member, io.BytesIO(b"evil"))
        with self.assertRaisesRegex(Failure, "written outside"):
            archives.unpack(archive, self.path("out"))
        self.assertFalse(os.path.exists(self.path("outside")))


class Pinned(unittest.TestCase):
    def test_sums_are_complete(self):
        for archive in (archives.PINNED, archives.RELEASE):
            self.assertRegex(archive.sha256, "^[0-9a-f]{64}$")


if __name__ == "__main__":
    unittest.main()
