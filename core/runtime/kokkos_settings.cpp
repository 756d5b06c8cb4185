// SPDX-License-Identifier: MIT
#include "kov/core/runtime/kokkos_settings.hpp"

#include "kov/core/base/error.hpp"
#include "kov/core/runtime/runtime.hpp"

#include <Kokkos_Core.hpp>

#if defined(KOKKOS_ENABLE_OPENMP)
#include <omp.h>
#endif

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

namespace kov::detail {

namespace {

struct Setting {
  enum class Kind { number, truth, device_choice, text, flag };
  std::string_view option, variable;
  Kind kind;
  int least = 0, most = 0;
};

using Kind = Setting::Kind;

constexpr int largest_int = std::numeric_limits<int>::max();

constexpr Setting settings[] = {
    {"--kokkos-num-threads", "KOKKOS_NUM_THREADS", Kind::number, 1, Runtime::most_threads},
    {"--kokkos-device-id", "KOKKOS_DEVICE_ID", Kind::number, 0, largest_int},
    {"--kokkos-map-device-id-by", "KOKKOS_MAP_DEVICE_ID_BY", Kind::device_choice},
    {"--kokkos-disable-warnings", "KOKKOS_DISABLE_WARNINGS", Kind::truth},
    {"--kokkos-print-configuration", "KOKKOS_PRINT_CONFIGURATION", Kind::truth},
    {"--kokkos-tune-internals", "KOKKOS_TUNE_INTERNALS", Kind::truth},
    {"--kokkos-tools-libs", "KOKKOS_TOOLS_LIBS", Kind::text},
    {"--kokkos-tools-library", "KOKKOS_PROFILE_LIBRARY", Kind::text},
    {"--kokkos-tools-args", "KOKKOS_TOOLS_ARGS", Kind::text},
    {"--kokkos-tools-help", "", Kind::flag},
    {"--kokkos-help", "", Kind::flag},
};

std::string_view variable(std::string_view name) {
  const char* const text = name.empty() ? nullptr : std::getenv(std::string(name).c_str());
  return text ? std::string_view(text) : std::string_view();
}

bool is_set(std::string_view name) { return variable(name).data() != nullptr; }

bool is_number(std::string_view text, int least, int most) {
  int value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= least && value <= most;
}

bool is_truth(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  const std::string_view known[] = {"yes", "true", "1", "no", "false", "0"};
  return std::find(std::begin(known), std::end(known), lower) != std::end(known);
}

bool is_right(const Setting& setting, std::string_view value) {
  switch (setting.kind) {
    case Kind::number:
      return is_number(value, setting.least, setting.most);
    case Kind::truth:
      return is_truth(value);
    case Kind::device_choice:
      return value == "mpi_rank" || value == "random";
    case Kind::text:
      return true;
    case Kind::flag:
      return false;
  }
  return false;
}

/// What a valid value is, for the message.
std::string wanted(const Setting& setting, std::string_view name) {
  switch (setting.kind) {
    case Kind::number:
      return sentence("give", std::string(name) + "=N with a whole number N from", setting.least, "to", setting.most);
    case Kind::truth:
      return sentence("give", std::string(name) + "=yes or", std::string(name) + "=no");
    case Kind::device_choice:
      return sentence("give", std::string(name) + "=mpi_rank or", std::string(name) + "=random");
    case Kind::text:
      return sentence("give", std::string(name) + "=TEXT");
    case Kind::flag:
      break;
  }
  return sentence("give", name, "without a value");
}

void require_option(std::string_view argument) {
  const std::string_view name = argument.substr(0, argument.find('='));
  const auto* const setting =
      std::find_if(std::begin(settings), std::end(settings), [&](const Setting& s) { return s.option == name; });
  require(setting != std::end(settings), argument, "is not an option of Kokkos: --kokkos-help lists them");
  const bool is_bare = name.size() == argument.size();
  const std::string_view value = is_bare ? "" : argument.substr(name.size() + 1);
  const bool right = is_bare ? setting->kind == Kind::flag || setting->kind == Kind::truth
                             : !value.empty() && is_right(*setting, value);
  require(right, argument, "is wrong:", wanted(*setting, name));
}

#if defined(KOKKOS_ENABLE_CUDA)
/// Kokkos counts the devices that KOKKOS_VISIBLE_DEVICES names.
void require_device(int argc, char* const* argv) {
  int found = 0;
  const cudaError_t result = cudaGetDeviceCount(&found);
  require(result == cudaSuccess && found > 0, "this build computes on NVIDIA GPUs, and CUDA finds none (" +
                                                  std::string(cudaGetErrorString(result)) +
                                                  "): start it where there is one, or use a build for CPUs");
  int visible = found;
  if (is_set("KOKKOS_VISIBLE_DEVICES")) {
    visible = 0;
    for (std::string_view rest = variable("KOKKOS_VISIBLE_DEVICES");; ++visible) {
      const std::size_t comma = rest.find(',');
      require(is_number(rest.substr(0, comma), 0, found - 1),
              "KOKKOS_VISIBLE_DEVICES=" + std::string(variable("KOKKOS_VISIBLE_DEVICES")),
              "is wrong: give numbers of GPUs with commas between them, from 0 to", found - 1);
      if (comma == rest.npos) break;
      rest.remove_prefix(comma + 1);
    }
    ++visible;
  }
  std::string_view id = variable("KOKKOS_DEVICE_ID");
  for (int i = 1; i < argc; ++i)
    if (const std::string_view argument(argv[i]); argument.starts_with("--kokkos-device-id="))
      id = argument.substr(argument.find('=') + 1);
  require(id.empty() || is_number(id, 0, visible - 1), "Kokkos was told to use GPU", id, ", but there are", visible,
          "here, counted from 0: name another, or none, and each rank gets its own");
}
#endif

}  // namespace

void require_kokkos_settings(int argc, char* const* argv) {
  bool has_threads = is_set("KOKKOS_NUM_THREADS");
  for (const Setting& setting : settings)
    require(!is_set(setting.variable) || is_right(setting, variable(setting.variable)),
            std::string(setting.variable) + "=" + std::string(variable(setting.variable)),
            "is wrong:", wanted(setting, setting.variable), "or unset it");
  require(
      !is_set("KOKKOS_PROFILE_LIBRARY") || !is_set("KOKKOS_TOOLS_LIBS") ||
          variable("KOKKOS_PROFILE_LIBRARY") == variable("KOKKOS_TOOLS_LIBS"),
      "KOKKOS_PROFILE_LIBRARY and KOKKOS_TOOLS_LIBS name different tools: unset KOKKOS_PROFILE_LIBRARY, the old name");
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument(argv[i]);
    if (argument.starts_with("--kokkos-")) require_option(argument);
    has_threads = has_threads || argument.starts_with("--kokkos-num-threads=");
  }
#if defined(KOKKOS_ENABLE_OPENMP)
  // With more threads Kokkos writes past the end of its tables.
  require(has_threads || omp_get_max_threads() <= Runtime::most_threads, "there would be", omp_get_max_threads(),
          "OpenMP threads and Kokkos takes at most",
          std::to_string(Runtime::most_threads) + ": set OMP_NUM_THREADS, or start more processes");
#endif
#if defined(KOKKOS_ENABLE_CUDA)
  require_device(argc, argv);
#endif
}

}  // namespace kov::detail
