"""kombu's Redis transport, with another count of unacknowledged messages.

A worker takes no more messages than it has processes, and counts those that it has not acknowledged. If an
acknowledgement fails because Redis hangs, kombu logs that and goes on counting the message: after one such
message for each process, the worker never takes any again. Here it is no longer counted. Redis delivers it
once more an hour later, which does no harm.
"""

from kombu.transport import redis, virtual


class MessagesInHand(redis.QoS):
    """Counts unacknowledged messages, without those whose acknowledgement failed."""

    def ack(self, delivery_tag: str) -> None:
        try:
            super().ack(delivery_tag)
        except Exception:
            virtual.QoS.ack(self, delivery_tag)
            raise

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        try:
            super().reject(delivery_tag, requeue=requeue)
        except Exception:
            virtual.QoS.ack(self, delivery_tag)
            raise


class RedisChannel(redis.Channel):
    QoS = MessagesInHand


class RedisTransport(redis.Transport):
    Channel = RedisChannel
