"""Taking down: reports of readers, cases of staff, what follows from them, and what everybody is told."""
