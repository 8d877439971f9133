"""Repository records as JSON, the form in which they are stored and sent."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from unplace.batch.records import (
    ErrorRecord,
    FileRecord,
    ReasonRecord,
    RepositoryRecord,
    Result,
    SiteRecord,
    VerificationRecord,
)


def record_to_json(record: RepositoryRecord) -> str:
    """Return a record as JSON, ASCII only."""
    return json.dumps(asdict(record))


def record_from_json(text: str) -> RepositoryRecord:
    """Return the record that `record_to_json` turned into this text."""
    values: dict[str, Any] = json.loads(text)
    verification = values.pop("verification")
    return RepositoryRecord(
        **{
            **values,
            "result": Result(values["result"]),
            "found": tuple(_file(found) for found in values["found"]),
            "errors": tuple(ErrorRecord(**error) for error in values["errors"]),
        },
        verification=None if verification is None else _verification(verification),
    )


def _verification(values: dict[str, Any]) -> VerificationRecord:
    return VerificationRecord(**{**values, "flaky": tuple(values["flaky"])})


def _file(values: dict[str, Any]) -> FileRecord:
    return FileRecord(**{**values, "sites": tuple(_site(site) for site in values["sites"])})


def _site(values: dict[str, Any]) -> SiteRecord:
    reasons = tuple(ReasonRecord(**reason) for reason in values["reasons"])
    return SiteRecord(**{**values, "assumptions": tuple(values["assumptions"]), "reasons": reasons})
