"""The tag `url` of all templates: Django's own, but that an address is worked out once for the same words.

It takes what stands in addresses as text, and knows each namespace once.
"""

from __future__ import annotations

from functools import lru_cache

from django import template
from django.conf import settings
from django.template.base import Parser, Token
from django.template.context import Context
from django.template.defaulttags import URLNode
from django.template.defaulttags import url as django_url
from django.urls import NoReverseMatch, get_script_prefix, get_urlconf, reverse
from django.utils.html import conditional_escape

register = template.Library()


class KnownAddress(URLNode):
    """An address by its view's name: a page has dozens, most of them those of the page before."""

    def render(self, context: Context) -> str:
        if self.kwargs:
            return str(super().render(context))
        view, args = self.view_name.resolve(context), [str(each.resolve(context)) for each in self.args]
        urls = get_urlconf() or settings.ROOT_URLCONF
        try:
            address = _address(urls, get_script_prefix(), view, *args)
        except NoReverseMatch:
            if self.asvar is None:
                raise
            address = ""
        if self.asvar:
            context[self.asvar] = address
            return ""
        return conditional_escape(address) if context.autoescape else address


@lru_cache(maxsize=4096)
def _address(urls: str, _prefix: str, view: str, *args: str) -> str:
    """The address of a view; `_prefix`, that of the reader's language, goes before it."""
    return reverse(view, urls, args=args)


@register.tag
def url(parser: Parser, token: Token) -> KnownAddress:
    made = django_url(parser, token)
    return KnownAddress(made.view_name, made.args, made.kwargs, made.asvar)
