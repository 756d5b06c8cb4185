# SPDX-License-Identifier: MIT
"""Effective masses of a channel in a file of correlators, as a table and, where matplotlib is, as a picture.

    python3 spectrum.py [spectrum.h5 [meson/pion-pion [masses.pdf]]]

A mass at t is log C(t) / C(t + 1), where `kovariant spectrum` takes the cosh for mesons.  In a file with several sinks a
channel is meson/pion-pion/none, for instance; the first is taken where none is named.
"""
import sys

import h5py
import numpy as np

file, channel, picture = (sys.argv[1:] + ["spectrum.h5", "meson/pion-pion", "masses.pdf"][len(sys.argv) - 1:])[:3]
with h5py.File(file) as f:
    if isinstance(f[channel], h5py.Group):
        print("sinks of", channel + ":", *f[channel])
        channel += "/" + next(iter(f[channel]))
    data = f[channel]  # complex numbers [configuration][source][momentum][t]
    samples = np.nanmean(data[:, :, 0].real, axis=1)  # the first momentum, averaged over the sources of a configuration
    momentum = data.dims[2][0][0]
    print(channel, "at momentum", momentum, "with", {k: data.attrs[k] for k in ("action", "kappa", "boundary", "sink_smearing") if k in data.attrs})
    for name, plaquette, iterations in zip(f["axes/configuration"].asstr(), f["inputs/plaquette"], f["solves/iterations"]):
        print("%-40s plaquette %.9f, %d iterations" % (name, plaquette, iterations.sum()))
times = samples.shape[1] // 2
if channel.startswith("meson/"):  # the same forward and backward in time, up to a sign
    backward = np.roll(samples[:, ::-1], 1, axis=1)
    sign = np.sign((samples * backward).mean(axis=0)[1:times].sum())
    samples = (samples + sign * backward) / 2
n = len(samples)


def effective_mass(c):
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.log(c[:times - 1] / c[1:times])


mass = effective_mass(samples.mean(axis=0))
without = [effective_mass((samples.sum(axis=0) - c) / (n - 1)) for c in samples] if n > 1 else [mass]  # jackknife
error = np.sqrt((n - 1) * np.var(without, axis=0)) if n > 1 else np.full_like(mass, np.nan)
print("%4s %12s %12s" % ("t", "mass", "error"))
for t in range(times - 1):
    print("%4d %12.6f %12.6f" % (t, mass[t], error[t]))
try:
    import matplotlib
except ImportError:
    print("no matplotlib here, so no picture")
    sys.exit()
matplotlib.use("Agg")  # needs no display
from matplotlib import pyplot
pyplot.errorbar(np.arange(times - 1) + 0.5, mass, error, fmt="o", capsize=3)
pyplot.xlabel("$t/a$")
pyplot.ylabel("$a\\,m_{\\mathrm{eff}}$")
pyplot.savefig(picture)
