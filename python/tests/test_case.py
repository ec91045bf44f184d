# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""Cases are read, changed and written; the program validates them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import CAVITY, ROOT

import lbmsim

CASES = sorted(p for kind in ("examples", "robustness", "validation") for p in (ROOT / "cases" / kind).glob("*.toml"))


@pytest.mark.parametrize("path", CASES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_nothing_changes_unasked(path: Path) -> None:
    assert lbmsim.Case(path).text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", CASES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_changes_leave_the_rest(path: Path) -> None:
    case = lbmsim.Case(path)
    before = case.to_dict()
    case["output.probe.added"] = {"at": [1, 2], "every": 3}
    case["output.fields.every"] = 7
    case["output.plane.other.normal"] = "x"
    after = lbmsim.Case.from_text(case.text).to_dict()
    output: dict[str, Any] = before.setdefault("output", {})
    output.setdefault("probe", {})["added"] = {"at": [1, 2], "every": 3}
    output.setdefault("fields", {})["every"] = 7
    output.setdefault("plane", {})["other"] = {"normal": "x"}
    assert after == before


def test_keys(cavity: lbmsim.Case) -> None:
    assert cavity["fluid.viscosity"] == cavity["fluid"]["viscosity"] == "1e-6 m2/s"
    assert "fluid.viscosity" in cavity
    assert "fluid.reynolds" not in cavity
    assert cavity.get("fluid.reynolds", 3) == 3
    with pytest.raises(KeyError, match=r"fluid\.viscosity\.x"):
        cavity["fluid.viscosity.x"]
    with pytest.raises(KeyError, match=r"fluid\.viscosity is a value"):
        cavity["fluid.viscosity.x"] = 3
    with pytest.raises(KeyError, match=r"no\.such"):
        del cavity["no.such"]
    assert list(cavity)[:3] == ["title", "domain", "fluid"]
    assert len(cavity) == 9


def test_comments_stay(cavity: lbmsim.Case) -> None:
    cavity["fluid.viscosity"] = "2e-6 m2/s"
    cavity["fluid"]["length"] = "10 cm"
    del cavity["output.picture"]
    cavity.update({"run.steps": np.int64(7), "domain.cells": np.array([8, 8])})
    lines = cavity.text.splitlines()
    assert 'viscosity = "2e-6 m2/s"   # of water' in lines
    assert 'length = "10 cm"' in lines
    assert "steps = 7" in lines
    assert "cells = [8, 8]" in lines
    assert "[output.picture]" not in lines
    assert "8 x 8" in lbmsim.check(cavity).text


def test_a_copy_is_another_case(cavity: lbmsim.Case) -> None:
    other = cavity.copy()
    other["run.steps"] = 1
    assert cavity["run.steps"] == 400
    assert lbmsim.diff(cavity, cavity.copy()).same
    assert not lbmsim.diff(cavity, other).same


def test_save(cavity: lbmsim.Case, folder: Path) -> None:
    with pytest.raises(ValueError, match="no file"):
        cavity.save()
    assert cavity.save("box.toml") == folder / "box.toml"
    assert cavity.name == "box"
    cavity["run.steps"] = 3
    assert lbmsim.Case("box.toml")["run.steps"] == 400
    cavity.save()
    assert lbmsim.Case("box.toml")["run.steps"] == 3
    assert repr(cavity) == "<lbmsim.Case box.toml: A small cavity>"


def test_not_toml(folder: Path) -> None:
    (folder / "bad.toml").write_text("a = 1\nb = [\n")
    with pytest.raises(lbmsim.CaseError, match=r"bad\.toml:\d") as e:
        lbmsim.Case("bad.toml")
    assert e.value.file == "bad.toml"
    assert e.value.line in (2, 3)
    with pytest.raises(lbmsim.CaseError, match="not valid TOML"):
        lbmsim.Case.from_text("a = 1\na = 2\n")
    with pytest.raises(FileNotFoundError):
        lbmsim.Case("none.toml")


def test_check_tells_all_at_once(folder: Path) -> None:
    text = CAVITY.replace("viscosity =", "viscositi =").replace("every = 150", 'every = "150 kg"')
    (folder / "bad.toml").write_text(text)
    with pytest.raises(lbmsim.CaseError) as e:
        lbmsim.check("bad.toml")
    error = e.value
    lines = text.splitlines()
    assert error.code == 2
    assert error.file == "bad.toml"
    assert error.line == 1 + next(i for i, line in enumerate(lines) if "viscositi" in line)
    assert len(error.problems) >= 2
    assert 'did you mean "viscosity"?' in error.problems[0].text
    assert any("150 kg" in p.text and p.line == len(lines) for p in error.problems)
    assert "known here: density" in str(error)


def test_errors_of_a_changed_case_name_the_case(cavity: lbmsim.Case, folder: Path) -> None:
    cavity.save("cavity.toml")
    cavity["domain.cells"] = [24]
    with pytest.raises(lbmsim.CaseError) as e:
        lbmsim.check(cavity)
    assert e.value.file == "cavity.toml"
    assert e.value.line is not None
    assert cavity.text.splitlines()[e.value.line - 1] == "cells = [24]"
    assert [p.name for p in folder.iterdir()] == ["cavity.toml"], "a file is left behind"
    assert str(e.value).splitlines()[-1] == (
        "(lines refer to case.text, which is not saved: cavity.toml on disk is another)"
    )
    cavity.save()
    with pytest.raises(lbmsim.CaseError) as e:
        lbmsim.check(cavity)
    assert "case.text" not in str(e.value)
    with pytest.raises(lbmsim.CaseError, match=r"case\.text, for the case has no file"):
        lbmsim.check(lbmsim.Case.from_text(cavity.text))


def test_values_that_no_case_holds(cavity: lbmsim.Case) -> None:
    before = cavity.text
    for key, value in (("fluid.length", 1 + 2j), ("new.table.key", None), ("domain.cells", [8, {1, 2}])):
        with pytest.raises(lbmsim.Error, match=rf"^{key} cannot be ") as e:
            cavity[key] = value
        assert isinstance(e.value, TypeError)
        with pytest.raises(lbmsim.ValueTypeError, match=key):
            lbmsim.check(cavity, set={key: value})
    with pytest.raises(lbmsim.ValueTypeError, match=r"fluid\.length"):
        cavity["fluid"] = {"length": np.complex128(1)}
    assert cavity.text == before


def test_help() -> None:
    for thing in (lbmsim.Case.__getitem__, lbmsim.Case.__setitem__, lbmsim.Case.__delitem__):
        assert thing.__doc__
    assert lbmsim.open.__name__ == "open"


def test_errors_of_keys_that_were_set(cavity: lbmsim.Case) -> None:
    with pytest.raises(lbmsim.CaseError) as e:
        lbmsim.check(cavity, set={"domain": {"foo": [1, 2]}})
    assert e.value.file == 'set={"domain.foo": [1, 2]}'
    assert e.value.line is None


def test_check(cavity: lbmsim.Case) -> None:
    told = lbmsim.check(cavity, ranks=2, set={"scaling.lattice_velocity": 0.1})
    assert "D2Q9 cumulant float32" in str(told)
    assert "needs, on 2 ranks" in repr(told)
    assert any("Mach number" in w for w in told.warnings)


def test_files_that_a_case_names(cavity: lbmsim.Case, folder: Path) -> None:
    """A changed case finds them from the folder of its file."""
    (folder / "below").mkdir()
    (folder / "below" / "ramp.csv").write_text("0,0\n100,1\n")
    cavity["boundary.lid.table"] = "ramp.csv"
    cavity.save("below/case.toml")
    cavity["run.steps"] = 10
    assert "ready to run" in lbmsim.check(cavity).text


def test_examples() -> None:
    titles = lbmsim.examples()
    assert titles["cavity"] == "Lid-driven cavity, Re 100"
    for name in titles:
        case = lbmsim.example(name)
        assert case.path is None
        assert case.name == name
        lbmsim.check(case)
    with pytest.raises(KeyError, match=r"there is no example .*\bcavity\b"):
        lbmsim.example("cavitie")
