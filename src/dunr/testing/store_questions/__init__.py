"""The questions of the store exam, one file a subject."""
