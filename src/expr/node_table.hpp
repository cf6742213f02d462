// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// NodeTable: a list of nodes without duplicates.
#pragma once

#include <unordered_map>
#include <vector>

#include "expr/function.hpp"

namespace mw::expr {

class NodeTable {
 public:
  NodeTable() = default;
  /// Starts with nodes that keep their places, equal ones included.
  explicit NodeTable(std::vector<Node> start);

  /// The place of the node, or of one that computes the same (operands swapped, where that makes
  /// no difference). Constants are compared bit by bit.
  NodeId add(const Node& node);
  [[nodiscard]] const Node& operator[](NodeId id) const {
    return nodes_[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  /// The list; the table is then empty.
  [[nodiscard]] std::vector<Node> take();

 private:
  struct Hash {
    std::size_t operator()(const Node& node) const;
  };
  struct Equal {
    bool operator()(const Node& a, const Node& b) const;
  };
  /// Small functions are searched from the end, which is cheaper than hashing.
  static constexpr std::size_t kSearched = 32;

  [[nodiscard]] NodeId find(const Node& node) const;
  void append(const Node& node);

  std::vector<Node> nodes_;
  std::unordered_map<Node, NodeId, Hash, Equal> places_;  ///< from kSearched nodes on
};

}  // namespace mw::expr
