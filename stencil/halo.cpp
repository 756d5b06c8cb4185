// SPDX-License-Identifier: MIT
#include "kov/stencil/halo.hpp"

#include <type_traits>
#include <vector>

namespace kov {

namespace detail {

/// Copies sites of one field to slots of another.  A slot is one lane, or, for blocks of columns, a whole outer site.
template <class View, bool whole_outer>
struct CopySites {
  static constexpr int lanes = View::block / (2 * View::n_complex);
  View from, to;
  const int *from_slots, *to_slots;  // absent: item j is slot j
  int n_components;

  KOKKOS_FUNCTION void operator()(int j) const {
    const int a = from_slots ? from_slots[j] : j, b = to_slots ? to_slots[j] : j;
    for (int c = 0; c < n_components; ++c) {
      if constexpr (whole_outer) {
        for (int k = 0; k < View::block; ++k) to.address(b, c)[k] = from.address(a, c)[k];
      } else {
        to.set(LaneSite{b / lanes, b % lanes}, from(LaneSite{a / lanes, a % lanes}, c), c);
      }
    }
  }
};

/// Sends and receives, staging through host memory where kernels run elsewhere.
class Messages {
 public:
  explicit Messages(const Comm& comm) : exchange_(comm) {}

  void receive(void* device, std::size_t bytes, int from, int tag) {
    exchange_.receive(landing(device, bytes, true), from, tag);
  }
  void send(const void* device, std::size_t bytes, int to, int tag) {
    const auto host = landing(const_cast<void*>(device), bytes, false);
    if constexpr (!unified_memory) copy_to_host(host.data(), device, bytes);
    exchange_.send(host, to, tag);
  }
  void wait() {
    exchange_.wait();
    if constexpr (!unified_memory)
      for (const auto& stage : stages_)
        if (stage.incoming) copy_to_device(stage.device, stage.host.data(), stage.host.size());
  }

 private:
  struct Stage {
    void* device;
    std::vector<std::byte> host;
    bool incoming;
  };
  std::span<std::byte> landing(void* device, std::size_t bytes, bool incoming) {
    if constexpr (unified_memory) return {static_cast<std::byte*>(device), bytes};
    stages_.push_back({device, std::vector<std::byte>(bytes), incoming});
    return stages_.back().host;
  }

  Comm::Exchange exchange_;
  std::vector<Stage> stages_;
};

/// The buffers of a halo and the way through them: gather, send, receive, scatter.
template <class View, bool whole_outer>
class FaceExchange {
 public:
  FaceExchange(const Lattice& lattice, const HaloPlan& plan, int n_components)
      : comm_(lattice.comm()),
        plan_(plan),
        n_components_(n_components),
        block_(std::size_t(n_components) * View::block),
        halo_("halo", std::size_t(plan.n_blocks) * block_),
        send_("halo messages out", std::size_t(plan.n_blocks) * block_) {
    bool in_place = true;
    for (std::size_t leg = 0; leg < 8; ++leg) {
      const auto& face = plan.faces[leg];
      in_place = in_place && (!face.active || face.in_place);
      for (int q = 0; q < 2; ++q)
        lists_[leg][q] = {Buffer<int>("halo list", face.send[q]), Buffer<int>("halo list", face.receive[q]),
                          Buffer<int>("halo list", face.copy_from[q]), Buffer<int>("halo list", face.copy_to[q])};
    }
    if (!in_place) landing_ = Buffer<T>("halo messages in", std::size_t(plan.n_blocks) * block_);
  }

  int n_components() const { return n_components_; }

  /// The halo of the sites of a subset.
  View run(const View& in, Subset subset) const {
    const View halo(halo_.data(), 0, n_components_);
    Messages messages(comm_);
    // All gathers are on their way before the first message waits for one.
    each_face(subset, [&](const HaloPlan::Face& face, const Lists& lists, int q, int) {
      copy("halo_gather", face.send[q].size(), in, part(send_, face, q), lists.send.data(), nullptr);
      copy("halo_local", face.copy_to[q].size(), in, halo, lists.copy_from.data(), lists.copy_to.data());
    });
    each_face(subset, [&](const HaloPlan::Face& face, const Lists&, int q, int tag) {
      const View to = part(face.in_place ? halo_ : landing_, face, q);
      messages.receive(to.address(0, 0), bytes(face.receive[q].size()), face.from_rank, tag);
    });
    Kokkos::fence("halo gathered");
    each_face(subset, [&](const HaloPlan::Face& face, const Lists&, int q, int tag) {
      messages.send(part(send_, face, q).address(0, 0), bytes(face.send[q].size()), face.to_rank, tag);
    });
    messages.wait();
    each_face(subset, [&](const HaloPlan::Face& face, const Lists& lists, int q, int) {
      if (!face.in_place)
        copy("halo_scatter", face.receive[q].size(), part(landing_, face, q), halo, nullptr, lists.receive.data());
    });
    return halo;
  }

