"""Program to fill the database that `manage.py up` made with the offices of seasons and of further tasks."""

import django

if __name__ == "__main__":
    django.setup()
    from tests.walks.seasons import open_seasons
    from tests.walks.task_offices import open_task_offices

    open_seasons()
    open_task_offices()
