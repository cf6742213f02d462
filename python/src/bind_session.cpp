// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The class Session: what the stateful objects of every operation share.
#include <nanobind/stl/optional.h>
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

nb::list tuning_rows() {
  nb::list rows;
  for (const TuningRecord& record : tuning_records()) {
    nb::dict row;
    row["operation"] = record.operation;
    row["title"] = record.title;
    row["device"] = record.device;
    row["libraries"] = record.libraries;
    row["candidate"] = record.candidate;
    row["variant"] = record.variant;
    row["seconds"] = record.seconds;
    row["when"] = record.when;
    rows.append(row);
  }
  return rows;
}

nb::dict autotune(SessionObject& self, int iterations, int prune, std::optional<double> seconds,
                  int limit, bool remember, bool release_workspace, nb::handle stream) {
  return self.autotune({.seconds = seconds,
                        .iterations = iterations,
                        .prune = prune,
                        .limit = limit,
                        .remember = remember},
                       release_workspace, stream);
}

void init_tuning(nb::module_& m) {
  const auto release = nb::call_guard<nb::gil_scoped_release>();
  m.def("tuning_path", &tuning_path, "See mathwright.tune.path.");
  m.def("tuning_records", tuning_rows, nb::sig("def tuning_records() -> list[dict[str, object]]"),
        "See mathwright.tune.records.");
  m.def("tuning_export", &export_tuning, nb::arg("path"), release, "See mathwright.tune.export.");
  m.def("tuning_merge", &merge_tuning, nb::arg("path"), release, "See mathwright.tune.merge.");
  m.def("tuning_clear", &clear_tuning, release, "See mathwright.tune.clear.");
}

}  // namespace

void init_session(nb::module_& m) {
  init_tuning(m);
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
      .def("_algorithms", &SessionObject::algorithms,
           nb::sig("def _algorithms(self) -> list[dict[str, object]]"),
           "Every way there is to run the problem, the chosen one first.")
      .def("_capabilities", &SessionObject::capabilities, nb::arg("index"),
           nb::sig("def _capabilities(self, index: int) -> dict[str, list[int] | None]"))
      .def("_autotune", autotune, nb::kw_only(), nb::arg("iterations"), nb::arg("prune"),
           nb::arg("seconds").none(), nb::arg("limit"), nb::arg("remember"),
           nb::arg("release_workspace"), nb::arg("stream").none(),
           nb::sig("def _autotune(self, *, iterations: int, prune: int, seconds: float | None, "
                   "limit: int, remember: bool, release_workspace: bool, stream: object) -> "
                   "dict[str, object]"))
      .def("_select", &SessionObject::select, nb::arg("index"))
      .def("_select_named", &SessionObject::select_named, nb::arg("candidate"), nb::arg("variant"))
      .def("_configure", &SessionObject::configure, nb::arg("index"), nb::arg("changes"),
           nb::sig("def _configure(self, index: int, changes: dict[str, int]) -> None"))
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
