"""Writes a JUnit report for CI servers, with a suite per file and a failed case per finding."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from unplace.reporting import sentences
from unplace.reporting.lint import reported
from unplace.runs.outcome import Outcome
from unplace.text.visible import visible_lines


def document(outcomes: Sequence[Outcome]) -> str:
    """Return the report as XML text; a file with nothing to report is a passed case."""
    root = ElementTree.Element("testsuites", name="unplace")
    for outcome in outcomes:
        suite = ElementTree.SubElement(root, "testsuite", name=outcome.path)
        findings = reported(outcome)
        for finding in findings:
            name = f"{finding.code} ({finding.place.replace(':', ',')})"
            case = ElementTree.SubElement(suite, "testcase", name=name, classname=outcome.path, line=str(finding.line))
            place = f"line {finding.line}, column {finding.column}: {sentences.full(finding)}"
            ElementTree.SubElement(case, "failure", message=sentences.headline(finding)).text = place
        if outcome.problem is not None:
            case = ElementTree.SubElement(suite, "testcase", name="unplace", classname=outcome.path)
            ElementTree.SubElement(case, "error", message=outcome.problem.message).text = str(outcome.problem)
        elif not findings:
            ElementTree.SubElement(suite, "testcase", name="unplace", classname=outcome.path)
        _count(suite, failures=len(findings), errors=int(outcome.problem is not None))
    failures = sum(len(reported(outcome)) for outcome in outcomes)
    _count(root, failures=failures, errors=sum(outcome.problem is not None for outcome in outcomes))
    for element in root.iter():  # XML has no way to write a control character
        element.text = element.text and visible_lines(element.text)
        element.attrib.update({name: visible_lines(value) for name, value in element.attrib.items()})
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True)


def _count(element: ElementTree.Element, *, failures: int, errors: int) -> None:
    element.set("tests", str(len(element.findall(".//testcase"))))
    element.set("failures", str(failures))
    element.set("errors", str(errors))
