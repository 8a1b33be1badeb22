"""The office's own front: takes requests whole, within limits, before Django spends a thread on them.

Slow bodies and slow readers wait here, at no cost to others; officials never queue behind strangers.
"""
