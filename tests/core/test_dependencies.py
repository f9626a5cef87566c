"""Every dependency has bounds, and what is installed and pinned lies within them."""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version
from redis import Redis
from rq import Queue, SimpleWorker, Worker
from rq.exceptions import DequeueTimeout
from rq.job import Job
from rq.registry import DeferredJobRegistry, FailedJobRegistry, StartedJobRegistry

ROOT = Path(__file__).parents[2]
PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
PINS = {
    canonicalize_name(name): Version(version)
    for name, _, version in (
        line.partition("==") for line in (ROOT / "constraints.txt").read_text().splitlines()
    )
}


def requirements() -> Iterator[Requirement]:
    """Yield every requirement of the build, of clerk and of its extras."""
    project = PYPROJECT["project"]
    groups = [PYPROJECT["build-system"]["requires"], project["dependencies"]]
    for group in [*groups, *project["optional-dependencies"].values()]:
        yield from map(Requirement, group)


REQUIREMENTS = sorted(set(requirements()), key=str)


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=str)
def test_a_dependency_has_a_lower_and_an_upper_bound(requirement: Requirement) -> None:
    assert {bound.operator for bound in requirement.specifier} == {">=", "<"}


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=str)
def test_the_pinned_version_is_within_the_bounds(requirement: Requirement) -> None:
    assert PINS[canonicalize_name(requirement.name)] in requirement.specifier


def test_what_is_installed_is_within_the_bounds() -> None:
    installed = {
        canonicalize_name(each.name): each.version for each in metadata.distributions() if each.name
    }
    versions = {str(each): installed.get(canonicalize_name(each.name)) for each in REQUIREMENTS}

    assert any(name.startswith("rq") and version for name, version in versions.items())
    assert [
        (name, version)
        for name, version in versions.items()
        if version and version not in Requirement(name).specifier
    ] == []


def test_a_dependency_has_the_same_bounds_wherever_it_is_named() -> None:
    assert len({canonicalize_name(each.name) for each in REQUIREMENTS}) == len(REQUIREMENTS)


def test_rq_is_bound_to_one_minor_version() -> None:
    rq = next(each for each in REQUIREMENTS if each.name == "rq")
    lowest = Version(next(each.version for each in rq.specifier if each.operator == ">="))

    assert f"{lowest.major}.{lowest.minor}.99" in rq.specifier
    assert f"{lowest.major}.{lowest.minor + 1}" not in rq.specifier


# What clerk.executors.rq uses of RQ, much of it not documented.


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (Queue.dequeue_any, ["queues", "timeout", "connection"]),
        (Queue.enqueue_call, ["func", "args", "job_id", "timeout", "ttl", "result_ttl"]),
        (Queue.enqueue_call, ["failure_ttl"]),
        (Queue.empty, []),
        (Job.delete, ["remove_from_queue"]),
        (Job.key_for, ["job_id"]),
        (Worker.count, ["connection"]),
        (SimpleWorker.__init__, ["queues", "name", "connection"]),
        (SimpleWorker.execute_job, ["job", "queue"]),
        (SimpleWorker.heartbeat, []),
        (SimpleWorker.register_birth, []),
        (SimpleWorker.register_death, []),
        (DeferredJobRegistry.get_job_ids, ["cleanup"]),
        (FailedJobRegistry.get_job_ids, ["cleanup"]),
        (StartedJobRegistry.get_job_count, ["cleanup"]),
    ],
)
def test_the_functions_of_rq_take_the_arguments_they_are_given(
    function: Callable[..., object], arguments: list[str]
) -> None:
    assert set(arguments) <= set(inspect.signature(function).parameters)


def test_rq_names_the_keys_that_are_deleted_with_a_job(redis: str) -> None:
    connection = Redis.from_url(redis)
    queue = Queue("ocr", connection=connection)
    first = queue.enqueue_call("math.sqrt", args=(4.0,), job_id="first")
    second = queue.enqueue_call("math.sqrt", args=(4.0,), job_id="second", depends_on=first)

    SimpleWorker([queue], connection=connection).work(burst=True)

    keys = {key.decode() for key in connection.scan_iter()}
    assert {Job.key_for("first"), "rq:results:first"} <= keys
    assert first.dependents_key.endswith("first:dependents")
    assert second.dependencies_key.endswith("second:dependencies")
    assert first.execution_registry.key.endswith("first")
    for registry in (queue.deferred_job_registry, queue.failed_job_registry):
        assert registry.key and registry.get_job_count(cleanup=False) == 0


def test_waiting_for_a_message_ends_with_the_exception_that_clerk_expects(redis: str) -> None:
    connection = Redis.from_url(redis)
    queue = Queue("ocr", connection=connection)

    assert Queue.dequeue_any([queue], None, connection=connection) is None
    with pytest.raises(DequeueTimeout):
        Queue.dequeue_any([queue], 1, connection=connection)
