// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// From a kernel to steps: which loop runs each instruction, and where its values live.
//
// Slots of vectors are reused as soon as their value is dead, so that the arena stays in the
// first-level cache. A value that is defined outside a loop and used inside is alive until the
// loop's end. Numbers (uniform values) have eight bytes each for the whole run.
#include <algorithm>
#include <cstring>

#include "codegen/interpreter.hpp"
#include "codegen/ir_scalar.hpp"

namespace mw::codegen::interpreter {

namespace {

constexpr std::uint32_t kAlign = 64;

Loop loop_for(const LoopKey& key) {
#if defined(__x86_64__)
  static const bool avx2 =
      __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  if (avx2) {
    if (const Loop loop = avx2_loop(key)) return loop;
  }
#endif
  return baseline_loop(key);
}

/// How long each value lives, and which `get` and `set` need no copy.
class Lifetimes {
 public:
  explicit Lifetimes(const Kernel& kernel)
      : body_(kernel.body), last_(body_.size(), -1), alias_(body_.size(), kNone) {
    find_loops();
    for (std::size_t i = 0; i < body_.size(); ++i) {
      for (const ValueId id : body_[i].args) {
        if (id != kNone) use(id, static_cast<int>(i));
      }
    }
    for (std::size_t i = 0; i < body_.size(); ++i) {
      if (body_[i].code == Code::get) share_get(static_cast<int>(i));
    }
    for (std::size_t i = 1; i < body_.size(); ++i) {
      if (body_[i].code == Code::set) share_set(static_cast<int>(i));
    }
  }

  /// The place of the last instruction that needs the value; before its own: none.
  [[nodiscard]] int last(ValueId id) const { return last_[std::size_t(id)]; }
  /// The variable in whose slot the value lives; kNone: one of its own.
  [[nodiscard]] ValueId alias(ValueId id) const { return alias_[std::size_t(id)]; }

 private:
  void find_loops() {
    std::vector<int> open;
    end_of_.assign(body_.size(), -1);
    for (std::size_t i = 0; i < body_.size(); ++i) {
      if (body_[i].code == Code::for_begin) open.push_back(static_cast<int>(i));
      if (body_[i].code == Code::for_end) {
        end_of_[std::size_t(open.back())] = static_cast<int>(i);
        open.pop_back();
      }
    }
  }

  /// The value is needed at `place`, and in all rounds of the loops between its definition and it.
  void use(ValueId id, int place) {
    int& last = last_[std::size_t(id)];
    last = std::max(last, place);
    for (int i = id + 1; i < place; ++i) {
      const int end = end_of_[std::size_t(i)];
      if (end > place) return void(last = std::max(last, end));
    }
    // A loop needs its end and step in every round.
    if (body_[std::size_t(place)].code == Code::for_begin) {
      last = std::max(last, end_of_[std::size_t(place)]);
    }
  }

  [[nodiscard]] bool touches(ValueId variable, int first, int last, Code code) const {
    for (int i = first; i <= last; ++i) {
      const Instruction& in = body_[std::size_t(i)];
      if (in.code == code && in.args[0] == variable) return true;
    }
    return false;
  }

  /// A get is the variable itself if nothing is written to it while the value lives.
  void share_get(int place) {
    const ValueId variable = body_[std::size_t(place)].args[0];
    const int last = last_[std::size_t(place)];
    // A set that is the last use reads the value before it writes.
    const bool set_last = last > place && body_[std::size_t(last)].code == Code::set;
    if (touches(variable, place, set_last ? last - 1 : last, Code::set)) return;
    alias_[std::size_t(place)] = variable;
    last_[std::size_t(variable)] = std::max(last_[std::size_t(variable)], last);
  }

  /// A value that only one set uses, right after making it, is made in the variable.
  void share_set(int place) {
    const Instruction& set = body_[std::size_t(place)];
    const ValueId id = set.args[1];
    if (id != place - 1 || alias_[std::size_t(id)] != kNone) return;
    const Instruction& made = body_[std::size_t(id)];
    if (made.vector != set.vector || !made.vector || made.code == Code::variable) return;
    // Someone may still look at the variable's old value through a get.
    for (int i = 0; i < id; ++i) {
      if (alias_[std::size_t(i)] == set.args[0] && last_[std::size_t(i)] > id) return;
    }
    if (last_[std::size_t(id)] == place) alias_[std::size_t(id)] = set.args[0];
  }

