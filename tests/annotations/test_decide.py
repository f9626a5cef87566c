"""replace, add, merge and skip: their laws, and where references go."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis_sizes import examples

from clerk.annotations.anchor import Anchoring, anchor
from clerk.annotations.decide import Mode, apply_mode
from clerk.annotations.objects import LISTS, AnnotationSet, Attribute, Denotation, Relation, Span

NOTHING = AnnotationSet()


def after(mode, stored, *uploaded):
    return apply_mode(mode, stored, uploaded).result(stored)


def people(*names):
    """Name some denotations by 'id begin', each one letter long."""
    return [
        Denotation(Span(int(at), int(at) + 1), "Person", name)
        for name, at in (each.split() for each in names)
    ]


def test_replace_makes_the_upload_the_whole_of_it():
    stored = AnnotationSet(denotations=people("T1 0", "T2 3"))
    assert after(Mode.REPLACE, stored, AnnotationSet(denotations=people("T9 5"))).denotations == (
        people("T9 5")
    )


def test_replace_by_an_empty_object_clears():
    stored = AnnotationSet(denotations=people("T1 0"))
    plan = apply_mode(Mode.REPLACE, stored, [NOTHING])
    assert plan.clear and not len(plan.insert)


def test_replace_by_several_objects_is_their_union():
    one = AnnotationSet(denotations=people("T1 0", "T2 3"))
    two = AnnotationSet(
        denotations=people("T1 0", "T2 7"), attributes=[Attribute("T2", "p", 1, "A1")]
    )
    found = after(Mode.REPLACE, NOTHING, one, two)
    assert found.denotations == people("T1 0", "T2 3", "T3 7")
    assert found.attributes == [Attribute("T3", "p", 1, "A1")]


def test_add_renumbers_what_collides_and_references_follow():
    stored = AnnotationSet(denotations=people("T1 0"), attributes=[Attribute("T1", "p", 1, "A1")])
    more = AnnotationSet(
        denotations=people("T1 4", "T2 6"),
        relations=[Relation("T1", "p", "T2", "R1")],
        attributes=[Attribute("T1", "p", 1, "A1"), Attribute("R1", "p", 1, "A2")],
    )
    found = after(Mode.ADD, stored, more)
    assert found.denotations == people("T1 0", "T3 4", "T2 6")
    assert found.relations == [Relation("T3", "p", "T2", "R1")]
    assert [(each.id, each.subj) for each in found.attributes] == [
        ("A1", "T1"),
        ("A3", "T3"),
        ("A2", "R1"),
    ]


def test_merge_collapses_what_is_equal_and_references_follow():
    stored = AnnotationSet(
        denotations=people("T1 0", "T2 3"),
        relations=[Relation("T1", "p", "T2", "R1")],
        attributes=[Attribute("T1", "p", False, "A1")],
    )
    more = AnnotationSet(
        denotations=people("T7 3", "T8 0", "T1 9"),
        relations=[Relation("T8", "p", "T7", "R5"), Relation("T8", "p", "T1", "R1")],
        attributes=[Attribute("T8", "p", False, "A9"), Attribute("T8", "p", 0, "A1")],
    )
    found = after(Mode.MERGE, stored, more)
    assert found.denotations == people("T1 0", "T2 3", "T3 9")
    assert found.relations == [Relation("T1", "p", "T2", "R1"), Relation("T1", "p", "T3", "R2")]
    assert [each.obj for each in found.attributes] == [False, 0]


def test_a_block_and_a_denotation_with_the_same_words_stay_two():
    stored = AnnotationSet(denotations=people("T1 0"))
    found = after(Mode.MERGE, stored, AnnotationSet(blocks=people("B1 0")))
    assert (len(found.denotations), len(found.blocks)) == (1, 1)


def test_skip_leaves_a_document_that_has_annotations():
    stored = AnnotationSet(denotations=people("T1 0"))
    more = AnnotationSet(denotations=people("T1 5"))
    assert after(Mode.SKIP, stored, more) == stored
    assert after(Mode.SKIP, NOTHING, more) == more


def test_a_document_of_ten_thousand_objects_is_gathered_in_one_go():
    objects = [AnnotationSet(denotations=people(f"T1 {n}")) for n in range(10_000)]
    found = after(Mode.ADD, NOTHING, *objects)
    assert len({each.id for each in found.denotations}) == 10_000


ids = st.sampled_from([f"{letter}{n}" for letter in "TBRX" for n in range(1, 5)])
places = st.builds(lambda at, size: Span(at, at + size), st.integers(0, 5), st.integers(1, 2))
labels = st.sampled_from(["Person", "Body", 7, True, 1, 1.0])


@st.composite
def annotation_sets(draw):
    names = draw(st.lists(ids, unique=True, max_size=8))
    cut = draw(st.integers(0, len(names)))
    spans = st.one_of(places, st.lists(places, min_size=2, max_size=2))
    denotations = [Denotation(draw(spans), draw(labels), name) for name in names[:cut]]
    blocks = [Denotation(draw(spans), draw(labels), name) for name in names[cut:]]
    found = AnnotationSet(denotations=denotations, blocks=blocks)
    free = [f"R{n}" for n in range(5, 8)]
    for ends in (names[:cut], names[cut:]):
        if ends and free and draw(st.booleans()):
            end = st.sampled_from(ends)
            found.relations.append(Relation(draw(end), "p", draw(end), free.pop()))
    targets = names + [each.id for each in found.relations]
    for number in range(draw(st.integers(0, 3)) if targets else 0):
        subj = draw(st.sampled_from(targets))
        found.attributes.append(Attribute(subj, "p", draw(labels), f"A{number + 1}"))
    return found


uploads = st.lists(annotation_sets(), min_size=1, max_size=3)


def assert_is_whole(found):
    """Every id once, every reference resolved."""
    shared = [each.id for each in (*found.denotations, *found.blocks, *found.relations)]
    own = [each.id for each in found.attributes]
    assert len(set(shared)) == len(shared) and len(set(own)) == len(own)
    for kind in (found.denotations, found.blocks):
        names = {each.id for each in kind}
        for each in found.relations:
            assert (each.subj in names) == (each.obj in names)
    assert {each.subj for each in found.relations} <= set(shared)
    assert {each.subj for each in found.attributes} <= set(shared)


@pytest.mark.parametrize("mode", list(Mode))
@settings(max_examples=examples(60), deadline=None)
@given(stored=annotation_sets(), uploaded=uploads)
def test_references_always_resolve_and_ids_stay_single(mode, stored, uploaded):
    assert_is_whole(after(mode, stored, *uploaded))


@pytest.mark.parametrize("mode", [Mode.REPLACE, Mode.MERGE, Mode.SKIP])
@settings(max_examples=examples(60), deadline=None)
@given(stored=annotation_sets(), uploaded=uploads)
def test_doing_it_twice_is_doing_it_once(mode, stored, uploaded):
    once = after(mode, stored, *uploaded)
    assert after(mode, once, *uploaded) == once


@settings(max_examples=examples(60), deadline=None)
@given(stored=annotation_sets(), uploaded=uploads, lists=st.sets(st.sampled_from(LISTS)))
def test_a_list_that_is_not_given_keeps_what_still_has_its_ends(stored, uploaded, lists):
    for each in uploaded:
        for name in set(LISTS) - lists:
            setattr(each, name, [])
        names = {some.id for some in (*each.denotations, *each.blocks)}
        each.relations = [r for r in each.relations if {r.subj, r.obj} <= names]
        names |= {some.id for some in each.relations}
        each.attributes = [some for some in each.attributes if some.subj in names]

    change = apply_mode(Mode.REPLACE, stored, uploaded, lists)
    found = change.result(stored)

    assert_is_whole(found)
    again = apply_mode(Mode.REPLACE, found, uploaded, lists)
    assert again.result(found) == found and not again.lost
    for name in {"denotations", "blocks"} - lists:
        assert getattr(found, name)[: len(getattr(stored, name))] == getattr(stored, name)
    absent = {"relations", "attributes"} - lists
    before = sum(len(getattr(stored, name)) for name in absent)
    kept = sum(len(getattr(found, name)) for name in absent)
    assert kept + len(change.lost) == before


@settings(max_examples=examples(60), deadline=None)
@given(stored=annotation_sets(), uploaded=uploads)
def test_add_never_loses(stored, uploaded):
    found = after(Mode.ADD, stored, *uploaded)
    assert len(found) == len(stored) + sum(map(len, uploaded))
    for kind, kept in zip(found.kinds(), stored.kinds(), strict=True):
        assert kind[: len(kept)] == kept


@settings(max_examples=examples(60), deadline=None)
@given(stored=annotation_sets(), uploaded=uploads)
def test_taking_an_addition_back_restores_what_was(stored, uploaded):
    before = [list(kind) for kind in stored.kinds()]
    plan = apply_mode(Mode.ADD, stored, uploaded)
    added = {each.id for kind in list(plan.insert.kinds())[:3] for each in kind}
    left = [each for each in plan.result(stored).denotations if each.id not in added]
    assert left == stored.denotations
    assert [list(kind) for kind in stored.kinds()] == before


def test_anchoring_moves_what_is_found_and_names_what_is_lost():
    source, target = "Ruiz moved, Lee seconded.", "Then Ruiz moved and Leigh seconded."
    annotations = AnnotationSet(
        denotations=[Denotation(Span(0, 4), "Person", "T1"), Denotation(Span(12, 15), "P", "T2")],
        relations=[Relation("T1", "with", "T2", "R1")],
        attributes=[Attribute("T1", "p", 1, "A1"), Attribute("R1", "p", 1, "A2")],
    )
    found = anchor(annotations, source, target)
    assert found.annotations.denotations == [Denotation(Span(5, 9), "Person", "T1")]
    assert [each.id for each in found.annotations.attributes] == ["A1"]
    assert [each.code for each in found.issues] == ["lost_span", "lost_reference", "lost_reference"]
    assert "'Lee'" in found.issues[0].message


def test_anchoring_to_another_text_moves_nothing():
    annotations = AnnotationSet(denotations=people("T1 0"))
    found = anchor(annotations, "Ruiz moved, Lee seconded.", "0123456789 0123456789")
    assert not found.same_text and not len(found.annotations)
    assert found.issues[0].code == "text_mismatch"


def test_without_alignment_a_span_stays_only_where_its_words_are():
    annotations = AnnotationSet(
        denotations=[Denotation(Span(0, 4), "P", "T1"), Denotation(Span(5, 10), "V", "T2")]
    )
    found = anchor(annotations, "Ruiz moved.", "RUIZ has moved.", Anchoring.OFF)
    assert [each.id for each in found.annotations.denotations] == ["T1"]
    assert "it has 'has m' there" in found.issues[0].message
    assert len(anchor(annotations, "Ruiz moved.", "Ru", Anchoring.OFF).issues) == 2
