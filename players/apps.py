from django.apps import AppConfig


class PlayersConfig(AppConfig):
    name = "players"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # Models are there now, which forms may need.
        from players.pages import required_field_messages

        required_field_messages.set_messages()
