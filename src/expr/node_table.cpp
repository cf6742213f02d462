// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "expr/node_table.hpp"

#include <bit>
#include <utility>

namespace mw::expr {

namespace {

bool is_commutative(Op op) {
  switch (op) {
    case Op::add:
    case Op::multiply:
    case Op::minimum:
    case Op::maximum:
    case Op::equal:
    case Op::not_equal:
    case Op::bit_and:
    case Op::bit_or:
    case Op::bit_xor: return true;
    default: return false;
  }
}

}  // namespace

std::size_t NodeTable::Hash::operator()(const Node& node) const {
  std::uint64_t hash = static_cast<std::uint64_t>(node.op) << 8 | static_cast<unsigned>(node.dtype);
  const auto mix = [&](std::uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 29;
  };
  for (const NodeId arg : node.args) mix(static_cast<std::uint32_t>(arg));
  mix(static_cast<std::uint64_t>(node.integer));
  mix(std::bit_cast<std::uint64_t>(node.real));
  mix(std::bit_cast<std::uint64_t>(node.imag));
  return hash;
}

bool NodeTable::Equal::operator()(const Node& a, const Node& b) const {
  return a.op == b.op && a.dtype == b.dtype && a.args == b.args && a.integer == b.integer &&
         std::bit_cast<std::uint64_t>(a.real) == std::bit_cast<std::uint64_t>(b.real) &&
         std::bit_cast<std::uint64_t>(a.imag) == std::bit_cast<std::uint64_t>(b.imag);
}

NodeTable::NodeTable(std::vector<Node> start) {
  for (const auto& node : start) append(node);
}

NodeId NodeTable::find(const Node& node) const {
  if (nodes_.size() > kSearched) {
    const auto place = places_.find(node);
    return place == places_.end() ? kNone : place->second;
  }
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    if (Equal{}(nodes_[i], node)) return static_cast<NodeId>(i);
  }
  return kNone;
}

NodeId NodeTable::add(const Node& node) {
  if (const NodeId place = find(node); place != kNone) return place;
  if (is_commutative(node.op)) {
    Node swapped = node;
    std::swap(swapped.args[0], swapped.args[1]);
    if (const NodeId place = find(swapped); place != kNone) return place;
  }
  append(node);
  return static_cast<NodeId>(nodes_.size()) - 1;
}

void NodeTable::append(const Node& node) {
  nodes_.push_back(node);
  const std::size_t first = nodes_.size() == kSearched + 1 ? 0 : nodes_.size() - 1;
  for (std::size_t i = first; i < nodes_.size() && nodes_.size() > kSearched; ++i) {
    places_.emplace(nodes_[i], static_cast<NodeId>(i));
  }
}

std::vector<Node> NodeTable::take() {
  places_.clear();
  return std::exchange(nodes_, {});
}

}  // namespace mw::expr
