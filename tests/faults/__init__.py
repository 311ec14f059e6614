"""Scripts that break things on purpose: too long for every run of the suite, called by hand and by the CI."""
