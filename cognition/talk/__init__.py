"""A model reads talk in the background: when it is asked, what becomes of its answer, and what if it fails."""
