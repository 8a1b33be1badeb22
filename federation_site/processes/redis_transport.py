"""kombu's Redis transport, but for a message whose receipt could not be told to Redis.

A worker takes no more messages than it has processes, and counts those whose receipt (or refusal) it has not
told. Where telling fails, because Redis hangs, kombu logs that and goes on counting: after one such message
for each process the worker takes none ever again, while all seems to run. Here it counts the message no
longer. Redis gives it out once more, an hour later, which only wakes somebody: what there is to do stands in
the database.
"""

from kombu.transport import redis, virtual


class MessagesInHand(redis.QoS):
    """Counts the messages that a worker has in hand; none of which Redis could not be told."""

    def ack(self, delivery_tag: str) -> None:
        """Take a message off the count, whether or not Redis can be told; raise its error if it cannot."""
        try:
            super().ack(delivery_tag)
        except Exception:
            virtual.QoS.ack(self, delivery_tag)
            raise

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        """Refuse a message, and take it off the count as `ack` does."""
        try:
            super().reject(delivery_tag, requeue=requeue)
        except Exception:
            virtual.QoS.ack(self, delivery_tag)
            raise


class RedisChannel(redis.Channel):
    QoS = MessagesInHand


class RedisTransport(redis.Transport):
    Channel = RedisChannel
