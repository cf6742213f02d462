// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Pictures of the graph: Graphviz text, and a layered drawing of our own.
#include <algorithm>

#include "base/text.hpp"
#include "expr/print.hpp"
#include "expr/types.hpp"

namespace mw::expr {

namespace {

enum class Shape : std::uint8_t { input, constant, operation, output };

struct Box {
  std::string label;
  Shape shape = Shape::operation;
  std::vector<std::size_t> sources;
  int layer = 0;
  double x = 0, y = 0;  ///< of the centre
  double width = 0;
};

/// A box per live node, then one per output. Sources come before their users.
std::vector<Box> boxes_of(const Function& function) {
  std::vector<char> live(function.nodes.size(), 0);
  for (const auto& output : function.outputs) live[static_cast<std::size_t>(output.node)] = 1;
  for (std::size_t id = function.nodes.size(); id-- > 0;) {
    if (live[id] == 0) continue;
    for (const NodeId arg : function.nodes[id].args) {
      if (arg != kNone) live[static_cast<std::size_t>(arg)] = 1;
    }
  }
  std::vector<Box> boxes;
  std::vector<std::size_t> places(function.nodes.size(), 0);
  for (std::size_t id = 0; id < function.nodes.size(); ++id) {
    if (live[id] == 0) continue;
    const Node& node = function.nodes[id];
    const bool leaf = rule(node.op) == Rule::leaf;
    Box box{.label = label(function, static_cast<NodeId>(id)),
            .shape = node.op == Op::constant ? Shape::constant
                     : leaf                  ? Shape::input
                                             : Shape::operation,
            .sources = {}};
    if (leaf && node.op != Op::constant) box.label += text(": ", node.dtype);
    for (const NodeId arg : node.args) {
      if (arg != kNone) box.sources.push_back(places[static_cast<std::size_t>(arg)]);
    }
    places[id] = boxes.size();
    boxes.push_back(std::move(box));
  }
  for (const auto& output : function.outputs) {
    boxes.push_back({.label = text(output.name, ": ", output.dtype),
                     .shape = Shape::output,
                     .sources = {places[static_cast<std::size_t>(output.node)]}});
  }
  return boxes;
}

std::string escaped(const std::string& words, bool xml) {
  std::string out;
  for (const char c : words) {
    if (xml && c == '<') {
      out += "&lt;";
    } else if (xml && c == '>') {
      out += "&gt;";
    } else if (xml && c == '&') {
      out += "&amp;";
    } else if (!xml && (c == '"' || c == '\\')) {
      out += '\\';
      out += c;
    } else {
      out += c;
    }
  }
  return out;
}

constexpr double kMargin = 12, kBoxHeight = 28, kRowHeight = 64, kGap = 18, kCharWidth = 7.6;

/// Layers by the longest way from an input; within a layer each box stands by the mean place of
/// its sources. Returns the width of the picture.
double lay_out(std::vector<Box>& boxes) {
  int layers = 0;
  for (auto& box : boxes) {
    for (const std::size_t source : box.sources) {
      box.layer = std::max(box.layer, boxes[source].layer + 1);
    }
    box.width = kCharWidth * static_cast<double>(box.label.size()) + 20;
    layers = std::max(layers, box.layer + 1);
  }
  double widest = 0;
  for (int layer = 0; layer < layers; ++layer) {
    std::vector<Box*> row;
    for (auto& box : boxes) {
      if (box.layer != layer) continue;
      for (const std::size_t source : box.sources) {
        box.x += boxes[source].x / static_cast<double>(box.sources.size());
      }
      row.push_back(&box);
    }
    std::ranges::stable_sort(row, {}, &Box::x);
    double end = kMargin;
    for (Box* box : row) {
      box->x = std::max(box->x, end + box->width / 2);
      box->y = kMargin + kBoxHeight / 2 + layer * kRowHeight;
      end = box->x + box->width / 2 + kGap;
    }
    widest = std::max(widest, end - kGap + kMargin);
  }
  return widest;
}

struct Style {
  const char* fill;
  const char* stroke;
  int radius;
};

Style style(Shape shape) {
  switch (shape) {
    case Shape::input: return {"#dbeafe", "#2563eb", 14};
    case Shape::constant: return {"#f3f4f6", "#6b7280", 14};
    case Shape::operation: return {"#ffffff", "#111827", 4};
    case Shape::output: break;
  }
  return {"#dcfce7", "#15803d", 14};
}

std::string drawn(const Box& box) {
  const Style look = style(box.shape);
  return text("<rect x=\"", box.x - box.width / 2, "\" y=\"", box.y - kBoxHeight / 2, "\" width=\"",
              box.width, "\" height=\"", kBoxHeight, "\" rx=\"", look.radius, "\" fill=\"",
              look.fill, "\" stroke=\"", look.stroke, "\"/><text x=\"", box.x, "\" y=\"",
              box.y + 4.5, "\">", escaped(box.label, true), "</text>\n");
}

std::string drawn_edge(const Box& from, const Box& to) {
  const double top = from.y + kBoxHeight / 2;
  const double bottom = to.y - kBoxHeight / 2;
  const double middle = (top + bottom) / 2;
  return text("<path d=\"M", from.x, " ", top, " C", from.x, " ", middle, " ", to.x, " ", middle,
              " ", to.x, " ", bottom, "\"/>\n");
}

}  // namespace

std::string to_dot(const Function& function) {
  const auto boxes = boxes_of(function);
  std::string out = "digraph expression {\n  node [fontname=\"monospace\", style=filled];\n";
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const bool box = boxes[i].shape == Shape::operation;
    out += text("  n", i, " [label=\"", escaped(boxes[i].label, false),
                "\", shape=", box ? "box" : "ellipse", ", fillcolor=\"", style(boxes[i].shape).fill,
                "\"];\n");
    for (const std::size_t source : boxes[i].sources) {
      out += text("  n", source, " -> n", i, ";\n");
    }
  }
  return out + "}\n";
}

std::string to_svg(const Function& function) {
  auto boxes = boxes_of(function);
  const double width = lay_out(boxes);
  double height = 0;
  for (const auto& box : boxes) height = std::max(height, box.y + kBoxHeight / 2 + kMargin);
  std::string out = text("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", width,
                         "\" height=\"", height, "\" viewBox=\"0 0 ", width, " ", height,
                         "\" font-family=\"monospace\" font-size=\"12\" text-anchor=\"middle\">\n",
                         "<g fill=\"none\" stroke=\"#6b7280\">\n");
  for (const auto& box : boxes) {
    for (const std::size_t source : box.sources) out += drawn_edge(boxes[source], box);
  }
  out += "</g>\n";
  for (const auto& box : boxes) out += drawn(box);
  return out + "</svg>\n";
}

}  // namespace mw::expr
