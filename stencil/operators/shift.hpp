// SPDX-License-Identifier: MIT
//
// Shifts by one site, plain and covariant, and the symmetric covariant derivative.
#pragma once

#include "kov/stencil/links/gauge_links.hpp"

namespace kov {

// mu: 0 to 3 for x, y, z, t; step: +1 or -1.  All components are shifted; in and out are different full fields of one
// shape, of colour vectors or spinors, with sites or columns in lanes; shift() also takes octets, links, and scalars in
// double.  Asynchronous but for the halo exchange, which runs beside the sites that need none of it, ordered on exec;
// collective.  Throws InputError for other shapes, directions and steps, and for columns in lanes if the links were not
// made for them: links.with({.columns = true}).

/// out(x) = in(x + step mu), periodic.
template <template <class> class SiteT, class T, class Lanes>
void shift(const Field<SiteT, T, Lanes>& in, int mu, int step, const Field<SiteT, T, Lanes>& out,
           const Exec& exec = {});

/// out(x) = U_mu(x) in(x + mu) or, for step -1, U_mu(x - mu)^+ in(x - mu), boundary phases included.
template <template <class> class SiteT, class T, class Lanes>
void covariant_shift(const GaugeLinks<T>& links, const Field<SiteT, T, Lanes>& in, int mu, int step,
                     const Field<SiteT, T, Lanes>& out, const Exec& exec = {});

/// out(x) = [U_mu(x) in(x + mu) - U_mu(x - mu)^+ in(x - mu)] / 2, which is antihermitian; i sin p_mu on unit links.
template <template <class> class SiteT, class T, class Lanes>
void covariant_derivative(const GaugeLinks<T>& links, const Field<SiteT, T, Lanes>& in, int mu,
                          const Field<SiteT, T, Lanes>& out, const Exec& exec = {});

}  // namespace kov
