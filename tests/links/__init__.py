"""All pages of all offices: each link leads somewhere, and each page is valid."""
