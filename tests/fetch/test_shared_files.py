"""Minutes that a town shares as files and folders of Google Drive, Dropbox and SharePoint."""

from __future__ import annotations

import pytest
from test_layouts import listed

from clerk.fetch.http.responses import NeedsBrowser
from clerk.fetch.shared_files import file_address, folder_address

TOWN = "https://town.example/minutes"
DRIVE = "https://drive.google.com"


def entry(address: str, name: str) -> str:
    return (
        f'<div class="flip-entry"><a href="{DRIVE}/{address}"><div class="flip-entry-title">{name}'
        '</div></a><div class="flip-entry-last-modified"><div>2/14/24</div></div></div>'
    )


FOLDERS = {
    "embeddedfolderview?id=top": "<title>Council</title>"
    + entry("drive/folders/y24", "2024")
    + entry("file/d/f3/view?usp=drive_web", "Agenda 2024-01-09.pdf"),
    "embeddedfolderview?id=y24": "<title>2024</title>"
    + entry("file/d/f1/view?usp=drive_web", "January 9.pdf")
    + entry("file/d/f2/view?usp=drive_web", "February 13.pdf")
    + entry("file/d/f4/view?usp=drive_web", "January 9.mp4"),
}
OF_FOLDERS = [
    ("agendas", "2024-01-09", f"{DRIVE}/file/d/f3/view?usp=drive_web"),
    ("minutes", "2024-01-09", f"{DRIVE}/file/d/f1/view?usp=drive_web"),
    ("minutes", "2024-02-13", f"{DRIVE}/file/d/f2/view?usp=drive_web"),
]


def test_folders_that_a_page_links_are_listed_with_what_the_page_says_of_them(portal):
    page = f"""<h1>City Council</h1><h2>Minutes</h2>
      <a href="{DRIVE}/drive/folders/top?usp=sharing">All</a>
      <h2>Photos</h2><a href="{DRIVE}/drive/folders/photos">Picnic</a>"""
    town = portal("plain", TOWN, FOLDERS | {"/minutes": page})

    found = listed(town)

    assert [(kind, day, url) for kind, day, _, url in found] == OF_FOLDERS
    assert {body for _, _, body, _ in found} == {"City Council"}
    assert not any("photos" in str(request.url) for request in town.asked)


def test_a_folder_may_be_the_source_itself(portal):
    folders = {key: page.replace("Council", "Council Minutes") for key, page in FOLDERS.items()}
    town = portal("plain", f"{DRIVE}/drive/u/0/folders/top", folders)

    assert [(kind, day, url) for kind, day, _, url in listed(town)] == OF_FOLDERS


def test_a_shared_file_is_asked_for_where_its_bytes_are(portal):
    page = f'<h1>Council Minutes</h1><a href="{DRIVE}/file/d/f1/view">January 9, 2024</a>'
    town = portal("plain", TOWN, {"/minutes": page})

    report = town.fetch()

    assert len(report.new) == 1
    assert str(town.asked[-1].url) == f"{DRIVE}/uc?export=download&id=f1"
    assert [row.source_url for row in town.known()] == [f"{DRIVE}/file/d/f1/view"]


def test_a_file_of_sharepoint_is_a_document_by_its_address(portal):
    address = "https://town.sharepoint.com/:b:/s/clerk/abc"
    page = f'<h1>Council Minutes</h1><a href="{address}">January 9, 2024</a>'
    town = portal("plain", TOWN, {"/minutes": page})

    assert listed(town) == [("minutes", "2024-01-09", "Council", address)]


def test_folders_that_only_a_browser_shows_are_an_error_by_name(portal):
    page = '<h1>Council Minutes</h1><a href="https://www.dropbox.com/scl/fo/a/b?rlkey=c">2024</a>'
    town = portal("plain", TOWN, {"/minutes": page})

    with pytest.raises(NeedsBrowser, match="besides 1 shared folder, found no other files"):
        town.fetch()


@pytest.mark.parametrize(
    ("shown", "bytes_at"),
    [
        (f"{DRIVE}/open?id=f1", f"{DRIVE}/uc?export=download&id=f1"),
        (
            "https://docs.google.com/document/d/f1/edit?usp=sharing",
            "https://docs.google.com/document/d/f1/export?format=pdf",
        ),
        ("https://docs.google.com/document/d/e/2PACX-1/pub", ""),
        (
            "https://www.dropbox.com/scl/fi/a/m.pdf?rlkey=c&dl=0",
            "https://www.dropbox.com/scl/fi/a/m.pdf?rlkey=c&dl=1",
        ),
        (
            "https://www.dropbox.com/s/a/m.pdf?dl=0&st=x",
            "https://www.dropbox.com/s/a/m.pdf?st=x&dl=1",
        ),
        ("https://www.dropbox.com/s/a/m.pdf", "https://www.dropbox.com/s/a/m.pdf?dl=1"),
        (
            "https://town.sharepoint.com/:b:/s/clerk/abc?e=1",
            "https://town.sharepoint.com/:b:/s/clerk/abc?e=1&download=1",
        ),
        ("https://town.example/m.pdf", ""),
    ],
)
def test_viewers_of_shared_files_lead_to_their_bytes(shown, bytes_at):
    assert file_address(shown) == bytes_at


def test_folders_of_other_hosts_are_not_listed():
    assert folder_address("https://www.dropbox.com/scl/fo/a/b") == ""
