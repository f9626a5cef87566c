"""A map of the places: their positions in a plain projection, and a list."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from clerk.ops.activity import LocatedSite, located_sites
from clerk.search import listing
from clerk.web.rendering import page, settings_of

from .places import filter_places

#: The width of the map; its height follows from the places.
WIDTH = 1000
_HEIGHTS = (400, 760)
_EDGE = 40
#: At most this many places are drawn, and named.
DRAWN, NAMED = 2000, 25
#: Distances between the lines of the grid, in degrees.
_STEPS = (30, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
_FEWEST_LINES = 3
#: The least extent of a map, in degrees of latitude.
_LEAST = 0.05


@dataclass(frozen=True)
class DrawnPlace:
    """A place on the map."""

    site: LocatedSite
    x: int
    y: int
    is_held: bool


@dataclass(frozen=True)
class GridLine:
    """A meridian or a parallel, with its degrees."""

    degrees: str
    at: int
    is_meridian: bool


@dataclass(frozen=True)
class DrawnMap:
    """The places as they are drawn; degrees of longitude are as long as they are in the middle."""

    height: int
    places: Sequence[DrawnPlace]
    lines: Sequence[GridLine]

    @classmethod
    def of(cls, sites: Sequence[LocatedSite], held: frozenset[str]) -> DrawnMap | None:
        """Draw the places that have a position; None if there are none."""
        known = [
            (each, each.latitude, each.longitude)
            for each in sites
            if each.latitude is not None and each.longitude is not None
        ][:DRAWN]
        if not known:
            return None
        south, north = _widened([latitude for _, latitude, _ in known])
        shrunk = max(0.1, math.cos(math.radians((south + north) / 2)))
        west, east = _widened([longitude for _, _, longitude in known])
        room = WIDTH - 2 * _EDGE
        scale = room / ((east - west) * shrunk)
        height = (north - south) * scale + 2 * _EDGE
        if height > _HEIGHTS[1]:
            scale *= (_HEIGHTS[1] - 2 * _EDGE) / (height - 2 * _EDGE)
        tall = int(min(_HEIGHTS[1], max(_HEIGHTS[0], height)))
        aside, above = WIDTH / 2 / (shrunk * scale), tall / 2 / scale
        middle = ((west + east) / 2, (south + north) / 2)

        def placed(latitude: float, longitude: float) -> tuple[int, int]:
            x = WIDTH / 2 + (longitude - middle[0]) * shrunk * scale
            return round(x), round(tall / 2 - (latitude - middle[1]) * scale)

        places = [
            DrawnPlace(each, *placed(latitude, longitude), each.subdomain in held)
            for each, latitude, longitude in known
        ]
        lines = [
            GridLine(f"{abs(degrees):g}\u00b0{side}", at, is_meridian)
            for is_meridian, low, high, sides in (
                (True, middle[0] - aside, middle[0] + aside, "WE"),
                (False, max(-90, middle[1] - above), min(90, middle[1] + above), "SN"),
            )
            for degrees in _round_degrees(low, high)
            for side in [sides[degrees > 0] if degrees else ""]
            for at in [placed(0, degrees)[0] if is_meridian else placed(degrees, 0)[1]]
        ]
        return cls(tall, places, lines)


def _widened(degrees: Sequence[float]) -> tuple[float, float]:
    low, high = min(degrees), max(degrees)
    missing = max(0.0, _LEAST - (high - low)) / 2
    return low - missing, high + missing


def _round_degrees(low: float, high: float) -> list[float]:
    """Return round degrees within a range, a few of them."""
    for step in _STEPS:
        first, last = math.ceil(low / step), math.floor(high / step)
        if last - first + 1 >= _FEWEST_LINES:
            return [round(number * step, 2) for number in range(first, last + 1)]
    return []


def place_map(request: Request) -> Response:
    """Show where the places are, and a list of them."""
    sites = located_sites()
    held = {each.subdomain: each for each in listing.places(settings_of(request).storage_dir)}
    shown = filter_places(request, sites, lambda each: f"{each.name}, {each.state}")
    words = request.query_params.get("q", "").lower()
    found = [each for each in sites if words in f"{each.name}, {each.state}".lower()]
    drawn = DrawnMap.of(found, frozenset(held))
    return page(
        request,
        "public/map.html",
        listing=shown,
        held=held,
        drawn=drawn,
        named=drawn is not None and len(drawn.places) <= NAMED,
        width=WIDTH,
    )