  const std::vector<Instruction>& body_;
  std::vector<int> last_;
  std::vector<ValueId> alias_;
  std::vector<int> end_of_;  // of a for_begin: its for_end
};

/// Hands out slots of lanes, by size of the element.
class Slots {
 public:
  Slots(std::uint32_t first, int padded)
      : end_(first), padded_(static_cast<std::uint32_t>(padded)) {}

  std::uint32_t take(std::size_t itemsize) {
    auto& free = free_[itemsize];
    if (free.empty()) {
      const std::uint32_t bytes = static_cast<std::uint32_t>(itemsize) * padded_;
      end_ += bytes;
      return end_ - bytes;
    }
    const std::uint32_t place = free.back();
    free.pop_back();
    return place;
  }
  void give(std::uint32_t place, std::size_t itemsize) { free_[itemsize].push_back(place); }
  [[nodiscard]] std::uint32_t end() const { return end_; }

 private:
  std::uint32_t end_;
  std::uint32_t padded_;
  std::vector<std::uint32_t> free_[9];  // 1, 2, 4, 8 bytes
};

class Decoder {
 public:
  explicit Decoder(const Kernel& kernel)
      : kernel_(kernel),
        life_(kernel),
        padded_((kernel.lanes + kGroup - 1) / kGroup * kGroup),
        place_(kernel.body.size(), 0),
        slots_(number_places(), padded_) {}

  Program run() {
    for (std::size_t id = 0; id < kernel_.body.size(); ++id) {
      instruction(static_cast<ValueId>(id));
      bury(static_cast<int>(id));
    }
    program_.arena_bytes = slots_.end();
    return std::move(program_);
  }

 private:
  const Instruction& at(ValueId id) const { return kernel_.body[std::size_t(id)]; }

  /// Numbers live in the arena's first bytes (never at 0, which means none), constants with their
  /// value in the image. The bytes that they take.
  std::uint32_t number_places() {
    std::uint32_t end = 8;
    for (std::size_t i = 0; i < kernel_.body.size(); ++i) {
      const Instruction& in = kernel_.body[i];
      if (!makes_value(in.code) || in.vector || life_.alias(ValueId(i)) != kNone) continue;
      place_[i] = end;
      end += 8;
    }
    end = (end + kAlign - 1) / kAlign * kAlign;
    program_.image.resize(end);
    for (std::size_t i = 0; i < kernel_.body.size(); ++i) {
      const Instruction& in = kernel_.body[i];
      // The host is one thread of one.
      if (in.code == Code::thread_count) {
        const std::int64_t one = 1;
        std::memcpy(&program_.image[place_[i]], &one, sizeof one);
      }
      if (in.code != Code::constant) continue;
      scalar::visit_value(in.type, [&]<class T>(TypeTag<T>) {
        const T value = dtype_class(in.type) == DTypeClass::real ? static_cast<T>(in.real)
                                                                 : static_cast<T>(in.integer);
        std::memcpy(&program_.image[place_[i]], &value, sizeof value);
      });
    }
    return end;
  }

  /// Slots of values that nobody needs after this instruction.
  void bury(int place) {
    for (std::size_t i = 0; i < living_.size();) {
      const ValueId id = living_[i];
      if (life_.last(id) > place) {
        ++i;
        continue;
      }
      slots_.give(place_[std::size_t(id)], itemsize(at(id).type));
      living_[i] = living_.back();
      living_.pop_back();
    }
  }

  void place(ValueId id) {
    const ValueId variable = life_.alias(id);
    if (variable != kNone) {
      place_[std::size_t(id)] = place_[std::size_t(variable)];
    } else if (at(id).vector) {
      place_[std::size_t(id)] = slots_.take(itemsize(at(id).type));
      living_.push_back(id);
    }
  }

  Step blank(const Instruction& in, bool vector) const {
    Step step;
    step.lanes = vector ? kernel_.lanes : 1;
    step.padded = vector ? padded_ : 1;
    step.index = static_cast<std::int32_t>(in.integer);
    return step;
  }

  void instruction(ValueId id) {
    const Instruction& in = at(id);
    switch (in.code) {
      case Code::constant:
      case Code::thread:
      case Code::thread_count: return;
      case Code::for_begin:
      case Code::for_end:
      case Code::if_begin:
      case Code::else_begin:
      case Code::if_end: return structure(id);
      case Code::variable: place(id); return write(in, place_[std::size_t(id)], in.args[0]);
      case Code::get:
        place(id);
        if (life_.alias(id) == kNone) write(in, place_[std::size_t(id)], in.args[0]);
        return;
      case Code::set:
        if (life_.alias(in.args[1]) != in.args[0]) {
          write(at(in.args[0]), place_[std::size_t(in.args[0])], in.args[1]);
        }
        return;
      default: return loop(id);
    }
  }

