"""Formats: what goes out comes back."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis_sizes import examples
from shared_data import SHARED_DATA

from clerk.annotations import annotations_of, decode
from clerk.annotations.formats import brat, export, export_array, translate
from clerk.annotations.formats.pubannotation import dump, to_value
from clerk.annotations.objects import LISTS, CheckedObject
from clerk.annotations.store import annotations_from, rows_from
from clerk.core.errors import UnusableUpload

SHARED = SHARED_DATA / "annotations"
CONLL_TOKEN = re.compile(r"\w+|[^\w\s]")

MOTION = "Ruiz moved,\nLee seconded."
EXAMPLE = {
    "sourcedb": "springfield",
    "sourceid": "minutes/Council/2024-01-15/1",
    "text": MOTION,
    "denotations": [
        {"id": "T1", "span": {"begin": 0, "end": 4}, "obj": "Person"},
        {"id": "T2", "span": {"begin": 12, "end": 15}, "obj": "http://example.org/Person"},
        {"id": "x", "span": [{"begin": 5, "end": 10}, {"begin": 16, "end": 24}], "obj": "Act"},
    ],
    "blocks": [{"id": "B1", "span": {"begin": 0, "end": 25}, "obj": "motion"}],
    "relations": [{"id": "R1", "pred": "seconded by", "subj": "T1", "obj": "T2"}],
    "attributes": [
        {"id": "A1", "subj": "T1", "pred": "role", "obj": "mover"},
        {"id": "A2", "subj": "R1", "pred": "sure", "obj": False},
        {"id": "A3", "subj": "x", "pred": "score", "obj": {"a": [1, 2.5, None]}},
    ],
    "namespaces": [{"prefix": "_base", "uri": "http://example.org/"}],
}


def checked(value):
    found = decode(json.dumps(value).encode())
    assert isinstance(found, CheckedObject), found
    return found


def back(format, *documents):
    lines = translate(b"".join(export(documents, format)), format)
    return [to_value(decode(line)) for line in lines]


def test_pubannotation_goes_out_as_it_came_in():
    assert json.loads(dump(checked(EXAMPLE))) == EXAMPLE


@pytest.mark.parametrize("format", ["w3c", "tsv", "spacy"])
def test_a_format_that_holds_everything_gives_it_back(format):
    other = {**EXAMPLE, "sourceid": "2", "text": "a\tb\\n\r\n" + MOTION}
    assert back(format, checked(EXAMPLE), checked(other)) == [EXAMPLE, other]


def test_brat_files_hold_everything():
    text, annotations = brat.dump(checked(EXAMPLE))
    assert "T1\tPerson 0 4\tRuiz\n" in annotations
    assert "A1\trole T1 mover\n" in annotations
    assert to_value(checked(brat.load(text, annotations))) == EXAMPLE


def test_conll_exports_what_does_not_overlap():
    document = checked(EXAMPLE)
    content = b"".join(export([document, document], "conll")).decode()
    assert "Ruiz\t0\t4\tB-Person" in content and "# not shown = x" in content
    found = back("conll", document, document)
    assert [len(each["denotations"]) for each in found] == [2, 2]
    assert found[0]["text"] == MOTION
    assert found[0]["denotations"][1]["span"] == {"begin": 12, "end": 15}


def test_an_array_is_a_json_file_of_all_documents():
    document = checked(EXAMPLE)
    assert json.loads(b"".join(export_array([document, document]))) == [EXAMPLE, EXAMPLE]
    assert json.loads(b"".join(export_array([]))) == []


def test_w3c_names_positions_and_quotes():
    page = json.loads(b"".join(export([checked(EXAMPLE)], "w3c")))
    selectors = page["items"][0]["target"]["selector"]
    assert selectors == [
        {"type": "TextPositionSelector", "start": 0, "end": 4},
        {
            "type": "TextQuoteSelector",
            "exact": "Ruiz",
            "prefix": "",
            "suffix": EXAMPLE["text"][4:36],
        },
    ]


def test_a_foreign_conll_file_is_read_from_its_tokens():
    content = b"Ruiz B-PER\nAna I-PER\nmoved O\n\nLee S-PER\n"
    (line,) = translate(content, "conll")
    found = json.loads(line)
    assert found["text"] == "Ruiz Ana moved\nLee"
    assert [each["span"] for each in found["denotations"]] == [
        {"begin": 0, "end": 8},
        {"begin": 15, "end": 18},
    ]


@pytest.mark.parametrize(
    "line",
    [
        {"text": MOTION, "spans": [{"start": 0, "end": 4, "label": "PER"}]},
        {"text": MOTION, "entities": [[0, 4, "PER"]]},
    ],
)
def test_other_spellings_of_spacys_lines_are_read(line):
    line["meta"] = {"sourcedb": "x", "sourceid": "1"}
    (found,) = (decode(each) for each in translate(json.dumps(line).encode(), "spacy"))
    assert found.denotations[0].obj == "PER"


def test_events_and_notes_of_brat_become_relations_and_attributes():
    annotations = (
        "T1\tPerson 0 4\tRuiz\nT2\tPerson 12 15\tLee\nT3\tMove 5 10\tmoved\n"
        "E1\tMove:T3 Agent:T1 With:T2\n*\tEquiv T1 T2\nA1\tNegated E1\n"
        "N1\tReference T1 Wikidata:Q5\tRuiz\n#1\tAnnotatorNotes T2\tsee page 3\n"
    )
    found = checked(brat.load(MOTION, annotations, "springfield", "1"))
    assert [(each.subj, each.pred, each.obj) for each in found.relations] == [
        ("T3", "Agent", "T1"),
        ("T3", "With", "T2"),
        ("T1", "Equiv", "T2"),
    ]
    assert [(each.subj, each.pred, each.obj) for each in found.attributes] == [
        ("T3", "Negated", True),
        ("T1", "Reference", "Wikidata:Q5"),
        ("T2", "AnnotatorNotes", "see page 3"),
    ]


@pytest.mark.parametrize("format", ["w3c", "spacy"])
def test_a_file_of_another_format_is_refused(format):
    with pytest.raises(UnusableUpload, match=format):
        list(translate(b"<xml/>", format))


@pytest.mark.parametrize("format", ["w3c", "spacy", "conll", "tsv"])
@pytest.mark.parametrize("written", ["pubannotation", "w3c", "spacy", "conll"])
def test_no_format_is_read_as_another_one_without_its_annotations(format, written):
    """Read in silence as a document without annotations, it would clear what is stored."""
    if format == written:
        return
    content = b"".join(export([checked(EXAMPLE)], written))
    with pytest.raises(UnusableUpload, match=format):
        list(translate(content, format))


@pytest.mark.parametrize("key", ["denotation", "relations", "entity"])
def test_an_unknown_key_in_spacys_lines_is_named(key):
    line = {"text": MOTION, "_task_hash": 1, "ents": [], key: [{"start": 0, "end": 4}]}
    with pytest.raises(UnusableUpload, match=key):
        list(translate(json.dumps(line).encode(), "spacy"))


def test_only_a_list_of_entities_in_spacys_lines_clears():
    lines = [{"text": MOTION}, {"text": MOTION, "ents": []}, {"text": MOTION, "spans": None}]
    content = "".join(json.dumps(each) + "\n" for each in lines).encode()
    found = [json.loads(line) for line in translate(content, "spacy")]
    assert ["denotations" in each for each in found] == [False, True, True]


def test_tags_that_mark_the_last_token_and_single_ones_are_read():
    (line,) = translate(b"Ana B-PER\nde I-PER\nRuiz L-PER\nmoved O\nLee U-PER\n", "conll")
    found = json.loads(line)
    assert [each["span"] for each in found["denotations"]] == [
        {"begin": 0, "end": 11},
        {"begin": 18, "end": 21},
    ]


texts = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1)
labels = st.one_of(texts.filter(str.strip), st.integers(), st.just(True))
names = st.text("TBRAx1239 ", min_size=1, max_size=4).filter(str.strip)
values = st.one_of(texts, st.booleans(), st.integers(), st.floats(allow_nan=False, width=16))


@st.composite
def objects(draw):
    text = "x" + draw(texts)
    ids = draw(st.lists(names, unique=True, min_size=1, max_size=6))

    def span():
        begin = draw(st.integers(0, len(text) - 1))
        return {"begin": begin, "end": draw(st.integers(begin + 1, len(text)))}

    def place():
        return [span(), span()] if draw(st.booleans()) else span()

    cut = draw(st.integers(1, len(ids)))
    value = {
        "sourcedb": draw(st.sampled_from(["x", "springfield"])),
        "sourceid": draw(st.text("abc/ \t1", min_size=1).filter(str.strip)),
        "text": text,
        "denotations": [{"id": i, "span": place(), "obj": draw(labels)} for i in ids[:cut]],
    }
    if ids[cut:]:
        value["blocks"] = [{"id": i, "span": place(), "obj": draw(labels)} for i in ids[cut:]]
    if draw(st.booleans()):
        pred = draw(texts.filter(str.strip))
        value["relations"] = [{"id": "rel", "pred": pred, "subj": ids[0], "obj": ids[cut - 1]}]
    if draw(st.booleans()):
        subj = draw(st.sampled_from(ids))
        value["attributes"] = [{"id": "a", "subj": subj, "pred": "p", "obj": draw(values)}]
    return value


def is_acceptable(value):
    return isinstance(decode(json.dumps(value).encode()), CheckedObject)


@settings(max_examples=examples(120), deadline=None)
@given(objects().filter(is_acceptable))
def test_whatever_is_accepted_goes_out_and_comes_back_the_same(value):
    found = checked(value)
    assert json.loads(dump(found)) == value
    for format in ("w3c", "tsv", "spacy"):
        assert back(format, found) == [value]
    assert to_value(checked(brat.load(*brat.dump(found)))) == value
    columns = b"".join(export([found], "conll")).decode()
    (line,) = translate(columns.encode(), "conll")
    again = json.loads(line)
    assert (again["sourcedb"], again["sourceid"], again["text"]) == (
        value["sourcedb"],
        value["sourceid"],
        value["text"],
    )
    left_out = re.findall(r"# not shown = (.*)", columns)
    names = left_out[0].split(", ") if left_out else []
    expected = sorted(
        (words[0].start() + span["begin"], words[-1].end() + span["begin"])
        for each in value["denotations"]
        if each["id"] not in names and isinstance(span := each["span"], dict)
        if (words := list(CONLL_TOKEN.finditer(value["text"][span["begin"] : span["end"]])))
    )
    marked = [(each["span"]["begin"], each["span"]["end"]) for each in again["denotations"]]
    assert marked == expected


@pytest.mark.skipif(not SHARED.is_dir(), reason="there is no shared data")
def test_the_shared_collection_goes_out_byte_for_byte():
    content = (SHARED / "bc5cdr_500.jsonl").read_bytes()
    found = [decode(line) for line in content.splitlines()]
    assert b"".join(export(found, "pubannotation")) == content
    for format in ("w3c", "tsv", "spacy"):
        assert back(format, *found[:50]) == [to_value(each) for each in found[:50]]
    for each in found[:50]:
        assert checked(brat.load(*brat.dump(each))) == each


@pytest.mark.parametrize("format", ["w3c", "tsv", "spacy"])
def test_a_document_without_annotations_comes_back_with_an_empty_list(format):
    found = checked({**EXAMPLE, **{key: [] for key in LISTS}})
    (line,) = translate(b"".join(export([found], format)), format)

    assert json.loads(line)["denotations"] == []
    assert brat.load(*brat.dump(found))["denotations"] == []


def test_rows_stand_for_every_annotation():
    found = checked({**EXAMPLE, "blocks": [{**EXAMPLE["blocks"][0], "obj": 7}]})
    rows = rows_from(annotations_of(found))
    assert rows["denotations"][0] == ("T1", 0, 4, None, "Person", None)
    assert rows["denotations"][2] == ("x", 5, 24, "[[5,10],[16,24]]", "Act", None)
    assert annotations_from(rows) == annotations_of(found)
