"""Each platform's fetcher on real recorded answers, where they are at hand."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from recorded_portals import Recordings, fetched, served
from recorded_towns import RecordedTown, load_towns, scored
from shared_data import SHARED_DATA

#: At least this share of the expected documents has the right date, body and kind.
RIGHT = 0.98


@cache
def towns() -> list[RecordedTown]:
    if not (SHARED_DATA / "recordings2").is_dir():
        return []
    # An answer to a POST, without the page that sends it, cannot be found from an address.
    return [town for town in load_towns() if town.total and "anthony" not in town.name]


@pytest.mark.timeout(0)
@pytest.mark.parametrize("town", towns(), ids=lambda town: town.name)
def test_a_recorded_town_is_found_by_its_address_and_listed(town):
    score = scored(town)

    assert score.estimate >= town.total * RIGHT, (score.error, score.wrong[:5])
    assert score.meetings and not score.error
    assert not score.invented


@pytest.fixture(scope="module")
def recordings(tmp_path_factory):
    with served(towns(), Path(tmp_path_factory.mktemp("recordings"))) as server:
        yield server


@pytest.mark.chaos
@pytest.mark.timeout(0)
@pytest.mark.parametrize("town", towns(), ids=lambda town: town.name)
def test_a_recorded_town_is_added_and_fetched_by_the_commands(
    town: RecordedTown, recordings: Recordings
):
    score = fetched(town, recordings)

    assert score.estimate >= town.total * RIGHT, (score.error, score.wrong[:5])
    assert not score.error
    assert not score.invented