 private:
  using T = std::remove_pointer_t<decltype(View().address(0, 0))>;
  using Copy = CopySites<View, whole_outer>;
  struct Lists {
    Buffer<int> send, receive, copy_from, copy_to;
  };

  template <class F>
  void each_face(Subset subset, const F& f) const {
    for (int leg = 0; leg < 8; ++leg)
      for (int q = 0; q < 2; ++q)
        if (plan_.faces[std::size_t(leg)].active && subset != (q ? Subset::even : Subset::odd))
          f(plan_.faces[std::size_t(leg)], lists_[std::size_t(leg)][q], q, 2 * leg + q);
  }
  View part(const Buffer<T>& buffer, const HaloPlan::Face& face, int q) const {
    return {buffer.data() + std::size_t(face.first_block[q]) * block_, 0, n_components_};
  }
  std::size_t bytes(std::size_t slots) const {
    const std::size_t blocks = whole_outer ? slots : (slots + Copy::lanes - 1) / Copy::lanes;
    return blocks * block_ * sizeof(T);
  }
  void copy(const char* name, std::size_t n, const View& from, const View& to, const int* from_slots,
            const int* to_slots) const {
    if (n > 0)
      Kokkos::parallel_for(name, Kokkos::RangePolicy<>(0, int(n)), Copy{from, to, from_slots, to_slots, n_components_});
  }

  Comm comm_;
  HaloPlan plan_;
  int n_components_;
  std::size_t block_;  // reals of an outer site with all its components
  Buffer<T> halo_, send_, landing_;
  Lists lists_[8][2];
};

}  // namespace detail

template <template <class> class SiteT, class T>
Halo<SiteT, T>::Halo(const Lattice& lattice, int n_components) {
  const HaloPlan& plan = Stencil::of(lattice).halo();
  if (plan.any()) exchange_ = std::make_shared<detail::FaceExchange<View, false>>(lattice, plan, n_components);
}

template <template <class> class SiteT, class T>
NeighbourView<SiteT, T, default_lanes> Halo<SiteT, T>::exchange(const Field<SiteT, T>& field) const {
  if (!exchange_) return {field.view(), {}};
  require(field.n_components() == exchange_->n_components(), field.name(), "has", field.n_components(),
          "components where the halo was made for", exchange_->n_components(), ": make a Halo of its shape");
  return {field.view(), exchange_->run(field.view(), field.subset())};
}

template <template <class> class SiteT, class T, int W>
BlockHalo<SiteT, T, W>::BlockHalo(const Lattice& lattice, int n_columns) {
  const HaloPlan& plan = (has_packs ? Stencil::of_columns(lattice) : Stencil::of(lattice)).halo();
  const int width = BlockField<SiteT, T, W>::width;
  if (plan.any())
    exchange_ = std::make_shared<detail::FaceExchange<View, has_packs>>(lattice, plan, (n_columns + width - 1) / width);
}

template <template <class> class SiteT, class T, int W>
BlockNeighbourView<SiteT, T, W> BlockHalo<SiteT, T, W>::exchange(const BlockField<SiteT, T, W>& field) const {
  if (!exchange_) return {field.view(), {}};
  require(field.n_groups() == exchange_->n_components(), field.name(), "has", field.n_columns(),
          "columns, but the halo was made for another number: make a BlockHalo of its shape");
  return {field.view(), BlockView<SiteT, T, W>(exchange_->run(field.view().base(), field.subset()))};
}

template class Halo<Scalar, double>;
template class Halo<ColorVector, float>;
template class Halo<ColorVector, double>;
template class Halo<AdjointVector, float>;
template class Halo<AdjointVector, double>;
template class Halo<ColorMatrix, float>;
template class Halo<ColorMatrix, double>;
template class Halo<Spinor, float>;
template class Halo<Spinor, double>;
template class BlockHalo<Spinor, float, 4>;
template class BlockHalo<Spinor, float, 8>;
template class BlockHalo<Spinor, float, 16>;
template class BlockHalo<Spinor, double, 4>;
template class BlockHalo<Spinor, double, 8>;
#if defined(KOKKOS_ENABLE_CUDA)
template class BlockHalo<Spinor, float, 32>;
template class BlockHalo<Spinor, double, 32>;
#endif

}  // namespace kov
