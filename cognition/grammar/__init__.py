"""Read typed claims from what somebody tells, in ten languages by one reader over data files."""
