// SPDX-License-Identifier: MIT
#include "kov/core/field/noise.hpp"

#include "kov/core/field/cuda/noise_blocks.hpp"
#include "kov/core/lattice/global_site.hpp"
#include "kov/core/launch/for_each_site.hpp"

namespace kov {

namespace detail {

template <template <class> class SiteT, class T>
struct NoiseKernel {
  GlobalSite site;
  Noise noise;
  FieldView<SiteT, T> out;
  int n_components;

  KOKKOS_FUNCTION void operator()(LaneSite x) const {
    SiteRandom random(noise.seed, noise.stream, site.index(x));
    for (int c = 0; c < n_components; ++c) {
      SiteT<T> v;
      for (int k = 0; k < SiteT<T>::n_complex; ++k) {
        const Complex<double> z = noise_number(noise.kind, random);
        v.z[k] = {T(z.re), T(z.im)};
      }
      out.set(x, v, c);
    }
  }
};

}  // namespace detail

template <template <class> class SiteT, class T>
void fill_noise(const Field<SiteT, T>& field, const Noise& noise, const Exec& exec) {
  for_each_lane("fill_noise", field.range(),
                detail::NoiseKernel<SiteT, T>{GlobalSite(field.lattice()), noise, field.view(), field.n_components()},
                exec);
}

template void fill_noise(const Field<Scalar, float>&, const Noise&, const Exec&);
template void fill_noise(const Field<Scalar, double>&, const Noise&, const Exec&);
template void fill_noise(const Field<ColorVector, float>&, const Noise&, const Exec&);
template void fill_noise(const Field<ColorVector, double>&, const Noise&, const Exec&);
template void fill_noise(const Field<AdjointVector, float>&, const Noise&, const Exec&);
template void fill_noise(const Field<AdjointVector, double>&, const Noise&, const Exec&);
template void fill_noise(const Field<ColorMatrix, float>&, const Noise&, const Exec&);
template void fill_noise(const Field<ColorMatrix, double>&, const Noise&, const Exec&);
template void fill_noise(const Field<Spinor, float>&, const Noise&, const Exec&);
template void fill_noise(const Field<Spinor, double>&, const Noise&, const Exec&);

}  // namespace kov
