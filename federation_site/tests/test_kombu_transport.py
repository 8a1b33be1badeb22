from collections.abc import Iterator
from queue import Empty

import pytest
from django.db import transaction
from kombu import Connection
from kombu.simple import SimpleQueue

from federation_site.models import Message

pytestmark = [pytest.mark.django_db, pytest.mark.servers]


class Undone(Exception):
    pass


def open_queue() -> SimpleQueue:
    return Connection("djangodb://localhost").SimpleQueue("wakes")


@pytest.fixture
def wakes() -> Iterator[SimpleQueue]:
    queue = open_queue()
    yield queue
    queue.close()


def test_a_message_arrives_as_it_was_sent_and_is_gone(wakes: SimpleQueue) -> None:
    wakes.put({"federation": 7}, serializer="json")
    message = wakes.get(block=False)
    message.ack()
    assert message.payload == {"federation": 7}
    assert not Message.objects.exists()


def test_messages_arrive_in_the_order_of_sending(wakes: SimpleQueue) -> None:
    for number in (1, 2, 3):
        wakes.put({"federation": number})
    assert [wakes.get(block=False).payload["federation"] for _ in range(3)] == [1, 2, 3]


def test_a_publication_is_undone_with_its_transaction(wakes: SimpleQueue) -> None:
    with pytest.raises(Undone), transaction.atomic():
        wakes.put({"federation": 7})
        raise Undone
    with pytest.raises(Empty):
        wakes.get(block=False)


def test_of_two_consumers_one_gets_the_message(wakes: SimpleQueue) -> None:
    other = open_queue()
    wakes.put({"federation": 7})
    assert wakes.get(block=False).payload == {"federation": 7}
    with pytest.raises(Empty):
        other.get(block=False)
    other.close()


def test_a_message_that_another_claimed_meanwhile_is_passed_over(
    wakes: SimpleQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    wakes.put({"federation": 1})
    wakes.put({"federation": 2})
    from django.db.models.query import QuerySet

    first = QuerySet.first

    def beaten(rows: "QuerySet[Message]") -> Message | None:
        seen = first(rows)
        monkeypatch.setattr(QuerySet, "first", first)
        Message.objects.filter(pk=seen.pk if seen else 0).delete()
        return seen

    monkeypatch.setattr(QuerySet, "first", beaten)
    assert wakes.get(block=False).payload == {"federation": 2}


def test_the_length_of_a_queue_is_told_and_it_can_be_emptied(wakes: SimpleQueue) -> None:
    wakes.put({"federation": 1})
    wakes.put({"federation": 2})
    assert wakes.qsize() == 2
    assert wakes.clear() == 2
    assert wakes.qsize() == 0
