// SPDX-License-Identifier: MIT
#include "kov/contractions/distillation/spatial_operator.hpp"

#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/operators/shift.hpp"

#include <sstream>

namespace kov {

namespace {
constexpr const char* spatial_kinds = "+-d";
constexpr const char* spatial_axes = "xyz";
}  // namespace

std::string to_string(const SpatialOperator& D) {
  if (D.steps.empty()) return "1";
  std::string text;
  for (const SpatialStep& step : D.steps) {
    require(step.direction >= 0 && step.direction < 3, "a step in direction", step.direction,
            "is not one in space: take 0, 1 or 2");
    if (!text.empty()) text += ' ';
    text += {spatial_kinds[int(step.kind)], spatial_axes[step.direction]};
  }
  return text;
}

SpatialOperator spatial_operator(const std::string& text) {
  std::istringstream words(text);
  SpatialOperator D;
  std::string word;
  int n = 0;
  for (; words >> word; ++n) {
    if (word == "1") continue;
    const std::size_t kind = word.size() == 2 ? std::string(spatial_kinds).find(word[0]) : std::string::npos,
                      axis = word.size() == 2 ? std::string(spatial_axes).find(word[1]) : std::string::npos;
    require(kind != std::string::npos && axis != std::string::npos,
            "the displacement \"" + text + "\" has the step \"" + word +
                "\", which is neither a shift nor a derivative: write shifts as +x and -x, derivatives as dx, with "
                "blanks between them, or 1 for no displacement");
    D.steps.push_back({SpatialStep::Kind(int(kind)), int(axis)});
  }
  require(n > 0, "a displacement is empty: write 1 for none");
  return D;
}

template <class T>
void apply_spatial_operator(const GaugeLinks<T>& links, const SpatialOperator& D, const Field<ColorVector, T>& in,
                            const Field<ColorVector, T>& out, const Exec& exec) {
  if (D.steps.empty()) return copy(in, out, exec);
  Field<ColorVector, T> other;
  if (D.steps.size() > 1) other = in.like("displaced vectors", exec);
  const Field<ColorVector, T>* from = &in;
  for (std::size_t left = D.steps.size(); left-- > 0;) {
    const SpatialStep& step = D.steps[left];
    require(step.direction >= 0 && step.direction < 3, "a step in direction", step.direction,
            "is not one in space: take 0, 1 or 2");
    const Field<ColorVector, T>& to = left % 2 == 0 ? out : other;
    if (step.kind == SpatialStep::Kind::derivative)
      covariant_derivative(links, *from, step.direction, to, exec);
    else
      covariant_shift(links, *from, step.direction, step.kind == SpatialStep::Kind::forward ? +1 : -1, to, exec);
    from = &to;
  }
}

template void apply_spatial_operator(const GaugeLinks<float>&, const SpatialOperator&, const Field<ColorVector, float>&,
                                     const Field<ColorVector, float>&, const Exec&);
template void apply_spatial_operator(const GaugeLinks<double>&, const SpatialOperator&,
                                     const Field<ColorVector, double>&, const Field<ColorVector, double>&, const Exec&);

}  // namespace kov
