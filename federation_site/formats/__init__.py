"""Forms in which days are written where no page says otherwise: one module a language."""
