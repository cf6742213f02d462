// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The class Session: what the stateful objects of every operation share.
#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "session_object.hpp"

namespace mw::py {

namespace {

int traverse_session(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  return nb::inst_ptr<SessionObject>(self)->traverse(visit, arg);
}

int clear_session(PyObject* self) {
  if (nb::inst_ready(self)) nb::inst_ptr<SessionObject>(self)->clear();
  return 0;
}

PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse_session)},
                       {Py_tp_clear, reinterpret_cast<void*>(clear_session)},
                       {0, nullptr}};

}  // namespace

void init_session(nb::module_& m) {
  nb::class_<SessionObject>(m, "Session", nb::type_slots(slots),
                            "What the stateful objects of every operation share.")
      .def("release_workspace", &SessionObject::release_workspace,
           "Gives the scratch memory back; the next execute() takes it again.")
      .def("free", &SessionObject::free,
           "Drops the operands, the plan and the workspace. A second call does nothing; any other "
           "method then raises InvalidStateError.")
      .def("explain", &SessionObject::explain,
           "What was planned and why, as text: the implementation chosen, the others with their "
           "reasons, copies, workspace, and the least time the hardware allows.\n\nRaises "
           "InvalidStateError before plan().")
      .def_prop_ro("workspace_bytes", &SessionObject::workspace_bytes,
                   "Bytes of scratch memory an execution takes where it runs. Raises "
                   "InvalidStateError before plan().")
      .def_prop_ro("planned", &SessionObject::planned, "Whether plan() has been called.")
      .def_prop_ro("_on_cuda", &SessionObject::on_cuda)
      .def_prop_ro(
          "valid_state", [](SessionObject& self) { return !self.freed(); }, "False after free().")
      .def(
          "__enter__", [](nb::handle self) { return nb::borrow(self); },
          nb::sig("def __enter__(self) -> typing.Self"))
      .def(
          "__exit__", [](SessionObject& self, nb::args) { self.free(); },
          nb::sig("def __exit__(self, *error: object) -> None"));
}

}  // namespace mw::py
