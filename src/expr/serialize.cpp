// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "expr/serialize.hpp"

#include <cstring>
#include <map>

#include "base/text.hpp"
#include "expr/validate.hpp"

namespace mw::expr {

namespace {

constexpr std::string_view kMagic = "MWEX1\n";
constexpr auto kLastOp = static_cast<int>(Op::argmin);
constexpr std::uint32_t kMost = 1 << 24;  ///< of anything: a damaged count must not ask for memory

/// FNV-1a.
std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
  return hash;
}

/// The name alone is not unique: there are two minus signs.
std::string op_key(Op op) { return text(arity(op), name(op)); }

class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}
  template <class T>
  void number(T value) {
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void words(std::string_view value) {
    number(static_cast<std::uint32_t>(value.size()));
    out_ += value;
  }
  void parameters(const std::vector<Parameter>& list) {
    number(static_cast<std::uint32_t>(list.size()));
    for (const auto& parameter : list) {
      words(parameter.name);
      words(name(parameter.dtype));
    }
  }

 private:
  std::string& out_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  template <class T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::uint32_t count() {
    const auto value = number<std::uint32_t>();
    require(value <= kMost && value <= rest_.size(), ErrorKind::invalid_argument,
            "expression: damaged bytes: a count of ", value, " where ", rest_.size(),
            " bytes are left");
    return value;
  }
  std::string_view words() { return take(count()); }
  DType dtype() {
    const auto word = words();
    const auto found = dtype_from_name(word);
    require(found.has_value(), ErrorKind::invalid_argument,
            "expression: damaged bytes: no dtype is called '", word, "'");
    return *found;
  }
  std::vector<Parameter> parameters() {
    std::vector<Parameter> list;
    for (std::uint32_t n = count(); n > 0; --n) {
      std::string parameter_name(words());
      list.push_back({std::move(parameter_name), dtype()});
    }
    return list;
  }
  [[nodiscard]] bool done() const { return rest_.empty(); }

 private:
  std::string_view take(std::size_t size) {
    require(size <= rest_.size(), ErrorKind::invalid_argument,
            "expression: the bytes end early: ", size, " more are wanted, ", rest_.size(),
            " are left");
    const auto part = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return part;
  }

  std::string_view rest_;
};

Op op_of(std::string_view key) {
  for (int i = 0; i <= kLastOp; ++i) {
    if (op_key(static_cast<Op>(i)) == key) return static_cast<Op>(i);
  }
  fail(ErrorKind::invalid_argument, "expression: no operation '", key.substr(1), "' of ",
       key.substr(0, 1), " operands; the bytes come from a newer version, or are damaged");
}

Node read_node(Reader& in, const std::vector<Op>& ops) {
  Node node;
  const auto which = in.number<std::uint8_t>();
  require(which < ops.size(), ErrorKind::invalid_argument,
          "expression: damaged bytes: operation number ", which, " of ", ops.size());
  node.op = ops[which];
  node.dtype = in.dtype();
  for (auto& arg : node.args) arg = in.number<NodeId>();
  node.integer = in.number<std::int64_t>();
  node.real = in.number<double>();
  node.imag = in.number<double>();
  return node;
}

}  // namespace

std::string to_bytes(const Function& function) {
  std::string out(kMagic);
  Writer write(out);
  std::map<Op, std::uint8_t> places;
  for (const auto& node : function.nodes) places.emplace(node.op, 0);
  write.number(static_cast<std::uint32_t>(places.size()));
  std::uint8_t next = 0;
  for (auto& [op, place] : places) {
    place = next++;
    write.words(op_key(op));
  }
  write.parameters(function.elements);
  write.parameters(function.tensors);
  write.parameters(function.scalars);
  write.number(static_cast<std::uint32_t>(function.nodes.size()));
  for (const auto& node : function.nodes) {
    write.number(places[node.op]);
    write.words(name(node.dtype));
    for (const NodeId arg : node.args) write.number(arg);
    write.number(node.integer);
    write.number(node.real);
    write.number(node.imag);
  }
  write.number(static_cast<std::uint32_t>(function.outputs.size()));
  for (const auto& output : function.outputs) {
    write.words(output.name);
    write.words(name(output.dtype));
    write.number(output.node);
  }
  write.number(checksum(out));
  return out;
}

Function from_bytes(std::string_view bytes) {
  constexpr std::size_t kTail = sizeof(std::uint64_t);
  require(bytes.size() > kMagic.size() + kTail && bytes.starts_with(kMagic),
          ErrorKind::invalid_argument,
          "expression: these bytes are no function of this library (they should start with MWEX1)");
  const auto body = bytes.substr(0, bytes.size() - kTail);
  require(checksum(body) == Reader(bytes.substr(body.size())).number<std::uint64_t>(),
          ErrorKind::invalid_argument, "expression: damaged bytes: the checksum differs");
  Reader in(body.substr(kMagic.size()));
  std::vector<Op> ops;
  for (std::uint32_t n = in.count(); n > 0; --n) ops.push_back(op_of(in.words()));
  Function function;
  function.elements = in.parameters();
  function.tensors = in.parameters();
  function.scalars = in.parameters();
  for (std::uint32_t n = in.count(); n > 0; --n) function.nodes.push_back(read_node(in, ops));
  for (std::uint32_t n = in.count(); n > 0; --n) {
    std::string output_name(in.words());
    const DType dtype = in.dtype();
    function.outputs.push_back({std::move(output_name), dtype, in.number<NodeId>()});
  }
  require(in.done(), ErrorKind::invalid_argument, "expression: damaged bytes: some are left over");
  validate(function);
  return function;
}

}  // namespace mw::expr