  /// Copies or spreads a value into a variable's slot or out of it.
  void write(const Instruction& in, std::uint32_t to, ValueId from) {
    if (place_[std::size_t(from)] == to) return;
    Step step = blank(in, in.vector);
    step.out = to;
    step.in[0] = place_[std::size_t(from)];
    LoopKey key;
    key.code = Code::set;
    key.type = key.operand = in.type;
    key.vector = in.vector;
    key.uniform = in.vector && !at(from).vector ? 1 : 0;
    step.loop = loop_for(key);
    program_.steps.push_back(step);
  }

  void loop(ValueId id) {
    const Instruction& in = at(id);
    Step step = blank(in, in.vector || in.code == Code::any || in.code == Code::sum_lanes ||
                              in.code == Code::min_lanes || in.code == Code::max_lanes);
    LoopKey key;
    key.code = in.code;
    key.type = in.type;
    key.memory = in.memory;
    key.integer = in.integer;
    key.vector = in.vector;
    for (int i = 0; i < 4; ++i) {
      const ValueId arg = in.args[std::size_t(i)];
      if (arg == kNone) continue;
      step.in[i] = place_[std::size_t(arg)];
      key.operand = at(arg).type;
      if (in.vector && !at(arg).vector) key.uniform |= static_cast<std::uint8_t>(1u << i);
    }
    if (touches_memory(in.code) || in.code == Code::call) {
      step.uniform = key.uniform;
    } else if (key.uniform != 0 && loop_for(key) == nullptr) {
      spread(in, key, step);
    }
    program_.streams |= in.code == Code::store_stream;
    if (makes_value(in.code)) place(id);
    step.out = place_[std::size_t(id)];
    step.loop = loop_for(key);
    program_.steps.push_back(step);
    for (const auto& [slot, size] : spread_) slots_.give(slot, size);
    spread_.clear();
  }

  /// No loop takes numbers here: they are spread to slots of lanes first.
  void spread(const Instruction& in, LoopKey& key, Step& step) {
    for (int i = 0; i < 3; ++i) {
      if ((key.uniform & (1u << i)) == 0) continue;
      const ValueId arg = in.args[std::size_t(i)];
      Instruction lanes = at(arg);
      lanes.vector = true;
      const std::uint32_t slot = slots_.take(itemsize(lanes.type));
      write(lanes, slot, arg);
      spread_.emplace_back(slot, itemsize(lanes.type));
      step.in[i] = slot;
    }
    key.uniform = 0;
  }

  void structure(ValueId id) {
    const Instruction& in = at(id);
    auto& steps = program_.steps;
    const auto here = static_cast<std::int32_t>(steps.size());
    const auto append = [&](StepKind kind) -> Step& {
      steps.push_back(blank(in, false));
      steps.back().kind = kind;
      return steps.back();
    };
    switch (in.code) {
      case Code::for_begin: {
        Step& step = append(StepKind::for_begin);
        step.out = place_[std::size_t(id)];
        for (int i = 0; i < 3; ++i) step.in[i] = place_[std::size_t(in.args[std::size_t(i)])];
        return open_.push_back(here);
      }
      case Code::for_end: {
        Step& step = append(StepKind::for_end);
        const Step& begin = steps[std::size_t(open_.back())];
        step.out = begin.out;
        std::copy(begin.in, begin.in + 4, step.in);
        step.jump = open_.back() + 1;
        break;
      }
      case Code::if_begin: {
        Step& step = append(StepKind::if_begin);
        step.in[0] = place_[std::size_t(in.args[0])];
        return open_.push_back(here);
      }
      case Code::else_begin:
        append(StepKind::jump);
        steps[std::size_t(open_.back())].jump = here + 1;
        open_.back() = here;
        return;
      default: break;
    }
    steps[std::size_t(open_.back())].jump = static_cast<std::int32_t>(steps.size());
    open_.pop_back();
  }

  const Kernel& kernel_;
  Lifetimes life_;
  int padded_;
  Program program_;
  std::vector<std::uint32_t> place_;  // of each value
  Slots slots_;
  std::vector<ValueId> living_;  // vectors with a slot of their own
  std::vector<std::pair<std::uint32_t, std::size_t>> spread_;
  std::vector<std::int32_t> open_;  // steps whose jump is not known yet
};

}  // namespace

Program decode(const Kernel& kernel) { return Decoder(kernel).run(); }

}  // namespace mw::codegen::interpreter
