"""Program to fill the database that `manage.py up` made with the offices of the seasons."""

import django

if __name__ == "__main__":
    django.setup()
    from tests.walks.seasons import open_seasons

    open_seasons()
